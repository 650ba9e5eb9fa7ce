#!/usr/bin/env python3
"""Prints Sources/ECDSA/BaseMultiples.swift: odd multiples of the base points, in Montgomery form.

    Vectors/ecdsa/base-multiples.py > Sources/ECDSA/BaseMultiples.swift
    Vectors/ecdsa/base-multiples.py --apple > Sources/SignedPayloads/JWS/AppleKeyMultiples.swift
    Vectors/ecdsa/base-multiples.py --windows [X Y]

With --apple, prints the multiples of Apple's keys on P-384 that KnownKey.swift in Sources/ECDSA describes.

With --windows, prints the SHA-256 of k·2^(6·i)·P for the windows i from 0 to 42 and in each the digits k from 1 to 32,
which Tests/ECDSATests expects. P is the base point of P-256, or the point with hexadecimal coordinates X and Y. Each
multiple is x and y, of 32 octets each.

The curves are those of SP 800-186 §3.2.1. The arithmetic is that of SEC 1 §2.2.1, with affine points and Python's
integers. Each multiple is checked with the curve's equation, and the order with n·G.
"""

import hashlib
import sys

COUNT = 16
CURVES = {
    "p256": (
        256,
        2**256 - 2**224 + 2**192 + 2**96 - 1,
        0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
        0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    ),
    "p384": (
        384,
        2**384 - 2**128 - 2**96 + 2**32 - 1,
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
        0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
        0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
        0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
    ),
}

# For Sources/SignedPayloads: the keys of the certificate that apple.com/certificateauthority offers, and of the one that
# has issued all signers of tokens since 2021.
APPLE = {
    "appleRootG3": (
        "Apple Root CA - G3",
        0x98E92F3D4072A4ED93227281131CDD1095F1C5A34E71DC1416D90EE5A6052A77647B5F4E38D3BB1C44B57FF51FB63262,
        0x5DC9E9845B4F304F115A00FD58580CA5F50F2C4D07471375DA9797976F315CED2B9D7B203BD8B954D95E99A43A510A31,
    ),
    "appleWWDRG6": (
        "the WWDR intermediate G6",
        0x6EC40A0BDE0FAE55A66579D782DC7375524BF13D121989E00D11A99E09F737A3D3F093046FB1438B86C198F8429D9DFF,
        0xB2AE8F17F70670A5D6B0BE6F3AD791872278E71DC048FEDC381F9A6A8F747DCA714AFFC46456E78806CD8191A1221A48,
    ),
}


def add(p, one, other):
    """The sum of two points; None is the point at infinity."""
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2:
        if (y1 + y2) % p == 0:
            return None
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, p)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, p)
    x = (slope * slope - x1 - x2) % p
    return x, (slope * (x1 - x) - y1) % p


def times(p, factor, point):
    result = None
    for bit in bin(factor)[2:]:
        result = add(p, result, result)
        if bit == "1":
            result = add(p, result, point)
    return result


if sys.argv[1:2] == ["--windows"]:
    _, p, n, b, *power = CURVES["p256"]
    if sys.argv[2:]:
        power = [int(coordinate, 16) for coordinate in sys.argv[2:]]
    table = hashlib.sha256()
    for _ in range(43):
        point = power
        for _ in range(32):
            assert (point[1] ** 2 - (point[0] ** 3 - 3 * point[0] + b)) % p == 0
            table.update(b"".join(coordinate.to_bytes(32, "big") for coordinate in point))
            point = add(p, point, power)
        power = times(p, 64, power)
    print(table.hexdigest())
    sys.exit()

def table(name, description, curve, starts, count):
    """Prints an array: for each point of `starts`, `count` odd multiples."""
    bits, p, n, b, *_ = CURVES[curve]
    print(f"\n{description}")
    print(f"let {name}: [UInt64] = [")
    for point in starts:
        assert times(p, n, point) is None
        double = times(p, 2, point)
        for _ in range(count):
            x, y = point
            assert (y * y - (x * x * x - 3 * x + b)) % p == 0
            limbs = [c * 2**bits % p >> shift & 2**64 - 1 for c in point for shift in range(0, bits, 64)]
            for start in range(0, len(limbs), 4):
                print("    " + ", ".join(f"0x{limb:016X}" for limb in limbs[start : start + 4]) + ",")
            point = add(p, point, double)
    print("]")


def parts(name, of, point):
    """Prints the table of KnownKey.swift for a point of P-384."""
    description = f"""\
/// The multiples k·2^(49·i)·P, i from 0 to 7 and k = 1, 3 … 15, of P, {of}.
/// For each, the limbs of x·R and y·R modulo the prime of P-384, R = 2^384, the least significant first."""
    p = CURVES["p384"][1]
    table(name, description, "p384", [times(p, 2 ** (49 * part), point) for part in range(8)], 8)


print("// Made by Vectors/ecdsa/base-multiples.py.\n\n// swift-format-ignore-file")
if sys.argv[1:] == ["--apple"]:
    for name, (owner, *key) in APPLE.items():
        parts(f"{name}Multiples", f"the key of {owner}", tuple(key))
else:
    for curve, (bits, *_, gx, gy) in CURVES.items():
        last = 2 * COUNT - 1
        sentence = f"The limbs of x·R and y·R modulo the prime of P-{bits}, R = 2^{bits}, the least significant first, "
        sentence += f"for\n/// G, 3·G … {last}·G."
        table(f"{curve}BaseMultiples", f"/// {sentence}", curve, [(gx, gy)], COUNT)
    parts("p384BaseParts", "the base point of P-384", tuple(CURVES["p384"][4:]))
