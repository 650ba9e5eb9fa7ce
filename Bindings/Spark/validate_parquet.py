"""Validates a column of receipts in Parquet with the package for Python, and writes Parquet.

usage: spark-submit validate_parquet.py --environment NAME (--bundle-id ID | --bundle-id-column NAME)
           [--key NAME] [--receipt NAME] [--root FILE] INPUT OUTPUT

The column of receipts has the type binary (DER, or base64 as bytes) or string (base64). The result has a row for
each row of the input: the key, the SHA-256 of the receipt's bytes as they are in the column, and the columns of
`validate_column`. These columns are null for a row without a receipt or without its expected app. Every worker
needs the package swift-app-receipt, pandas and pyarrow.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas
from pyspark.sql import DataFrame, SparkSession
from swift_app_receipt import ANY, Policy, validate_column

RESULTS = (
    "sha256 string, status string, step string, code string, offset long, environment string, bundle_id string, "
    "application_version string, original_application_version string, receipt_creation_date timestamp, "
    "in_app_count long, product_ids array<string>"
)


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(usage=(__doc__ or "").partition("usage: ")[2].partition("\n\n")[0])
    app = options.add_mutually_exclusive_group(required=True)
    app.add_argument("--bundle-id", action="append", help="any accepts the receipts of every app")
    app.add_argument("--bundle-id-column", help="the column with the row's expected bundle identifier")
    options.add_argument("--environment", action="append", required=True)
    options.add_argument("--key", default="id", help="the column that names a row; id by default")
    options.add_argument("--receipt", default="receipt", help="the column with the receipt; receipt by default")
    options.add_argument("--root", action="append", default=[], help="a root in DER in place of Apple's")
    options.add_argument("input")
    options.add_argument("output")
    return options


Frames = Iterator[pandas.DataFrame]


def judge(given: argparse.Namespace) -> Callable[[Frames], Frames]:
    """Returns the function for mapInPandas. The driver reads the roots, and Spark sends them to the workers."""
    roots = [Path(name).read_bytes() for name in given.root] or None
    environments = ANY if "any" in given.environment else given.environment
    key, receipt, app = given.key, given.receipt, given.bundle_id_column
    accepted = ANY if "any" in (given.bundle_id or []) else given.bundle_id

    def judge_frames(frames: Frames) -> Frames:
        for frame in frames:
            groups = [("", frame)] if app is None else frame.groupby(app, dropna=False)
            for expected, rows in groups:
                receipts = rows[receipt]
                if pandas.isna(expected):
                    expected, receipts = "", pandas.Series(None, rows.index, dtype="object")
                apps = accepted if app is None else [expected]
                policy = Policy(environments=environments, bundle_identifiers=apps, roots=roots)
                # Spark runs one task for each core, so a task needs one thread.
                found = validate_column(receipts, policy, threads=1)
                found.insert(0, "sha256", [digest(octets) for octets in rows[receipt]])
                found.insert(0, key, rows[key])
                yield found

    def digest(octets: bytes | str | None) -> str | None:
        if octets is None:
            return None
        return hashlib.sha256(octets.encode() if isinstance(octets, str) else octets).hexdigest()

    return judge_frames


def results(spark: SparkSession, given: argparse.Namespace) -> DataFrame:
    # Arrow makes batches of 10,000 rows by default: 70 MB of receipts, and far more if they are large.
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 1000)
    names = dict.fromkeys([given.key, given.receipt, given.bundle_id_column or given.key])
    table = spark.read.parquet(given.input).select(*names)
    key = table.schema[given.key]
    return table.mapInPandas(judge(given), f"`{key.name}` {key.dataType.simpleString()}, {RESULTS}")


def main() -> None:
    given = parser().parse_args()
    spark = SparkSession.builder.appName("app-receipt: Parquet").getOrCreate()
    results(spark, given).write.parquet(given.output)
    spark.stop()


if __name__ == "__main__":
    main()
