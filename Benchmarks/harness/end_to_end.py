"""Whole programs over files of base64 lines: how fast, with how many jobs, in how much memory.

Beside them, in the same rounds, a control: processes that do arithmetic alone, one by itself and then as many as
there are jobs. What the machine gives several processes at once is the most that several jobs can gain.
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


# Those that a verification has to refuse which knows nothing of receipts.
BAD_KINDS = ["tampered-payload", "wrong-signature", "foreign-root", "expired-path", "truncated", "not-base64"]


def numbers_of_jobs():
    """One, two, and twice as many up to all processors."""
    numbers = [1, 2]
    while numbers[-1] * 2 <= (os.cpu_count() or 1):
        numbers.append(numbers[-1] * 2)
    return numbers


def corpora(app_receipt, short, million):
    """Files of base64 lines, of growing numbers of receipts."""
    counts = [100, 400] if short else [1_000, 10_000, 100_000] + ([1_000_000] if million else [])
    made = []
    for count in counts:
        path = os.path.join(places.work_place("corpora"), f"{count}-receipts.base64")
        if not os.path.exists(path):
            print(f"minting {count:,} receipts", file=sys.stderr, flush=True)
        root = inputs.mint(app_receipt, path, count, 4, "base64")
        made.append({"path": path, "root": root, "receipts": count, "bytes": os.path.getsize(path)})
    return made


def disagreement(app_receipt, program):
    """Why a program may not be timed: it judges bad receipts otherwise than ours does. None where it does not."""
    path = os.path.join(places.work_place("corpora"), "200-receipts-some-bad.base64")
    corpus = {"path": path, "root": inputs.mint(app_receipt, path, 200, 4, "base64", BAD_KINDS)}
    verdicts = []
    for one in (app_receipt, program):
        done = subprocess.run(
            command(one, corpus, 1), cwd=os.path.dirname(path), capture_output=True, timeout=60, check=False
        )
        try:
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            verdicts.append({line["record"]: line["status"] == "valid" for line in lines})
        except (ValueError, KeyError) as error:
            return f"prints what is no result: {error}"
    ours, theirs = verdicts
    if ours.keys() != theirs.keys():
        return f"judges {len(theirs)} receipts of {len(ours)}"
    differing = [record for record, valid in ours.items() if theirs[record] != valid]
    return f"judges {len(differing)} of {len(ours)} receipts otherwise, first that of line {differing[0]}" if (
        differing
    ) else None


def command(program, corpus, jobs):
    """Run where the corpus lies: its name goes into the results, and some print all of a path and some its end."""
    name = os.path.basename(corpus["path"])
    if program.name in (programs.COMMAND, programs.COMMAND_PORTABLE):
        return [
            program.path, "corpus", "verify", "--root", corpus["root"], "--format", "base64", "--fields", "brief",
            "--quiet", "--jobs", str(jobs), *program.options, name,
        ]
    return [program.path, "--root", corpus["root"], "--jobs", str(jobs), name]


def run_one(program, corpus, jobs, outputs):
    """One run, with what the kernel says of it.

    Its output goes to a file, and is looked at afterwards: every receipt valid, and the same octets as those of
    whoever judged this corpus first, which are remembered in `outputs`.
    """
    output = os.path.join(places.work_place("end-to-end"), f"{program.name}.out")
    steal = machine.Steal()
    with open(output, "wb") as file:
        start = time.monotonic()
        child = subprocess.Popen(
            command(program, corpus, jobs), cwd=os.path.dirname(corpus["path"]), stdout=file,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        )
        watch = PeakWatch(child.pid)
        # What it says on standard error is little, and is read before it is waited for.
        said = child.stderr.read().decode("utf-8", "replace")
        child.stderr.close()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    valid, digest = look_at(output)
    os.remove(output)
    if child.returncode != 0 or valid != corpus["receipts"]:
        reason = f"exit status {child.returncode}, {valid} of {corpus['receipts']} valid: {said.strip()[-300:]}"
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


class PeakWatch:
    """The most memory that a process had.

    What the kernel says at its end begins with what this interpreter had when it started the process; below
    that, the process's own high-water mark counts, as it was read while it ran.
    """

    def __init__(self, process):
        self.status = f"/proc/{process}/status"
        self.seen = 0
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        """More often at first, so that short runs are seen at all."""
        pause = 0.001
        while "VmHWM:" in (text := machine.read(self.status)):
            self.seen = max(self.seen, int(text.split("VmHWM:")[1].split()[0]) << 10)
            time.sleep(pause)
            pause = min(pause * 1.2, 0.02)

    def peak(self, at_end):
        """In octets, from what the kernel says at the end: in octets on Darwin, in KiB elsewhere."""
        self.thread.join()
        scale = 1 if sys.platform == "darwin" else 1024
        ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # A tenth more, since the kernel counts pages in batches.
        return at_end * scale if at_end > 1.1 * ours or not self.seen else self.seen


def look_at(path):
    """How many lines say that a receipt is valid, and SHA-256 of all."""
    count, digest = 0, hashlib.sha256()
    with open(path, "rb") as file:
        for line in file:
            count += b'"status":"valid"' in line
            digest.update(line)
    return count, digest.hexdigest()


def control(ours, processes, seconds):
    """How much arithmetic each of so many processes at once gets done in a second."""
    children = [
        subprocess.Popen([ours.path, "control", "--seconds", str(seconds)], stdout=subprocess.PIPE)
        for _ in range(processes)
    ]
    lines = [json.loads(child.communicate()[0]) for child in children]
    return [line["operations"] / line["nanoseconds"] * 1e9 for line in lines]


def measure(ours, timed, files, settings, failures):
    """Every program, file and number of jobs in each round, in random order; and the control in each."""
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
            key = (program.name, corpus["receipts"], jobs)
            if key in broken:
                continue
            print(
                f"end to end, round {number + 1}: {program.name}, {corpus['receipts']:,} receipts, {jobs} jobs",
                file=sys.stderr, flush=True,
            )
            run = run_one(program, corpus, jobs, outputs)
            if "failed" in run:
                broken.add(key)
                failures.append({
                    "program": program.name,
                    "measure": f"end to end, {jobs} jobs",
                    "input": f"{corpus['receipts']} receipts",
                    "reason": run["failed"],
                })
                continue
            runs.append({
                "program": program.name, "receipts": corpus["receipts"], "bytes": corpus["bytes"], "jobs": jobs,
                "round": number + 1, **run,
            })
    return {"runs": runs, "control": controls}
