"""Apple's receipts: the payload and the markers, as ../shared/RECEIPTS.md beside the checkout describes them."""
import collections
import datetime
import hashlib
import re

import rfc5280
import rfc5280_path
import x690
from rfc5280 import EXTENDED_KEY_USAGE, Certificate
from rfc5652 import SignedData
from x690 import Fields, Violation, identified, only, require

LEAF_MARKER, INTERMEDIATE_MARKER = identified("1.2.840.113635.100.6.11.1"), identified("1.2.840.113635.100.6.2.1")
CODE_SIGNING = identified("1.3.6.1.5.5.7.3.3")
#: How a receipt is trusted: the certificate of the root, and whether it is Xcode's, or markers are required.
Trust = collections.namedtuple("Trust", "root is_xcode requires_markers")
#: Attributes by type: the name in the results (Vectors/schema), and the kind of value.
RECEIPT = {
    0: ("receipt_type", "text"), 2: ("bundle_id", "text"), 3: ("application_version", "text"),
    19: ("original_application_version", "text"), 12: ("receipt_creation_date", "date"), 8: ("purchase_date", "date"),
    18: ("original_purchase_date", "date"), 32: ("preorder_date", "date"), 21: ("expiration_date", "date"),
    1: ("app_item_id", "identifier"), 11: ("developer_id", "identifier"), 15: ("download_id", "identifier"),
    16: ("version_external_identifier", "identifier"), 10: ("age_rating", "ascii"), 25: ("platform", "integer"),
    4: ("opaque_value", "raw"), 5: ("sha1_hash", "raw")}
IN_APP = 17
PURCHASE = {
    1701: ("quantity", "integer"), 1702: ("product_id", "text"), 1703: ("transaction_id", "text"),
    1705: ("original_transaction_id", "text"), 1704: ("purchase_date", "date"),
    1706: ("original_purchase_date", "date"), 1708: ("expires_date", "date"), 1712: ("cancellation_date", "date"),
    1720: ("cancellation_reason", "integer"), 1707: ("product_type", "integer"),
    1711: ("web_order_line_item_id", "identifier"), 1713: ("is_trial_period", "flag"),
    1719: ("is_in_intro_offer_period", "flag"), 1721: ("promotional_offer_id", "text"),
    1722: ("in_app_ownership_type", "ownership")}
#: A malformed attribute of these types is absent (the documentation of ReceiptContents): no check needs them.
OPTIONAL = (1, 8, 10, 11, 15, 16, 18, 19, 25, 32, 1722)
#: These types are inferred, so a repeated one is absent as well (the documentation of ReceiptContents).
INFERRED = (32, 1722)
OWNERSHIP = {0: "PURCHASED", 1: "FAMILY_SHARED"}
FIRST_DATE = rfc5280.milliseconds((0, 1, 1, 0, 0, 0), "")
LAST_DATE = rfc5280.milliseconds((9999, 12, 31, 23, 59, 59), "") + 999
#: The milliseconds of 400 years.
CYCLE = 146_097 * 86_400_000
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))", re.ASCII)


def attributes(octets):
    """The attributes of a payload or a purchase: type, version and value. Their SET need not be in order."""
    payload = only(octets)
    require(payload.tag == x690.SET, "RECEIPTS.md, Container", "a payload is a SET")
    found = []
    for element in x690.elements(payload.contents):
        fields = Fields(element, "an attribute")
        kind, version = x690.integer(fields.next()), x690.integer(fields.next())
        value = fields.next(x690.OCTET_STRING).contents
        fields.end()
        require(all(-2**63 <= number < 2**63 for number in (kind, version)), "AUDIT.md, Limits", "64 bits hold numbers")
        found.append((kind, version, value))
    require(len(found) <= 1 << 16, "AUDIT.md, Limits", "there are at most 65536 attributes")
    return found


def date(text):
    """A date (RFC 3339 §5.6, and offsets without a colon), in milliseconds since 1970, rounded down."""
    match = DATE.fullmatch(text)
    require(match, "RFC 3339 §5.6", "a date has this form")
    moment = rfc5280.milliseconds(map(int, match.groups()[:6]), "RFC 3339 §5.7")
    moment += int((match[7] or ".")[1:4].ljust(3, "0"))
    if match[8]:
        hours, minutes = int(match[9]), int(match[10])
        require(hours < 24 and minutes < 60, "RFC 3339 §5.6", "an offset is a time of the day")
        moment -= int(match[8] + "1") * 60_000 * (60 * hours + minutes)
    require(FIRST_DATE <= moment <= LAST_DATE, "RFC 3339 §1", "a date lies in the years 0000 to 9999")
    return moment


def written(moment):
    """A date as the results have it. The calendar repeats after 400 years, and `datetime` has no year 0000."""
    later = moment + CYCLE * (moment < 0) * 5
    found = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=later)
    fraction = f".{moment % 1000:03}" if moment % 1000 else ""
    return f"{found.year - 2000 * (moment < 0):04}{found:-%m-%dT%H:%M:%S}{fraction}Z"


def integer(number):
    """A number as the results have it: as text if readers of JSON might round it."""
    return number if abs(number) < 2**53 else str(number)


def value_of(octets, kind):
    """The value of a documented attribute. None stands for an empty string."""
    if kind == "raw":
        return octets.hex()
    element = only(octets)
    if kind in ("text", "ascii", "date"):
        tag = x690.UTF8_STRING if kind == "text" else x690.IA5_STRING
        require(element.tag == tag, "RECEIPTS.md, Receipt attributes", "the string has the documented type")
        try:
            text = element.contents.decode("utf-8" if kind == "text" else "ascii")
        except UnicodeDecodeError:
            raise Violation("RFC 3629 §3, X.680 §41: the characters are of the string's type") from None
        return (written(date(text)) if kind == "date" else text) if text else None
    number = x690.integer(element)
    require(number < 2**63, "AUDIT.md, Limits", "64 bits hold a number")
    require(number >= 0, "RECEIPTS.md", "a number is not negative")
    if kind == "flag":
        require(number in (0, 1), "RECEIPTS.md", "a flag is 0 or 1")
        return number == 1
    if kind == "ownership":
        return OWNERSHIP.get(number)
    return str(number) if kind == "identifier" else integer(number)


def values(found, table):
    """The documented values of attributes by their names, and the undocumented attributes."""
    result, others = {name: None for name, _ in table.values()}, []
    times = collections.Counter(kind for kind, _, _ in found)
    for kind, version, octets in found:
        if kind in table:
            require(times[kind] == 1 or kind in INFERRED, "RECEIPTS.md", "a documented attribute occurs once")
            try:
                name, form = table[kind]
                result[name] = value_of(octets, form) if times[kind] == 1 else None
            except Violation:
                if kind not in OPTIONAL:
                    raise
        elif kind not in (IN_APP, *RECEIPT, *PURCHASE):
            others.append({"type": integer(kind), "version": integer(version), "value": octets.hex()})
    return {**result, "undocumented_attributes": others}


def purchase(octets):
    """An in-app purchase, which has a product identifier."""
    result = values(attributes(octets), PURCHASE)
    require(result["product_id"] is not None, "RECEIPTS.md", "a purchase has a product identifier")
    return result


def payload(octets):
    """All values of a payload. Malformed purchases are kept apart and grant nothing."""
    outer = only(octets)
    found = attributes(outer.contents if outer.tag == x690.OCTET_STRING else octets)
    result = values(found, RECEIPT)
    require(result["receipt_creation_date"], "RECEIPTS.md, Trust", "a receipt has a creation date")
    result.update(content_sha256=hashlib.sha256(octets).hexdigest(), in_app=[], malformed_in_app=[])
    for kind, _, value in found:
        if kind == IN_APP:
            try:
                result["in_app"].append(purchase(value))
            except Violation:
                result["malformed_in_app"].append(value.hex())
    return result


def judge(octets, trust):
    """The values of a valid receipt. Raises `Violation` for any other."""
    message = SignedData(octets)
    result = payload(message.content)
    signer, created = message.signer_certificate(), date(result["receipt_creation_date"])
    # The root may come with the caller only.
    root = Certificate(only(trust.root))
    if trust.is_xcode:
        require(result["receipt_type"] == "Xcode", "RECEIPTS.md, Receipt attributes", "the environment is Xcode")
        require(EXTENDED_KEY_USAGE in signer.extensions, "RECEIPTS.md, Container", "the signer is for signing code")
        rfc5280_path.find_path(signer, message.certificates, [root], 1, created, (CODE_SIGNING,))
    else:
        markers = (LEAF_MARKER, INTERMEDIATE_MARKER) if trust.requires_markers else ()
        rfc5280_path.find_path(signer, message.certificates, [root], 3, created, (), markers)
    message.check_signature(signer)
    return result
