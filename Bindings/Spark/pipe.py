"""Pipes the lines of text files through `app-receipt corpus verify`, a process for each partition.

usage: spark-submit pipe.py [--partitions N] [--name NAME] [--command PATH] INPUT OUTPUT [OPTION…]

Each OPTION after OUTPUT is one of `app-receipt corpus verify`, such as --environment Production. NAME stands for
the input in the keys of the results; INPUT by default. The source of partition 3 is NAME/3. A key covers the name of
the source, so keys are unique over all partitions, also if two partitions have the same bytes.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable, Iterator
from itertools import chain
from threading import Thread

from pyspark import RDD, SparkContext
from pyspark.sql import SparkSession


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(usage=(__doc__ or "").partition("usage: ")[2].partition("\n\n")[0])
    options.add_argument("--partitions", type=int, help="the least number of partitions")
    options.add_argument("--name", help="the input's name in the keys of the results")
    options.add_argument("--command", default="app-receipt", help="a path, or a name in the PATH of the workers")
    options.add_argument("input")
    options.add_argument("output")
    options.add_argument("options", nargs=argparse.REMAINDER)
    return options


def judge(given: argparse.Namespace) -> Callable[[int, Iterator[bytes]], Iterator[bytes]]:
    """Returns the function for mapPartitionsWithIndex: takes lines, and yields lines of JSON."""
    name = given.name or given.input
    # A partition can consist of unreadable records. Each has a line in the results.
    fixed = ["corpus", "verify", "--quiet", "--jobs", "1", "--allow-unreadable", *given.options]
    command = [given.command, *fixed]

    def judge_lines(partition: int, lines: Iterator[bytes]) -> Iterator[bytes]:
        # Standard input without a line has a line in the results. A partition without lines is no source.
        first = next(lines, None)
        if first is None:
            return
        process = subprocess.Popen(
            [*command, "--source", f"{name}/{partition}", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin and process.stdout
        to_process, from_process = process.stdin, process.stdout
        failures: list[BaseException] = []

        def feed() -> None:
            try:
                with to_process:
                    for line in chain([first], lines):
                        to_process.write(line + b"\n")
            except BrokenPipeError:
                pass  # The exit status says why the process stopped reading.
            except BaseException as failure:
                failures.append(failure)
                process.kill()

        feeder = Thread(target=feed, daemon=True)
        feeder.start()
        try:
            for line in from_process:
                yield line.rstrip(b"\n")
            feeder.join()
            status = process.wait()
            # An exception fails the task. Spark drops what the task wrote, and runs it again.
            if failures:
                raise failures[0]
            if status != 0:
                raise RuntimeError(f"{command[0]} ended with status {status} in partition {partition}")
        finally:
            process.kill()
            process.wait()

    return judge_lines


def results(context: SparkContext, given: argparse.Namespace) -> RDD[bytes]:
    lines = context.textFile(given.input, given.partitions, use_unicode=False)
    return lines.mapPartitionsWithIndex(judge(given))


def main() -> None:
    given = parser().parse_args()
    spark = SparkSession.builder.appName("app-receipt: pipe").getOrCreate()
    results(spark.sparkContext, given).saveAsTextFile(given.output)
    spark.stop()


if __name__ == "__main__":
    main()
