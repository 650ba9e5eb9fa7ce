"""The contracts of the module DER."""

import z3

import x690
from contract import LAYOUTS, Contract, Layout

METHOD = "string reader error out"
TAGGED = "tag string reader error out"
TYPED = "string tag reader error out"
#: A BERHeader. Its contents begin at 0 or later, and its end, unless nil, is not before them.
LAYOUTS["header"] = Layout(34, optional={"contents": [16, 32]}, invariant=lambda header: [
    header.contents[0] >= 0, *header.inside(0, (1 << 63) - 1)])
#: An ObjectIdentifier, and the number of its octets.
LAYOUTS["identifier"] = Layout(17, octets={"count": 16})
#: A function that the compiler merged with others that make a refusal.
MERGED = "out offset start flags code kind name sentence"


def inside(old, new, result):
    """The result begins with a range that the reader passed over, after a header of at least two octets."""
    return [old["reader"].position + 2 <= result[0], result[0] <= result[1], result[1] <= new["reader"].position]


def passed(old, new, result):
    """The reader passed over an octet."""
    return [old["reader"].position < new["reader"].position]


def in_part(old, new, result):
    """The result is a range in what the function reads, after a header of at least two octets."""
    return [old["start"] + 2 <= result[0], result[0] <= result[1], result[1] <= old["end"]]


def not_empty(old, new, result):
    return inside(old, new, result) + [result[0] < result[1]]


def a_time(old, new, result):
    """The result is a time: with its milliseconds, far from the end of 64 bits."""
    return [result > -(1 << 62), result < (1 << 62) + 1000]


def of_range(name="range", reader="reader"):
    """The range lies in the reader's buffer."""
    return lambda v: [v[name][0] >= 0, v[name][1] <= v[reader].count]


def of_span(name="range", span="span"):
    """The range lies in the span."""
    return lambda v: [v[name][0] >= 0, v[name][1] <= v[span][1]]


def a_string(v):
    """The two words that are left of a StaticString are those of a pointer."""
    return [v["start"] != 0, v["flags"] & 1 == 0]


def starts_high(v):
    """The next octet is the leading octet of a tag with more."""
    reader = v["reader"]
    return [reader.position < reader.end, octets(reader.buffer, reader.position)(0) & 0x1F == 0x1F]


def octets(buffer, start):
    """The octets from an offset of a buffer on."""
    return lambda n: buffer.octet(start + n)


def part(v):
    """The buffer, the start and the end of what a function reads."""
    reader = v.get("reader")
    return (reader.buffer, reader.position, reader.end) if reader else (v["span.buffer"], v["start"], v["end"])


def tags(v):
    """The forms that the next tag can have."""
    buffer, start, end = part(v)
    return [(condition, [tag], start + size) for condition, size, tag in x690.tags(octets(buffer, start), end - start)]


def high_tags(v):
    return tags(v)[1:]


def is_next(v):
    """Whether the tag is next."""
    return z3.Or(*[z3.And(condition, tag == v["tag"]) for condition, (tag,), _ in tags(v)])


def headers(v):
    """The forms of header that a whole element which is next can have: the condition, the tag, the start and the end of
    the contents."""
    buffer, start, end = part(v)
    return [(condition, tag, start + header, start + header + length)
            for condition, tag, header, length in x690.elements(octets(buffer, start), end - start)]


def elements(v):
    """The forms that the next element can have: its tag, its start and the range of its contents."""
    _, start, _ = part(v)
    return [(z3.And(condition, x690.has_der_form(tag)), [tag, start, contents, end], end)
            for condition, tag, contents, end in headers(v)]


def expected(v):
    """The forms that the next element can have if it must have a tag: the range of its contents. Its form is the
    tag's."""
    return [(z3.And(condition, tag == v["tag"]), [contents, end], end) for condition, tag, contents, end in headers(v)]


def a_tag(v):
    """The tag is one that an element can have: any but UNIVERSAL 0, and no bits beside its number, class and form."""
    tag = v["tag"]
    return [tag >= 0, tag < 1 << 40, tag & 0x1F == 0, tag & ~x690.CONSTRUCTED != 0]


def component_size(component):
    """The number of octets of a component of an object identifier, in the 8 bits of a count. Nil has none."""
    value, is_nil = z3.Extract(31, 0, component), z3.Extract(39, 32, component) == 1
    return z3.If(is_nil, z3.BitVecVal(0, 8), 1 + z3.Sum(*[
        z3.If(z3.UGE(value, 1 << bits), z3.BitVecVal(1, 8), z3.BitVecVal(0, 8)) for bits in (7, 14, 21, 28)]))


#: Functions with traps that are not proved, each with the reason.
OPEN = {
    "ObjectIdentifier.init(_:_:_:_:_:_:_:_:_:_:)":
        "It traps on literals with more than 16 octets, as it says. It has too many paths.",
    "specialized static ObjectIdentifier.dotted(_:in:)": "It appends to an array, which has no model.",
    "Normaliser.convert(_:_:_:_:)": "The second pass relies on the lengths that the first pass measured.",
    "Normaliser.convertSegments(_:_:_:)": "The second pass relies on the lengths that the first pass measured.",
    "Normaliser.beginRun(at:)": "It appends to an array, which has no model.",
    "specialized _ContiguousArrayBuffer._consumeAndCreateNew(bufferIsUnique:minimumCapacity:growForAppend:)":
        "It is a function of Swift's standard library.",
}


CONTRACTS = {
    "Reader.readTag(_:)": Contract(METHOD, forms=tags, ensures=passed),
    "Reader.readHighTag(_:)": Contract(METHOD, requires=starts_high, forms=high_tags, ensures=passed, unroll=6),
    "Reader.readElement(_:)": Contract(METHOD, forms=elements, long=True, ensures=lambda o, n, r: [
        r[1] == o["reader"].position, r[1] < r[2], r[2] <= r[3], r[3] == n["reader"].position]),
    "Reader.read(_:_:)": Contract(TAGGED, requires=a_tag, forms=expected, ensures=inside),
    "specialized static Reader.contents(of:in:_:_:_:)": Contract(
        "tag span start end string none error out", forms=expected, long=True,
        requires=lambda v: a_tag(v) + [v["start"] >= 0, v["start"] <= v["end"], v["end"] <= v["span"][1]],
        ensures=in_part),
    "static Reader.contents(of:in:_:_:_:)": Contract(
        "tag span start end string none error out",
        requires=lambda v: a_tag(v) + [v["start"] >= 0, v["start"] <= v["end"], v["end"] <= v["span"][1]],
        ensures=in_part),
    "Reader.readWellFormedElement(_:limit:)": Contract("string limit reader error out", ensures=lambda o, n, r: [
        r[1] == o["reader"].position, r[1] < r[2], r[2] <= r[3], r[3] == n["reader"].position]),
    "Reader.isNext(_:)": Contract("tag reader", keeps=True, exact=True, requires=a_tag, ensures=lambda o, n, r: [
        (r == 1) == is_next(o)]),
    "Reader.readIfNext(_:_:)": Contract(TAGGED, requires=a_tag, ensures=lambda o, n, r: []),
    "Reader.readBoolean(_:)": Contract(METHOD),
    "Reader.readBooleanDefaultFalse(_:)": Contract(METHOD),
    "Reader.readIntegerContents(_:tag:)": Contract(TYPED, requires=a_tag, ensures=not_empty),
    "Reader.readInteger(_:)": Contract(METHOD),
    "Reader.readUnsignedInteger(_:)": Contract(METHOD, ensures=not_empty),
    "Reader.isRedundant(_:)": Contract("range reader", keeps=True, requires=lambda v: of_range()(v) + [
        v["range"][1] - v["range"][0] >= 2]),
    "Reader.invalidInteger(_:_:)": Contract("out range string reader", keeps=True, requires=lambda v: of_range()(v) + [
        v["range"][1] - v["range"][0] != 1]),
    "Reader.readIA5String(_:)": Contract(METHOD, ensures=inside),
    "Reader.readBitString(_:tag:)": Contract(TYPED, requires=a_tag, ensures=lambda o, n, r: [
        *inside(o, n, r), r[2] >= 0, r[2] <= 7]),
    "Reader.readOctetAlignedBitString(_:)": Contract(METHOD, ensures=inside),
    "Reader.readNull(_:)": Contract(METHOD),
    "Reader.readObjectIdentifier(_:)": Contract(METHOD, ensures=inside),
    "ObjectIdentifier.append(octet:)": Contract(
        "octet changed-identifier", requires=lambda v: [z3.ULT(v["identifier"].count, 16)],
        ensures=lambda o, n, r: [n["identifier"].count == o["identifier"].count + 1]),
    "ObjectIdentifier.append(_:)": Contract("component changed-identifier", requires=lambda v: [
        z3.ULE(v["identifier"].count, 16), z3.ULE(v["identifier"].count + component_size(v["component"]), 16)],
        ensures=lambda o, n, r: [
            n["identifier"].count == o["identifier"].count + component_size(o["component"])]),
    "ObjectIdentifier.init(_:in:)": Contract("span range", requires=lambda v: [
        v["range"][0] >= 0, v["range"][1] <= v["span"][1]]),
    "Reader.readUTCTime(_:)": Contract(METHOD, ensures=a_time),
    "Reader.readGeneralizedTime(_:)": Contract(METHOD, ensures=a_time, hints=(
        # The weights of the fraction's digits are 100, 10, 1 and then 0, so their sum is at most 999.
        lambda sum, weight: z3.Or(*[z3.And(weight == w, sum >= 0, sum <= most)
                                    for w, most in ((100, 0), (10, 900), (1, 990), (0, 999))]),
    )),
    "Reader.timestamp(year:at:)": Contract("year at reader", keeps=True, requires=lambda v: [
        v["at"] >= 0, v["at"] <= v["reader"].count - 10, v["reader"].count >= 10, v["year"] >= 0, v["year"] <= 9999],
        ensures=lambda o, n, r: [z3.Implies(r[1] != 1, z3.And(r[0] > -(1 << 62), r[0] < 1 << 62))]),
    "Reader.digits(_:at:)": Contract("count at reader", keeps=True, requires=lambda v: [
        v["at"] >= 0, v["count"] >= 1, v["count"] <= 4, v["at"] <= v["reader"].count - v["count"],
        v["reader"].count >= v["count"]], ensures=lambda o, n, r: [
            z3.ULE(r[1], 1), z3.Implies(r[1] == 0, z3.And(r[0] >= 0, z3.ULT(r[0], 10000),
                                                          z3.Implies(o["count"] == 1, r[0] < 10),
                                         z3.Implies(o["count"] == 2, r[0] < 100)))]),
    "Reader.checkContents(of:_:limit:)": Contract("tag start range string limit reader error out", keeps=True,
                                                  requires=of_range()),
    "Reader.init(_:in:depth:)": Contract("made span range nil depth", checked=True, requires=lambda v: [
        z3.Or(v["nil"] == 1, z3.And(v["range"][0] >= 0, v["range"][1] <= v["span"][1]))]),
    "specialized Reader.trailingBytes(_:)": Contract("out start flags position", requires=a_string),
    # The compiler merged this function with others that make a refusal.
    "specialized Reader.invalidObjectIdentifier(at:_:)": Contract(
        "out offset start flags code kind name sentence", requires=a_string),
    "default argument 1 of Reader.readBitString(_:tag:)": Contract("", ensures=lambda o, n, r: [r == 0x0300]),
    "default argument 1 of Reader.readWellFormedElement(_:limit:)": Contract(""),
    "default argument 2 of Reader.checkContents(of:_:limit:)": Contract(""),
    "static Refusal.Code.invalidTime.getter": Contract(""),
    "static Refusal.Code.unexpectedTag.getter": Contract(""),
    "static Refusal.Code.unsortedSet.getter": Contract(""),
    "static Refusal.Code.inputTooLarge.getter": Contract(""),
    "Normalised.inputOffset(of:)": Contract("offset array:bytes words:runs", compared=False, requires=lambda v: [
        v["offset"] >= 0]),
    "BERHeader.length.getter": Contract("header", ensures=lambda o, n, r: [
        z3.Implies(o["header"].there["contents"], r[0] >= 0)]),
    "Element.range.getter": Contract("tag start range", requires=lambda v: [v["start"] <= v["range"][1]]),
    "specialized BERHeader.init(_:in:)": Contract("made-header span range none error out:thrown", requires=lambda v: [
        v["range"][0] >= 0, v["range"][1] <= v["span"][1]]),
}
