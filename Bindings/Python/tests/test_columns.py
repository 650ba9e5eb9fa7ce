"""Columns of receipts: Arrow and pandas."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest
from conftest import VECTORS

from swift_app_receipt import ANY, Policy, Receipt, ReceiptError, validate_column, validate_many
from swift_app_receipt.columns import COLUMNS, _arrow_inputs

pyarrow = pytest.importorskip("pyarrow")
pandas = pytest.importorskip("pandas")

OCTETS = [
    path.read_bytes() for path in sorted((VECTORS / "receipts").iterdir()) if path.suffix in (".der", ".ber")
]
POLICY = Policy(
    environments=ANY, bundle_identifiers=ANY, roots=[(VECTORS / "certificates" / "root.der").read_bytes()]
)


def row(found: Receipt | ReceiptError) -> dict[str, Any]:
    if isinstance(found, ReceiptError):
        return dict.fromkeys(COLUMNS) | {
            "status": found.kind,
            "step": found.step,
            "code": found.code,
            "offset": found.offset,
        }
    return {
        "status": "valid",
        "step": None,
        "code": None,
        "offset": None,
        "environment": found.environment,
        "bundle_id": found.bundle_identifier,
        "application_version": found.app_version,
        "original_application_version": found.original_app_version,
        "receipt_creation_date": found.creation_date,
        "in_app_count": len(found.in_app_purchases),
        "product_ids": [purchase.product_identifier for purchase in found.in_app_purchases],
    }


EXPECTED = [row(found) for found in validate_many(OCTETS, POLICY)]
ABSENT = dict.fromkeys(COLUMNS)


def rows(table: Any) -> list[dict[str, Any]]:
    assert tuple(table.column_names) == COLUMNS
    found: list[dict[str, Any]] = table.to_pylist()
    return found


@pytest.mark.parametrize("kind", ["binary", "large_binary", "binary_view"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_column_of_arrow(kind: str, threads: int) -> None:
    column = pyarrow.array([None, *(OCTETS * 12), None], getattr(pyarrow, kind)())
    table = validate_column(column, POLICY, threads=threads)
    assert rows(table) == [ABSENT, *(EXPECTED * 12), ABSENT]
    assert str(table.schema.field("receipt_creation_date").type) == "timestamp[ms, tz=UTC]"


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_a_column_of_base64(kind: str) -> None:
    column = pyarrow.array([base64.b64encode(one).decode() for one in OCTETS], getattr(pyarrow, kind)())
    found = rows(validate_column(column, POLICY))
    # The container is the same, and so is the verdict. Only an input that is no container is refused
    # otherwise.
    different = [(one, other) for one, other in zip(found, EXPECTED, strict=True) if one != other]
    assert all(other["step"] in ("input", "container") for _, other in different) and len(different) < 5


def test_slices_chunks_dictionaries_and_empty_columns() -> None:
    column = pyarrow.array([b"before", *OCTETS, b"after"])
    assert rows(validate_column(column[1:-1], POLICY)) == EXPECTED
    chunked = pyarrow.chunked_array([column[1:4], column[4:4], column[4:-1]])
    assert rows(validate_column(chunked, POLICY)) == EXPECTED
    coded = pyarrow.array(OCTETS * 2).dictionary_encode()
    assert rows(validate_column(coded, POLICY)) == EXPECTED * 2
    assert rows(validate_column(pyarrow.chunked_array([coded, coded]), POLICY)) == EXPECTED * 4
    assert rows(validate_column(pyarrow.nulls(2), POLICY)) == [ABSENT] * 2
    assert rows(validate_column(pyarrow.array([], pyarrow.binary()), POLICY)) == []
    assert rows(validate_column(pyarrow.chunked_array([], pyarrow.binary()), POLICY)) == []


def test_dictionaries_of_views_and_offsets_with_a_rest() -> None:
    coded = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0, None, 1], pyarrow.int8()), pyarrow.array(OCTETS[:2], pyarrow.binary_view())
    )
    assert rows(validate_column(coded, POLICY)) == [EXPECTED[0], ABSENT, EXPECTED[1]]
    column = pyarrow.array(OCTETS[:3])
    _, offsets, values = column.buffers()
    longer = pyarrow.py_buffer(offsets.to_pybytes() + b"\0")
    again = pyarrow.Array.from_buffers(pyarrow.binary(), 3, [None, longer, values])
    assert rows(validate_column(again, POLICY)) == EXPECTED[:3]


@pytest.mark.parametrize(
    "ends",
    [(0, 3, 6, 2**31 - 1), (0, 3, 6, 11), (0, 8, 4, 10), (-1, 3, 6, 10), (-(2**31), 3, 6, 10), (9, 9, 9, 8)],
)
def test_a_damaged_file_of_arrow_is_refused(ends: tuple[int, ...]) -> None:
    batch = pyarrow.record_batch([pyarrow.array([b"abc", b"def", b"ghij"])], ["receipt"])
    stream = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(stream, batch.schema) as writer:
        writer.write_batch(batch)
    whole = stream.getvalue().to_pybytes()
    offsets = struct.pack("4i", 0, 3, 6, 10)
    assert whole.count(offsets) == 1
    damaged = whole.replace(offsets, struct.pack("4i", *ends))
    column = pyarrow.ipc.open_stream(damaged).read_all()["receipt"]
    with pytest.raises(ValueError, match="damaged"):
        validate_column(column, POLICY)


def test_receipts_of_arrow_are_not_copied() -> None:
    column = pyarrow.array(OCTETS)[2:]
    _, offsets, values = column.buffers()
    inputs = _arrow_inputs(column, "i")
    first = values.address + memoryview(offsets).cast("B").cast("i")[2]
    assert (inputs[0].bytes, inputs[0].length) == (first, len(OCTETS[2]))
    assert inputs[1].bytes == first + len(OCTETS[2])


@pytest.mark.parametrize("dtype", ["object", "arrow"])
def test_a_series_of_pandas(dtype: str) -> None:
    kind = pandas.ArrowDtype(pyarrow.binary()) if dtype == "arrow" else object
    series = pandas.Series([*OCTETS, None], dtype=kind, index=range(100, 101 + len(OCTETS)))
    frame = validate_column(series, POLICY, threads=1)
    assert tuple(frame.columns) == COLUMNS
    assert list(frame.index) == list(series.index)
    assert frame["receipt_creation_date"].dt.tz is not None
    for found, expected in zip(frame.to_dict("records"), [*EXPECTED, ABSENT], strict=True):
        plain = {
            name: None if not isinstance(value, list) and pandas.isna(value) else value
            for name, value in found.items()
        }
        assert plain == expected


def test_a_series_of_base64() -> None:
    good = [one for one, expected in zip(OCTETS, EXPECTED) if expected["status"] == "valid"]
    frame = validate_column(pandas.Series([base64.b64encode(one).decode() for one in good]), POLICY)
    assert set(frame["status"]) == {"valid"}
    assert len(validate_column(pandas.Series([], dtype=object), POLICY)) == 0


def test_other_columns_are_refused() -> None:
    for wrong in [
        OCTETS,
        pyarrow.array([1, 2]),
        pyarrow.array([1, 1]).dictionary_encode(),
        pyarrow.table({"receipt": OCTETS}),
        pyarrow.scalar(OCTETS[0]),
        pyarrow.field("receipt", pyarrow.binary()),
        None,
    ]:
        with pytest.raises(TypeError, match="pass a "):
            validate_column(wrong, POLICY)
    with pytest.raises(TypeError, match="a receipt is bytes"):
        validate_column(pandas.Series([1, 2]), POLICY)
