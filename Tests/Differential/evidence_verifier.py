"""A judge of OCSP responses and revocation lists, written from RFC 6960, RFC 5280 and the documentation of Revocation.

It shares nothing with this package, and uses Python's `cryptography`. `judge` returns `good`, or `revoked` with the date
and the number of the reason, or raises `Refused`.
"""
import datetime
import hashlib
import warnings

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509 import ocsp
from cryptography.x509.oid import ExtendedKeyUsageOID, SignatureAlgorithmOID

warnings.simplefilter("ignore")  # about serial numbers
REASONS = {"unspecified": 0, "key_compromise": 1, "ca_compromise": 2, "affiliation_changed": 3, "superseded": 4,
           "cessation_of_operation": 5, "certificate_hold": 6, "privilege_withdrawn": 9, "aa_compromise": 10}
ALGORITHMS = [SignatureAlgorithmOID.ECDSA_WITH_SHA256, SignatureAlgorithmOID.ECDSA_WITH_SHA384,
              SignatureAlgorithmOID.ECDSA_WITH_SHA512]
ARCHIVE_CUTOFF, EXPIRED_ON_CRL = "1.3.6.1.5.5.7.48.1.6", "2.5.29.60"
MINUTE, SECOND = datetime.timedelta(minutes=1), datetime.timedelta(seconds=1)


class Refused(Exception):
    pass


def check(condition, reason):
    if not condition:
        raise Refused(reason)


def verify(key, made, signed):
    check(made.signature_algorithm_oid in ALGORITHMS, "algorithm")
    try:
        key.verify(made.signature, signed, ec.ECDSA(made.signature_hash_algorithm))
    except InvalidSignature:
        raise Refused("signature") from None


def key_bits(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def extensions(found, known):
    """The extensions by their identifiers. A critical one must be known."""
    for extension in found:
        check(not extension.critical or extension.oid.dotted_string in known, "critical extension")
    return {extension.oid.dotted_string: extension.value for extension in found}


def time_of(extension):
    """The time in an extension that `cryptography` does not read; nothing if it is absent."""
    if extension is None:
        return None
    check(extension.value[:2] == b"\x18\x0f", "time in an extension")
    return datetime.datetime.strptime(extension.value[2:].decode(), "%Y%m%d%H%M%SZ").replace(
        tzinfo=datetime.timezone.utc)


def answer(date, reason):
    if reason is None:
        return f"revoked {milliseconds(date)} -"
    check(reason.name in REASONS, "reason")
    return f"revoked {milliseconds(date)} {REASONS[reason.name]}"


def milliseconds(date):
    return round(date.timestamp() * 1000)


class Question:
    def __init__(self, certificate, issuer, now):
        self.certificate = x509.load_der_x509_certificate(certificate)
        self.issuer = x509.load_der_x509_certificate(issuer)
        self.now = datetime.datetime.fromtimestamp(now / 1000, datetime.timezone.utc)

    def fresh(self, this, next):
        check(next is not None, "nextUpdate")
        check(this <= self.now + MINUTE and self.now < next + SECOND, "fresh")

    def covers(self, this, cutoff):
        end = self.certificate.not_valid_after_utc
        check(this <= end or cutoff is not None and cutoff <= end, "expired")


def judge(kind, certificate, issuer, now, piece):
    question = Question(certificate, issuer, now)
    try:
        return response(question, piece) if kind == "ocsp" else revocation_list(question, piece)
    except Refused:
        raise
    except Exception as error:  # cryptography has many classes for what it does not support
        raise Refused(f"parsing: {error!r}") from None


def response(question, piece):
    made = ocsp.load_der_ocsp_response(piece)
    check(made.response_status == ocsp.OCSPResponseStatus.SUCCESSFUL, "status")
    extensions(made.extensions, [])
    found = []
    singles = list(made.responses)
    for single in singles:
        check(single.next_update_utc is not None, "nextUpdate")
        check(single.serial_number.bit_length() < 160, "serial number")
        if single.serial_number != question.certificate.serial_number:
            continue
        try:
            name = hashlib.new(single.hash_algorithm.name, question.issuer.subject.public_bytes()).digest()
            key = hashlib.new(single.hash_algorithm.name, key_bits(question.issuer.public_key())).digest()
            check(single.hash_algorithm.name in ("sha1", "sha256", "sha384", "sha512"), "hash")
        except (Refused, ValueError, UnsupportedAlgorithm):
            continue
        if (single.issuer_name_hash, single.issuer_key_hash) == (name, key):
            found.append(single)
    cutoff = None
    if len(singles) == 1:
        cutoff = time_of(extensions(made.single_extensions, [ARCHIVE_CUTOFF]).get(ARCHIVE_CUTOFF))
    revoked, refusals = None, []
    for single in found:
        try:
            if single.certificate_status == ocsp.OCSPCertStatus.REVOKED:
                reason = single.revocation_reason
                if reason is x509.ReasonFlags.certificate_hold:
                    question.fresh(single.this_update_utc, single.next_update_utc)
                # A revocation that does not end counts before one that can.
                if not revoked or revoked.endswith(f" {REASONS['certificate_hold']}"):
                    revoked = answer(single.revocation_time_utc, reason)
            else:
                check(single.certificate_status == ocsp.OCSPCertStatus.GOOD, "unknown")
                question.fresh(single.this_update_utc, single.next_update_utc)
                if len(singles) > 1:
                    check(single.this_update_utc <= question.certificate.not_valid_after_utc, "unread extensions")
                question.covers(single.this_update_utc, cutoff)
                check(made.produced_at_utc <= question.now + MINUTE, "producedAt")
        except Refused as refused:
            refusals.append(refused)
    if not revoked and refusals:
        raise refusals[0]
    check(found, "no status")
    verify_response(question, made, isFresh=not revoked)
    return revoked or "good"


def verify_response(question, made, isFresh):
    def matches(certificate):
        if made.responder_name is not None:
            return made.responder_name.public_bytes() == certificate.subject.public_bytes()
        return hashlib.sha1(key_bits(certificate.public_key())).digest() == made.responder_key_hash

    reason = "responder"
    if matches(question.issuer):
        try:
            verify(question.issuer.public_key(), made, made.tbs_response_bytes)
            return
        except Exception as error:  # as in judge
            reason = f"issuer: {error!r}"
    for certificate in made.certificates:
        try:
            if matches(certificate):
                check_delegate(question, made, certificate, isFresh)
                return
        except Exception as error:  # as in judge
            reason = f"delegate: {error!r}"
    raise Refused(reason)


def check_delegate(question, made, certificate, isFresh):
    """Checks that the issuer has authorised a certificate, and that its key verifies the response."""
    check(certificate.issuer.public_bytes() == question.issuer.subject.public_bytes(), "issuer of the responder")
    found = extensions(certificate.extensions, ["2.5.29.14", "2.5.29.15", "2.5.29.19", "2.5.29.35", "2.5.29.37",
                                                "2.5.29.32", "1.3.6.1.5.5.7.48.1.5"])
    check(ExtendedKeyUsageOID.OCSP_SIGNING in found.get("2.5.29.37", []), "purpose")
    check("1.3.6.1.5.5.7.48.1.5" in found, "no-check")
    if usage := found.get("2.5.29.15"):
        check(usage.digital_signature, "key usage")
    if identifier := found.get("2.5.29.35"):
        own = question.issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
        check(identifier.key_identifier in (None, own), "key identifier")
    for time in [made.produced_at_utc] + [question.now] * isFresh:
        check(certificate.not_valid_before_utc <= time < certificate.not_valid_after_utc + SECOND, "validity")
    verify(question.issuer.public_key(), certificate, certificate.tbs_certificate_bytes)
    verify(certificate.public_key(), made, made.tbs_response_bytes)


def revocation_list(question, piece):
    made = x509.load_der_x509_crl(piece)
    found = extensions(made.extensions, ["2.5.29.35", "2.5.29.28", "2.5.29.27", EXPIRED_ON_CRL])
    check("2.5.29.27" not in found, "delta")
    check(made.next_update_utc is not None, "nextUpdate")
    check(made.issuer.public_bytes() == question.certificate.issuer.public_bytes(), "no status")
    if identifier := found.get("2.5.29.35"):
        own = question.issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
        check(identifier.key_identifier in (None, own), "key identifier")
    usage = question.issuer.extensions.get_extension_for_class(x509.KeyUsage).value
    check(usage.crl_sign, "key usage")
    if point := found.get("2.5.29.28"):
        scope(question, point)
    dates = {}
    for entry in made:
        check(entry.serial_number.bit_length() < 160, "serial number")
        values = extensions(entry.extensions, ["2.5.29.21"])
        reason = values["2.5.29.21"].reason if "2.5.29.21" in values else None
        verdict = answer(entry.revocation_date_utc, reason)
        if entry.serial_number == question.certificate.serial_number:
            if dates.get("verdict", "6").endswith(" 6") or "verdict" not in dates:
                dates["verdict"] = verdict
    verdict = dates.get("verdict")
    if verdict is None or verdict.endswith(" 6"):
        question.fresh(made.last_update_utc, made.next_update_utc)
    if verdict is None:
        question.covers(made.last_update_utc, time_of(found.get(EXPIRED_ON_CRL)))
    verify(question.issuer.public_key(), made, made.tbs_certlist_bytes)
    return verdict or "good"


def scope(question, point):
    check(not point.only_some_reasons and not point.indirect_crl and not point.only_contains_attribute_certs, "partial")
    check(not point.relative_name, "relative")
    is_authority = question.certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    check(not (point.only_contains_user_certs and is_authority), "scope")
    check(not (point.only_contains_ca_certs and not is_authority), "scope")
    if point.full_name is None:
        return
    try:
        named = question.certificate.extensions.get_extension_for_class(x509.CRLDistributionPoints).value
    except x509.ExtensionNotFound:
        raise Refused("scope") from None
    names = [name for p in named if p.full_name and not p.reasons and not p.crl_issuer for name in p.full_name]
    check(any(name in names for name in point.full_name), "scope")
