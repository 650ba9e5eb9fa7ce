"""Implements bench run, from building the programs to writing the file of results."""
import datetime
import json
import os
import sys
import time

from . import end_to_end, inputs, machine, masks, measuring, places, programs, tokens
from .trouble import Trouble

FORMAT = 1


def settings_of(options):
    short = options.short
    return {
        "rounds": options.rounds or (1 if short else 5),
        "slow_rounds": 2,
        "samples": 5 if short else 31,
        "milliseconds": 10 if short else 300,
        "corpus_milliseconds": 30 if short else 2000,
        "end_to_end_rounds": 1 if short else 3,
        "control_seconds": 1 if short else 2,
        "cpu": machine.chosen_cpu(options.cpu),
        "seed": options.seed if options.seed is not None else int(time.time()),
    }


def chosen_peers(options):
    """Returns the names of the peers selected by --peers."""
    known = {**programs.PEERS, **programs.END_TO_END_PEERS}
    if options.peers is None:
        return list(known)
    if options.peers == "none":
        return []
    names = options.peers.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Trouble(f"unknown peer {', '.join(unknown)}: --peers takes {', '.join(known)}, or none")
    return names


def chosen_measures(options):
    if options.measures is None:
        return None
    names, known = options.measures.split(","), [*inputs.MEASURES, *end_to_end.MEASURES]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Trouble(f"unknown measure {', '.join(unknown)}: --measures takes {', '.join(known)}")
    return names


def describe_all(found, missing, directory):
    """Returns each program's description and status. A program that is missing or fails has a reason instead."""
    descriptions = {
        name: {"status": "missing", "reason": programs.reason_missing(name, directory)} for name in missing
    }
    for program in found:
        if program.name in programs.END_TO_END_PEERS:
            descriptions[program.name] = {"status": "end to end"}
        try:
            description = program.describe()
            descriptions.setdefault(program.name, {"status": "timed"}).update(description)
        except programs.Failed as failure:
            if program.name not in programs.END_TO_END_PEERS:
                descriptions[program.name] = {"status": "failed", "reason": str(failure)}
    return descriptions


def check(found, descriptions, cases, measures, despite):
    """Decides which programs are timed on receipts or tokens: the ones whose verdicts are the known ones. `measures`
    are the measures that judge the cases.

    Raises Trouble if our own program gives a wrong verdict.
    """
    judges = [
        program
        for program in found
        if descriptions[program.name]["status"] == "timed"
        and any(measure in measures for measure in descriptions[program.name]["measures"])
    ]
    for name, differences in measuring.wrong_verdicts(judges, cases).items():
        descriptions[name]["checked"] = descriptions[name].get("checked", 0) + len(cases)
        descriptions[name].setdefault("differences", []).extend(differences)
        if differences and not despite:
            descriptions[name]["status"] = "disagrees"
        if differences and name in programs.OWN:
            raise Trouble("our own program gives wrong verdicts: " + "; ".join(differences[:5]))


def run(options):
    settings = settings_of(options)
    started = datetime.datetime.now(datetime.timezone.utc)
    out = options.out or os.path.join(places.work_place("results"), f"{started:%Y-%m-%dT%H%M%SZ}.json")
    if os.path.exists(out):
        raise Trouble(f"{out} exists already: choose another file with --out")
    if not os.access(os.path.dirname(os.path.abspath(out)), os.W_OK):
        raise Trouble(f"{out} cannot be written: choose another file with --out")
    wanted, measures, without = chosen_peers(options), chosen_measures(options), masks.names(options.without)

    report_progress("building" if options.build else "using the programs that are already built")
    kinds = [
        kind for measure, kind in end_to_end.MEASURES.items()
        if options.end_to_end and measure in (measures or ["end-to-end"])
    ]
    minting = measures is None or any(measure in inputs.ON_CORPORA for measure in measures)
    names = [programs.OURS, *([programs.COMMAND] if kinds or minting else [])]
    ours, *commands = programs.build_ours(options.build, names)
    portable = ours.portable()
    peers, missing = programs.find(wanted, options.bin)
    for program in [ours, *commands]:
        masks.apply(program, without)
    for program in list(peers):
        if not masks.apply(program, without):
            peers.remove(program)
            report_progress(f"not measured, because it cannot do without instructions: {program.name}")
    whole = [peer for peer in peers if peer.name in programs.END_TO_END_PEERS]
    peers = [peer for peer in peers if peer.name not in programs.END_TO_END_PEERS]
    for name in missing:
        report_progress(f"missing, not measured: {name}: {programs.reason_missing(name, options.bin)}")
    facts = machine.facts()

    descriptions = describe_all([ours, portable, *peers, *whole], missing, options.bin)
    for kind, cases, judging in [
        ("receipts", inputs.known_verdicts(), inputs.WHOLE), ("tokens", tokens.known_verdicts(), tokens.MEASURES)
    ]:
        report_progress(f"checking every program's verdicts on {len(cases)} {kind}")
        check([ours, portable, *peers], descriptions, cases, judging, options.despite_differences)
    for name, description in descriptions.items():
        if description["status"] == "failed":
            report_progress(f"not timed: {name}: {description['reason']}")
        if description["status"] == "disagrees":
            report_progress(f"timed with primitives only: {name}: {'; '.join(description['differences'][:3])}")
    timed = [program for program in [ours, portable, *peers] if descriptions[program.name]["status"] != "failed"]

    report_progress("making inputs")
    sources = [
        *inputs.imitations(), *inputs.genuine(), *(inputs.corpora(commands[0], options.short) if minting else []),
        *tokens.sources(), *inputs.digests(options.short), *inputs.signatures(), *inputs.curve_signatures(),
    ]
    if not any(source["id"] == "genuine-transaction" for source in sources):
        report_progress("genuine tokens are not measured: ../shared/jws is not available")
    failures = []
    items = measuring.plan(timed, descriptions, sources, measures)
    series = measuring.measure(items, settings, failures)
    ends = None
    if kinds:
        app_receipt = commands[0]
        for program in list(whole):
            differences = (end_to_end.verdict_difference(app_receipt, program, kind) for kind in kinds)
            reason = next(filter(None, differences), None)
            descriptions[program.name]["status"] = "not timed" if reason else "timed end to end"
            if reason:
                descriptions[program.name]["reason"] = reason
                whole.remove(program)
                report_progress(f"not timed: {program.name}: {reason}")
        files = [
            file for kind in kinds for file in end_to_end.corpora(app_receipt, kind, options.short, options.million)
        ]
        ends = end_to_end.measure(ours, [app_receipt, app_receipt.portable(), *whole], files, settings, failures)

    results = {
        "format": FORMAT,
        "started": started.isoformat(timespec="seconds"),
        "seconds": round((datetime.datetime.now(datetime.timezone.utc) - started).total_seconds()),
        "short": options.short,
        "without": without,
        "commit": machine.output_of("git", "rev-parse", "HEAD", cwd=places.ROOT) or "unknown",
        "dirty": bool(machine.output_of("git", "status", "--porcelain", cwd=places.ROOT)),
        "compiler": programs.compiler(),
        "flags": "swift build -c release",
        "machine": facts,
        "not_counted": machine.not_counted(),
        "settings": settings,
        "programs": descriptions,
        "inputs": {source["id"]: described(source) for source in sources},
        "series": series,
        "failures": failures,
        "end_to_end": ends,
    }
    with open(out, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    return results, out


def described(source):
    """Returns an input's facts for the file of results, without its paths on this machine."""
    return {name: value for name, value in source.items() if name not in ("id", "argument", "root")}


def load(path):
    """Reads a file of results. Raises Trouble if bench run did not write it in this format."""
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    except OSError as error:
        raise Trouble(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Trouble(f"{path} is not JSON ({error}): use a file that bench run wrote") from error
    if not isinstance(results, dict) or results.get("format") != FORMAT:
        raise Trouble(f"{path} is not in this bench's format: use a file that bench run wrote")
    return results


def report_progress(text):
    print(text, file=sys.stderr, flush=True)
