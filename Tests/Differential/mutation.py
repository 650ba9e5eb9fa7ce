"""Changes of octets and of DER elements, for mutants."""
import token_verifier


def flipped(dice, data, count=None):
    """Octets after a few changes."""
    data = bytearray(data)
    for _ in range(count or dice.choice([1, 1, 1, 2, 5])):
        place = dice.randrange(len(data) + 1)
        kind = dice.randrange(5)
        if kind < 2 and place < len(data):
            data[place] ^= 1 << dice.randrange(8)
        elif kind == 2 and place < len(data):
            data[place] = dice.randrange(256)
        elif kind == 3:
            data.insert(place, dice.choice([0, 0x30, 0x22, 0x2E, 0x5C, 0x3D, 0xFF, dice.randrange(256)]))
        elif place < len(data):
            del data[place:place + dice.choice([1, 1, 2, 4])]
    return bytes(data)


def wrapped(tag, contents):
    """An element in DER."""
    count = len(contents)
    octets = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([tag]) + (bytes([count]) if count < 0x80 else bytes([0x80 | len(octets)]) + octets) + contents


def structure(dice, data):
    """DER after a change of one element, with the lengths around it corrected; now and then not in DER."""
    tag, contents = data[0], data[len(data) - content_length(data):]
    if tag & 0x20 and contents and dice.randrange(8):
        parts = token_verifier.elements(data)
        index = dice.randrange(len(parts))
        kind = dice.randrange(12)
        if kind == 0:
            del parts[index]
        elif kind == 1:
            parts.insert(index, parts[index])
        elif kind == 2:
            dice.shuffle(parts)
        else:
            parts[index] = structure(dice, parts[index])
        return wrapped(tag, b"".join(parts))
    kind = dice.randrange(6)
    if kind == 0:
        return bytes([tag, 0x83]) + len(contents).to_bytes(3, "big") + contents
    if kind == 1:
        return wrapped(tag ^ 1 << dice.randrange(8), contents)
    if kind == 2:
        return wrapped(tag, b"\0" + contents)
    return wrapped(tag, flipped(dice, contents, 1))


def content_length(data):
    count = data[1]
    return count if count < 0x80 else int.from_bytes(data[2:2 + (count & 0x7F)], "big")
