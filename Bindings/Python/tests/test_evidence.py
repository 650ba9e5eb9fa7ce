"""What OCSP responses, revocation lists and a distrust list do to a receipt and to a token."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import VECTORS
from test_tokens import GOOD, ROOT

from swift_app_receipt import (
    ANY,
    Policy,
    Receipt,
    ReceiptError,
    TokenPolicy,
    TokenValidator,
    Transaction,
    Validator,
    validate_many,
)

#: When the pieces of evidence.tsv are fresh, when they were not made, and when they are stale.
FRESH = datetime(2026, 6, 15, 12, tzinfo=UTC)
EARLY = datetime(2026, 6, 14, 12, tzinfo=UTC)
STALE = datetime(2026, 9, 1, tzinfo=UTC)

PATHS = ("receipt", "token")
#: The certificates of each path, from the signer's on, by their place in the message.
PLACES = {"receipt": (2, 0), "token": (0, 1)}
FORGED = {"receipt": "rsa.signature-mismatch", "token": "ecdsa.signature-mismatch"}


def pieces() -> dict[str, bytes]:
    """The pieces of Vectors/revocation/evidence.tsv, such as `token 0 ocsp good issuer`."""
    lines = (VECTORS / "revocation" / "evidence.tsv").read_text().splitlines()[1:]
    return {
        key.replace("\t", " "): bytes.fromhex(piece)
        for key, _, piece in (line.rpartition("\t") for line in lines)
    }


PIECES = pieces()


def evidence(path: str, names: str) -> dict[str, Any]:
    """The options with pieces such as `0 ocsp good issuer`, with commas between them."""
    named = [name.strip() for name in names.split(",")]
    found = {
        kind: [PIECES[f"{path} {name}"] for name in named if f" {kind} " in name] for kind in ("ocsp", "crl")
    }
    options = {"ocsp_responses": found["ocsp"], "revocation_lists": found["crl"]}
    return {name: value for name, value in options.items() if value}


def validator(path: str, **options: Any) -> Validator | TokenValidator:
    common: dict[str, Any] = {"environments": ANY, "bundle_identifiers": ANY}
    if path == "token":
        return TokenValidator(TokenPolicy(**common, roots=[ROOT], **options))
    root = (VECTORS / "certificates" / "root.der").read_bytes()
    return Validator(Policy(**common, roots=[root], **options))


def judge(path: str, **options: Any) -> Receipt | Transaction:
    """Validates the receipt or the token twice: the second time, the cache knows the path."""
    found = validator(path, **options)
    results: list[Any] = []
    for _ in range(2):
        try:
            if isinstance(found, TokenValidator):
                results.append(found.transaction(GOOD.token))
            else:
                results.append(found.validate((VECTORS / "receipts" / "sandbox-sha256.der").read_bytes()))
        except ReceiptError as error:
            results.append(error)
    first, second = results
    assert str(first) == str(second)
    if isinstance(second, ReceiptError):
        raise second
    assert isinstance(second, (Receipt, Transaction))
    return second


def is_listed(found: Receipt | Transaction) -> bool:
    return "revocation" in (found.not_checked or ())


def refused(path: str, code: str, certificate: int, **options: Any) -> None:
    with pytest.raises(ReceiptError) as caught:
        judge(path, **options)
    error = caught.value
    assert (error.step, error.code, error.certificate) == ("revocation", code, PLACES[path][certificate])


GOOD_BOTH = "0 ocsp good issuer, 1 ocsp good issuer"
LISTS = "0 crl good issuer, 1 crl good issuer"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", [None, "required", "if-present"])
def test_good_evidence_is_enough(path: str, mode: str | None) -> None:
    for names in [GOOD_BOTH] + (
        [LISTS, "0 crl good issuer, 1 ocsp good issuer"] if path == "receipt" else []
    ):
        assert not is_listed(judge(path, **evidence(path, names), now=FRESH, revocation=mode))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", [None, "required", "if-present"])
@pytest.mark.parametrize(
    ("names", "certificate", "now"),
    [
        ("0 ocsp revoked issuer, 1 ocsp good issuer", 0, FRESH),
        ("0 ocsp good issuer, 1 ocsp revoked issuer", 1, FRESH),
        ("0 ocsp good issuer, 0 ocsp revoked issuer", 0, FRESH),
        ("1 ocsp revoked issuer", 1, FRESH),
        ("0 ocsp revoked issuer", 0, STALE),
    ],
)
def test_a_revoked_certificate_is_refused_in_each_mode(
    path: str, mode: str | None, names: str, certificate: int, now: datetime
) -> None:
    refused(path, "revocation.revoked", certificate, **evidence(path, names), now=now, revocation=mode)
    if path == "receipt":
        lists = evidence(path, names.replace("ocsp", "crl"))
        refused(path, "revocation.revoked", certificate, **lists, now=now, revocation=mode)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("names", "certificate", "code", "now"),
    [
        (GOOD_BOTH, 0, "revocation.stale", STALE),
        (GOOD_BOTH, 0, "revocation.not-yet-valid", EARLY),
        ("0 ocsp good issuer", 1, "revocation.no-evidence", FRESH),
        ("1 ocsp good issuer", 0, "revocation.no-evidence", FRESH),
        ("0 ocsp good other, 1 ocsp good issuer", 0, "forged", FRESH),
        ("0 ocsp good issuer, 1 ocsp good other", 1, "forged", FRESH),
        # A forged revocation revokes nothing.
        ("0 ocsp revoked other, 1 ocsp good issuer", 0, "forged", FRESH),
    ],
)
def test_evidence_that_proves_nothing_is_not_good(
    path: str, names: str, certificate: int, code: str, now: datetime
) -> None:
    code = FORGED[path] if code == "forged" else code
    for options in [evidence(path, names)] + (
        [evidence(path, names.replace("ocsp", "crl"))] if path == "receipt" else []
    ):
        for mode in (None, "required"):
            refused(path, code, certificate, **options, now=now, revocation=mode)
        assert is_listed(judge(path, **options, now=now, revocation="if-present"))


@pytest.mark.parametrize("path", PATHS)
def test_evidence_about_other_certificates_proves_nothing(path: str) -> None:
    other = PATHS[1 - PATHS.index(path)]
    options = evidence(other, "0 ocsp revoked issuer, 1 crl revoked issuer")
    refused(path, "revocation.no-evidence", 0, **options, now=FRESH)
    assert is_listed(judge(path, **options, now=FRESH, revocation="if-present"))


def test_an_authority_that_must_not_sign_lists_signs_none() -> None:
    for status in ("good", "revoked"):
        options = evidence("token", f"0 crl {status} issuer, 1 ocsp good issuer")
        refused("token", "crl.missing-crl-sign", 0, **options, now=FRESH)
        assert is_listed(judge("token", **options, now=FRESH, revocation="if-present"))


@pytest.mark.parametrize("path", PATHS)
def test_says_that_revocation_was_not_asked(path: str) -> None:
    for now in (None, FRESH):
        assert is_listed(judge(path, now=now))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"revocation": "required", "now": FRESH}, "revocation: pass ocsp_responses or revocation_lists"),
        ({"ocsp_responses": [], "now": FRESH}, "revocation: pass ocsp_responses or revocation_lists"),
        ({"revocation_lists": (), "ocsp_responses": []}, "revocation: pass ocsp_responses or"),
        ({"ocsp_responses": [b"0"]}, "revocation: pass now"),
        ({"ocsp_responses": [b"no response"], "now": FRESH}, "ocsp_responses: 11 bytes"),
        ({"revocation_lists": [b"no list"], "now": FRESH}, "revocation_lists: 7 bytes"),
        ({"revocation_lists": [ROOT], "now": FRESH}, "revocation_lists: "),
        ({"ocsp_responses": [b"0"], "revocation": "yes", "now": FRESH}, "revocation: pass 'required' or"),
        ({"ocsp_responses": [b"0"], "revocation": True, "now": FRESH}, "revocation: pass 'required' or"),
        ({"distrusted": [bytes(20)]}, "distrusted: 20 bytes"),
        ({"distrusted": [bytes(33)]}, "distrusted: 33 bytes"),
    ],
)
def test_a_wrong_value_is_named(path: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validator(path, **options)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["ocsp_responses", "revocation_lists", "distrusted"])
def test_a_value_of_a_wrong_type_is_named(path: str, name: str) -> None:
    for value in (b"0", [5], ["text"], 5):
        with pytest.raises(TypeError, match=name):
            validator(path, now=FRESH, **{name: value})


@pytest.mark.parametrize("path", PATHS)
def test_at_most_16_pieces_of_a_kind(path: str) -> None:
    for name, piece in (("ocsp_responses", "0 ocsp good issuer"), ("revocation_lists", "0 crl good issuer")):
        validator(path, now=FRESH, **{name: [PIECES[f"{path} {piece}"]] * 16})
        with pytest.raises(ValueError, match=name):
            validator(path, now=FRESH, **{name: [PIECES[f"{path} {piece}"]] * 17})


def test_distrust_stops_a_receipt_before_revocation_does() -> None:
    fingerprints = {
        row[0]: bytes.fromhex(row[2])
        for row in (line.split("\t") for line in (VECTORS / "certificates.tsv").read_text().splitlines()[1:])
    }
    revoked = evidence("receipt", "0 ocsp revoked issuer")
    for name, step in [
        ("leaf.der", "distrust"),
        ("intermediate.der", "distrust"),
        ("root.der", "distrust"),
        ("leaf-second.der", "revocation"),
    ]:
        with pytest.raises(ReceiptError) as caught:
            judge(
                "receipt",
                **revoked,
                now=FRESH,
                distrusted=[fingerprints["leaf-4096.der"], fingerprints[name]],
            )
        assert caught.value.step == step


def test_a_policy_keeps_its_evidence(root: bytes, sandbox_receipt: bytes) -> None:
    lists = [bytearray(PIECES["receipt 0 crl revoked issuer"])]
    changeable: Any = {"revocation_lists": lists, "distrusted": [bytearray(32)]}
    policy = Policy(environments=ANY, bundle_identifiers=ANY, roots=[root], now=FRESH, **changeable)
    lists[0][40] ^= 1
    for kept in (Validator(policy), pickle.loads(pickle.dumps(Validator(policy)))):
        (found,) = validate_many([sandbox_receipt], kept.policy, threads=1)
        assert isinstance(found, ReceiptError) and found.code == "revocation.revoked"
        assert kept.policy == policy and hash(kept.policy) == hash(policy)
