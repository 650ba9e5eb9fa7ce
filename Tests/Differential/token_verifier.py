"""A verifier of StoreKit 2 tokens, written from RFC 7515, RFC 5280 and the documentation of SignedPayloadValidator.

It shares nothing with this package, and uses Python's `json` and `cryptography`. `verify` returns nothing, or raises
`Refused`.
"""
import base64
import hashlib
import json
import re
import warnings

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

warnings.simplefilter("ignore")  # about serial numbers
LEAF_MARKER, INTERMEDIATE_MARKER = "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"
HASHES = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
APP, APPLE_ID, ENVIRONMENTS = "com.example.app", 1234567890, ("Production", "Sandbox")
# The member that marks a kind, its documented members by type, and its date and environment.
TEXTS, INTEGERS, DATES, FLAGS, LISTS, OBJECTS, ARRAYS = "text", "integer", "date", "flag", "list", "object", "array"
TYPES = {
    "transaction": {
        TEXTS: "transactionId originalTransactionId webOrderLineItemId bundleId productId subscriptionGroupIdentifier "
        "type deviceVerification deviceVerificationNonce appAccountToken inAppOwnershipType environment "
        "transactionReason storefront storefrontId currency appTransactionId offerDiscountType offerIdentifier "
        "offerPeriod revocationType billingPlanType",
        INTEGERS: "quantity revocationReason offerType price revocationPercentage", FLAGS: "isUpgraded",
        DATES: "purchaseDate originalPurchaseDate expiresDate signedDate revocationDate",
        OBJECTS: "commitmentInfo advancedCommerceInfo"},
    "renewal-info": {
        TEXTS: "originalTransactionId autoRenewProductId productId currency environment appTransactionId "
        "deviceVerification deviceVerificationNonce appAccountToken offerDiscountType offerIdentifier offerPeriod "
        "renewalBillingPlanType", FLAGS: "isInBillingRetryPeriod", LISTS: "eligibleWinBackOfferIds",
        INTEGERS: "expirationIntent autoRenewStatus renewalPrice offerType priceIncreaseStatus",
        DATES: "signedDate recentSubscriptionStartDate renewalDate gracePeriodExpiresDate",
        OBJECTS: "commitmentInfo advancedCommerceInfo"},
    "notification": {TEXTS: "notificationType subtype notificationUUID version", DATES: "signedDate",
                     OBJECTS: "data summary externalPurchaseToken appData"},
    "app-transaction": {
        TEXTS: "receiptType bundleId applicationVersion originalApplicationVersion deviceVerification "
        "deviceVerificationNonce appTransactionId originalPlatform", INTEGERS: "appAppleId versionExternalIdentifier",
        DATES: "receiptCreationDate requestDate originalPurchaseDate preorderDate"},
    "realtime-request": {TEXTS: "originalTransactionId productId userLocale requestIdentifier environment",
                         INTEGERS: "appAppleId", DATES: "signedDate"},
    "data": {TEXTS: "bundleId bundleVersion environment signedTransactionInfo signedRenewalInfo "
             "consumptionRequestReason", INTEGERS: "appAppleId status"},
    "summary": {TEXTS: "requestIdentifier environment bundleId productId", LISTS: "storefrontCountryCodes",
                INTEGERS: "appAppleId failedCount succeededCount"},
    "externalPurchaseToken": {TEXTS: "externalPurchaseId bundleId tokenType", INTEGERS: "appAppleId",
                              DATES: "tokenCreationDate tokenExpirationDate"},
    "appData": {TEXTS: "bundleId environment signedAppTransactionInfo", INTEGERS: "appAppleId"},
    "commitmentInfo": {
        TEXTS: "commitmentAutoRenewProductId commitmentRenewalBillingPlanType",
        INTEGERS: "billingPeriodNumber totalBillingPeriods commitmentPrice commitmentAutoRenewStatus "
        "commitmentRenewalPrice", DATES: "commitmentExpiresDate commitmentRenewalDate"},
    "advancedCommerceInfo": {
        TEXTS: "period requestReferenceId taxCode taxRate consistencyToken", INTEGERS: "estimatedTax taxExclusivePrice",
        OBJECTS: "descriptors", ARRAYS: "items"},
    "descriptors": {TEXTS: "description displayName"},
    "items": {TEXTS: "SKU description displayName", INTEGERS: "price", DATES: "revocationDate",
              OBJECTS: "offer priceIncreaseInfo", ARRAYS: "refunds"},
    "offer": {TEXTS: "period reason", INTEGERS: "periodCount price"},
    "refunds": {TEXTS: "refundReason refundType", INTEGERS: "refundAmount", DATES: "refundDate"},
    "priceIncreaseInfo": {TEXTS: "status", INTEGERS: "price", LISTS: "dependentSKUs"},
}
FIELDS = {kind: {n: t for t, names in rows.items() for n in names.split()} for kind, rows in TYPES.items()}
MARKS = {"transaction": "transactionId", "renewal-info": "autoRenewStatus", "notification": "notificationType",
         "app-transaction": "receiptType", "realtime-request": "userLocale"}
NESTED = {"signedTransactionInfo": "transaction", "signedRenewalInfo": "renewal-info",
          "signedAppTransactionInfo": "app-transaction"}


class Refused(Exception):
    pass


def check(condition, reason):
    if not condition:
        raise Refused(reason)


class Pairs(list):
    """An object's members in their order."""


class Text(str):
    """A string, and whether its JSON had an escape."""


class Number(str):
    """A number's characters."""


def scan(text, start, strict=True, decode=json.decoder.scanstring):
    value, end = decode(text, start, strict)
    value = Text(value)
    value.escaped = "\\" in text[start:end]
    return value, end


json.decoder.scanstring = scan


def fail(text):
    raise ValueError(text)


DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_int=Number, parse_float=Number,
                           parse_constant=fail)
DECODER.parse_string = scan
DECODER.scan_once = json.scanner.py_make_scanner(DECODER)


def members(pairs):
    """An object's members by their names."""
    check(type(pairs) is Pairs, "an object")
    check(len(pairs) <= 256 and not any(name.escaped for name, _ in pairs), "too many names, or an escape in one")
    check(len({name for name, _ in pairs}) == len(pairs), "a name occurs twice")
    return dict(pairs)


def parse(data):
    try:
        text = data.decode("utf-8")
        return members(DECODER.decode(text))
    except (ValueError, RecursionError) as error:
        raise Refused(f"JSON: {error}") from None


def segment(text):
    check(re.fullmatch(rb"[A-Za-z0-9_-]*", text), "base64url")
    check(len(text) % 4 != 1, "base64url: length")
    data = base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    check(base64.urlsafe_b64encode(data).rstrip(b"=") == text, "base64url: unused bits")
    return data


def is_text(value):
    return type(value) is Text and not re.search("[\ud800-\udfff]", value)


def milliseconds(value):
    """A date, rounded down."""
    check(type(value) is Number and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value), "a date")
    whole, _, fraction = value.partition(".")
    date = int(whole) - (value[0] == "-" and fraction.strip("0") != "")
    check(abs(date) <= 2**53, "a date's range")
    return date


def check_type(name, kind, value):
    if value is None:
        return
    if kind == TEXTS:
        check(is_text(value), name)
    elif kind == INTEGERS:
        check(type(value) is Number and re.fullmatch("-?[0-9]+", value) and -2**63 <= int(value) < 2**63, name)
    elif kind == DATES:
        milliseconds(value)
    elif kind == FLAGS:
        check(value is True or value is False, name)
    elif kind == LISTS:
        check(type(value) is list and all(map(is_text, value)), name)
    elif kind == ARRAYS:
        check(type(value) is list, name)
        for element in value:
            check_types(members(element), name)
    else:
        check_types(members(value), name)


def check_types(values, table):
    for name, value in values.items():
        if name in FIELDS[table]:
            check_type(name, FIELDS[table][name], value)


def elements(der):
    """The contents of a DER element's parts, each with its header."""
    def end(start):
        length, contents = der[start + 1], start + 2
        if length >= 0x80:
            count = length & 0x7F
            length, contents = int.from_bytes(der[contents:contents + count], "big"), contents + count
        return contents, contents + length
    parts, (place, last) = [], end(0)
    while place < last:
        stop = end(place)[1]
        parts.append(der[place:stop])
        place = stop
    return parts


class Certificate:
    def __init__(self, text):
        check(type(text) is Text, "a string in x5c")
        try:
            self.der = base64.b64decode(text, validate=True)
            check(base64.b64encode(self.der).decode() == text, "base64")
            self.parsed = x509.load_der_x509_certificate(self.der)
            self.extensions = {e.oid.dotted_string: e for e in self.parsed.extensions}
            self.key = self.parsed.public_key()
            self.names = [n for n in elements(elements(self.der)[0]) if n[0] == 0x30]
        except (ValueError, TypeError, IndexError, x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as error:
            raise Refused(f"certificate: {error}") from None
        except Exception as error:  # cryptography has many classes for what it does not support
            raise Refused(f"certificate: {error!r}") from None
        check(self.names[0] == elements(self.der)[1], "the algorithm inside and outside the signed part")

    def value(self, name):
        extension = self.extensions.get(getattr(x509.ExtensionOID, name).dotted_string)
        return extension and extension.value


def check_path(chain, time, root):
    leaf, intermediate, last = chain
    check(hashlib.sha256(last.der).hexdigest() == root, "another root")
    for certificate in chain:
        start = certificate.parsed.not_valid_before_utc.timestamp() * 1000
        end = certificate.parsed.not_valid_after_utc.timestamp() * 1000
        check(start <= time < end + 1000, "validity")
        usage = certificate.value("KEY_USAGE")
        if certificate is leaf:
            check(not usage or usage.digital_signature, "digitalSignature")
        else:
            constraints = certificate.value("BASIC_CONSTRAINTS")
            check(constraints and constraints.ca and (not usage or usage.key_cert_sign), "an authority")
            below = 1 if certificate is last and intermediate.names[1] != intermediate.names[3] else 0
            check(constraints.path_length is None or constraints.path_length >= below, "path length")
        purposes = certificate.value("EXTENDED_KEY_USAGE")
        check(not purposes or x509.ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE in purposes, "purpose")
        marker = {leaf: LEAF_MARKER, intermediate: INTERMEDIATE_MARKER}.get(certificate)
        known = {"2.5.29.15", "2.5.29.19", "2.5.29.37", "2.5.29.14", "2.5.29.35", "2.5.29.32", marker}
        for identifier, extension in certificate.extensions.items():
            check(not extension.critical or identifier in known, "a critical extension")
    for child, issuer in ((leaf, intermediate), (intermediate, last)):
        check(child.names[1] == issuer.names[3], "names")
        authority, subject = child.value("AUTHORITY_KEY_IDENTIFIER"), issuer.value("SUBJECT_KEY_IDENTIFIER")
        if authority and authority.key_identifier and subject:
            check(authority.key_identifier == subject.digest, "key identifier")
        try:
            algorithm = child.parsed.signature_hash_algorithm
            check(isinstance(issuer.key, ec.EllipticCurvePublicKey) and algorithm.name in HASHES, "algorithm")
            check(issuer.key.curve.name in ("secp256r1", "secp384r1"), "curve")
            issuer.key.verify(child.parsed.signature, child.parsed.tbs_certificate_bytes, ec.ECDSA(algorithm))
        except (InvalidSignature, ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise Refused(f"signature of a certificate: {error!r}") from None
    check(INTERMEDIATE_MARKER in intermediate.extensions and LEAF_MARKER in leaf.extensions, "marker")


def verify(kind, token, root, outer=None):
    """Raises `Refused` unless a token is good. `root` is the SHA-256 of the trusted root in hexadecimal."""
    check(len(token) <= 1 << 17 and token.count(b".") == 2, "three segments")
    header, payload, signature = map(segment, token.split(b"."))
    header = parse(header)
    check(is_text(header.get("alg")) and header["alg"] == "ES256", "alg")
    check(not {"crit", "jku", "jwk", "x5u"} & header.keys(), "a member that decides")
    check(isinstance(header.get("x5c"), list) and len(header["x5c"]) == 3, "x5c")
    chain = [Certificate(text) for text in header["x5c"]]
    values = parse(payload)
    time = milliseconds(values.get("receiptCreationDate" if kind == "app-transaction" else "signedDate"))
    check_path(chain, time, root)

    key = chain[0].key
    check(isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name == "secp256r1", "the key's curve")
    check(len(signature) == 64, "the signature's length")
    numbers = (int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    try:
        key.verify(utils.encode_dss_signature(*numbers), token.rpartition(b".")[0], ec.ECDSA(HASHES["sha256"]))
    except InvalidSignature:
        raise Refused("signature") from None

    check(MARKS[kind] in values or not values.keys() - FIELDS[kind].keys(), "another kind")
    check_types(values, kind)
    claims, table = values, kind
    if kind == "notification":
        contents = [n for n in TYPES["notification"][OBJECTS].split() if values.get(n) is not None]
        check(len(contents) < 2, "several contents")
        claims, table = (members(values[contents[0]]), contents[0]) if contents else ({}, kind)
    environment = claims.get("receiptType" if kind == "app-transaction" else "environment")
    if table == "externalPurchaseToken":
        environment = claims.get("externalPurchaseId")
        environment = environment and ("Sandbox" if environment.startswith("SANDBOX") else "Production")
    if outer:
        check(environment in (None, outer["environment"]), "a nested token's environment")
        check(kind == "renewal-info" or claims.get("bundleId") == outer["bundleId"], "a nested token's app")
        identifiers = claims.get("appAppleId"), outer["appAppleId"]
        check(kind != "app-transaction" or None in identifiers or int(identifiers[0]) == int(identifiers[1]),
              "a nested token's Apple ID")
        environment = environment or outer["environment"]
    check(environment in ENVIRONMENTS, "environment")
    check(kind in ("renewal-info", "realtime-request") or claims.get("bundleId") == APP, "bundle identifier")
    if kind not in ("transaction", "renewal-info"):
        identifier = claims.get("appAppleId")
        check(int(identifier) == APPLE_ID if identifier is not None else environment == "Sandbox", "Apple ID")
    if kind == "notification":
        for name, inner in NESTED.items():
            if is_text(claims.get(name)):
                verify(inner, claims[name].encode(), root, {
                    "environment": environment, "bundleId": APP, "appAppleId": claims.get("appAppleId")})
