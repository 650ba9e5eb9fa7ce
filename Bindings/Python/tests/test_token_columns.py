"""Columns of tokens: Arrow and pandas."""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args, get_type_hints

import pytest
from test_tokens import ROWS, judged

from swift_app_receipt import (
    Notification,
    Payload,
    TokenError,
    TokenKind,
    TokenValidator,
    _payloads,
    validate_token_column,
)
from swift_app_receipt._tokens import _KINDS
from swift_app_receipt.columns import _DATES, TOKEN_COLUMNS, _token_members

pyarrow = pytest.importorskip("pyarrow")
pandas = pytest.importorskip("pandas")

PINNED = [row for row in ROWS if row.trust == "pinned" and not (row.root or row.device or row.now)]
POLICY = PINNED[0].policy
TOKENS = {
    kind: [row.token for row in PINNED if row.kind == kind]
    for kind in ("transaction", "notification", "app-transaction", "renewal-info")
}


@pytest.mark.parametrize("kind", _KINDS)
def test_the_columns_read_members_by_their_types(kind: TokenKind) -> None:
    for column, paths in _token_members(kind).items():
        for path in paths:
            value: Any = _KINDS[kind]
            for name in path.decode().split("."):
                members = {
                    _payloads.member_name(field): hint for field, hint in get_type_hints(value).items()
                }
                value = get_args(members[name])[0]
            assert value is (datetime if column in _DATES else str)


def row_of(found: Payload | TokenError) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(TOKEN_COLUMNS)
    if isinstance(found, TokenError):
        return row | {
            "status": found.kind,
            "step": found.step,
            "code": found.code,
            "offset": found.offset,
            "nested_token": found.nested_token,
        }
    row["status"] = "valid"
    values: list[Any] = [found]
    if isinstance(found, Notification):
        content = found.data or found.summary or found.app_data or found.external_purchase_token
        values = [found, content]
        if found.data is not None:
            values += [found.data.signed_transaction_info, found.data.signed_renewal_info]
    for name in TOKEN_COLUMNS[5:]:
        others = {"signed_date": "receipt_creation_date", "environment": "receipt_type"}
        for attribute in (name, others.get(name, name)):
            for value in values:
                # The summary's product is no purchase.
                is_other = value is values[0] or type(value).__name__ != "NotificationSummary"
                if row[name] is None and (is_other or name in ("environment", "bundle_id")):
                    row[name] = getattr(value, attribute, None)
    if isinstance(found, Notification) and found.external_purchase_token is not None:
        identifier = found.external_purchase_token.external_purchase_id or ""
        row["environment"] = "Sandbox" if identifier.startswith("SANDBOX") else "Production"
    return row


EXPECTED = {
    kind: [row_of(judged(TokenValidator(POLICY), token, kind)) for token in tokens]  # type: ignore[arg-type]
    for kind, tokens in TOKENS.items()
}


def test_valid_tokens_of_each_kind_are_among_them() -> None:
    for kind, expected in EXPECTED.items():
        valid = [row for row in expected if row["status"] == "valid"]
        assert valid and len(valid) < len(expected)
        assert any(isinstance(row["signed_date"], datetime) for row in valid)
        assert kind == "notification" or len({row["bundle_id"] for row in valid}) == 1
    assert any(row["nested_token"] for row in EXPECTED["notification"])
    assert any(row["product_id"] and row["notification_type"] for row in EXPECTED["notification"])


@pytest.mark.parametrize("kind", EXPECTED)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_column_of_arrow(kind: Any, threads: int) -> None:
    column = pyarrow.array([None, *(TOKENS[kind] * 3), None])
    table = validate_token_column(column, POLICY, kind, threads=threads)
    assert tuple(table.column_names) == TOKEN_COLUMNS
    absent = dict.fromkeys(TOKEN_COLUMNS)
    assert table.to_pylist() == [absent, *(EXPECTED[kind] * 3), absent]
    assert str(table.schema.field("expires_date").type) == "timestamp[ms, tz=UTC]"


def test_a_series_of_pandas() -> None:
    kind = "notification"
    bodies = [f'{{"signedPayload":"{token}"}}' for token in TOKENS[kind]]
    series = pandas.Series([*bodies, None], index=range(7, 8 + len(bodies)))
    frame = validate_token_column(series, POLICY, "notification", threads=1)
    assert tuple(frame.columns) == TOKEN_COLUMNS and list(frame.index) == list(series.index)
    assert frame["signed_date"].dt.tz is not None
    for found, expected in zip(frame.to_dict("records"), [*EXPECTED[kind], dict.fromkeys(TOKEN_COLUMNS)]):
        assert {name: None if pandas.isna(value) else value for name, value in found.items()} == expected


def test_mistakes_of_the_caller_are_named() -> None:
    with pytest.raises(ValueError, match="kind: pass"):
        validate_token_column(pyarrow.array([b""]), POLICY, "receipt")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="pass a pyarrow.Array"):
        validate_token_column([b""], POLICY, "transaction")
