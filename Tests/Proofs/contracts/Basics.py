"""The contracts of the module Basics. Each `requires` is a precondition that the function documents; the rows of
Tests/Audit/operations.tsv say why its callers meet it."""

import z3

from contract import Contract


def inside(range="range"):
    """The range lies inside the span."""
    return lambda v: [v[range][0] >= 0, v[range][1] <= v["span"][1]]


def a_date(v):
    """What Timestamp.init has checked."""
    return [v["year"] >= 0, v["year"] <= 9999, v["month"] >= 1, v["month"] <= 12, v["day"] >= 1, v["day"] <= 31]


ARRAY = "It reads or appends to an array, which has no model."
STRING = "It reads a string's bytes through a pointer of the standard library, which has no model."
CLOSURE = "It calls a closure. Its callers contain it, inlined."
LIBRARY = "It is a function of Swift's standard library."
BLOCKS = "The invariants of its loops over blocks are not found yet."
CALLER = "It calls a function whose loops are not proved yet."
LITERAL = "It traps on a literal that is a single Unicode scalar, as it says."

#: Functions with traps that are not proved, each with the reason.
OPEN = {
    "Span<A>.firstIndex(in:whereZero:)": CLOSURE,
    "Span<A>.endOfBlocks(of:from:withoutZero:)": CLOSURE,
    "Span<A>.holds(_:sameAs:_:)": BLOCKS,
    "Span<A>.hasBytes(equalTo:)": BLOCKS,
    "Span<A>.firstIndex(of:in:)": BLOCKS,
    "Span<A>.firstIllFormedSequence(in:)": BLOCKS,
    "Span<A>.firstIllFormedUTF8(in:)": CALLER,
    "Span<A>.starts(with:)": CALLER,
    "Span<A>.equals(_:)": CALLER,
    "Span<A>.repairedUTF8()": ARRAY,
    "Span<A>.isUTF8(of:)": STRING,
    "String.hasSameBytes(as:)": STRING,
    "Array<A>.append(utf8:)": ARRAY,
    "Array<A>.init(utf8:)": ARRAY,
    "Array<A>.append(_:in:)": ARRAY,
    "Array<A>.append(base64:)": ARRAY,
    "Array<A>.borrowedSpan.getter": ARRAY,
    "Array<A>.borrowedMutableSpan.read": ARRAY,
    "Array<A>.borrowedMutableSpan.getter": ARRAY,
    "ArraySlice<A>.borrowedSpan.getter": ARRAY,
    "ContiguousArray.borrowedSpan.getter": ARRAY,
    "MutableSpan<A>.put<A>(_:at:)": "It is generic: its callers contain it, specialised.",
    "Span<>.withUnsafeBufferPointer<A, B>(_:)": LIBRARY,
    "_SliceBuffer.withUnsafeBufferPointer<A, B>(_:)": LIBRARY,
    "RecentElements.append(_:)": ARRAY,
    "specialized Array.append<A>(contentsOf:)": LIBRARY,
    "specialized _ContiguousArrayBuffer._consumeAndCreateNew(bufferIsUnique:minimumCapacity:growForAppend:)": LIBRARY,
    "specialized static Hexadecimal.append(_:to:)": ARRAY,
    "static Hexadecimal.digits(of:)": ARRAY,
    "append #1 (_:_:_:) in Timestamp.append(to:)": ARRAY,
    "CalendarDate.dayOfWeek.getter": "A date in memory has no model yet: its days are fewer than 2^37.",
    "Literal.init(_:)": LITERAL,
    "Refusal.init(_:at:reading:)": LITERAL,
    "Refusal.Code.init(_:_:_:kind:)": LITERAL,
}

CONTRACTS = {
    "Span<A>.word(at:)": Contract("start span", requires=lambda v: [
        v["start"] >= 0, v["start"] <= v["span"][1] - 8]),
    "Span<A>.touch(_:)": Contract("range span", requires=inside()),
    "Span<A>.utf8SequenceCount(at:before:)": Contract("index limit span", requires=lambda v: [
        v["index"] >= 0, v["index"] < v["limit"], v["limit"] <= v["span"][1]], ensures=lambda o, n, r: [
            r >= 0, r <= 4, r <= o["limit"] - o["index"]]),
    "Span<A>.isAscending(_:_:)": Contract("range range:other span", requires=lambda v: [
        *inside("range")(v), *inside("other")(v)]),
    "Span<A>.isShortASCII.getter": Contract("span"),
    "Timestamp.init(year:month:day:hour:minute:second:millisecond:)": Contract(
        "year month day hour minute second millisecond", ensures=lambda o, n, r: [
            z3.Implies(r[1] != 1, z3.And(r[0] > -(1 << 47), r[0] < 1 << 48))]),
    "static Timestamp.daysSince1970(_:_:_:)": Contract("year month day", requires=a_date, ensures=lambda o, n, r: [
        r > -(1 << 20), r < 1 << 22]),
    "static Hexadecimal.digit(of:)": Contract("value", checked=True, requires=lambda v: [z3.ULT(v["value"], 16)]),
}
