"""X.690: the Distinguished Encoding Rules (DER), and the Basic Encoding Rules (BER) for a message's envelope."""

#: Universal types (X.680 §8.4), as the identifier octet of their encoding in DER.
BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, NULL, OBJECT_IDENTIFIER = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
UTF8_STRING, SEQUENCE, SET, IA5_STRING, UTC_TIME, GENERALIZED_TIME = 0x0C, 0x30, 0x31, 0x16, 0x17, 0x18
#: The universal types that are constructed in DER: EXTERNAL, EMBEDDED PDV, SEQUENCE, SET, CHARACTER STRING (§8).
CONSTRUCTED_TYPES = (8, 11, 16, 17, 29)
#: The universal types other than BIT STRING that BER may encode in segments (§8.7.3, §8.23, §8.25).
STRING_TYPES = (4, 7, 12, *range(18, 29), 30)


class Violation(Exception):
    """A rule that an input breaks: the section, and what it requires."""


def require(holds, section, rule):
    if not holds:
        raise Violation(f"{section}: {rule}")


class Element:
    """The encoding of a value (§8.1.1): its tag, its contents octets, and all of its octets.

    The tag is the number that the identifier octets make.
    """
    __slots__ = ("tag", "contents", "octets")

    def __init__(self, tag, contents, octets):
        self.tag, self.contents, self.octets = tag, contents, octets

    @property
    def is_constructed(self):
        return self.octets[0] & 0x20 != 0


def identifier(octets, at):
    """The tag at a place, and the place after it (§8.1.2)."""
    require(at < len(octets), "X.690 §8.1.1.1", "an encoding has identifier octets")
    end = at + 1
    if octets[at] & 0x1F == 0x1F:
        number = 0
        while True:
            require(end < len(octets), "X.690 §8.1.2.4.2 a", "the last octet of a tag number has bit 8 clear")
            number, end = number << 7 | octets[end] & 0x7F, end + 1
            require(number > 0, "X.690 §8.1.2.4.2 c", "a tag number has no leading zeros")
            if octets[end - 1] < 0x80:
                break
        require(number >= 31, "X.690 §8.1.2.2", "a tag number below 31 takes one octet")
    return int.from_bytes(octets[at:end], "big"), end


def length(octets, at):
    """The length at a place, and the place after it (§8.1.3). None is the indefinite length."""
    require(at < len(octets), "X.690 §8.1.1.1", "an encoding has length octets")
    first, at = octets[at], at + 1
    if first < 0x80:
        return first, at
    if first == 0x80:
        return None, at
    require(first != 0xFF, "X.690 §8.1.3.5 c", "the first length octet is not FF")
    end = at + (first & 0x7F)
    require(end <= len(octets), "X.690 §8.1.3.5", "length octets are complete")
    return int.from_bytes(octets[at:end], "big"), end


def element(octets, at=0):
    """The element in DER at a place, and the place after it."""
    start = at
    tag, at = identifier(octets, at)
    require(tag != 0 and tag != 0x20, "X.690 §8.1.5", "tag 0 marks the end of contents, which DER does not use")
    if tag < 0x40:
        require((tag & 0x20 != 0) == (tag & 0x1F in CONSTRUCTED_TYPES), "X.690 §8.9.1, §8.11.1, §10.2",
                "a sequence or set is constructed, and any other universal type is primitive")
    place = at
    count, at = length(octets, at)
    require(count is not None, "X.690 §10.1", "the length is definite")
    require(at - place == 1 if count < 0x80 else at - place == 1 + (count.bit_length() + 7) // 8,
            "X.690 §10.1", "the length has the fewest octets")
    require(at + count <= len(octets), "X.690 §8.1.3.2", "the contents are complete")
    return Element(tag, octets[at:at + count], octets[start:at + count]), at + count


def only(octets):
    """The one element in DER that octets encode."""
    found, end = element(octets)
    require(end == len(octets), "X.690 §8.1.1.1", "nothing follows an encoding")
    return found


def elements(octets):
    """All elements that contents octets consist of."""
    found, at = [], 0
    while at < len(octets):
        one, at = element(octets, at)
        found.append(one)
    return found


def check_all(octets):
    """Checks that octets consist of elements in DER, at every level."""
    for one in elements(octets):
        if one.is_constructed:
            check_all(one.contents)


def check_order(parts):
    """The elements of a SET OF are in ascending order (§11.6); a shorter one is padded with zeros."""
    size = max((len(part.octets) for part in parts), default=0)
    keys = [part.octets.ljust(size, b"\0") for part in parts]
    require(keys == sorted(keys), "X.690 §11.6", "the elements of a SET OF are in order")


class Fields:
    """The components of a SEQUENCE in their order (§8.9.2)."""

    def __init__(self, sequence, what, tag=SEQUENCE):
        require(sequence.tag == tag, "X.690 §8.9.1", f"{what} has its tag")
        self.what, self.rest = what, elements(sequence.contents)[::-1]

    def next(self, tag=None):
        """The next component, which has a tag, or any."""
        require(self.rest, "X.690 §8.9.2", f"{self.what} has another component")
        require(tag in (None, self.rest[-1].tag), "X.690 §8.9.2", f"the next component of {self.what} has its tag")
        return self.rest.pop()

    def optional(self, *tags):
        """The next component if it has one of the tags."""
        return self.rest.pop() if self.rest and self.rest[-1].tag in tags else None

    def end(self):
        require(not self.rest, "X.690 §8.9.2", f"{self.what} has no other components")


def integer(one, tag=INTEGER):
    require(one.tag == tag and one.contents, "X.690 §8.3.1", "an INTEGER has contents")
    digits = one.contents
    require(len(digits) == 1 or not (digits[0] == 0 and digits[1] < 0x80 or digits[0] == 0xFF and digits[1] >= 0x80),
            "X.690 §8.3.2", "an INTEGER has the fewest octets")
    return int.from_bytes(digits, "big", signed=True)


def boolean_of_default_false(one):
    """A component BOOLEAN DEFAULT FALSE, or None if it is absent."""
    if one is None:
        return False
    require(one.contents != b"\0", "X.690 §11.5", "a value that is the default is not encoded")
    require(one.contents == b"\xFF", "X.690 §8.2.1, §11.1", "TRUE is one octet FF")
    return True


def object_identifier(one):
    """The contents octets of an OBJECT IDENTIFIER."""
    require(one.tag == OBJECT_IDENTIFIER and one.contents, "X.690 §8.19.1", "an OBJECT IDENTIFIER has contents")
    octets = one.contents
    require(octets[-1] < 0x80, "X.690 §8.19.2", "the last subidentifier is complete")
    require(octets[0] != 0x80 and not any(a < 0x80 and b == 0x80 for a, b in zip(octets, octets[1:])),
            "X.690 §8.19.2", "a subidentifier has the fewest octets")
    return octets


def identified(dotted):
    """The contents octets for an identifier that is written with dots (§8.19)."""
    first, second, *rest = map(int, dotted.split("."))
    octets = b""
    for number in (40 * first + second, *rest):
        digits = [number & 0x7F]
        while number := number >> 7:
            digits.append(number & 0x7F | 0x80)
        octets += bytes(reversed(digits))
    return octets


def bit_string(one, tag=BIT_STRING):
    """The count of unused bits, and the octets, of a BIT STRING."""
    require(one.tag == tag and one.contents, "X.690 §8.6.2", "a BIT STRING has an initial octet")
    unused, octets = one.contents[0], one.contents[1:]
    require(unused < 8 and (octets or unused == 0), "X.690 §8.6.2.2, §8.6.2.3", "there are up to 7 unused bits")
    require(not octets or octets[-1] & (1 << unused) - 1 == 0, "X.690 §11.2.1", "unused bits are zero")
    return unused, octets


def whole_octets(one):
    """The octets of a BIT STRING whose bits fill them."""
    unused, octets = bit_string(one)
    require(unused == 0, "RFC 5280 §4.1.1.3, §4.1.2.7", "the BIT STRING holds whole octets")
    return octets


# BER (§8), for the parts of a message that need not be DER.

def encoded(tag, contents):
    """An element in DER."""
    count = len(contents)
    octets = count.to_bytes((count.bit_length() + 7) // 8, "big")
    header = bytes([count]) if count < 0x80 else bytes([0x80 | len(octets)]) + octets
    return tag.to_bytes((tag.bit_length() + 7) // 8 or 1, "big") + header + contents


def from_ber(octets, at, rule, around=(), index=0):
    """The DER for the element in BER at a place, and the place after it.

    `rule` gets the tags and indexes of the elements around the element and of itself. It answers "copy" if the standard
    requires DER for the element, "octets" if its implicit tag stands for an OCTET STRING, "name" if the segments of no
    string but an OCTET STRING are joined, and otherwise None.
    """
    start, (tag, at) = at, identifier(octets, at)
    require(tag not in (0, 0x20), "X.690 §8.1.5", "the end of contents stands only at an end")
    path = (*around, (tag, index))
    kind = rule(path)
    if kind == "copy":
        one, end = element(octets, start)
        return one.octets, end
    count, at = length(octets, at)
    is_constructed = octets[start] & 0x20 != 0
    require(is_constructed or count is not None, "X.690 §8.1.3.2", "a primitive encoding has a definite length")
    end = None if count is None else at + count
    require(end is None or end <= len(octets), "X.690 §8.1.3.2", "the contents are complete")
    if not is_constructed:
        return encoded(tag, octets[at:end]), end
    inner, at = (octets, at) if end is None else (octets[at:end], 0)
    parts = []
    while at < len(inner) if end is not None else inner[at:at + 2] != b"\0\0":
        part, at = from_ber(inner, at, rule, path, len(parts))
        parts.append(part)
    if tag == 0x20 | OCTET_STRING or kind == "octets" or kind != "name" and tag < 0x40 and tag & 0x1F in STRING_TYPES:
        segments = [only(part) for part in parts]
        require(all(segment.tag == OCTET_STRING for segment in segments), "X.690 §8.7.3.2",
                "the segments of a string are OCTET STRINGs")
        tag, parts = tag & ~0x20, [segment.contents for segment in segments]
    elif tag == 0x20 | BIT_STRING and kind != "name":
        segments = [bit_string(only(part)) for part in parts]
        require(not any(unused for unused, _ in segments[:-1]), "X.690 §8.6.4", "a segment of a BIT STRING is filled")
        parts = [bytes([segments[-1][0] if segments else 0]), *(octets for _, octets in segments)]
        tag = BIT_STRING
    return encoded(tag, b"".join(parts)), at + 2 if end is None else end
