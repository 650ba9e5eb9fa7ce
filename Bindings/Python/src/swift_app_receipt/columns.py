"""Validation of a column of receipts: an array of Arrow, or a Series of pandas.

Arrow and pandas are extras of the package: install it with `[arrow]` or `[pandas]` after its path.
"""

from __future__ import annotations

import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int64, c_size_t
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from . import _library as c
from ._policy import Policy
from ._validator import BATCH_RECEIPTS, Validator, octets_of, thread_count, validator_for

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["COLUMNS", "validate_column"]

#: The columns of the result, in order. `offset`, `step` and `code` are null for a valid receipt, the columns
#: after them for a refused one. All columns are null if the receipt is null.
COLUMNS: Final = (
    "status",
    "step",
    "code",
    "offset",
    "environment",
    "bundle_id",
    "application_version",
    "original_application_version",
    "receipt_creation_date",
    "in_app_count",
    "product_ids",
)

_TEXTS: Final = (
    ("environment", c.ENVIRONMENT),
    ("bundle_id", c.BUNDLE_IDENTIFIER),
    ("application_version", c.APP_VERSION),
    ("original_application_version", c.ORIGINAL_APP_VERSION),
)

_Columns = dict[str, list[Any]]


@overload
def validate_column(
    column: pandas.Series[Any], policy: Policy, *, threads: int | None = None
) -> pandas.DataFrame: ...
@overload
def validate_column(
    column: pyarrow.Array | pyarrow.ChunkedArray, policy: Policy, *, threads: int | None = None
) -> pyarrow.Table: ...
def validate_column(column: Any, policy: Policy, *, threads: int | None = None) -> Any:
    """Validates a column of receipts and returns a table with a row for each receipt, in order.

    The result has the columns COLUMNS. For an array of Arrow the result is a Table, for a Series a DataFrame
    with the index of the Series. The column holds bytes, or text for base64. The receipts in a column of
    Arrow are not copied.
    """
    validator = validator_for(policy)
    count = thread_count(threads)
    kind = type(column).__module__.partition(".")[0]
    if kind == "pandas" and type(column).__name__ == "Series":
        return _judge_series(column, validator, count)
    if kind == "pyarrow":
        import pyarrow

        if isinstance(column, (pyarrow.Array, pyarrow.ChunkedArray)):
            return _judge_arrow(column, validator, count)
    raise TypeError(
        f"pass a pyarrow.Array, a pyarrow.ChunkedArray or a pandas.Series, not {type(column).__name__}"
    )


def _judge_arrow(column: Any, validator: Validator, threads: int) -> Any:
    import pyarrow

    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    # A column without rows has a type, too.
    _plain(pyarrow.nulls(0, column.type))
    schema = pyarrow.schema(
        [
            ("status", pyarrow.string()),
            ("step", pyarrow.string()),
            ("code", pyarrow.string()),
            ("offset", pyarrow.int64()),
            ("environment", pyarrow.string()),
            ("bundle_id", pyarrow.string()),
            ("application_version", pyarrow.string()),
            ("original_application_version", pyarrow.string()),
            ("receipt_creation_date", pyarrow.timestamp("ms", "UTC")),
            ("in_app_count", pyarrow.int64()),
            ("product_ids", pyarrow.list_(pyarrow.string())),
        ]
    )
    tables = []
    for chunk in chunks:
        plain, code = _plain(chunk)
        found = _judge(_arrow_inputs(plain, code), len(plain), validator, threads)
        if plain.null_count:
            _erase(found, [not valid for valid in plain.is_valid().to_pylist()])
        tables.append(pyarrow.table(found, schema=schema))
    return pyarrow.concat_tables(tables) if tables else schema.empty_table()


def _plain(chunk: Any) -> tuple[Any, Literal["i", "q"]]:
    """Returns an array whose receipts lie one after the other, and the code of its offsets' type."""
    import pyarrow

    types: Any = pyarrow.types
    kind = chunk.type
    if types.is_dictionary(kind):
        values, code = _plain(chunk.dictionary)
        return values.take(chunk.indices), code
    if types.is_null(kind) or types.is_binary_view(kind) or types.is_fixed_size_binary(kind):
        return chunk.cast(pyarrow.large_binary()), "q"
    if types.is_string_view(kind):
        return chunk.cast(pyarrow.large_string()), "q"
    if types.is_large_binary(kind) or types.is_large_string(kind):
        return chunk, "q"
    if types.is_binary(kind) or types.is_string(kind):
        return chunk, "i"
    raise TypeError(f"pass a column of binary or string, not {kind}")


def _arrow_inputs(chunk: Any, code: Literal["i", "q"]) -> Any:
    """Points at the receipts where Arrow has them. `code` is the type of an offset."""
    count = len(chunk)
    if count == 0:
        return (c.Input * 1)()
    _, offsets, values = chunk.buffers()
    width = array.array(code).itemsize
    part = memoryview(offsets).cast("B")[width * chunk.offset : width * (chunk.offset + count + 1)]
    ends = part.cast(code).tolist()
    lengths = [end - start for start, end in zip(ends, ends[1:])]
    size = values.size if values is not None else 0
    # Arrow does not check the offsets of a file that it reads.
    if len(lengths) != count or ends[0] < 0 or ends[-1] > size or min(lengths) < 0:
        raise ValueError("the column is damaged: its offsets lie outside of its data")
    base = values.address if values is not None else 0
    places = array.array("Q", bytes(16 * count))
    places[0::2] = array.array("Q", [base + start for start in ends[:-1]])
    places[1::2] = array.array("Q", lengths)
    return (c.Input * count).from_buffer(places)


def _judge_series(series: Any, validator: Validator, threads: int) -> Any:
    import pandas

    absent = series.isna().tolist()
    receipts = [b"" if is_absent else octets_of(receipt) for receipt, is_absent in zip(series, absent)]
    inputs = (c.Input * max(len(receipts), 1))()
    for place, octets in zip(inputs, receipts):
        place.bytes = c.address(octets)
        place.length = len(octets)
    found = _judge(inputs, len(receipts), validator, threads)
    if any(absent):
        _erase(found, absent)
    integers = {"offset", "in_app_count"}
    frame = pandas.DataFrame(
        {
            name: pandas.array(values, dtype="Int64")
            if name in integers
            else pandas.Series(values, dtype="object")
            for name, values in found.items()
            if name != "receipt_creation_date"
        }
    )
    dates: Any = pandas.array(found["receipt_creation_date"], dtype="Int64")
    frame.insert(
        COLUMNS.index("receipt_creation_date"),
        "receipt_creation_date",
        pandas.to_datetime(pandas.Series(dates), unit="ms", utc=True),
    )
    frame.index = series.index
    return frame


def _erase(columns: _Columns, absent: Sequence[bool]) -> None:
    """Makes the rows of absent receipts null."""
    for row, is_absent in enumerate(absent):
        if is_absent:
            for values in columns.values():
                values[row] = None


def _judge(inputs: Any, count: int, validator: Validator, threads: int) -> _Columns:
    def part(start: int) -> _Columns:
        return _judge_part(inputs, start, min(BATCH_RECEIPTS, count - start), validator)

    starts = range(0, count, BATCH_RECEIPTS)
    columns: _Columns = {name: [] for name in COLUMNS}
    parts: Iterator[_Columns]
    if threads == 1 or len(starts) < 2:
        parts = map(part, starts)
        _join(columns, parts)
    else:
        with ThreadPoolExecutor(threads, thread_name_prefix="app-receipt") as pool:
            _join(columns, pool.map(part, starts))
    return columns


def _join(columns: _Columns, parts: Iterator[_Columns]) -> None:
    for part in parts:
        for name, values in part.items():
            columns[name].extend(values)


def _judge_part(inputs: Any, start: int, count: int, validator: Validator) -> _Columns:
    columns: _Columns = {name: [] for name in COLUMNS}
    add = {name: values.append for name, values in columns.items()}
    buffer = validator.worker().buffer
    error, number, length = c.Error(), c_int64(), c_size_t()
    with validator.results(inputs, start, count) as results:
        for result in results:
            if c.result_verdict(result) != c.OK:
                c.result_error(result, error)
                add["status"](error.kind.decode())
                add["step"](error.step.decode())
                add["code"](error.name.decode())
                add["offset"](error.offset)
                for name in COLUMNS[4:]:
                    add[name](None)
                continue
            add["status"]("valid")
            for name in COLUMNS[1:4]:
                add[name](None)
            for name, field in _TEXTS:
                text = buffer.read(c.result_text, result, field)
                add[name](None if text is None else text.decode())
            status = c.result_integer(result, c.CREATION_DATE, number)
            add["receipt_creation_date"](number.value if status == c.OK else None)
            c.check(c.result_purchase_count(result, length), "a result")
            add["in_app_count"](length.value)
            products = [
                buffer.read(c.purchase_text, result, index, c.PRODUCT_IDENTIFIER)
                for index in range(length.value)
            ]
            add["product_ids"]([None if product is None else product.decode() for product in products])
    return columns
