"""Validates a column of receipts or tokens in Parquet with the package for Python, and writes Parquet.

usage: spark-submit validate_parquet.py --environment NAME (--bundle-id ID | --bundle-id-column NAME)
           [--key NAME] [--receipt NAME] [--root FILE] [--kind KIND [--app-apple-id NUMBER]] INPUT OUTPUT

The column of receipts has the type binary (DER, or base64 as bytes) or string (base64). With --kind it has tokens, or
the JSON objects in which Apple sends them. The result has a row for each row of the input: the key, the SHA-256 of the
bytes as they are in the column, and the columns of `validate_column` or `validate_token_column`. These columns are
null for a row without a receipt or token, or without its expected app. Every worker needs the package
swift-app-receipt, pandas and pyarrow.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pandas
from pyspark.sql import DataFrame, SparkSession
from swift_app_receipt import ANY, Policy, TokenKind, TokenPolicy, validate_column, validate_token_column

RESULTS = (
    "sha256 string, status string, step string, code string, offset long, environment string, bundle_id string, "
    "application_version string, original_application_version string, receipt_creation_date timestamp, "
    "in_app_count long, product_ids array<string>"
)
TOKEN_RESULTS = (
    "sha256 string, status string, step string, code string, offset long, nested_token string, environment string, "
    "bundle_id string, notification_type string, subtype string, transaction_id string, "
    "original_transaction_id string, product_id string, signed_date timestamp, expires_date timestamp"
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
    options.add_argument("--kind", choices=get_args(TokenKind), help="the kind of the tokens in the column")
    options.add_argument("--app-apple-id", type=int, help="with --kind: the app's Apple ID")
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

    def validator(apps: Any) -> Callable[[Any], pandas.DataFrame]:
        common: dict[str, Any] = {"environments": environments, "bundle_identifiers": apps, "roots": roots}
        # Spark runs one task for each core, so a task needs one thread.
        if given.kind:
            policy = TokenPolicy(**common, app_apple_id=given.app_apple_id)
            return functools.partial(validate_token_column, policy=policy, kind=given.kind, threads=1)
        return functools.partial(validate_column, policy=Policy(**common), threads=1)

    def judge_frames(frames: Frames) -> Frames:
        for frame in frames:
            groups = [("", frame)] if app is None else frame.groupby(app, dropna=False)
            for expected, rows in groups:
                receipts = rows[receipt]
                if pandas.isna(expected):
                    expected, receipts = "", pandas.Series(None, rows.index, dtype="object")
                apps = accepted if app is None else [expected]
                found = validator(apps)(receipts)
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
    columns = TOKEN_RESULTS if given.kind else RESULTS
    return table.mapInPandas(judge(given), f"`{key.name}` {key.dataType.simpleString()}, {columns}")


def main() -> None:
    options = parser()
    given = options.parse_args()
    if given.app_apple_id is not None and not given.kind:
        options.error("--app-apple-id is for tokens; say with --kind what they hold")
    spark = SparkSession.builder.appName("app-receipt: Parquet").getOrCreate()
    results(spark, given).write.parquet(given.output)
    spark.stop()


if __name__ == "__main__":
    main()
