"""The command line of bench."""
import argparse
import os
import sys

from . import comparison, places, report, run, tables
from .trouble import Trouble

EXAMPLES = """\
  Benchmarks/bench run
      build, check, measure everything and print the tables; takes up to an hour
  Benchmarks/bench run --short --peers none
      takes less than a minute and shows that everything works; its figures mean nothing
  Benchmarks/bench run --peers openssl-3.0,aws-lc --measures uncached,uncached-decoded --out results.json
      measure only some of it, here class (i) against two peers
  Benchmarks/bench run --measures token-uncached,token-cached,token-batch,p256,p384 --peers aws-lc,openssl-3.0,openssl-current
      measure tokens and their signatures; takes ten minutes
  Benchmarks/bench run --without haswell --peers openssl-current,aws-lc,end-to-end-aws-lc
      measure this machine as one that has AVX2 and nothing newer
  Benchmarks/bench table results.json --markdown > tables.md
  Benchmarks/bench compare before.json after.json
      show what became faster or slower, where the difference exceeds the noise
"""


def parser():
    main = argparse.ArgumentParser(
        prog="bench",
        usage="bench COMMAND [OPTION…]",
        description="Measures swift-app-receipt and the peers that are built.\n\n" + EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = main.add_subparsers(dest="command", required=True, metavar="COMMAND", prog="bench")

    one = commands.add_parser("run", help="measure, write a file of results, and print its tables")
    one.add_argument("--short", action="store_true", help="use tiny inputs and one round to see that everything works")
    one.add_argument("--out", metavar="FILE", help="the file for the results; default: a new one in Benchmarks/.work")
    one.add_argument("--peers", metavar="NAME,…", help="the peers to measure, or none; default: all")
    one.add_argument("--measures", metavar="NAME,…", help="the measures to take; default: all but token-end-to-end")
    one.add_argument(
        "--without", metavar="NAME,…",
        help="measure ours and the peers without these instructions: haswell, skylake-sp, or names of /proc/cpuinfo",
    )
    one.add_argument("--rounds", type=positive, metavar="N", help="the number of rounds; default: 5")
    one.add_argument("--cpu", type=int, metavar="N", help="the processor to pin programs to; default: the last")
    one.add_argument("--seed", type=int, metavar="N", help="the seed of the random order; default: a new one each time")
    one.add_argument("--million", action="store_true", help="also run whole programs on a million receipts (10 GB)")
    one.add_argument("--no-end-to-end", dest="end_to_end", action="store_false", help="do not measure whole programs")
    one.add_argument("--no-build", dest="build", action="store_false", help="use the programs that are already built")
    one.add_argument(
        "--despite-differences", action="store_true",
        help="also time peers whose verdicts differ from the known ones; the tables mark them",
    )
    one.add_argument(
        "--bin", metavar="DIRECTORY", default=places.PEER_EXECUTABLES, help="the directory of the peers' programs"
    )

    one = commands.add_parser("compare", help="compare two files of results")
    one.add_argument("old", metavar="OLD.json")
    one.add_argument("new", metavar="NEW.json")
    one.add_argument("--all", action="store_true", help="also list the figures that did not change")
    one.add_argument("--markdown", action="store_true", help="write Markdown")

    one = commands.add_parser("table", help="print the tables of a file of results")
    one.add_argument("file", metavar="FILE.json")
    one.add_argument("--markdown", action="store_true", help="write Markdown")
    return main


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def show(blocks, as_markdown):
    if as_markdown:
        print(tables.markdown(blocks))
    else:
        print(tables.terminal(blocks, sys.stdout.isatty() and not os.environ.get("NO_COLOR")))


def main(words):
    """Runs the command line `words` and returns the exit status."""
    try:
        options = parser().parse_args(words)
        if options.command == "run":
            results, out = run.run(options)
            show(report.report(results), False)
            run.report_progress(f"results: {places.shown(out)}")
            stolen = report.stolen_share(results)
            if stolen is not None and stolen > report.MOST_STOLEN:
                run.report_progress(report.too_much_stolen(stolen))
                return 1
            return 1 if results["failures"] else 0
        if options.command == "compare":
            show(comparison.compare(run.load(options.old), run.load(options.new), options.all), options.markdown)
        else:
            show(report.report(run.load(options.file)), options.markdown)
        return 0
    except Trouble as trouble:
        print(f"bench: {trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: interrupted, and no results were written", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader closed the pipe, as head does. Redirecting the output keeps Python from complaining at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
