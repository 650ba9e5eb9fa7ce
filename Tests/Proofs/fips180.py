"""FIPS 180-4, and the instructions of x86-64 that compute parts of it, on words that are terms of z3.

Every word carries its values for a few random inputs beside its term.
"""

import ctypes
import hashlib
import itertools
import random

import llvmlite.binding as llvm
import z3

from execute import ARITHMETIC

RANDOM = random.Random(180_4)
#: For how many random inputs words are compared before they are proved equal.
SAMPLES = 3



class Word:
    """A number of some bits: its term, and its values for the random inputs."""

    __slots__ = ("bits", "term", "samples")

    def __init__(self, bits, term, samples):
        self.bits, self.term, self.samples = bits, term, samples

    def __add__(self, other):
        return self.apply("add", other)

    def __xor__(self, other):
        return self.apply("xor", other)

    def __and__(self, other):
        return self.apply("and", other)

    def __invert__(self):
        return self ^ constant(self.bits, -1)

    def apply(self, op, other):
        samples = tuple(CONCRETE[op](x, y, self.bits) % (1 << self.bits) for x, y in zip(self.samples, other.samples))
        return Word(self.bits, ARITHMETIC[op](self.term, other.term), samples)

    def shr(self, n):
        return self.apply("lshr", constant(self.bits, n))

    def rotl(self, n):
        samples = tuple((x << n | x >> self.bits - n) % (1 << self.bits) for x in self.samples)
        return Word(self.bits, z3.RotateLeft(self.term, n), samples)

    def rotr(self, n):
        return self.rotl((self.bits - n) % self.bits)

    def extract(self, high, low):
        samples = tuple((x >> low) % (1 << (high - low + 1)) for x in self.samples)
        return Word(high - low + 1, z3.simplify(z3.Extract(high, low, self.term)), samples)


CONCRETE = {
    "add": lambda x, y, n: x + y, "sub": lambda x, y, n: x - y, "mul": lambda x, y, n: x * y,
    "and": lambda x, y, n: x & y, "or": lambda x, y, n: x | y, "xor": lambda x, y, n: x ^ y,
    "shl": lambda x, y, n: x << y if y < n else 0, "lshr": lambda x, y, n: x >> y if y < n else 0,
}


def constant(bits, value):
    value %= 1 << bits
    return Word(bits, z3.BitVecVal(value, bits), (value,) * SAMPLES)


def symbol(bits, name, samples=None):
    return Word(bits, z3.BitVec(name, bits), samples or tuple(RANDOM.getrandbits(bits) for _ in range(SAMPLES)))


def joined(words):
    """One word of several, the least significant first."""
    samples = tuple(sum(w.samples[n] << 8 * at for at, w in zip(octets(words), words)) for n in range(SAMPLES))
    bits = sum(w.bits for w in words)
    return Word(bits, z3.simplify(z3.Concat(*[w.term for w in reversed(words)]) if len(words) > 1 else words[0].term),
                samples)


def octets(words):
    """The offset of each word in octets, if they lie one after the other."""
    return itertools.accumulate((w.bits // 8 for w in words[:-1]), initial=0)


# FIPS 180-4.

def primes():
    return (n for n in itertools.count(2) if all(n % d for d in range(2, int(n ** 0.5) + 1)))


def root(x, n):
    """The largest number whose n-th power is not above x."""
    low, high = 0, 1 << (x.bit_length() // n + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle ** n <= x else (low, middle)
    return low


def cube_roots(count, bits):
    """§4.2.2 and §4.2.3: the first bits of the fractional parts of the cube roots of the first primes."""
    return [root(p << 3 * bits, 3) % (1 << bits) for p in itertools.islice(primes(), count)]


def choose(x, y, z):
    return (x & y) ^ (~x & z)


def parity(x, y, z):
    return x ^ y ^ z


def majority(x, y, z):
    return (x & y) ^ (x & z) ^ (y & z)


class SHA1:
    """§6.1.2."""

    bits, rounds, size = 32, 80, 5
    functions = [(choose, 0x5a827999), (parity, 0x6ed9eba1), (majority, 0x8f1bbcdc), (parity, 0xca62c1d6)]

    @staticmethod
    def schedule(w, t):
        return (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotl(1)

    @staticmethod
    def round(t, v, w, cut):
        a, b, c, d, e = v
        f, k = SHA1.functions[t // 20]
        return [cut(f"a{t + 1}", a.rotl(5) + f(b, c, d) + e + constant(32, k) + w[t]), a,
                cut(f"c{t + 1}", b.rotl(30)), c, d]


class SHA2:
    """§6.2.2 and §6.4.2, which differ in the words' length, the number of rounds, and the rotations."""

    size = 8

    def __init__(self, bits, rounds, big0, big1, small0, small1):
        self.bits, self.rounds, self.k = bits, rounds, cube_roots(rounds, bits)
        self.big0, self.big1 = ([self.sum(r) for r in (big0, big1)])
        self.small0, self.small1 = ([self.sum(r[:2], r[2]) for r in (small0, small1)])

    @staticmethod
    def sum(rotations, shift=None):
        def result(x):
            sum = x.rotr(rotations[0]) ^ x.rotr(rotations[1])
            return sum ^ (x.rotr(rotations[2]) if shift is None else x.shr(shift))
        return result

    def schedule(self, w, t):
        return self.small1(w[t - 2]) + w[t - 7] + self.small0(w[t - 15]) + w[t - 16]

    def round(self, t, v, w, cut):
        a, b, c, d, e, f, g, h = v
        t1 = h + self.big1(e) + choose(e, f, g) + constant(self.bits, self.k[t]) + w[t]
        t2 = self.big0(a) + majority(a, b, c)
        return [cut(f"a{t + 1}", t1 + t2), a, b, c, cut(f"e{t + 1}", d + t1), e, f, g]


SHA256 = SHA2(32, 64, (2, 13, 22), (6, 11, 25), (7, 18, 3), (17, 19, 10))
SHA512 = SHA2(64, 80, (28, 34, 39), (14, 18, 41), (1, 8, 7), (19, 61, 6))


class Message:
    """One message: the octets of the blocks that one way round the loop takes, the hash value before, between and after
    these blocks, and the cut points."""

    def __init__(self, name, algorithm, blocks, octets=None, hash=None):
        self.name, self.algorithm = name, algorithm
        self.block = algorithm.bits * 2
        self.octets = octets or [symbol(8, f"{name}.octet{n}") for n in range(blocks * self.block)]
        self.cuts = {}
        self.hashes = [hash or [symbol(algorithm.bits, f"{name}.H{n}") for n in range(algorithm.size)]]
        for index in range(blocks):
            self.hashes.append(self.compress(index))

    def cut(self, name, definition):
        one = symbol(definition.bits, f"{self.name}.{name}", definition.samples)
        return self.cuts.setdefault((one.bits, one.samples), (one, definition))[0]

    def compress(self, index):
        algorithm, size, hash = self.algorithm, self.algorithm.bits // 8, self.hashes[-1]
        cut = lambda name, definition: self.cut(f"{index}.{name}", definition)
        w = []
        for t in range(algorithm.rounds):
            start = index * self.block + t * size
            # §3.1: the most significant octet first.
            w.append(cut(f"W{t}", joined(self.octets[start:start + size][::-1]) if t < 16
                         else algorithm.schedule(w, t)))
        v = hash
        for t in range(algorithm.rounds):
            v = algorithm.round(t, v, w, cut)
        return [cut(f"H{n}", x + y) for n, (x, y) in enumerate(zip(v, hash))]


def wrong_digests():
    """The algorithms whose digests of a short message, by the functions here, are not those of Python's."""
    sha1 = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
    # §5.3.3 and §5.3.5: the first bits of the fractional parts of the square roots of the first eight primes.
    sha256, sha512 = ([root(p << 2 * n, 2) % (1 << n) for p in itertools.islice(primes(), 8)] for n in (32, 64))
    wrong = []
    for name, algorithm, start in (("sha1", SHA1, sha1), ("sha256", SHA256, sha256), ("sha512", SHA512, sha512)):
        message = RANDOM.randbytes(50)
        padded = (message + b"\x80").ljust(algorithm.bits * 2 - 8, b"\0") + (8 * len(message)).to_bytes(8, "big")
        done = Message(name, algorithm, 1, [constant(8, octet) for octet in padded],
                       [constant(algorithm.bits, word) for word in start])
        digest = b"".join(word.samples[0].to_bytes(algorithm.bits // 8, "big") for word in done.hashes[1])
        wrong += [name] if digest != hashlib.new(name, message).digest() else []
    return wrong


# The instructions of x86-64 that have a function each in LLVM (Intel 64 and IA-32 Architectures Software Developer's
# Manual, volume 2). The first element of a list is the lowest lane.

def sha256rnds2(cdgh, abef, sums):
    (h, g, d, c), (f, e, b, a) = cdgh, abef
    for sum in sums[:2]:
        t1 = h + SHA256.big1(e) + choose(e, f, g) + sum
        t2 = SHA256.big0(a) + majority(a, b, c)
        a, b, c, d, e, f, g, h = t1 + t2, a, b, c, d + t1, e, f, g
    return [f, e, b, a]


def sha256msg1(w, next):
    return [x + SHA256.small0(y) for x, y in zip(w, w[1:] + next[:1])]


def sha256msg2(sums, last):
    w = last[2:]
    for n in range(4):
        w.append(sums[n] + SHA256.small1(w[n]))
    return w[2:]


def sha1rnds4(abcd, sums, kind):
    d, c, b, a = abcd
    f, k = SHA1.functions[kind.term.as_long() % 4]
    e = constant(32, 0)
    for sum in reversed(sums):
        a, b, c, d, e = a.rotl(5) + f(b, c, d) + e + sum + constant(32, k), a, b.rotl(30), c, d
    return [d, c, b, a]


def sha1nexte(abcd, w):
    return w[:3] + [w[3] + abcd[3].rotl(30)]


def sha1msg1(w, next):
    return [x ^ y for x, y in zip(w, next[2:] + w[:2])]


def sha1msg2(sums, last):
    w = [last[2], last[1], last[0]]
    for n in range(4):
        w.append((sums[3 - n] ^ w[n]).rotl(1))
    return w[:2:-1]


INSTRUCTIONS = {f.__name__: f for f in (sha256rnds2, sha256msg1, sha256msg2, sha1rnds4, sha1nexte, sha1msg1, sha1msg2)}


def wrong_instructions(rounds=1000):
    """The instructions whose results on this processor, for random words, are not those of their functions here. None
    if the processor does not have them."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if not llvm.get_host_cpu_features().get("sha"):
        return None
    wrong = set()
    for name, function in INSTRUCTIONS.items():
        count = 3 if name == "sha256rnds2" else 2
        # The last operand of sha1rnds4 is part of the instruction.
        for kind in range(4) if name == "sha1rnds4" else [None]:
            call = compiled("x86." + name, ["<4 x i32>"] * count, "<4 x i32>", [] if kind is None else [kind])
            for _ in range(rounds // SAMPLES):
                words = [[symbol(32, "w") for _ in range(4)] for _ in range(count)]
                expected = function(*words, *([] if kind is None else [constant(8, kind)]))
                for n in range(SAMPLES):
                    result = (ctypes.c_uint32 * 4)()
                    call(*[(ctypes.c_uint32 * 4)(*[w.samples[n] for w in four]) for four in words], result)
                    if list(result) != [w.samples[n] for w in expected]:
                        wrong.add(name)
    return sorted(wrong)


def compiled(name, types, result, constants=(), features="+sha,+sse4.1"):
    """A function that executes an instruction on the vectors at some addresses, and stores the result at one more."""
    count = len(types)
    pointers = ", ".join(f"ptr %p{n}" for n in range(count + 1))
    operands = [f"%v{n}" for n in range(count)] + list(constants)
    types = types + ["i8"] * len(constants)
    module = llvm.parse_assembly("\n".join([
        f"define void @f({pointers}) #0 {{",
        *[f"%v{n} = load {types[n]}, ptr %p{n}, align 1" for n in range(count)],
        f"%r = call {result} @llvm.{name}({', '.join(f'{t} {o}' for t, o in zip(types, operands))})",
        f"store {result} %r, ptr %p{count}, align 1",
        "ret void", "}", f"declare {result} @llvm.{name}({', '.join(types)})",
        f'attributes #0 = {{ "target-features"="{features}" }}']))
    engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine())
    engine.finalize_object()
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (count + 1))(engine.get_function_address("f"))
    call.engine = engine  # The code lives as long.
    return call
