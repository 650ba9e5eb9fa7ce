"""OCSP responses, revocation lists and a distrust list, for a receipt, a token and an endpoint."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import VECTORS
from test_endpoint import NOW, endpoint, request, status
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
from swift_app_receipt._tokens import token_validator_for
from swift_app_receipt._validator import validator_for

#: When the pieces of evidence.tsv are fresh, when they were not made, and when they are stale.
FRESH = datetime(2026, 6, 15, 12, tzinfo=UTC)
EARLY = datetime(2026, 6, 14, 12, tzinfo=UTC)
STALE = datetime(2026, 9, 1, tzinfo=UTC)

PATHS = ("receipt", "token")
#: An endpoint takes the options of a policy.
MAKERS = (*PATHS, "endpoint")
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


def make(maker: str, **options: Any) -> None:
    """Makes a validator or an endpoint, to see which options it takes."""
    endpoint(**options) if maker == "endpoint" else validator(maker, **options)


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
    for word in ("good", "revoked"):
        options = evidence("token", f"0 crl {word} issuer, 1 ocsp good issuer")
        refused("token", "crl.missing-crl-sign", 0, **options, now=FRESH)
        assert is_listed(judge("token", **options, now=FRESH, revocation="if-present"))


@pytest.mark.parametrize("path", PATHS)
def test_says_that_revocation_was_not_asked(path: str) -> None:
    for now in (None, FRESH):
        assert is_listed(judge(path, now=now))


@pytest.mark.parametrize("maker", MAKERS)
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
        ({"distrusted": []}, "distrusted: pass a fingerprint, or None"),
        ({"distrusted": iter(())}, "distrusted: pass a fingerprint, or None"),
        ({"now": datetime(2026, 6, 15)}, "now: pass a datetime with a time zone"),
    ],
)
def test_a_wrong_value_is_named(maker: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(maker, **options)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", ["ocsp_responses", "revocation_lists", "distrusted"])
def test_a_value_of_a_wrong_type_is_named(maker: str, name: str) -> None:
    for value in (b"0", [5], ["text"], 5):
        with pytest.raises(TypeError, match=name):
            make(maker, now=FRESH, **{name: value})


@pytest.mark.parametrize("maker", MAKERS)
def test_at_most_16_pieces_of_a_kind(maker: str) -> None:
    for name, kind in (("ocsp_responses", "ocsp"), ("revocation_lists", "crl")):
        piece = PIECES[f"receipt 0 {kind} good issuer"]
        make(maker, now=FRESH, **{name: [piece] * 16})
        with pytest.raises(ValueError, match=name):
            make(maker, now=FRESH, **{name: [piece] * 17})


def fingerprint(certificate: str) -> bytes:
    """The SHA-256 fingerprint of a certificate, from Vectors/certificates.tsv."""
    rows = (line.split("\t") for line in (VECTORS / "certificates.tsv").read_text().splitlines())
    return next(bytes.fromhex(row[2]) for row in rows if row[0] == certificate)


def test_distrust_stops_a_receipt_before_revocation_does() -> None:
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
                distrusted=[fingerprint("leaf-4096.der"), fingerprint(name)],
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


@pytest.mark.parametrize("form", ["ocsp", "crl"])
@pytest.mark.parametrize(
    ("names", "mode", "now", "code"),
    [
        (GOOD_BOTH, None, FRESH, None),
        (GOOD_BOTH, "required", FRESH, None),
        ("0 ocsp revoked issuer, 1 ocsp good issuer", None, FRESH, "revocation.revoked"),
        ("0 ocsp revoked issuer", "if-present", FRESH, "revocation.revoked"),
        ("1 ocsp revoked issuer", "if-present", STALE, "revocation.revoked"),
        (GOOD_BOTH, None, STALE, "revocation.stale"),
        (GOOD_BOTH, "required", STALE, "revocation.stale"),
        (GOOD_BOTH, "required", EARLY, "revocation.not-yet-valid"),
        (GOOD_BOTH, "if-present", STALE, None),
        ("0 ocsp good issuer", "required", FRESH, "revocation.no-evidence"),
        ("0 ocsp good issuer", "if-present", FRESH, None),
        ("0 ocsp revoked other, 1 ocsp good issuer", "required", FRESH, "rsa.signature-mismatch"),
        ("0 ocsp revoked other, 1 ocsp good issuer", "if-present", FRESH, None),
    ],
)
def test_an_endpoint_judges_revocation(
    form: str, names: str, mode: str | None, now: datetime, code: str | None, sandbox_receipt: bytes
) -> None:
    options = evidence("receipt", names.replace("ocsp", form))
    judges = endpoint(**options, revocation=mode, now=now)
    # The first answer fills the cache of the thread. Evidence must be fresh at `now`, not at NOW.
    for found in [judges, judges, judges._with_usual_checks()]:
        answer = found.answer(request(sandbox_receipt), NOW)
        assert status(answer) == (0 if code is None else 21002)
        assert (answer.error and (answer.error.step, answer.error.code)) == (code and ("revocation", code))


@pytest.mark.parametrize(
    ("listed", "code"),
    [
        (fingerprint("leaf.der"), "pkix.distrusted"),
        (fingerprint("intermediate.der"), "pkix.distrusted"),
        (fingerprint("root.der"), "pkix.distrusted"),
        # By openssl, of the SubjectPublicKeyInfo of leaf.der and of intermediate.der.
        (
            bytes.fromhex("5139fd1f39b4d44bada1f311d70f19143ff9cdec882bf63201c1969f7a2e0bda"),
            "pkix.distrusted",
        ),
        (
            bytes.fromhex("c163d2d28a12e1ae025a910ad1b099ceff4c1159203e571a6905eb31ac5bf0d4"),
            "pkix.distrusted",
        ),
        (fingerprint("leaf-second.der"), None),
    ],
)
def test_an_endpoint_distrusts(listed: bytes, code: str | None, sandbox_receipt: bytes) -> None:
    # An iterator has its values once, and the second endpoint needs them, too.
    judges = endpoint(distrusted=iter([fingerprint("leaf-4096.der"), listed]))
    for found in [judges, judges._with_usual_checks()]:
        answer = found.answer(request(sandbox_receipt), NOW)
        assert status(answer) == (0 if code is None else 21002)
        assert (answer.error and (answer.error.step, answer.error.code)) == (code and ("distrust", code))


POLICIES: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "receipt": (Policy, validator_for),
    "token": (TokenPolicy, token_validator_for),
}


@pytest.mark.parametrize("path", PATHS)
def test_no_validator_of_a_policy_with_evidence_is_remembered(path: str) -> None:
    make_policy, find = POLICIES[path]
    for kind in ("ocsp", "crl"):
        policy = make_policy(
            environments=ANY, bundle_identifiers=ANY, now=FRESH, **evidence(path, f"0 {kind} good issuer")
        )
        found = weakref.ref(find(policy))
        gc.collect()
        assert found() is None
    for options in ({}, {"now": FRESH}, {"distrusted": [bytes(32)]}):
        policy = make_policy(environments=ANY, bundle_identifiers=ANY, **options)
        assert find(policy) is find(policy)


@pytest.mark.parametrize("path", PATHS)
def test_a_value_that_is_no_policy_is_named(path: str) -> None:
    policy, find = POLICIES[path]
    for wrong in (None, "policy", b"policy", 5, validator(path)):
        with pytest.raises(TypeError, match=f"pass a {policy.__name__}, not {type(wrong).__name__}"):
            find(wrong)
