"""cases.py VECTORS REFUSALS: writes cases.json to standard output.

Nothing here comes from this project's Swift code. The values of valid receipts are those that payload.sh encoded. The
code and the place of each refusal are written in REFUSALS by hand, and the reader below counts the place's offset.
"""

import base64
import collections
import csv
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys

# The names in results, in the order of the result's schema, and the names in the JSON beside a receipt.
RECEIPT = {
    "receipt_type": "environment", "bundle_id": "bundle_identifier", "application_version": "app_version",
    "original_application_version": "original_app_version", "receipt_creation_date": "creation_date",
    "purchase_date": "purchase_date", "original_purchase_date": "original_purchase_date",
    "expiration_date": "expiration_date", "app_item_id": "app_store_id", "developer_id": "developer_id",
    "download_id": "download_id", "version_external_identifier": "version_external_identifier",
    "age_rating": "age_rating", "platform": "platform", "opaque_value": "opaque_value", "sha1_hash": "sha1_hash",
}
PURCHASE = {
    "quantity": "quantity", "product_id": "product_identifier", "transaction_id": "transaction_identifier",
    "original_transaction_id": "original_transaction_identifier", "purchase_date": "purchase_date",
    "original_purchase_date": "original_purchase_date", "expires_date": "expires_date",
    "cancellation_date": "cancellation_date", "cancellation_reason": "cancellation_reason",
    "product_type": "product_type", "web_order_line_item_id": "web_order_line_item_id",
    "is_trial_period": "is_trial_period", "is_in_intro_offer_period": "is_in_intro_offer_period",
    "promotional_offer_id": "promotional_offer_identifier",
}
# Results write these numbers as text, because some have more than 53 bits.
IDENTIFIERS = {"app_item_id", "developer_id", "download_id", "version_external_identifier", "web_order_line_item_id"}
# The attribute of ownership, which payload.sh leaves without a name, and what Apple's answers call its values.
OWNERSHIP, OWNERSHIPS = 1722, {0: "PURCHASED", 1: "FAMILY_SHARED"}
# receipts.tsv judges these as app receipts. Bindings judge both kinds of receipts.
TRANSACTIONS = {"transaction-receipt.b64"}
# The names in results, and the keys of purchase-info.
TRANSACTION = {
    "bundle_id": "bid", "application_version": "bvrs", "item_id": "item-id", "app_item_id": "app-item-id",
    "version_external_identifier": "version-external-identifier", "unique_identifier": "unique-identifier",
    "unique_vendor_identifier": "unique-vendor-identifier",
    "subscription_group_identifier": "subscription-group-identifier", "quantity": "quantity",
    "product_id": "product-id", "transaction_id": "transaction-id",
    "original_transaction_id": "original-transaction-id", "purchase_date": "purchase-date-ms",
    "original_purchase_date": "original-purchase-date-ms", "expires_date": "expires-date",
    "cancellation_date": "cancellation-date-ms", "web_order_line_item_id": "web-order-line-item-id",
    "is_trial_period": "is-trial-period", "is_in_intro_offer_period": "is-in-intro-offer-period",
    "in_app_ownership_type": "in-app-ownership-type",
}
# The fields of a tbsCertificate.
FIELDS = ["version", "serialNumber", "algorithm", "issuer", "validity", "subject", "subjectPublicKeyInfo"]


class Element:
    """An element in DER: its tag and where its parts are. `at` counts octets from the start of the file."""

    def __init__(self, octets, at):
        self.octets, self.at, self.tag = octets, at, octets[at]
        length, self.start = octets[at + 1], at + 2
        if length > 0x7F:
            self.start += length - 0x80
            length = int.from_bytes(octets[at + 2:self.start], "big")
        self.end = self.start + length

    @property
    def contents(self):
        return self.octets[self.start:self.end]

    def members(self):
        found, at = [], self.start
        while at < self.end:
            found.append(Element(self.octets, at))
            at = found[-1].end
        return found


def dotted(identifier):
    """An object identifier as text (X.690 §8.19)."""
    arcs, arc = [], 0
    for octet in identifier.contents:
        arc = arc << 7 | octet & 0x7F
        if octet < 0x80:
            arcs.append(arc)
            arc = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, [first, arcs[0] - 40 * first, *arcs[1:]]))


def attributes(octets, at):
    """The attributes of a payload or a purchase: type, version, the element of the value, the whole element."""
    for attribute in Element(octets, at).members():
        number, version, value = attribute.members()
        yield int.from_bytes(number.contents, "big"), int.from_bytes(version.contents, "big"), value, attribute


def unnamed(octets, types):
    """The attributes of the types without a name, as results write them."""
    return [
        {"type": number, "version": version, "value": value.contents.hex()}
        for number, version, value, _ in attributes(octets, 0) if number in types
    ]


def certificate_parts(name, certificate):
    """The certificate, its signature, the fields of its tbsCertificate and its extensions (RFC 5280 §4.1)."""
    tbs, _, signature = certificate.members()
    found = {name: certificate, f"{name}.signature": signature}
    for field, element in zip(FIELDS, tbs.members()):
        found[f"{name}.{field}"] = element
    for extension in tbs.members()[7].members()[0].members():
        found[f"{name}.{dotted(extension.members()[0])}"] = extension
    return found


def parts(octets):
    """The elements of a receipt that a place can name (RFC 5652 §5)."""
    found = {"ContentInfo": Element(octets, 0)}
    signed_data = found["ContentInfo"].members()[1].members()[0]
    names = {0x30: "encapContentInfo", 0xA0: "certificates"}
    for element in signed_data.members():
        # digestAlgorithms and signerInfos are both a SET; signerInfos comes last.
        found[names.get(element.tag, "signerInfos")] = element
    for index, certificate in enumerate(found["certificates"].members()):
        found |= certificate_parts(f"certificates.{index}", certificate)
    for index, signer in enumerate(found["signerInfos"].members()):
        found |= {f"signerInfos.{index}": signer, f"signerInfos.{index}.signature": signer.members()[-1]}
        for attribute in [one for field in signer.members() if field.tag == 0xA0 for one in field.members()]:
            identifier, values = attribute.members()
            found[f"signerInfos.{index}.{dotted(identifier)}"] = values.members()[0]
    encapsulated = found["encapContentInfo"].members()
    if len(encapsulated) > 1:
        found["payload"] = Element(octets, encapsulated[1].members()[0].start)
        for number, _, value, attribute in attributes(octets, found["payload"].at):
            name = f"payload.{number}"
            name += "#2" if name in found else ""
            found |= {name: attribute, f"{name}.value": value}
            if value.contents[:1] in (b"\x0c", b"\x16"):
                found[f"{name}.string"] = Element(octets, value.start)
    return found


def offset(place, octets):
    """The offset that a place stands for. README.md describes places."""
    if place.isdigit():
        return int(place)
    if place == "end":
        return len(octets)
    name, side, more = re.fullmatch(r"([^:+]+)(?::(\w+))?(?:\+(\d+))?", place).groups()
    element = parts(octets)[name]
    at = {None: element.at, "contents": element.start, "end": element.end}[side]
    # The contents of a BIT STRING begin with the number of unused bits.
    return at + int(more or 0) + (side == "contents" and element.tag == 0x03)


def string(text, key):
    """The string under a key of a property list, and its offset."""
    found = re.search(rb'"%s" = "([^"]*)"' % key.encode(), text)
    return found[1], found.start(1)


def transaction_offset(place, octets):
    """The offset in the property list, where four characters of base64 stand for three octets."""
    text = octets if octets[:1] == b"{" else base64.b64decode(octets)
    if place == "environment":
        return string(text, place)[1]
    outer, _, key = place.partition(".")
    if outer == "purchase-info":
        encoded, start = string(text, outer)
        return start + string(base64.b64decode(encoded), key)[1] * 4 // 3
    encoded, start = string(text, "signature")
    blob = base64.b64decode(encoded)
    # The version, 2048 bits of signature, the certificate's length in four octets, the certificate.
    found = {"version": 0, "signature": 1}
    for name, element in certificate_parts("certificate", Element(blob, 1 + 256 + 4)).items():
        found[name] = element.at
    return start + found[place] * 4 // 3


def container(octets):
    """A receipt without its base64."""
    if octets[:1] == b"0":
        return octets
    text = re.sub(rb"\s", b"", octets).translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)


def renamed(values, names):
    """The values under the names and in the spelling of results."""
    result = {name: values[known] for name, known in names.items()}
    for name, value in result.items():
        if name in IDENTIFIERS and value is not None:
            result[name] = str(value)
        elif name.endswith("_date") and value and "." in value:
            # Three digits of a second's fraction.
            whole, _, fraction = value.rstrip("Z").partition(".")
            result[name] = f"{whole}.{fraction:0<3}Z"
    return result


def content(octets):
    """The payload of a receipt, in DER or BER, as openssl reads it."""
    command = ["openssl", "cms", "-verify", "-noverify", "-binary", "-inform", "DER"]
    return subprocess.run(command, input=octets, check=True, capture_output=True).stdout


def receipt(path):
    """What a valid receipt says: the fields that payload.sh listed, and the attributes without a name."""
    values = json.loads(path.with_suffix(".json").read_text())["payload"]
    octets = content(container(path.read_bytes()))
    purchases = [value.contents for number, _, value, _ in attributes(octets, 0) if number == 17]
    malformed = [bytes.fromhex(digits) for digits in values["_malformed_in_app_purchases"]]
    in_app = []
    for octet_string, purchase in zip([one for one in purchases if one not in malformed], values["in_app_purchases"]):
        owner = [value.contents for number, _, value, _ in attributes(octet_string, 0) if number == OWNERSHIP]
        types = set(purchase["_undocumented_types"]) - {OWNERSHIP}
        in_app.append(renamed(purchase, PURCHASE) | {
            "in_app_ownership_type": OWNERSHIPS[owner[0][-1]] if owner else None,
            "undocumented_attributes": unnamed(octet_string, types),
        })
    return renamed(values, RECEIPT) | {
        "content_sha256": hashlib.sha256(octets).hexdigest(),
        "in_app": in_app,
        "malformed_in_app": [{"value": value.hex()} for value in malformed],
        "undocumented_attributes": unnamed(octets, values["_undocumented_types"]),
    }


def transaction(path):
    """What a valid transaction receipt says: the entries of its purchase-info."""
    values = json.loads(path.with_suffix(".json").read_text())
    entries = {entry["key"]: entry["value"] for entry in values["purchase_info"]}
    result = {name: values[name] for name in ["signature_version", "claimed_environment"]}
    for name, key in TRANSACTION.items():
        value = entries.get(key)
        if value and name.endswith("_date"):
            moment = datetime.datetime.fromtimestamp(int(value[:-3]), datetime.timezone.utc)
            fraction = "" if value.endswith("000") else f".{value[-3:]}"
            value = f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"
        elif value and name.startswith("is_"):
            value = value == "true"
        elif value and name == "quantity":
            value = int(value)
        result[name] = value
    return result | {"purchase_info": values["purchase_info"]}


def policy(row):
    """What the caller expects, without the members for which the row has no value."""
    members = {
        "root": f"certificates/{row['root']}", "issuer": row.get("issuer") and f"certificates/{row['issuer']}",
        "xcode_testing": row["root"] == "storekit.der",
        "environment": row["environment"], "bundle_identifier": row["bundle_identifier"],
        "app_version": row.get("app_version"), "device_identifier": row.get("device_identifier"),
        "now": row.get("now"),
    }
    return {name: value for name, value in members.items() if value}


def refused(refusal, path):
    find = transaction_offset if path.parent.name == "transactions" else offset
    return {
        "status": refusal["status"], "step": refusal["step"], "code": refusal["code"],
        "error": {"offset": find(refusal["place"], path.read_bytes())},
    }


def accepted(row, path):
    if path.parent.name == "transactions":
        # Nothing that is signed names the environment, but the word Sandbox beside the signature counts.
        values = transaction(path)
        skipped = ["revocation"] + ([] if values["claimed_environment"] else ["environment"])
        octets = path.read_bytes()
        return {
            "sha256": hashlib.sha256(octets if octets[:1] == b"{" else base64.b64decode(octets)).hexdigest(),
            "status": "valid", "step": None, "code": None, "not_checked": [*skipped, "app-version", "device-hash"],
            "transaction_receipt": values,
        }
    # No row asks for revocation. A receipt of testing in Xcode has one certificate, and no markers are asked of it.
    skipped = ["revocation"] + (["intermediate-marker", "leaf-marker"] if row["root"] == "storekit.der" else [])
    columns = {"app-version": "app_version", "device-hash": "device_identifier", "expiration-date": "now"}
    for step, column in columns.items():
        skipped += [] if row[column] else [step]
    return {
        "sha256": hashlib.sha256(container(path.read_bytes())).hexdigest(),
        "status": "valid", "step": None, "code": None, "not_checked": skipped, "receipt": receipt(path),
    }


def table(path):
    with open(path, newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))


def main():
    vectors, refusals = pathlib.Path(sys.argv[1]), table(sys.argv[2])
    written, lines = collections.Counter(), []
    rows = [(row, "receipts") for row in table(vectors / "receipts.tsv")]
    rows += [(row, "transactions") for row in table(vectors / "transactions.tsv")]
    for row, folder in rows:
        file, path = row["file"], vectors / folder / row["file"]
        written[file] += 1
        # Each refused row has its own refusal, in the same order.
        refusal = refusals.pop(0) if row["verdict"] == "reject" else None
        step = refusal and row.get("step", refusal["step"])
        if refusal and (refusal["file"] != file or refusal["step"] != step and file not in TRANSACTIONS):
            sys.exit(f"refusals.tsv: {refusal['file']} at {refusal['step']} stands for {file} at {step}")
        case = {
            "name": file if written[file] == 1 else f"{file} {written[file]}", "why": row["why"],
            "receipt": f"{folder}/{file}", "policy": policy(row),
            "expected": refused(refusal, path) if refusal else accepted(row, path),
        }
        lines.append(json.dumps(case, separators=(",", ":"), ensure_ascii=False))
    if refusals:
        sys.exit(f"refusals.tsv: no row for {refusals[0]['file']}")
    print('{"format":1,"cases":[\n' + ",\n".join(lines) + "\n]}")


main()
