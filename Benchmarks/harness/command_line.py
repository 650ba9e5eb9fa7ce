"""The commands of bench."""
import argparse
import os
import sys

from . import chart, comparison, places, report, run, tables
from .trouble import Trouble

EXAMPLES = """\
  Benchmarks/bench run
      everything that is there: build, check, measure, print the tables; up to an hour
  Benchmarks/bench run --short --peers none
      less than a minute: that it works, not how fast it is
  Benchmarks/bench run --peers openssl-3.0,aws-lc --measures uncached,uncached-decoded --out results.json
      some of it: here class (i) without its cached kin
  Benchmarks/bench table results.json --markdown > tables.md
  Benchmarks/bench chart results.json chart.svg
  Benchmarks/bench compare before.json after.json
      what became faster or slower, as far as the noise lets one tell
"""


def parser():
    main = argparse.ArgumentParser(
        prog="bench",
        usage="bench COMMAND [OPTION…]",
        description="Measures swift-app-receipt, and its peers where they are built.\n\n" + EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = main.add_subparsers(dest="command", required=True, metavar="COMMAND", prog="bench")

    one = commands.add_parser("run", help="measure, write a file of results, and print its tables")
    one.add_argument("--short", action="store_true", help="tiny inputs and one round, to see that all works")
    one.add_argument("--out", metavar="FILE", help="where to write the results; in Benchmarks/.work by default")
    one.add_argument("--peers", metavar="NAME,…", help="those named, or none; all by default")
    one.add_argument("--measures", metavar="NAME,…", help="those named; all by default")
    one.add_argument("--rounds", type=positive, metavar="N", help="5 by default")
    one.add_argument("--cpu", type=int, metavar="N", help="the processor to pin to; the last by default")
    one.add_argument("--seed", type=int, metavar="N", help="of the random order; another every time by default")
    one.add_argument("--million", action="store_true", help="end to end with a million receipts too: 10 GB of them")
    one.add_argument("--no-end-to-end", dest="end_to_end", action="store_false", help="leave whole programs out")
    one.add_argument("--no-build", dest="build", action="store_false", help="take what is built already")
    one.add_argument(
        "--despite-differences", action="store_true",
        help="time peers, too, that judge receipts otherwise than is known; the tables say so",
    )
    one.add_argument(
        "--bin", metavar="DIRECTORY", default=places.PEER_EXECUTABLES, help="where the peers' programs are"
    )

    one = commands.add_parser("compare", help="compare two files of results")
    one.add_argument("old", metavar="OLD.json")
    one.add_argument("new", metavar="NEW.json")
    one.add_argument("--all", action="store_true", help="list what did not change, too")
    one.add_argument("--markdown", action="store_true", help="write Markdown")

    one = commands.add_parser("table", help="print the tables of a file of results")
    one.add_argument("file", metavar="FILE.json")
    one.add_argument("--markdown", action="store_true", help="write Markdown")

    one = commands.add_parser("chart", help="draw a file of results")
    one.add_argument("file", metavar="FILE.json")
    one.add_argument("out", metavar="OUT.svg")
    return main


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("is to be 1 or more")
    return number


def show(blocks, as_markdown):
    if as_markdown:
        print(tables.markdown(blocks))
    else:
        print(tables.terminal(blocks, sys.stdout.isatty() and not os.environ.get("NO_COLOR")))


def main(words):
    """Does what the words say; gives the exit status."""
    try:
        options = parser().parse_args(words)
        if options.command == "run":
            results, out = run.run(options)
            show(report.report(results), False)
            run.tell(f"results: {places.shown(out)}")
            return 1 if results["failures"] else 0
        if options.command == "compare":
            show(comparison.compare(run.load(options.old), run.load(options.new), options.all), options.markdown)
        elif options.command == "table":
            show(report.report(run.load(options.file)), options.markdown)
        else:
            chart.write(run.load(options.file), options.out)
        return 0
    except Trouble as trouble:
        print(f"bench: {trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: interrupted; nothing was written", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the tables has enough; the interpreter is kept from complaining about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
