"""Tokens: the verdicts of Vectors, and every shared token as the command line judges it."""

from __future__ import annotations

import base64
import copy
import dataclasses
import hashlib
import json
import os
import pickle
import typing
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import SHARED, VECTORS, Verify, shared_files

from swift_app_receipt import (
    ANY,
    AppTransaction,
    Notification,
    Payload,
    TokenEnvironment,
    TokenError,
    TokenKind,
    TokenLimits,
    TokenPolicy,
    TokenValidator,
    Transaction,
    _payloads,
    inspect_token_unverified,
)
from swift_app_receipt._tokens import _KINDS, documented_members

ROOT = (VECTORS / "tokens" / "root.der").read_bytes()


class Row(NamedTuple):
    """A row of Vectors/tokens/tokens.tsv, which `make` beside it describes."""

    name: str
    kind: TokenKind
    trust: str
    root: str
    device: str
    now: str
    step: str
    code: str
    text: str

    @property
    def token(self) -> str:
        return self.text.replace("~", (VECTORS / "tokens" / "header.txt").read_text().strip())

    @property
    def policy(self) -> TokenPolicy:
        environments: list[TokenEnvironment] = ["Production", "Sandbox"]
        if self.trust != "pinned":
            environments += ["Xcode", "LocalTesting"]
        root = base64.b64decode(self.root) if self.root else ROOT
        return TokenPolicy(
            environments=environments,
            bundle_identifiers="com.example.app",
            app_apple_id=1234567890,
            device_verification_id=self.device or None,
            now=datetime.fromtimestamp(int(self.now) / 1000, UTC) if self.now else None,
            maximum_age=timedelta(hours=1) if self.now else None,
            roots=None if self.trust == "self-signed" else [root],
            xcode_testing=self.trust == "xcode",
            any_self_signed_proving_integrity_only=self.trust == "self-signed",
        )


def rows() -> Iterator[Row]:
    for line in (VECTORS / "tokens" / "tokens.tsv").read_text().splitlines()[1:]:
        fields = typing.cast(Any, line.split("\t"))
        row = Row(*fields)
        # A root that is known by its certificate may be missing in x5c, or be another with its key.
        yield row._replace(step="accept") if row.name in FREE_ROOTS else row


FREE_ROOTS = ("root missing", "the root issued anew with its key")
ROWS = list(rows())
GOOD = next(row for row in ROWS if row.name == "every member of a transaction")
NOTIFICATION = next(row for row in ROWS if row.name == "a notification with data")


def judged(validator: TokenValidator, token: str | bytes, kind: TokenKind) -> Payload | TokenError:
    (found,) = validator.validate_many([token], kind, threads=1)
    return found


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_a_row_has_its_verdict(row: Row) -> None:
    validator = TokenValidator(row.policy)
    # The second time, the cache knows the signer.
    for _ in range(2):
        found = judged(validator, row.token, row.kind)
        if row.step == "accept":
            assert isinstance(found, _KINDS[row.kind])
        else:
            assert isinstance(found, TokenError) and (found.step, found.code) == (row.step, row.code)
            assert (found.nested_token is not None) == ("nested" in row.name and "header" not in row.name)


def compare(found: Any, expected: dict[str, Any]) -> None:
    """Compares every attribute with the member of Apple's name."""
    names = {field.name for field in dataclasses.fields(found)} - {"not_checked", "sha256"}
    assert {_payloads.member_name(name) for name in names - {"unknown_members"}} == set(expected) - {
        "unknown_members"
    }
    assert found.unknown_members == expected["unknown_members"]
    for name in names - {"unknown_members"}:
        value, member = getattr(found, name), expected[_payloads.member_name(name)]
        if isinstance(value, _payloads.PayloadPart):
            compare(value, member)
        elif isinstance(value, datetime):
            assert value.year in (1, 9999) or value == datetime.fromisoformat(member)
        elif isinstance(value, tuple):
            assert list(value) == member
        elif isinstance(value, dict):
            assert value == member["unknown_members"]
        elif type(value) is int:
            assert value == int(member)
        else:
            assert value == member


KINDS = ("app-transaction", "renewal-info", "notification", "transaction")


@pytest.mark.parametrize("path", shared_files("jws", ".jws"))
def test_a_genuine_token_has_the_verdict_of_the_command_line(path: Path, verify: Verify) -> None:
    kind: TokenKind = typing.cast(TokenKind, next((one for one in KINDS if one in path.name), KINDS[3]))
    options = ["--environment", "any", "--bundle-id", "any"]
    anything: dict[str, Any] = {"environments": ANY, "bundle_identifiers": ANY}
    if path.name.startswith("xcode"):
        options.append("--xcode-testing")
        anything["any_self_signed_proving_integrity_only"] = True
    elif path.name.startswith("test-ca"):
        root = SHARED / "jws" / "roots" / "apple-testCA.der"
        options += ["--root", os.fspath(root)]
        anything["roots"] = [root.read_bytes()]
    token = path.read_bytes()
    expected = verify("--kind", kind, *options, path)
    found = judged(TokenValidator(TokenPolicy(**anything)), token, kind)
    if isinstance(found, TokenError):
        error = expected["error"]
        assert [found.kind, found.step, found.code] == [expected[name] for name in ("status", "step", "code")]
        assert [found.offset, found.certificate, found.nested_token] == [
            error["offset"],
            error["certificate"],
            error.get("nested_token"),
        ]
    else:
        assert expected["status"] == "valid" and list(found.not_checked or ()) == expected["not_checked"]
        assert found.sha256 == hashlib.sha256(token.strip()).digest()
        compare(found, expected["payload"])
    claimed = inspect_token_unverified(token, kind)
    assert claimed["certificates"] or not isinstance(found, Payload)
    # The signature lacks its last character.
    assert isinstance(judged(TokenValidator(TokenPolicy(**anything)), token.strip()[:-1], kind), TokenError)


def test_some_genuine_tokens_are_valid() -> None:
    if not (SHARED / "jws").exists() and not os.environ.get("CI"):
        pytest.skip("../shared/jws is not beside this checkout")
    policy = TokenPolicy(environments="Sandbox", bundle_identifiers=ANY)
    for kind in KINDS:
        tokens = [path.read_bytes() for path in sorted((SHARED / "jws").glob(f"sandbox-{kind}-*.jws"))]
        assert tokens
        found = list(TokenValidator(policy).validate_many(tokens, typing.cast(TokenKind, kind)))
        # Transactions of 2021 have no environment.
        refused = [one for one in found if isinstance(one, TokenError)]
        assert {one.code for one in refused} <= {"payload.missing-environment"}
        assert len(refused) < len(found) / 4
        narrow = TokenPolicy(environments="Production", bundle_identifiers=ANY)
        others = list(TokenValidator(narrow).validate_many(tokens, typing.cast(TokenKind, kind)))
        assert all(isinstance(one, TokenError) and one.step == "environment" for one in others)


def test_a_transaction_is_typed() -> None:
    found = TokenValidator(GOOD.policy).transaction(GOOD.token)
    assert (found.transaction_id, found.bundle_id) == ("2000000000000002", "com.example.app")
    assert found.signed_date == datetime(2025, 6, 15, 15, 6, 40, tzinfo=UTC)
    assert (found.price, found.is_upgraded) == (10990, True)
    assert found.commitment_info is not None and found.commitment_info.total_billing_periods == 12
    assert found.not_checked == ("revocation", "app-apple-id", "device-verification", "age")
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("form", ["token", "body", "bytes"])
def test_a_notification_has_verified_tokens(form: str) -> None:
    body: Any = NOTIFICATION.token
    if form != "token":
        body = json.dumps({"signedPayload": body, "other": 1}, indent=1)
    if form == "bytes":
        body = memoryview(body.encode())
    found = TokenValidator(NOTIFICATION.policy).notification(body)
    assert isinstance(found, Notification) and found.notification_type == "DID_RENEW"
    assert found.data is not None and found.summary is None
    transaction = found.data.signed_transaction_info
    assert isinstance(transaction, Transaction) and transaction.product_id == "com.example.app.pro"
    assert (
        transaction.not_checked is None
        and found.sha256 == hashlib.sha256(NOTIFICATION.token.encode()).digest()
    )


def test_an_error_has_what_the_library_says() -> None:
    row = next(row for row in ROWS if row.name == "nested renewal information with another signature")
    with pytest.raises(TokenError) as caught:
        TokenValidator(row.policy).notification(row.token)
    error = caught.value
    assert (error.nested_token, error.step) == ("signedRenewalInfo", "signature")
    assert str(error).startswith("signedRenewalInfo, signature: ecdsa.signature-mismatch at byte ")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(again), again.nested_token) == (str(error), "signedRenewalInfo")
    policy = dataclasses.replace(GOOD.policy, bundle_identifiers=["com.example.other"])
    with pytest.raises(TokenError) as caught:
        TokenValidator(policy).transaction(GOOD.token)
    assert (caught.value.found, caught.value.expected) == ("com.example.app", ("com.example.other",))


def test_a_token_of_another_kind_is_refused() -> None:
    validator = TokenValidator(GOOD.policy)
    for call in (validator.renewal_info, validator.app_transaction, validator.realtime_request):
        with pytest.raises(TokenError) as caught:
            call(GOOD.token)
        assert caught.value.code == "payload.other-kind" or caught.value.step == "signed-date"


@pytest.mark.parametrize("threads", [1, 3])
def test_many_tokens_come_in_order(threads: int) -> None:
    validator = TokenValidator(GOOD.policy)
    tokens = [row.token for row in ROWS if row.kind == "transaction"] * 8
    alone = [judged(validator, token, "transaction") for token in tokens]
    many = list(validator.validate_many(tokens, "transaction", threads=threads))
    assert [str(one) for one in many] == [str(one) for one in alone]
    with pytest.raises(ValueError, match="kind: pass 'transaction'"):
        validator.validate_many(tokens, "receipt")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"environments": ["ProductionSandbox"]}, "environments 'ProductionSandbox'"),
        ({"environments": []}, "environments or bundle identifiers"),
        ({"bundle_identifiers": []}, "environments or bundle identifiers"),
        ({"app_apple_id": 0}, "app_apple_id 0"),
        ({"app_apple_id": 2**63}, "app_apple_id: .* out of range"),
        ({"device_verification_id": "00112233445566778899aabbccddeeff"}, "device_verification_id"),
        ({"maximum_age": timedelta(1)}, "maximum_age: pass now"),
        ({"maximum_age": timedelta(-1), "now": datetime.now(UTC)}, "maximum_age -1 day"),
        ({"now": datetime(2025, 1, 1)}, "now: pass a datetime with a time zone"),
        ({"distrusted": [bytes(20)]}, "distrusted: 20 bytes"),
        ({"roots": []}, "roots: pass a certificate, or None"),
        ({"roots": [b"no certificate"]}, "roots: 14 bytes"),
        ({"without_markers": True}, "markers without roots"),
        ({"xcode_testing": True}, "xcode_testing: pass the certificate"),
        ({"roots": [ROOT], "any_self_signed_proving_integrity_only": True}, "leave out roots"),
        ({"limits": TokenLimits(members=257)}, "members 257"),
        ({"limits": TokenLimits(token_bytes=0)}, "token_bytes 0"),
    ],
)
def test_a_wrong_value_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TokenValidator(TokenPolicy(**{"environments": ANY, "bundle_identifiers": ANY, **options}))


@pytest.mark.parametrize(
    "options",
    [
        {"roots": ROOT},
        {"distrusted": ["text"]},
        {"maximum_age": 5},
        {"app_apple_id": "5"},
        {"environments": 5},
    ],
)
def test_a_value_of_a_wrong_type_is_named(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(options))):
        TokenValidator(TokenPolicy(**{"environments": ANY, "bundle_identifiers": ANY, **options}))


@pytest.mark.parametrize(
    ("options", "step"),
    [
        ({"roots": None}, "root"),
        ({"distrusted": [hashlib.sha256(ROOT).digest()]}, "distrust"),
        ({"path_time": datetime(2050, 1, 1, tzinfo=UTC)}, "certificate-path"),
        ({"device_verification_id": uuid.UUID(int=5)}, "device-verification"),
        ({"maximum_age": timedelta(1), "now": datetime(2050, 1, 1, tzinfo=UTC)}, "age"),
        ({"environments": ["Production"]}, "environment"),
        ({"limits": TokenLimits(members=5)}, "signed-date"),
        ({"limits": TokenLimits(token_bytes=500)}, "form"),
    ],
)
def test_each_option_has_an_effect(options: dict[str, Any], step: str) -> None:
    with pytest.raises(TokenError) as caught:
        TokenValidator(dataclasses.replace(GOOD.policy, **options)).transaction(GOOD.token)
    assert caught.value.step == step


def test_the_types_have_the_members_of_the_schema() -> None:
    schema = json.loads((VECTORS / "schema" / "result.schema.json").read_text())["$defs"]
    names = {
        "transaction": "transactionPayload",
        "renewal-info": "renewalInfoPayload",
        "notification": "notificationPayload",
        "app-transaction": "appTransactionPayload",
        "realtime-request": "realtimeRequestPayload",
    }
    own = {"unknownMembers", "notChecked", "sha256"}
    for kind, name in names.items():
        documented = documented_members(typing.cast(TokenKind, kind)) - own
        assert documented == set(schema[name]["required"]) - {"unknown_members"}
    parts = {
        _payloads.NotificationData: "notificationData",
        _payloads.NotificationSummary: "notificationSummary",
        _payloads.NotificationAppData: "notificationAppData",
        _payloads.ExternalPurchase: "externalPurchaseToken",
        _payloads.TransactionCommitment: "transactionCommitment",
        _payloads.RenewalCommitment: "renewalCommitment",
        _payloads.AdvancedCommerceTransaction: "advancedCommerceTransaction",
        _payloads.AdvancedCommerceTransactionItem: "advancedCommerceTransactionItem",
        _payloads.AdvancedCommerceRenewal: "advancedCommerceRenewal",
        _payloads.AdvancedCommerceRenewalItem: "advancedCommerceRenewalItem",
        _payloads.AdvancedCommerceDescriptors: "advancedCommerceDescriptors",
        _payloads.AdvancedCommerceOffer: "advancedCommerceOffer",
        _payloads.AdvancedCommerceRefund: "advancedCommerceRefund",
        _payloads.AdvancedCommercePriceIncrease: "advancedCommercePriceIncrease",
    }
    for part, name in parts.items():
        found = {_payloads.member_name(field.name) for field in dataclasses.fields(part)} - own
        assert found == set(schema[name]["required"]) - {"unknown_members"}


def test_an_app_transaction_names_its_environment() -> None:
    row = next(row for row in ROWS if row.name == "every member of an app transaction")
    found = TokenValidator(row.policy).app_transaction(row.token)
    assert isinstance(found, AppTransaction) and found.receipt_type in ("Sandbox", "Production")
