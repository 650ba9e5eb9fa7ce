"""The contracts of the module Basics. Each `requires` is a precondition that the function documents; the rows of
Tests/Audit/operations.tsv say why its callers meet it."""

import z3

from contract import LAYOUTS, Contract, Layout

#: A CalendarDate. It is fewer than 2^37 days from 1970-01-01, as any Int64 of milliseconds is.
LAYOUTS["date"] = Layout(40, words={"days": 32}, invariant=lambda date: [
    date.days > -(1 << 37), date.days < 1 << 37])


def inside(range="range"):
    """The range lies inside the span."""
    return lambda v: [v[range][0] >= 0, v[range][1] <= v["span"][1]]


def found(old, new, result):
    """The result is nil or an index in the range."""
    return [z3.ULE(result[1], 1), z3.Implies(result[1] == 0, z3.And(old["range"][0] <= result[0],
                                                                    result[0] < old["range"][1]))]


def a_date(v):
    """What Timestamp.init has checked."""
    return [v["year"] >= 0, v["year"] <= 9999, v["month"] >= 1, v["month"] <= 12, v["day"] >= 1, v["day"] <= 31]


ARRAY = "It reads or appends to an array, which has no model."
STRING = "It reads a string's bytes through a pointer of the standard library, which has no model."
LIBRARY = "It is a function of Swift's standard library."

#: Functions that have no proof: their conditions are proved at each call, and that they return, write and ensure what
#: their contracts say is assumed.
ASSUMES = {
    "Span<A>.firstIllFormedSequence(in:)": Contract("range span", requires=inside(), ensures=found),
}

#: Functions with traps that are not proved, each with the reason.
OPEN = {
    "Span<A>.firstIllFormedSequence(in:)": "The invariants of its loops take too long to find.",
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
    "Span<A>.hasBytes(equalTo:)": Contract("span:other span", requires=lambda v: [v["other"][1] == v["span"][1]]),
    "Span<A>.holds(_:sameAs:_:)": Contract("range span:second range:other span", requires=lambda v: [
        *inside("range")(v), v["other"][0] >= 0, v["other"][1] <= v["second"][1]]),
    "Span<A>.firstIndex(of:in:)": Contract("byte range span", requires=inside(), ensures=found, long=True),
    "Span<A>.firstIllFormedUTF8(in:)": Contract("range span", requires=inside(), ensures=found),
    "Timestamp.init(year:month:day:hour:minute:second:millisecond:)": Contract(
        "year month day hour minute second millisecond", ensures=lambda o, n, r: [
            z3.Implies(r[1] != 1, z3.And(r[0] > -(1 << 47), r[0] < 1 << 48))]),
    "static Timestamp.daysSince1970(_:_:_:)": Contract("year month day", requires=a_date, ensures=lambda o, n, r: [
        r > -(1 << 20), r < 1 << 22]),
    "Timestamp.calendarDate.getter": Contract("made-date time"),
    "Span<A>.firstIndex(in:whereZero:)": Contract(
        "range closure span", requires=inside(), ensures=found, long=True, compared=False),
    "Span<A>.endOfBlocks(of:from:withoutZero:)": Contract("count start closure span", requires=lambda v: [
        v["count"] >= 1, v["start"] >= 0, v["start"] <= v["span"][1]], ensures=lambda o, n, r: [
            o["start"] <= r, r <= o["span"][1]], compared=False),
    "Span<A>.starts(with:)": Contract("text span"),
    "Span<A>.equals(_:)": Contract("text span"),
    "Literal.init(_:)": Contract("string"),
    "Refusal.init(_:at:reading:)": Contract("out code name sentence offset string"),
    "Refusal.Code.init(_:_:_:kind:)": Contract("number string:name string:sentence kind"),
    "CalendarDate.dayOfWeek.getter": Contract("date", ensures=lambda o, n, r: [z3.ULT(r, 7)]),
    "static Hexadecimal.digit(of:)": Contract("value", checked=True, requires=lambda v: [z3.ULT(v["value"], 16)]),
}
