"""Runs the rounds. Each round runs every program, measure and input once, in random order, one at a time, pinned to one
processor."""
import random
import resource
import sys
import time

from . import inputs, machine
from .programs import OURS, OURS_PORTABLE, Failed


# A measurement that takes more seconds than this runs only in the first rounds (`slow_rounds`). The warm-up of Java's
# virtual machine takes that long.
SLOW = 5


def wrong_verdicts(programs, cases):
    """Returns, for each program, its verdicts that differ from the known ones.

    A digest of the content that differs from our own program's is listed as well.
    """
    by_root = {}
    for root, path, verdict in cases:
        by_root.setdefault(root, []).append((path, verdict))
    digests = {}
    differences = {}
    for program in sorted(programs, key=lambda program: program.name != OURS):
        found = differences.setdefault(program.name, [])
        for root, pairs in by_root.items():
            try:
                lines = program.check(root, [path for path, _ in pairs])
            except Failed as failure:
                found.append(f"check failed: {failure}")
                continue
            for (path, verdict), line in zip(pairs, lines):
                name = path.rsplit("/", 1)[-1]
                expected = {"accept": "accepted", "reject": "refused"}[verdict]
                if line.get("verdict") != expected:
                    reason = f" ({line['reason']})" if line.get("reason") else ""
                    found.append(f"{name} is {line.get('verdict')}{reason}, but should be {expected}")
                elif expected == "accepted":
                    digest = line.get("content_sha256")
                    if digests.setdefault(path, digest) != digest:
                        found.append(f"{name} has different content")
    return differences


def plan(programs, descriptions, sources, wanted):
    """Returns everything to measure. A program with a wrong verdict is measured with its primitives only."""
    items = []
    for program in programs:
        description = descriptions[program.name]
        known = inputs.PRIMITIVES if description["status"] == "disagrees" else inputs.MEASURES
        for measure in description["measures"]:
            if program.name == OURS_PORTABLE and measure not in inputs.PORTABLE_MEASURES:
                continue
            if measure in known and (wanted is None or measure in wanted):
                items += [(program, measure, source) for source in inputs.for_measure(measure, sources)]
    return items


def measure(items, settings, failures):
    """Returns the series of samples of each item that never failed. The failures are appended to `failures`."""
    order = random.Random(settings["seed"])
    series = {}
    broken, slow = set(), set()
    start = time.monotonic()
    for number in range(settings["rounds"]):
        order.shuffle(items)
        for place, (program, name, source) in enumerate(items):
            key = (program.name, name, source["id"])
            if key in broken or key in slow and number >= settings["slow_rounds"]:
                continue
            show_progress(number, place, items, settings, start)
            begun, usage = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
            steal = machine.Steal(settings["cpu"])
            milliseconds = settings["corpus_milliseconds" if source["kind"] == "corpus" else "milliseconds"]
            sampling = {"samples": settings["samples"], "milliseconds": milliseconds}
            try:
                line = program.time(name, source, sampling, settings["cpu"])
            except Failed as failure:
                broken.add(key)
                series.pop(key, None)
                failures.append({
                    "program": program.name, "measure": name, "input": source["id"], "reason": str(failure)
                })
                continue
            seconds, used = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
            if seconds > SLOW:
                slow.add(key)
            processor = used.ru_utime + used.ru_stime - usage.ru_utime - usage.ru_stime
            one = series.setdefault(key, {
                "program": program.name,
                "measure": name,
                "input": source["id"],
                "bytes": line.get("bytes", source["bytes"]),
                "distinct": line.get("distinct"),
                "allocations": line.get("allocations"),
                "rounds": [],
            })
            one["rounds"].append({
                "round": number + 1,
                "place": place + 1,
                "steal": steal.share(),
                "seconds": round(seconds, 3),
                "processor_seconds": round(processor, 3),
                "involuntary_switches": used.ru_nivcsw - usage.ru_nivcsw,
                "operations": line.get("operations"),
                "nanoseconds": line["nanoseconds"],
            })
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return list(series.values())


def show_progress(number, place, items, settings, start):
    """Shows the progress and the remaining time. On a terminal the line overwrites itself; otherwise prints one line
    for each round."""
    done = number * len(items) + place
    total = settings["rounds"] * len(items)
    elapsed = time.monotonic() - start
    left = f", {elapsed / done * (total - done) / 60:.0f} min left" if done else ""
    text = f"round {number + 1} of {settings['rounds']}: {place + 1} of {len(items)}{left}"
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    elif place == 0:
        print(text, file=sys.stderr, flush=True)
