"""The contracts of the module PKIX.

Each `requires` is a precondition that the function documents, or that its callers meet: the rows of
Tests/Audit/operations.tsv say why. The functions of a certificate with its buffer, a CertificateView, require that each
range of the certificate lies inside the buffer. Certificate.init ensures it, if the functions that it ASSUMES do."""

import z3

from contract import LAYOUTS, Contract, Layout
from contracts.DER import METHOD, a_string, inside

#: The modules below, whose contracts hold where they are called.
USES = ["Basics", "DER"]


def certificate(at=0):
    """The places of the parts of a Certificate, which begins at an offset."""
    def moved(places):
        return {name: [at + one for one in place] if isinstance(place, list) else at + place
                for name, place in places.items()}

    return {
        "words": moved({"notAfter": 144}),
        "ranges": moved({
            "range": 0, "tbsCertificate": 16, "serialNumber": 40, "signatureAlgorithm": 56, "algorithm": 72,
            "issuer": 112, "validity": 152, "subject": 168, "key": 192, "signatureValue": 208, "extensions": 224}),
        "optional": moved({
            "extendedKeyUsage": [264, 280], "subjectKeyIdentifier": [288, 304], "keyIdentifier": [312, 328, 377],
            "authorityIssuer": [336, 352, 377], "authoritySerialNumber": [360, 376, 377]}),
    }


def is_time(number):
    """No Timestamp that was decoded is farther from 1970."""
    return z3.And(number > -(1 << 62) - 1000, number < (1 << 62) + 1000)


LAYOUTS.update({
    "extension": Layout(72, ranges={"range": 0, "identifier": 16, "value": 56}),
    "algorithm": Layout(51, ranges={"range": 0, "algorithm": 16}),
    "optional-authority": Layout(66, optional={
        "keyIdentifier": [0, 16, 65], "issuer": [24, 40, 65], "serialNumber": [48, 64, 65]}),
    "certificate": Layout(393, **certificate()),
    # A PathSearch: what its policy allows, and what it has spent.
    "search": Layout(216, words={"limit": 80, "spent": 152}, invariant=lambda s: [
        s.spent >= 0, z3.Or(s.spent <= s.limit, s.spent == 0)]),
    "view": Layout(409, **certificate(16), span=0, invariant=lambda v: [
        *v.inside(0, v.count), is_time(v.notAfter)]),
})


def passed(name):
    """The struct that was made has its ranges in what the reader passed over."""
    return lambda o, n, r: n[name].inside(o["reader"].position, n["reader"].position)


def starts_and_ends(range, old, new):
    """The range is what the reader passed over."""
    return [range[0] == old["reader"].position, range[1] == new["reader"].position]


def of_span(name):
    """The ranges of the struct lie in the span."""
    return lambda v: v[name].inside(0, v["span"][1])


def with_extensions(old, new, result):
    """The certificate got its extensions: its optional ranges lie in the span, and the other parts are as they were."""
    before, after = old["certificate"], new["certificate"]
    kept = [(one, other) for name in before.layout.ranges
            for one, other in zip(getattr(before, name), getattr(after, name))]
    return [*after.inside(0, old["span"][1]), before.notAfter == after.notAfter, *[one == other for one, other in kept]]


DECODES_AGAIN = "It relies on a second decoding that succeeds because the first did."
GENERIC = "It calls functions through a table of witnesses, which have no model."
ARRAY = "It reads or appends to an array, which has no model."
CLOSURE = "It calls a closure, which has no model."
NESTED = "The invariants of its loops take too long to find."
LIBRARY = "It is a function of Swift's standard library."

#: Functions that have no proof: their conditions are proved at each call, and that they return, write and ensure what
#: their contracts say is assumed.
ASSUMES = {
    "HashAlgorithm.digest(of:acceleration:)": Contract("out span algorithm acceleration"),
    "static CertificatePolicies.areUnderstood(_:)": Contract("reader none error out"),
    "Name.init(_:_:)": Contract("reader string none error out", ensures=lambda o, n, r: starts_and_ends(r, o, n)),
    "Certificate.decodeExtensions(_:_:)": Contract(
        "span extensions purposes changed-certificate error out", requires=of_span("certificate"),
        ensures=with_extensions),
}

#: Functions with traps that are not proved, each with the reason.
OPEN = {
    "static CertificatePolicies.areUnderstood(_:)": NESTED,
    "Name.init(_:_:)": NESTED,
    "AuthorityKeyIdentifier.init(_:)": NESTED,
    "static Certificate.checkUnique(_:_:among:_:)": NESTED,
    "Certificate.decodeExtensions(_:_:)": NESTED,
    "CertificateView.permits(_:)": DECODES_AGAIN,
    "CertificateView.attributes(of:)": DECODES_AGAIN,
    "CertificateView.unknownCriticalExtension(besides:)": DECODES_AGAIN,
    "CertificateView.extension(_:)": DECODES_AGAIN,
    "CertificateView.extensions.getter": DECODES_AGAIN,
    "PathSearch.checkAny(_:enforced:)": DECODES_AGAIN,
    "CertificateView.purposes.getter": ARRAY,
    "CertificateView.isListed(in:)": ARRAY,
    "CertificateList.subscript.getter": ARRAY,
    "OwnedCertificate.view.getter": ARRAY,
    "static CertificationPath.findsSamePath(at:as:among:to:)": ARRAY,
    "DistrustList.init(sha256:)": ARRAY,
    "specialized RecentElements.append(_:)": ARRAY,
    "PathSearch.init(from:among:at:to:policy:acceleration:)": ARRAY,
    "PathSearch.extend(from:_:)": ARRAY,
    "PathSearch.checkSigner()": ARRAY,
    "PathSearch.checkSignerPurpose()": ARRAY,
    "PathSearch.accepts(_:isOffered:of:_:_:)": ARRAY,
    "CertificationPath.forEachIssued(among:to:_:)": CLOSURE,
    "PathSearch.extend(from:_:_:by:)": CLOSURE,
    "closure #2 in DistrustList.Entries.init(_:_:)": CLOSURE,
    "DistrustList.check(_:among:to:)": CLOSURE,
    "static CertificationPath.find<A>(from:among:at:to:policy:keys:acceleration:)": GENERIC,
    "PathSearch.verify(_:_:by:isOffered:_:)": GENERIC,
    "PathSearch.signedDigest(of:)": GENERIC,
    "specialized _ContiguousArrayBuffer._consumeAndCreateNew(bufferIsUnique:minimumCapacity:growForAppend:)": LIBRARY,
}

CONTRACTS = {
    "specialized Reader.trailingBytes(_:)": Contract("out start flags position", requires=a_string),
    "specialized Reader.invalidObjectIdentifier(at:_:)": Contract(
        "out offset start flags code kind name sentence", requires=a_string),
    "specialized ObjectIdentifier.init(_:in:)": Contract("span range", requires=lambda v: [
        v["range"][0] >= 0, v["range"][1] <= v["span"][1]]),
    "Extension.init(_:)": Contract(
        "made-extension reader none error out", ensures=lambda o, n, r: [
            *passed("extension")(o, n, r), *starts_and_ends(n["extension"].range, o, n),
            n["extension"].identifier[0] < n["extension"].identifier[1], o["reader"].position < n["reader"].position]),
    "AlgorithmIdentifier.init(_:_:)": Contract(
        "made-algorithm reader string none error out", ensures=passed("algorithm")),
    "Certificate.init(_:limits:)": Contract(
        "made-certificate reader extensions purposes none error out", ensures=lambda o, n, r: [
            *n["certificate"].inside(0, o["reader"].count), is_time(n["certificate"].notAfter)]),
    "Extension.isKnown(_:)": Contract("span extension error out", requires=of_span("extension")),
    "KeyUsage.init(_:)": Contract("reader none error out"),
    "ExtendedKeyUsage.init(_:limits:)": Contract(
        "reader extensions purposes none error out", ensures=inside),
    "BasicConstraints.init(_:)": Contract("reader none error out"),
    "static Refusal.Code.invalidAlgorithmParameters.getter": Contract(""),
    "Reader.readTime(_:)": Contract(METHOD, ensures=lambda o, n, r: [is_time(r)]),
    "Validity.init(_:)": Contract("reader none error out", ensures=lambda o, n, r: [
        is_time(r[0]), is_time(r[1]), *starts_and_ends(r[2:], o, n)]),
    "static Certificate.readVersion(_:)": Contract("reader error out"),
    "static Certificate.skipKey(_:)": Contract("reader error out"),
    "Validity.holds(at:)": Contract("time notBefore notAfter start end", requires=lambda v: [is_time(v["notAfter"])]),
    "Validity.check(_:)": Contract("time notBefore notAfter start end none error out", requires=lambda v: [
        is_time(v["notAfter"])]),
    "Certificate.view(in:)": Contract("out span certificate", checked=True, requires=lambda v: [
        v["certificate"].range[1] <= v["span"][1]]),
    "PathSearch.spend(_:on:)": Contract("checks view changed-search error out", requires=lambda v: [v["checks"] >= 0]),
    "CertificationPath.count.getter": Contract("words:above anchor isAnchored", compared=False),
    "CertificateView.refusal(_:_:)": Contract("out code name sentence start length flags view", requires=a_string),
    "CertificateView.fingerprint(_:acceleration:)": Contract("out algorithm acceleration view", compared=False),
    "CertificateView.signedDigest(_:acceleration:)": Contract("out algorithm acceleration view", compared=False),
    "CertificateView.signature.getter": Contract("view"),
    "CertificateView.isSelfIssued.getter": Contract("view"),
    "CertificateView.hasSameEncoding(as:)": Contract("view:other view"),
    "CertificateView.isIssuer(of:)": Contract("view:child view"),
    "CertificateView.matches(_:in:)": Contract("optional-authority span view", requires=lambda v: v[
        "optional-authority"].inside(0, v["span"][1])),
}
