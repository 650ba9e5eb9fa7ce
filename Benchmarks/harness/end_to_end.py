"""Measures whole programs on files of receipts in base64 or of tokens, one on each line: their speed and memory, by the
number of jobs.

Each round also runs a control: processes that do only arithmetic, first one alone, then as many as there are jobs.
Several jobs cannot gain more than several such processes do.
"""
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import threading
import time

from . import inputs, machine, places, programs


# The kinds of bad receipts and tokens that every verification must refuse, even one that knows nothing about Apple's.
BAD_KINDS = ["tampered-payload", "wrong-signature", "foreign-root", "expired-path", "truncated", "not-base64"]
# The measures of whole programs, with the kind of their corpora. The second is taken only if --measures names it.
MEASURES = {"end-to-end": "receipts", "token-end-to-end": "tokens"}
# The options that make a program mint or judge tokens.
TOKENS = ["--kind", "transaction"]


def numbers_of_jobs():
    """Returns the numbers of jobs to measure: 1, 2, 4 and so on, up to the number of processors."""
    numbers = [1, 2]
    while numbers[-1] * 2 <= (os.cpu_count() or 1):
        numbers.append(numbers[-1] * 2)
    return numbers


def corpora(app_receipt, kind, short, million):
    """Mints files of lines with increasing numbers of receipts or tokens, unless they exist."""
    counts = [100, 400] if short else [1_000, 10_000, 100_000] + ([1_000_000] if million else [])
    made = []
    for count in counts:
        path = os.path.join(places.work_place("corpora"), f"{count}-{kind}.base64")
        if not os.path.exists(path):
            print(f"minting {count:,} {kind}", file=sys.stderr, flush=True)
        root = inputs.mint(app_receipt, path, count, 4, inputs.base64_line, options=options_for(kind))
        made.append({"path": path, "root": root, "kind": kind, "receipts": count, "bytes": os.path.getsize(path)})
    return made


def options_for(kind):
    return TOKENS if kind == "tokens" else []


def verdict_difference(app_receipt, program, kind):
    """Compares a program's verdicts with ours on a corpus that contains bad receipts or tokens.

    Returns None if they agree. Otherwise returns the reason why the program is not timed.
    """
    path = os.path.join(places.work_place("corpora"), f"200-{kind}-some-bad.base64")
    root = inputs.mint(app_receipt, path, 200, 4, inputs.base64_line, BAD_KINDS, options_for(kind))
    corpus = {"path": path, "root": root, "kind": kind}
    verdicts = []
    for one in (app_receipt, program):
        done = subprocess.run(
            command(one, corpus, 1), cwd=os.path.dirname(path), capture_output=True, timeout=60, check=False,
            env={**os.environ, **one.environment},
        )
        try:
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            verdicts.append({line["record"]: line["status"] == "valid" for line in lines})
        except (ValueError, KeyError) as error:
            return f"does not print results: {error}"
    ours, theirs = verdicts
    if ours.keys() != theirs.keys():
        return f"gives verdicts on {len(theirs)} of {len(ours)} {kind}"
    differing = [record for record, valid in ours.items() if theirs[record] != valid]
    return f"{len(differing)} of {len(ours)} verdicts differ, the first at line {differing[0]}" if differing else None


def command(program, corpus, jobs):
    """Returns the command that judges a corpus. It must run in the corpus's directory and names the file without one,
    because the results contain the name, and some programs print the whole path and some only its last component."""
    name, options = os.path.basename(corpus["path"]), options_for(corpus["kind"])
    if program.name in (programs.COMMAND, programs.COMMAND_PORTABLE):
        return [
            program.path, "corpus", "verify", "--environment", "any", "--bundle-id", "any", "--root", corpus["root"],
            "--format", "base64", "--fields", "brief", "--quiet", "--jobs", str(jobs), *options, *program.options, name,
        ]
    return [program.path, "--root", corpus["root"], "--jobs", str(jobs), *options, name]


def run_one(program, corpus, jobs, outputs):
    """Runs a program once and returns its times and its memory, or the reason why it failed.

    The program's output goes to a file and is checked afterwards. Every receipt must be valid, and the bytes must be
    the same as in the first run on this corpus, whose digest is kept in `outputs`.
    """
    output = os.path.join(places.work_place("end-to-end"), f"{program.name}.out")
    steal = machine.Steal()
    with open(output, "wb") as file:
        start = time.monotonic()
        child = subprocess.Popen(
            command(program, corpus, jobs), cwd=os.path.dirname(corpus["path"]), stdout=file,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env={**os.environ, **program.environment},
        )
        watch = PeakMemory(child.pid)
        # The program writes little to standard error, so it can be read before the program has ended.
        messages = child.stderr.read().decode("utf-8", "replace")
        child.stderr.close()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    valid, digest = inspect(output)
    os.remove(output)
    if child.returncode != 0 or valid != corpus["receipts"]:
        reason = f"exit status {child.returncode}, {valid} of {corpus['receipts']} valid: {messages.strip()[-300:]}"
        return {"failed": reason}
    if outputs.setdefault(corpus["path"], digest) != digest:
        return {"failed": "its output differs from that of another run over the same receipts"}
    return {
        "seconds": seconds,
        "user_seconds": usage.ru_utime,
        "system_seconds": usage.ru_stime,
        "peak_bytes": watch.peak(usage.ru_maxrss),
        "steal": steal.share(),
    }


class PeakMemory:
    """The peak memory of a process.

    The kernel's figure at the end of the process includes what this interpreter held when it started the process. If
    the figure is not larger than that, the process's own high-water mark is used, which was read while it ran.
    """

    def __init__(self, process):
        self.status = f"/proc/{process}/status"
        self.seen = 0
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        """Reads the high-water mark until the process ends. Reads more often at first, to catch short runs."""
        pause = 0.001
        while "VmHWM:" in (text := machine.read(self.status)):
            self.seen = max(self.seen, int(text.split("VmHWM:")[1].split()[0]) << 10)
            time.sleep(pause)
            pause = min(pause * 1.2, 0.02)

    def peak(self, at_end):
        """Returns the peak in bytes. `at_end` is the kernel's figure at the end: bytes on Darwin, KiB elsewhere."""
        self.thread.join()
        scale = 1 if sys.platform == "darwin" else 1024
        ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # The kernel counts pages in batches, so its figure must exceed this interpreter's by a tenth.
        return at_end * scale if at_end > 1.1 * ours or not self.seen else self.seen


def inspect(path):
    """Returns the number of lines that report a valid receipt, and the SHA-256 of the whole file."""
    count, digest = 0, hashlib.sha256()
    with open(path, "rb") as file:
        for line in file:
            count += b'"status":"valid"' in line
            digest.update(line)
    return count, digest.hexdigest()


def control(ours, processes, seconds):
    """Runs arithmetic in `processes` processes at once and returns the operations per second of each."""
    children = [
        subprocess.Popen([ours.path, "control", "--seconds", str(seconds)], stdout=subprocess.PIPE)
        for _ in range(processes)
    ]
    lines = [json.loads(child.communicate()[0]) for child in children]
    return [line["operations"] / line["nanoseconds"] * 1e9 for line in lines]


def measure(ours, timed, files, settings, failures):
    """Runs every program with every file and number of jobs once in each round, in random order, with the control."""
    order = random.Random(settings["seed"])
    numbers = numbers_of_jobs()
    items = [(program, corpus, jobs) for program in timed for corpus in files for jobs in numbers]
    items += [(None, None, jobs) for jobs in numbers]
    runs, controls, broken, outputs = [], [], set(), {}
    for number in range(settings["end_to_end_rounds"]):
        order.shuffle(items)
        for program, corpus, jobs in items:
            if program is None:
                rates = control(ours, jobs, settings["control_seconds"])
                controls.append({"round": number + 1, "processes": jobs, "operations_per_second": rates})
                continue
            key = (program.name, corpus["kind"], corpus["receipts"], jobs)
            if key in broken:
                continue
            print(
                f"end to end, round {number + 1}: {program.name}, {corpus['receipts']:,} {corpus['kind']}, {jobs} jobs",
                file=sys.stderr, flush=True,
            )
            run = run_one(program, corpus, jobs, outputs)
            if "failed" in run:
                broken.add(key)
                failures.append({
                    "program": program.name,
                    "measure": f"end to end, {jobs} jobs",
                    "input": f"{corpus['receipts']} {corpus['kind']}",
                    "reason": run["failed"],
                })
                continue
            runs.append({
                "program": program.name, "kind": corpus["kind"], "receipts": corpus["receipts"],
                "bytes": corpus["bytes"], "jobs": jobs, "round": number + 1, **run,
            })
    return {"runs": runs, "control": controls}
