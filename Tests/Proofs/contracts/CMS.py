"""The contracts of the module CMS.

The ranges of a message lie in the buffer that it was decoded from, and its signed attributes have a header: the
initialiser of SignerInfo ensures this for its ranges, and the functions of a message require it."""

import z3

from contract import LAYOUTS, Contract, Layout
from contracts import PKIX
from contracts.DER import MERGED, a_string, a_tag, inside, of_span

#: The modules below, whose contracts hold where they are called.
USES = ["Basics", "DER", "PKIX"]


def moved(places, by):
    """The places of the parts of a struct that begins at an offset."""
    return {name: [by + one for one in place] if isinstance(place, list) else by + place
            for name, place in places.items()}


#: A SignerInfo. Its identifier is a name and a serial number, or the identifier of a key.
RANGES = {"range": 0, "identifier": 16, "digestAlgorithm": 56, "digestIdentifier": 72, "signatureAlgorithm": 136,
          "signatureIdentifier": 152, "signature": 192}
OPTIONAL = {"serialNumber": [32, 48], "signedAttributes": [112, 128]}
MESSAGE = {"digestAlgorithms": 8, "contentType": 24, "content": 64, "certificates": 80}


def whole(struct, count):
    """The ranges of a message or a SignerInfo lie in a buffer, and the signed attributes have a header."""
    start, end = struct.signedAttributes
    return [*struct.inside(0, count), z3.Implies(struct.there["signedAttributes"], end - start >= 2)]


LAYOUTS.update({
    "signer": Layout(208, ranges=RANGES, optional=OPTIONAL),
    "message": Layout(304, ranges=MESSAGE | moved(RANGES, 96), optional=moved(OPTIONAL, 96)),
    "message-view": Layout(320, ranges=moved(MESSAGE, 16) | moved(RANGES, 112), optional=moved(OPTIONAL, 112), span=0,
                           invariant=lambda v: whole(v, v.count)),
})


def of_message(v):
    """The message was decoded from the span, or from one with equal bytes."""
    return whole(v["message"], v["span"][1])


GENERIC = "It calls functions of the key's type, which is generic."
ARRAY = "It reads or appends to an array, which has no model."
NESTED = "The invariants of its loops take too long to find."

#: Functions that have no proof: their conditions are proved at each call, and that they return, write and ensure what
#: their contracts say is assumed.
ASSUMES = {
    "Name.init(_:_:)": PKIX.ASSUMES["Name.init(_:_:)"],
    "Reader.skipUnsignedAttributes(limit:)": Contract("limit reader error out"),
}

#: Functions with traps that are not proved, each with the reason.
OPEN = {
    "specialized SignedData.init(_:limits:)": NESTED,
    "SignedDataView.signedDigest(contentDigest:acceleration:)": NESTED,
    "Reader.skipRevocationInfo(limit:)": NESTED,
    "Reader.skipUnsignedAttributes(limit:)": NESTED,
    "SignedDataView.signerIndex(among:)": ARRAY,
    "SignedDataView.verifySignature<A>(by:acceleration:)": GENERIC,
    "SignedDataView.verifySignature<A>(by:_:contentDigest:acceleration:)": GENERIC,
    "specialized static SignedData.decodeCertificates(_:in:limits:into:)": ARRAY,
    "specialized _ContiguousArrayBuffer._consumeAndCreateNew(bufferIsUnique:minimumCapacity:growForAppend:)":
        "It is a function of Swift's standard library.",
}

CONTRACTS = {
    "SignedData.checkDigestAlgorithms(_:)": Contract("span message error out", requires=of_message),
    "SignedData.view(in:)": Contract("made-message-view span message", requires=of_message),
    "SignedDataView.signature.getter": Contract("message-view"),
    "static SignedDataView.onlyValue(_:_:_:)": Contract(
        "reader tag start length error out", requires=lambda v: a_tag(v) + [v["start"] != 0], ensures=inside,
        compared=False),
    "static SignedDataView.checkSigningTime(_:)": Contract("reader error out"),
    "SignerInfo.init(_:limits:)": Contract(
        "made-signer reader inputBytes depth elements none error out", ensures=lambda o, n, r: whole(
            n["signer"], n["reader"].count)),
    # Copies of functions of DER. The compiler merged the first with others that make a refusal.
    "specialized Reader.tooDeep(at:_:)": Contract(MERGED, requires=a_string),
    "specialized Reader.trailingBytes(_:)": Contract("out start flags position", requires=a_string),
    "specialized ObjectIdentifier.init(_:in:)": Contract("span range", requires=of_span()),
}
