"""The tokens of StoreKit 2 that are measured: one of the repository's vectors, and genuine ones if available."""
import base64
import csv
import glob
import hashlib
import json
import os

from . import places

MEASURES = ["token-uncached", "token-cached", "token-batch"]
VECTORS = os.path.join(places.VECTORS, "tokens")
GENUINE = os.path.join(places.SHARED, "jws")
APPLE_ROOT = os.path.join(places.SHARED, "roots", "AppleRootCA-G3.cer")
# The vector that is measured.
MEASURED = "every member of a transaction"
# Vectors on whose verdict every sound verification agrees. The verdicts on most others depend on Apple's markers, on
# what the app expects, or on the form of the JSON.
AGREED = [
    MEASURED, "every member of renewal information", "every member of an app transaction",
    "every member of a realtime request", "a notification with data", "a notification with appData",
    "leaf signed over SHA 256", "r with a leading zero octet", "the other s of the signature",
    "alg none", "alg ES384", "x5c of 0", "x5c of 2", "x5c of 4", "certificate that is cut off",
    "leaf expired at signedDate", "intermediate expired at signedDate",
    "leaf not yet valid at signedDate", "leaf signed by another key", "another root of the name",
    "intermediate signed by another root of the name", "intermediate that is no authority", "leaf on P 384",
    "signature missing", "signature of 65 octets", "signature in DER", "signature with r 0", "signature with s n",
    "signature with r and s 1", "signature by another key", "signature over the payload alone",
    "the payload of another token",
]


def rows():
    """Returns the vectors by name, each with its token and its verdict."""
    with open(os.path.join(VECTORS, "header.txt"), encoding="ascii") as file:
        header = file.read().strip()
    found = {}
    with open(os.path.join(VECTORS, "tokens.tsv"), encoding="utf-8", newline="") as file:
        for cells in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            name, step, token = cells[0], cells[6], cells[8]
            found[name] = (token.replace("~", header, 1), "accept" if step == "accept" else "reject")
    return found


def written(name, text):
    """Writes a token to a file and returns its path."""
    path = os.path.join(places.work_place("tokens"), name.replace(" ", "-") + ".jws")
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def source(identifier, path, root, label, count=1):
    with open(path, "rb") as file:
        contents = file.read()
    return {
        "id": identifier, "kind": "token", "label": label, "genuine": root == APPLE_ROOT, "argument": path,
        "root": root, "bytes": len(contents) / count, "sha256": hashlib.sha256(contents).hexdigest(),
    }


def genuine(kind):
    """Returns the paths of the genuine tokens of one kind, with the payload of each. Those of 2021 name no environment,
    and Apple's library refuses them."""
    found = []
    for path in sorted(glob.glob(os.path.join(GENUINE, f"sandbox-{kind}-*.json"))):
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        payload = facts["payload"]
        names_environment = "environment" in payload.get("data", payload)
        if facts["verdict"].startswith("accept (Apple") and names_environment:
            found.append((path[: -len("json")] + "jws", payload))
    return found


def sources():
    """Returns the inputs: a token of the vectors; and a genuine transaction, a genuine notification with two tokens in
    it, and a file of all genuine transactions, if they are available."""
    made = [source(
        "token", written(MEASURED, rows()[MEASURED][0]), os.path.join(VECTORS, "root.der"), "transaction, every member"
    )]
    transactions = genuine("transaction")
    notifications = [
        path for path, payload in genuine("notification")
        if {"signedTransactionInfo", "signedRenewalInfo"} <= payload.get("data", {}).keys()
    ]
    if not transactions or not notifications or not os.path.exists(APPLE_ROOT):
        return made
    typical = sorted(transactions, key=lambda one: os.path.getsize(one[0]))[len(transactions) // 2][0]
    every = os.path.join(places.work_place("tokens"), "transactions.lp")
    with open(every, "wb") as file:
        for path, _ in transactions:
            with open(path, "rb") as one:
                token = one.read()
            file.write(len(token).to_bytes(4, "big") + token)
    return made + [
        source("genuine-transaction", typical, APPLE_ROOT, "genuine transaction"),
        source("genuine-notification", notifications[0], APPLE_ROOT, "genuine notification, 3 tokens"),
        source("genuine-transactions", every, APPLE_ROOT, f"{len(transactions)} genuine transactions",
               len(transactions)),
    ]


def known_verdicts():
    """Returns the tokens on which every sound verification agrees, as (root, token, verdict)."""
    vectors, root = rows(), os.path.join(VECTORS, "root.der")
    cases = [(root, written(name, vectors[name][0]), vectors[name][1]) for name in AGREED]
    # One bit of the signature, and another root.
    head, _, signature = vectors[MEASURED][0].rpartition(".")
    octets = bytearray(decoded(signature))
    octets[40] ^= 1
    cases.append((root, written("a flipped bit", f"{head}.{encoded(octets)}"), "reject"))
    if os.path.exists(APPLE_ROOT):
        cases.append((APPLE_ROOT, written(MEASURED, vectors[MEASURED][0]), "reject"))
        cases += [(APPLE_ROOT, path, "accept") for kind in ("transaction", "notification") for path, _ in genuine(kind)]
    return cases


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode("ascii")


def elements(octets):
    """Splits DER into its elements: pairs of the whole element and its contents."""
    found, at = [], 0
    while at < len(octets):
        length, start = octets[at + 1], at + 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(octets[at + 2 : start], "big")
        found.append((octets[at : start + length], octets[start : start + length]))
        at = start + length
    return found


def integer(octets):
    """Encodes an unsigned number as an INTEGER of fewer than 128 octets."""
    octets = octets.lstrip(b"\0") or b"\0"
    octets = b"\0" + octets if octets[0] & 0x80 else octets
    return bytes([2, len(octets)]) + octets


def key_of(certificate):
    """Returns the SubjectPublicKeyInfo of a certificate of version 3."""
    fields = elements(elements(elements(certificate)[0][1])[0][1])
    return fields[6][0]


def signatures():
    """Returns the signatures in the measured token: the key, the message and the ECDSA-Sig-Value of each."""
    token = rows()[MEASURED][0]
    signing_input, _, signature = token.rpartition(".")
    header = json.loads(decoded(token.partition(".")[0]))
    leaf, intermediate, _ = (base64.b64decode(text) for text in header["x5c"])
    pair = decoded(signature)
    both = integer(pair[:32]) + integer(pair[32:])
    signed, _, value = elements(elements(leaf)[0][1])
    return {
        "p256": {
            "key.der": key_of(leaf), "message.bin": signing_input.encode("ascii"),
            "signature.bin": bytes([0x30, len(both)]) + both,
        },
        # The first octet of a BIT STRING counts its unused bits.
        "p384": {"key.der": key_of(intermediate), "message.bin": signed[0], "signature.bin": value[1][1:]},
    }
