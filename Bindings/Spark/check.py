"""Runs both programs on two local workers, kills processes, and compares every record with the truth.

usage: check.py [--count N] [--app-receipt PATH] [--keep DIRECTORY]
"""

from __future__ import annotations

import argparse
import base64
import binascii
import csv
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PARTITIONS = 16
#: Rows of Parquet that have no expected app, and no receipt.
NO_APP, NO_RECEIPT = -1, -2
#: Seconds after which a job has failed.
PATIENCE = 600

#: A record's status, step and SHA-256.
Verdict = tuple[str | None, str | None, str | None]


def mint(place: Path, app_receipt: Path, count: int) -> None:
    """Makes the corpus as lines and as Parquet, and the root."""
    mint: list[str | Path] = [app_receipt, "mint-corpus", "--format", "ndjson", "--count", str(count), "--bad", "0.1"]
    files: list[str | Path] = ["--chains", "8", "--out", place / "corpus.ndjson", "--root-out", place / "root.der"]
    subprocess.run([*mint, *files], check=True, stderr=subprocess.DEVNULL)
    (place / "parquet").mkdir()
    with (place / "corpus.ndjson").open() as lines:
        records = [json.loads(line) for line in lines]
    schema = pyarrow.schema([("id", pyarrow.int64()), ("bundle_id", pyarrow.string()), ("receipt", pyarrow.binary())])
    size = -(-len(records) // PARTITIONS)
    for number in range(PARTITIONS):
        part = records[number * size : (number + 1) * size]
        rows = [{**record, "receipt": decoded(record["receipt"])} for record in part]
        if number == 0:
            rows.append({**rows[0], "id": NO_APP, "bundle_id": None})
            rows.append({**rows[0], "id": NO_RECEIPT, "receipt": None})
        table = pyarrow.Table.from_pylist(rows, schema=schema)
        pyarrow.parquet.write_table(table, place / "parquet" / f"{number:02}.parquet")


def decoded(text: str) -> bytes:
    """The receipt, or the text of a record that is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return text.encode()


def truth(place: Path) -> tuple[dict[int, Verdict], set[int]]:
    """The verdict about each record, and the records that are not base64."""
    verdicts: dict[int, Verdict] = {}
    texts = set()
    with (place / "corpus.ndjson").open() as lines:
        for record in map(json.loads, lines):
            digest = record["sha256"] or hashlib.sha256(record["receipt"].encode()).hexdigest()
            verdicts[record["id"]] = (record["status"], record["step"] or None, digest)
            if record["kind"] == "not-base64":
                texts.add(record["id"])
    return verdicts, texts


def differences(found: Iterable[tuple[int, Verdict]], expected: dict[int, Verdict]) -> list[str]:
    """Says which records differ, are missing, or come more than once."""
    seen: set[int] = set()
    faults = []
    for record, verdict in found:
        if record in seen:
            faults.append(f"record {record} comes twice")
        elif verdict != expected.get(record):
            faults.append(f"record {record}: found {verdict}, expected {expected.get(record)}")
        seen.add(record)
    faults += [f"record {record} is missing" for record in expected.keys() - seen]
    return faults


def test_differences(found: list[tuple[int, Verdict]], expected: dict[int, Verdict]) -> None:
    """Shows that the comparison notices a wrong step, a lost record and a record that comes twice."""
    record, (status, _, digest) = found[0]
    for changed in (found[1:], [*found, found[0]], [(record, (status, "other", digest)), *found[1:]]):
        assert len(differences(changed, expected)) == 1


def processes(ancestor: int) -> dict[int, tuple[int, str, bool]]:
    """The descendants of a process: their parents, their command lines, and whether they are computing."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(place.name)] = (int(parent), command, state == "R")
    below = {ancestor}
    while more := {pid for pid, (parent, _, _) in parents.items() if parent in below} - below:
        below |= more
    return {pid: parents[pid] for pid in below if pid in parents}


def victims(ancestor: int, kind: str) -> list[int]:
    """The processes of a kind that belong to a job."""
    found = processes(ancestor)
    parents = {parent for parent, _, _ in found.values()}

    def is_victim(pid: int, parent: int, command: str, computes: bool) -> bool:
        if kind == "executor":
            return "CoarseGrainedExecutorBackend" in command and "/java" in command.partition(" ")[0]
        if kind == "app-receipt":
            return " corpus verify " in command and command.startswith("./app-receipt")
        # Spark's daemon in Python forks a worker for each task that runs at a time. A worker stays after its task.
        is_worker = "pyspark.daemon" in command and "pyspark.daemon" in found.get(parent, (0, "", False))[1]
        return is_worker and (computes or pid in parents)

    return [pid for pid, process in found.items() if is_victim(pid, *process)]


def run(place: Path, name: str, kill: str | None, program: list[str]) -> tuple[Path, list[str]]:
    """Runs a program on two workers. Kills a process of the kind after the first task. Returns the failed tasks."""
    output, log, log_file = place / name, place / f"{name}.events", place / f"{name}.log"
    log.mkdir()
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        # One task for each file of Parquet.
        "spark.sql.files.maxPartitionBytes": "16m",
        "spark.sql.files.openCostInBytes": "16m",
    }
    binaries = Path(sys.executable).parent
    command = [str(binaries / "spark-submit"), "--master", "local-cluster[2,1,1024]"]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    command += ["--files", f"{place / 'app-receipt'},{place / 'root.der'}"]
    arguments = [argument.replace("OUTPUT", str(output)) for argument in program]
    # The environment's Spark and Python, whatever else is installed.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_HOSTNAME": "localhost"}
    started = time.monotonic()
    with log_file.open("w") as errors:
        process = subprocess.Popen([*command, *arguments], env=environment, cwd=place, stdout=errors, stderr=errors)
        killed = None
        while process.poll() is None:
            if time.monotonic() - started > PATIENCE:
                process.kill()
            # Spark writes what a finished task wrote to _temporary/0/task_….
            if kill and not killed and any(output.glob("_temporary/0/task_*")):
                if found := victims(process.pid, kill):
                    killed = found[0]
                    try:
                        os.kill(killed, signal.SIGKILL)
                    except ProcessLookupError:
                        killed = None
            time.sleep(0.005)
    if process.returncode != 0:
        raise SystemExit(f"{name} ended with status {process.returncode}\n{log_file.read_text()[-6000:]}")
    if kill and not killed:
        raise SystemExit(f"{name}: no process of the kind {kill} was seen in the middle of the job")
    events = [json.loads(line) for file in log.iterdir() for line in file.open()]
    ends = [event["Task End Reason"]["Reason"] for event in events if event["Event"] == "SparkListenerTaskEnd"]
    return output, [end for end in ends if end != "Success"]


def checked(
    place: Path,
    name: str,
    kinds: list[str],
    program: list[str],
    read: Callable[[Path], list[tuple[int, Verdict]]],
    expected: dict[int, Verdict],
) -> None:
    """Runs a program undisturbed, and once for each kind of killed process."""
    undisturbed: list[tuple[int, Verdict]] | None = None
    for kill in [None, *kinds]:
        for attempt in range(1, 6):
            output, failed = run(place, f"{name}-{kill}-{attempt}", kill, program)
            # A worker that was killed between two tasks fails no task.
            if failed or not kill:
                break
        if bool(failed) != bool(kill):
            raise SystemExit(f"{name}, killed: {kill}; the tasks that failed: {failed}")
        found = read(output)
        if faults := differences(found, expected):
            raise SystemExit("\n".join([f"{name}, killed: {kill}", *faults[:20], f"{len(faults)} differences"]))
        if undisturbed is None:
            undisturbed = found
            test_differences(found, expected)
        disturbance = f"a killed {kill} process ({', '.join(failed)})" if kill else "undisturbed"
        print(f"{name}, {disturbance}: {len(found)} records, no difference", flush=True)


def read_parquet(output: Path) -> list[tuple[int, Verdict]]:
    rows = pyarrow.parquet.read_table(output).select(["id", "status", "step", "sha256"]).to_pylist()
    return [(row["id"], (row["status"], row["step"], row["sha256"])) for row in rows]


def result_lines(output: Path) -> list[str]:
    """The lines of all partitions. Checks that no two have the same key."""
    lines = [line for part in sorted(output.glob("part-*")) for line in part.read_text().splitlines()]
    keys = {json.loads(line)["key"] for line in lines}
    if len(keys) != len(lines):
        raise SystemExit(f"{output.name}: {len(lines)} lines have {len(keys)} keys")
    return lines


def check_tokens(place: Path, kind: str) -> None:
    """Judges the tokens of Vectors with both programs, and compares the step and the code of each with the truth."""
    vectors = REPOSITORY / "Vectors" / "tokens"
    header = (vectors / "header.txt").read_text().rstrip("\n")
    with (vectors / "tokens.tsv").open(newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    # The others need another root, a device or a time.
    plain = {"kind": kind, "trust": "pinned", "root": "", "device": "", "now": ""}
    rows = [row for row in rows if all(row[name] == value for name, value in plain.items())] * 10
    lines = [json.dumps({"id": number, "token": row["token"].replace("~", header)}) for number, row in enumerate(rows)]
    source = place / f"{kind}.ndjson"
    source.write_text("".join(f"{line}\n" for line in lines))
    pipe = [str(HERE / "pipe.py"), "--partitions", "4", "--command", "./app-receipt", str(source), "OUTPUT"]
    root = hashlib.sha256((vectors / "root.der").read_bytes()).hexdigest()
    judge = ["--kind", kind, "--bundle-id", "com.example.app", "--app-apple-id", "1234567890"]
    judge += ["--environment", "Production", "--environment", "Sandbox"]
    expected = {number: (row["step"], row["code"]) for number, row in enumerate(rows)}

    def compare(program: str, found: dict[int, tuple[str, str]], failed: list[str], expected: Any) -> None:
        if failed or found != expected:
            wrong = [number for number, truth in expected.items() if found.get(number) != truth]
            faults = [f"token {number}: {found.get(number)}, expected {expected[number]}" for number in wrong]
            raise SystemExit("\n".join([f"{program} --kind {kind}: {failed}", *faults[:20]]))
        print(f"{program} --kind {kind}: {len(found)} tokens, no difference", flush=True)

    lines_only = ["--root", root, "--format", "ndjson", "--keep", "id"]
    output, failed = run(place, f"pipe.py-{kind}", None, [*pipe, *judge, *lines_only])
    results = [json.loads(line) for line in result_lines(output)]
    found = {result["keep"]["id"]: (result["step"] or "accept", result["code"] or "") for result in results}
    compare("pipe.py", found, failed, expected)

    table = pyarrow.Table.from_pylist([json.loads(line) for line in lines] + [{"id": NO_RECEIPT, "token": None}])
    pyarrow.parquet.write_table(table, place / f"{kind}.parquet")
    parquet = [str(HERE / "validate_parquet.py"), *judge, "--root", str(vectors / "root.der"), "--receipt", "token"]
    parquet += [str(place / f"{kind}.parquet"), "OUTPUT"]
    output, failed = run(place, f"validate_parquet.py-{kind}", None, parquet)
    # A root that is known by its certificate, not by its fingerprint, may be missing or issued anew.
    free = ("root missing", "the root issued anew with its key")
    accepted = {number: ("accept", "") for number, row in enumerate(rows) if row["#name"] in free}
    absent = {NO_RECEIPT: ("absent", "")}
    read = pyarrow.parquet.read_table(output).to_pylist()
    steps = {"valid": "accept", None: "absent"}
    found = {row["id"]: (row["step"] or steps[row["status"]], row["code"] or "") for row in read}
    compare("validate_parquet.py", found, failed, expected | accepted | absent)


def main() -> None:
    options = argparse.ArgumentParser(usage=(__doc__ or "").partition("usage: ")[2])
    options.add_argument("--count", type=int, default=20000)
    options.add_argument("--app-receipt", type=Path, default=REPOSITORY / ".build/release/app-receipt")
    options.add_argument("--keep", type=Path, help="a new directory for the corpus, the results and the logs")
    given = options.parse_args()
    place = given.keep or Path(tempfile.mkdtemp(prefix="app-receipt-spark-"))
    place = place.resolve()
    place.mkdir(exist_ok=True)
    try:
        check(place, given.app_receipt.resolve(), given.count)
    finally:
        if not given.keep:
            shutil.rmtree(place)


def check(place: Path, app_receipt: Path, count: int) -> None:
    shutil.copy(app_receipt, place / "app-receipt")
    mint(place, app_receipt, count)
    expected, texts = truth(place)
    assert len(expected) == count

    root = str(place / "root.der")
    parquet = [str(HERE / "validate_parquet.py"), "--environment", "Production", "--root", root]
    parquet += ["--bundle-id-column", "bundle_id", str(place / "parquet"), "OUTPUT"]
    absent: dict[int, Verdict] = {NO_APP: (None, None, expected[1][2]), NO_RECEIPT: (None, None, None)}
    checked(place, "validate_parquet.py", ["Python", "executor"], parquet, read_parquet, expected | absent)

    # The command line gives a record that is not base64 no SHA-256.
    expected = {
        record: (status, step, None if record in texts else digest)
        for record, (status, step, digest) in expected.items()
    }
    judge = ["--format", "ndjson", "--environment", "Production", "--root", "root.der", "--fields", "none"]
    judge += ["--bundle-id-field", "bundle_id", "--keep", "id"]
    pipe = [str(HERE / "pipe.py"), "--partitions", str(PARTITIONS), "--name", "corpus", "--command", "./app-receipt"]
    whole: list[set[str]] = []

    def read_lines(output: Path) -> list[tuple[int, Verdict]]:
        lines = result_lines(output)
        # A retry must write the same lines with the same keys.
        whole.append(set(lines))
        if whole[-1] != whole[0]:
            raise SystemExit(f"{output.name}: the lines differ from those of the undisturbed job")
        results = [json.loads(line) for line in lines]
        return [(int(result["keep"]["id"]), (result["status"], result["step"], result["sha256"])) for result in results]

    kinds = ["app-receipt", "Python", "executor"]
    checked(place, "pipe.py", kinds, [*pipe, str(place / "corpus.ndjson"), "OUTPUT", *judge], read_lines, expected)

    # Two files with the same bytes: only the source's name tells their records apart.
    (place / "twice").mkdir()
    with (place / "corpus.ndjson").open() as lines:
        first = [next(lines) for _ in range(500)]
    for name in ("one", "other"):
        (place / "twice" / name).write_text("".join(first))
    pipe = [*pipe[:1], "--partitions", "2", *pipe[3:]]
    output, _ = run(place, "pipe.py-twice", None, [*pipe, str(place / "twice"), "OUTPUT", *judge])
    assert len(result_lines(output)) == 2 * len(first)
    print(f"pipe.py, two files with the same {len(first)} lines: {2 * len(first)} keys")

    for kind in ("transaction", "notification"):
        check_tokens(place, kind)


if __name__ == "__main__":
    main()
