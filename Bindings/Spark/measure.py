"""Measures how many receipts one core of this machine validates in a second, by either program.

usage: measure.py [--cores N] [--rounds N] parquet|pipe ARGUMENT…

Each ARGUMENT is one of validate_parquet.py or pipe.py. The results go to OUTPUT-1, OUTPUT-2 and so on. The first
round is a warm-up. A core-second is a second of processor time of any process of the job: Spark's, Python's and
app-receipt's. This includes reading and writing files. Waiting does not count.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pipe
import validate_parquet
from pyspark.sql import SparkSession


def core_seconds() -> float:
    """The processor time of this process, its descendants, and those descendants that have ended."""
    times: dict[int, tuple[int, int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        times[int(place.name)] = (int(fields[1]), sum(int(field) for field in fields[11:15]))
    below = {os.getpid()}
    while more := {pid for pid, (parent, _) in times.items() if parent in below} - below:
        below |= more
    return sum(times[pid][1] for pid in below) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = argparse.ArgumentParser(usage=(__doc__ or "").partition("usage: ")[2].partition("\n\n")[0])
    options.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    options.add_argument("--rounds", type=int, default=6)
    options.add_argument("program", choices=["parquet", "pipe"])
    options.add_argument("arguments", nargs=argparse.REMAINDER)
    given = options.parse_args()
    module = pipe if given.program == "pipe" else validate_parquet
    program = module.parser().parse_args(given.arguments)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master(f"local[{given.cores}]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    count, job = prepare(spark, given.program, program)
    rates = []
    for number in range(1, given.rounds + 1):
        used, started = core_seconds(), time.monotonic()
        job(f"{program.output}-{number}")
        used, elapsed = core_seconds() - used, time.monotonic() - started
        if number > 1:
            rates.append(count / used)
        print(f"round {number}: {count / used:.0f} receipts per core-second; {elapsed:.1f} s of the clock", flush=True)
    print(f"{count} receipts, {given.cores} cores: least {min(rates):.0f}, median {statistics.median(rates):.0f}")
    spark.stop()


def prepare(spark: SparkSession, name: str, program: argparse.Namespace) -> tuple[int, Callable[[str], None]]:
    """Returns the number of receipts, and a function that runs the job."""
    if name == "pipe":
        lines = pipe.results(spark.sparkContext, program)
        return spark.sparkContext.textFile(program.input).count(), lines.saveAsTextFile
    rows = validate_parquet.results(spark, program)
    return spark.read.parquet(program.input).count(), rows.write.parquet


if __name__ == "__main__":
    main()
