"""X.690: which octets are the header of an element in DER, as conditions on octets.

`elements` decodes and `headers` encodes. They are written apart, and `lemmas` are that they agree: a header is decoded
exactly if the standard writes it for some tag and length, and then as this tag and length. So two headers never read
as one, and none is longer than it must be.

A tag is one word, as in `Tag.packed`: the number times 256, and bits 8 to 6 of the leading octet. Numbers and lengths
have at most 32 bits, because the readers refuse others.
"""

import z3

#: Bits 8 to 6 of the leading octet: the class, and the form, which is 1 if constructed (§8.1.2.2, §8.1.2.5).
CLASS, CONSTRUCTED = 0xC0, 0x20
#: The universal types below 31 that are constructed: EXTERNAL, EMBEDDED PDV, SEQUENCE, SET, CHARACTER STRING (§8).
CONSTRUCTED_TYPES = (8, 11, 16, 17, 29)


def word(octet):
    return z3.ZeroExt(64 - octet.size(), octet)


def has_der_form(tag):
    """Whether a universal type below 31 is primitive or constructed as DER has it (§8, §10.2)."""
    number, constructed = z3.LShR(tag, 8), tag & CONSTRUCTED != 0
    known = z3.Or(*[number == n for n in CONSTRUCTED_TYPES])
    return z3.Or(tag & CLASS != 0, number >= 31, constructed == known)


def tags(octet, room):
    """The forms of identifier octets (§8.1.2): the condition, how many octets, and the tag."""
    leading = octet(0)
    bits, low = word(leading & 0xE0), leading & 0x1F
    # UNIVERSAL 0 is for the end of contents (§8.1.5), which DER does not use.
    yield z3.And(room >= 1, low != 0x1F, leading & 0xDF != 0), 1, word(low) << 8 | bits
    for count in range(1, 6):
        digits = [octet(n) for n in range(1, count + 1)]
        number = z3.BitVecVal(0, 64)
        for digit in digits:
            number = number << 7 | word(digit & 0x7F)
        yield z3.And(room > count, low == 0x1F, digits[0] != 0x80, *[d & 0x80 != 0 for d in digits[:-1]],
                     digits[-1] & 0x80 == 0, number >= 31, number < 1 << 32), 1 + count, number << 8 | bits


def lengths(octet, at, room):
    """The forms of length octets (§8.1.3, §10.1) at an offset: the condition, how many octets, and the length."""
    initial = octet(at)
    yield z3.And(room > at, initial & 0x80 == 0), 1, word(initial)
    for count in range(1, 5):
        length = word(z3.Concat(*[octet(at + n) for n in range(1, count + 1)])) if count > 1 else word(octet(at + 1))
        yield z3.And(room > at + count, initial == 0x80 + count, octet(at + 1) != 0, length >= 0x80), 1 + count, length


def elements(octet, room):
    """The forms of a header whose contents end inside the room: the condition, the tag, the octets of the header, and
    those of the contents."""
    for is_tag, start, tag in tags(octet, room):
        for is_length, count, length in lengths(octet, start, room):
            header = start + count
            yield z3.And(is_tag, is_length, length <= room - header), tag, header, length


def identifiers(tag):
    """The identifier octets of a tag (§8.1.2.2, §8.1.2.4), in each form: the condition and the octets."""
    number, bits = z3.LShR(tag, 8), z3.Extract(7, 0, tag)
    yield number < 31, [z3.Extract(15, 8, tag) | bits]
    for count in range(1, 6):
        digits = [z3.Extract(6, 0, z3.LShR(number, 7 * n)) for n in reversed(range(count))]
        more = [z3.ZeroExt(1, d) | 0x80 for d in digits[:-1]] + [z3.ZeroExt(1, digits[-1])]
        least = max(31, 1 << 7 * (count - 1))
        yield z3.And(number >= least, number < 1 << 7 * count), [bits | 0x1F, *more]


def length_octets(length):
    """The length octets of a length (§8.1.3.4, §8.1.3.5, §10.1), in each form: the condition and the octets."""
    yield length < 0x80, [z3.Extract(7, 0, length)]
    for count in range(1, 5):
        octets = [z3.Extract(8 * n + 7, 8 * n, length) for n in reversed(range(count))]
        least = max(0x80, 1 << 8 * (count - 1))
        yield z3.And(length >= least, length < 1 << 8 * count), [z3.BitVecVal(0x80 + count, 8), *octets]


def headers(tag, length):
    """The header of an element: the condition and the octets, in each form."""
    for one, identifier in identifiers(tag):
        for other, octets in length_octets(length):
            yield z3.And(one, other), identifier + octets


def lemmas():
    """Statements about X.690 alone, each with conditions that no octets and numbers fulfil."""
    octets = [z3.BitVec(f"octet{n}", 8) for n in range(11)]
    tag, length, room = z3.BitVecs("tag length room", 64)
    possible = [tag >= 0, tag < 1 << 40, tag & 0x1F == 0, z3.Or(tag & CLASS != 0, z3.LShR(tag, 8) != 0),
                length >= 0, length < 1 << 32, room >= 0, room < 1 << 62]
    decoded = list(elements(octets.__getitem__, room))

    def reads(header):
        return z3.And(*[one == other for one, other in zip(octets, header)])

    def is_written(tag, length, size):
        return z3.Or(*[z3.And(one, reads(header)) for one, header in headers(tag, length) if len(header) == size])

    yield "every header that is decoded is written so", [
        z3.And(room >= 0, room < 1 << 62, condition, z3.Not(is_written(found, count, size)))
        for condition, found, size, count in decoded]
    yield "every header that is written is decoded, as its tag and length", [
        z3.And(*possible, condition, reads(header), length <= room - len(header), z3.Not(z3.Or(*[
            z3.And(c, t == tag, l == length) for c, t, s, l in decoded if s == len(header)])))
        for condition, header in headers(tag, length)]
