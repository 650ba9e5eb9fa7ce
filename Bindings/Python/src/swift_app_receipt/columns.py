"""Validation of a column of receipts or tokens: an array of Arrow, or a Series of pandas.

Arrow and pandas are extras of the package: install it with `[arrow]` or `[pandas]` after its path.
"""

from __future__ import annotations

import array
import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_char_p, c_int64, c_size_t
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from . import _library as c
from ._policy import Policy
from ._tokens import (
    TokenKind,
    TokenPolicy,
    TokenValidator,
    documented_members,
    kind_number,
    token_validator_for,
)
from ._validator import BATCH_RECEIPTS, Validator, inputs_of, octets_of, thread_count, validator_for

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["COLUMNS", "TOKEN_COLUMNS", "validate_column", "validate_token_column"]

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

#: The columns of the result of validate_token_column, in order. `nested_token` is null unless a token inside
#: a notification was refused. For a notification, the identifiers and `expires_date` come from
#: the transaction in it, or else from the renewal information.
TOKEN_COLUMNS: Final = (
    "status",
    "step",
    "code",
    "offset",
    "nested_token",
    "environment",
    "bundle_id",
    "notification_type",
    "subtype",
    "transaction_id",
    "original_transaction_id",
    "product_id",
    "signed_date",
    "expires_date",
)

_INTEGERS: Final = {"offset", "in_app_count"}
_DATES: Final = {"receipt_creation_date", "signed_date", "expires_date"}

_TEXTS: Final = (
    ("environment", c.ENVIRONMENT),
    ("bundle_id", c.BUNDLE_IDENTIFIER),
    ("application_version", c.APP_VERSION),
    ("original_application_version", c.ORIGINAL_APP_VERSION),
)

_TOKEN_TEXTS: Final = (("environment", c.ENVIRONMENT), ("bundle_id", c.BUNDLE_IDENTIFIER))

# The members of a payload, by their columns: the first that is present counts.
_TOKEN_MEMBERS: Final = {
    "notification_type": (b"notificationType",),
    "subtype": (b"subtype",),
    "transaction_id": (b"transactionId", b"data.signedTransactionInfo.transactionId"),
    "original_transaction_id": (
        b"originalTransactionId",
        b"data.signedTransactionInfo.originalTransactionId",
        b"data.signedRenewalInfo.originalTransactionId",
    ),
    "product_id": (
        b"productId",
        b"data.signedTransactionInfo.productId",
        b"data.signedRenewalInfo.productId",
    ),
    "signed_date": (b"signedDate", b"receiptCreationDate"),
    "expires_date": (b"expiresDate", b"data.signedTransactionInfo.expiresDate"),
}

_Columns = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class _Judge:
    """Validates a part of an array of app_receipt_input, and returns the values of these columns."""

    columns: tuple[str, ...]
    part: Callable[[Any, int, int], _Columns]


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
    part = functools.partial(_judge_part, validator_for(policy))
    return _judge_column(column, _Judge(COLUMNS, part), thread_count(threads))


@overload
def validate_token_column(
    column: pandas.Series[Any], policy: TokenPolicy, kind: TokenKind, *, threads: int | None = None
) -> pandas.DataFrame: ...
@overload
def validate_token_column(
    column: pyarrow.Array | pyarrow.ChunkedArray,
    policy: TokenPolicy,
    kind: TokenKind,
    *,
    threads: int | None = None,
) -> pyarrow.Table: ...
def validate_token_column(
    column: Any, policy: TokenPolicy, kind: TokenKind, *, threads: int | None = None
) -> Any:
    """Validates a column of tokens of a kind, as validate_column does receipts.

    A row holds a token, or the JSON object in which Apple sends it, such as the body of a notification. The
    result has the columns TOKEN_COLUMNS.
    """
    kind_number(kind)
    part = functools.partial(_judge_token_part, token_validator_for(policy), kind)
    return _judge_column(column, _Judge(TOKEN_COLUMNS, part), thread_count(threads))


def _judge_column(column: Any, judge: _Judge, threads: int) -> Any:
    kind = type(column).__module__.partition(".")[0]
    if kind == "pandas" and type(column).__name__ == "Series":
        return _judge_series(column, judge, threads)
    if kind == "pyarrow":
        import pyarrow

        if isinstance(column, (pyarrow.Array, pyarrow.ChunkedArray)):
            return _judge_arrow(column, judge, threads)
    raise TypeError(
        f"pass a pyarrow.Array, a pyarrow.ChunkedArray or a pandas.Series, not {type(column).__name__}"
    )


def _judge_arrow(column: Any, judge: _Judge, threads: int) -> Any:
    import pyarrow

    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    # A column without rows has a type, too.
    _plain(pyarrow.nulls(0, column.type))
    types = dict.fromkeys(judge.columns, pyarrow.string())
    types |= dict.fromkeys(_INTEGERS, pyarrow.int64())
    types |= dict.fromkeys(_DATES, pyarrow.timestamp("ms", "UTC"))
    types["product_ids"] = pyarrow.list_(pyarrow.string())
    schema = pyarrow.schema([(name, types[name]) for name in judge.columns])
    tables = []
    for chunk in chunks:
        plain, code = _plain(chunk)
        found = _judge(_arrow_inputs(plain, code), len(plain), judge, threads)
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


def _judge_series(series: Any, judge: _Judge, threads: int) -> Any:
    import pandas

    absent = series.isna().tolist()
    receipts = [b"" if is_absent else octets_of(receipt) for receipt, is_absent in zip(series, absent)]
    found = _judge(inputs_of(receipts), len(receipts), judge, threads)
    if any(absent):
        _erase(found, absent)

    def values_of(name: str) -> Any:
        if name not in _INTEGERS | _DATES:
            return pandas.Series(found[name], dtype="object")
        numbers: Any = pandas.array(found[name], dtype="Int64")
        return _dates(numbers) if name in _DATES else numbers

    frame = pandas.DataFrame({name: values_of(name) for name in judge.columns})
    frame.index = series.index
    return frame


def _dates(milliseconds: Any) -> Any:
    import pandas

    return pandas.to_datetime(pandas.Series(milliseconds), unit="ms", utc=True)


def _erase(columns: _Columns, absent: Sequence[bool]) -> None:
    """Makes the rows of absent receipts null."""
    for row, is_absent in enumerate(absent):
        if is_absent:
            for values in columns.values():
                values[row] = None


def _judge(inputs: Any, count: int, judge: _Judge, threads: int) -> _Columns:
    def part(start: int) -> _Columns:
        return judge.part(inputs, start, min(BATCH_RECEIPTS, count - start))

    starts = range(0, count, BATCH_RECEIPTS)
    columns: _Columns = {name: [] for name in judge.columns}
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


def _judge_part(validator: Validator, inputs: Any, start: int, count: int) -> _Columns:
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


def _judge_token_part(
    validator: TokenValidator, kind: TokenKind, inputs: Any, start: int, count: int
) -> _Columns:
    columns: _Columns = {name: [] for name in TOKEN_COLUMNS}
    buffer = validator.worker().buffer
    error, nested = c.Error(), c_char_p()
    with validator.results(inputs, start, count, kind) as results:
        for result in results:
            row: dict[str, Any] = dict.fromkeys(TOKEN_COLUMNS)
            if c.token_result_verdict(result) != c.OK:
                c.token_result_error(result, error)
                row["status"] = error.kind.decode()
                row["step"] = error.step.decode()
                row["code"] = error.name.decode()
                row["offset"] = error.offset
                if c.token_result_nested_token(result, nested) == c.OK and nested.value is not None:
                    row["nested_token"] = nested.value.decode()
            else:
                row["status"] = "valid"
                for name, field in _TOKEN_TEXTS:
                    text = buffer.read(c.token_result_text, result, field)
                    row[name] = None if text is None else text.decode()
                for name, members in _token_members(kind).items():
                    read = _date_of if name in _DATES else _text_of
                    values = (read(result, member, buffer) for member in members)
                    row[name] = next((value for value in values if value is not None), None)
            for name, value in row.items():
                columns[name].append(value)
    return columns


@functools.cache
def _token_members(kind: TokenKind) -> dict[str, tuple[bytes, ...]]:
    """The documented members of a kind, by their columns."""
    documented = documented_members(kind)
    return {
        name: tuple(
            member
            for member in members
            if (kind == "notification" if b"." in member else member.decode() in documented)
        )
        for name, members in _TOKEN_MEMBERS.items()
    }


def _text_of(result: int | None, member: bytes, buffer: c.Buffer) -> str | None:
    text = buffer.read(c.payload_text, result, member, len(member))
    return None if text is None else text.decode()


def _date_of(result: int | None, member: bytes, buffer: c.Buffer) -> int | None:
    number = c_int64()
    status = c.payload_integer(result, member, len(member), number)
    c.check(status, "a member of a token")
    return number.value if status == c.OK else None
