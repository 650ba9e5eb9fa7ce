"""bench run: everything, from building to the file of results."""
import datetime
import json
import os
import sys
import time

from . import end_to_end, inputs, machine, measuring, places, programs
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
    """The names of the peers that are asked for."""
    known = {**programs.PEERS, **programs.END_TO_END_PEERS}
    if options.peers is None:
        return list(known)
    if options.peers == "none":
        return []
    names = options.peers.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Trouble(f"there is no peer {', '.join(unknown)}; there are {', '.join(known)}, and none")
    return names


def chosen_measures(options):
    if options.measures is None:
        return None
    names = options.measures.split(",")
    unknown = [name for name in names if name not in inputs.MEASURES]
    if unknown:
        raise Trouble(f"there is no measure {', '.join(unknown)}; there are {', '.join(inputs.MEASURES)}")
    return names


def introduce(found, missing, directory):
    """Each program's word about itself, and the standing of those that have none."""
    descriptions = {
        name: {"status": "missing", "reason": programs.why_missing(name, directory)} for name in missing
    }
    for program in found:
        if program.name in programs.END_TO_END_PEERS:
            descriptions[program.name] = {"status": "end to end"}
        try:
            word = program.describe()
            descriptions.setdefault(program.name, {"status": "timed"}).update(word)
        except programs.Failed as failure:
            if program.name not in programs.END_TO_END_PEERS:
                descriptions[program.name] = {"status": "failed", "reason": str(failure)}
    return descriptions


def check(found, descriptions, cases, despite):
    """Which programs may be timed with receipts: those that judge them as is known."""
    judges = [
        program
        for program in found
        if descriptions[program.name]["status"] == "timed"
        and any(measure in inputs.WHOLE for measure in descriptions[program.name]["measures"])
    ]
    for name, differences in measuring.agreement(judges, cases).items():
        descriptions[name]["checked"] = len(cases)
        descriptions[name]["differences"] = differences
        if differences and not despite:
            descriptions[name]["status"] = "disagrees"
        if differences and name in programs.OWN:
            raise Trouble("our own program judges receipts wrongly: " + "; ".join(differences[:5]))


def run(options):
    settings = settings_of(options)
    started = datetime.datetime.now(datetime.timezone.utc)
    out = options.out or os.path.join(places.work_place("results"), f"{started:%Y-%m-%dT%H%M%SZ}.json")
    if os.path.exists(out):
        raise Trouble(f"{out} is there already: name another file with --out")
    if not os.access(os.path.dirname(os.path.abspath(out)), os.W_OK):
        raise Trouble(f"{out} could not be written at the end: name another file with --out")
    wanted, measures = chosen_peers(options), chosen_measures(options)

    tell("building" if options.build else "using what is built")
    ours, app_receipt = programs.build_ours(options.build)
    portable = ours.portable()
    peers, missing = programs.find(wanted, options.bin)
    whole = [peer for peer in peers if peer.name in programs.END_TO_END_PEERS]
    peers = [peer for peer in peers if peer.name not in programs.END_TO_END_PEERS]
    for name in missing:
        tell(f"missing, and not measured: {name}: {programs.why_missing(name, options.bin)}")
    facts = machine.facts()

    descriptions = introduce([ours, portable, *peers, *whole], missing, options.bin)
    cases = inputs.to_be_judged()
    tell(f"checking that all judge {len(cases)} receipts alike")
    check([ours, portable, *peers], descriptions, cases, options.despite_differences)
    for name, description in descriptions.items():
        if description["status"] == "failed":
            tell(f"not timed: {name}: {description['reason']}")
        if description["status"] == "disagrees":
            tell(f"timed with primitives only: {name}: {'; '.join(description['differences'][:3])}")
    timed = [program for program in [ours, portable, *peers] if descriptions[program.name]["status"] != "failed"]

    tell("making inputs")
    sources = [
        *inputs.look_alikes(), *inputs.genuine(), *inputs.corpora(app_receipt, options.short),
        *inputs.digests(options.short), *inputs.signatures(),
    ]
    failures = []
    items = measuring.plan(timed, descriptions, sources, measures)
    series = measuring.measure(items, settings, failures)
    ends = None
    if options.end_to_end:
        for program in list(whole):
            reason = end_to_end.disagreement(app_receipt, program)
            descriptions[program.name]["status"] = "not timed" if reason else "timed end to end"
            if reason:
                descriptions[program.name]["reason"] = reason
                whole.remove(program)
                tell(f"not timed: {program.name}: {reason}")
        files = end_to_end.corpora(app_receipt, options.short, options.million)
        ends = end_to_end.measure(ours, [app_receipt, app_receipt.portable(), *whole], files, settings, failures)

    results = {
        "format": FORMAT,
        "started": started.isoformat(timespec="seconds"),
        "seconds": round((datetime.datetime.now(datetime.timezone.utc) - started).total_seconds()),
        "short": options.short,
        "commit": machine.output_of("git", "rev-parse", "HEAD", cwd=places.ROOT) or "not known",
        "dirty": bool(machine.output_of("git", "status", "--porcelain", cwd=places.ROOT)),
        "compiler": programs.compiler(),
        "flags": "swift build -c release --traits Accelerated",
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
    """An input without the place where it lies on this machine."""
    return {name: value for name, value in source.items() if name not in ("id", "argument", "root")}


def load(path):
    """The results of an earlier run."""
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    except OSError as error:
        raise Trouble(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Trouble(f"{path} is not JSON ({error}): give a file that bench run wrote") from error
    if not isinstance(results, dict) or results.get("format") != FORMAT:
        raise Trouble(f"{path} is not a file of this bench: give one that bench run wrote")
    return results


def tell(text):
    print(text, file=sys.stderr, flush=True)
