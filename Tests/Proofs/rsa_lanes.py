"""Shows that the kernels of RSA that raise several numbers at once make the right products, in every lane.

A lane has a base, an odd n of 2048 bits, R² mod n, and N' with N'·n ≡ -1 (mod 2^64), each as limbs of 64 bits. B is
2^28 or, in the kernel with IFMA, 2^52; R is B^75 or B^40. The claims about each lane are:

  - The numbers are split into limbs below B, whose values are the same.
  - Each of the products (R² by base, number by number in each turn of the loop, number by base) is followed by a
    reduction. It gives limbs below B of a number p, with p·R = x·y + Q·n for the factors x and y and a Q below R.
    So p is x·y/R modulo n, and if x and y are below 2n, so is p, because n is below R/2^32.
  - The result is the number after the last product: its low 2048 bits, and the higher ones.

A function is executed as LLVM IR. No instruction moves data between lanes, so one lane is executed. Loops are unrolled,
except the one over squarings: there any limbs below B are a number. Each number of 64 bits is a polynomial in unknown
numbers, with a bound. A sum or product whose bound does not fit in 64 bits makes the proof fail, unless only its low
bits are used. So no column wraps, which is the claim of the invariants `columns`.

  - The low bits of a number are an unknown number, known modulo a power of two. A shift to the right gives an unknown
    number c with x = 2^s·c + r, where r are the low bits.
  - If the low bits are shown to be 0, then x = 2^s·c. They are if x is 0 modulo 2^s by the definition of the digits q
    and by n₀·N' ≡ -1.
  - VPMADD52 adds the low or the high half of a product x·y of 52-bit numbers: l, or (x·y - l)/B.
  - If x + l is divisible by B for such a half l, then (x + B - 1)/B, rounded down, is (x + l)/B.

Shifts and masks of the limbs in memory are followed bit by bit. Assumed is what the rows `rows` of invariants.tsv say:
one squaring or more, and rows that no other memory overlaps. No row is read before it is written. The kernels that
raise one number move data between lanes, and are not part of the claims.
"""

import re
from fractions import Fraction

import z3

import ir
from build import demangled
from execute import Refuted, Unsupported, loops_of
from rsa import only, require
from sha import UNSUPPORTED

#: The module of each claim, its function, the bits and the count of limbs, and the octets of a row.
CLAIMS = {
    "RSA: AVX2.raiseLanes(_:_:)": ("AVX2", "raiseLanes(_:_:)", 28, 75, 32),
    "RSA: AVX512VL.raiseLanes(_:_:)": ("AVX512VL", "raiseLanes(_:_:)", 28, 75, 64),
    "RSA: IFMA.raiseEight(_:_:)": ("IFMA", "raiseEight(_:_:)", 52, 40, 64),
}
LONG = list(CLAIMS)


class Lane:
    """A number of a lane: a polynomial, with its bound. `is_exact` is false if only its low 64 bits are known."""

    def __init__(self, terms, limit, is_exact=True):
        self.terms, self.limit, self.is_exact = terms, limit, is_exact

    def key(self):
        return frozenset(self.terms.items())


class Slices:
    """Bits of unknown numbers, side by side: the place, the name, the first bit, and the count of each."""

    def __init__(self, parts):
        found = []
        for place, name, first, count in sorted(parts):
            if found and found[-1][1] == name and found[-1][0] + found[-1][3] == place \
                    and found[-1][2] + found[-1][3] == first:
                found[-1] = (*found[-1][:3], found[-1][3] + count)
            else:
                found.append((place, name, first, count))
        self.parts = tuple(found)


def cut(parts, low, high, move):
    """The bits of slices from one place to another, moved."""
    found = []
    for place, name, first, count in parts:
        start, end = max(place, low), min(place + count, high)
        if start < end:
            found.append((start + move, name, first + start - place, end - start))
    return Slices(found)


def is_run(mask):
    """Whether the bits of a mask that are set follow each other."""
    filled = mask | mask - 1
    return mask > 0 and filled & filled + 1 == 0


def plus(one, other, scale=1):
    """The terms of a sum."""
    found = dict(one)
    for names, factor in other.items():
        total = found.get(names, 0) + factor * scale
        if total:
            found[names] = total
        else:
            found.pop(names, None)
    return found


def times(one, other):
    found = {}
    for x, f in one.items():
        for y, g in other.items():
            names = tuple(sorted(x + y))
            found[names] = found.get(names, 0) + f * g
    return {names: factor for names, factor in found.items() if factor}


class Execution:
    """The execution of one lane of a function."""

    def __init__(self, function, bits, width):
        self.function, self.bits, self.width = function, bits, width
        self.pointer, self.turns = (p.name for p in function.parameters)
        #: Rows by their offset in octets. The limit of each unknown number.
        self.rows, self.limits = {}, {}
        #: Names of slices and polynomials; polynomials of names that are low bits, with the count of bits.
        self.names, self.low = {}, {}
        #: What each carry times a power of two is. The digits q by the column that they belong to, and in their order.
        self.carried, self.sources, self.digits, self.quotients = {}, {}, {}, []
        #: The high halves of products: their names, and B times each.
        self.halves = {}
        #: How many octets the rows have, n modulo 2^64, and the lowest limb of n.
        self.size, self.lowest, self.limb = 0, "n0", None

    # Values.

    def unknown(self, name, limit):
        self.limits[name] = limit
        return Slices([(0, name, 0, (limit - 1).bit_length())])

    def named(self, kind, key, limit):
        """The name for something."""
        if (kind, key) not in self.names:
            self.names[kind, key] = f"{kind}{len(self.names)}"
            self.limits[self.names[kind, key]] = limit
        return self.names[kind, key]

    def lane(self, value):
        """A value as a polynomial."""
        if isinstance(value, Lane):
            return value
        if isinstance(value, int):
            return Lane({(): value} if value else {}, value + 1)
        if not value.parts:
            return Lane({}, 1)
        if all(first == 0 and self.limits[name] <= 1 << count for _, name, first, count in value.parts):
            # The parts are whole numbers.
            terms = {(name,): 1 << place for place, name, _, _ in value.parts}
            return Lane(terms, sum((self.limits[name] - 1) << place for place, name, _, _ in value.parts) + 1)
        end = max(place + count for place, _, _, count in value.parts)
        name = self.named("bits", value.parts, 1 << end)
        (place, source, first, count) = value.parts[0]
        if (place, first) == (0, 0):
            self.low[name] = {(source,): 1}, count
        return Lane({(name,): 1}, 1 << end)

    def slices(self, value):
        """A value as bits."""
        if isinstance(value, Slices):
            return value
        if isinstance(value, int):
            require(value == 0, "bits of a number")
            return Slices([])
        require(value.is_exact, "bits of a number that does not fit in 64 bits")
        if not value.terms:
            return Slices([])
        if list(value.terms.values()) == [1] and len(only(list(value.terms), "")) == 1:
            name = only(list(value.terms), "")[0]
        else:
            name = self.named("value", value.key(), value.limit)
        return Slices([(0, name, 0, (self.limits[name] - 1).bit_length())])

    def remainder(self, value, bits):
        """The low bits of a number."""
        value = self.lane(value)
        if value.is_exact and value.limit <= 1 << bits:
            return value
        if value.is_exact and bits == self.bits and (value.key(), bits) in self.carried:
            name = self.carried[value.key(), bits]
            return Lane(plus(value.terms, {(name,): 1}, -1 << bits), 1 << bits)
        return self.low_bits(value, bits)

    def low_bits(self, value, bits):
        """The low bits of a number as an unknown number."""
        name = self.named(f"low{bits}.", value.key(), 1 << bits)
        self.low[name] = value.terms, bits
        return Lane({(name,): 1}, 1 << bits)

    def is_digit(self, value):
        """Whether a number is a multiple of N'."""
        return bool(value.terms) and all(any(name == "inverse" or self.low.get(name, ({}, 0))[0] == {("inverse",): 1}
                                             for name in names) for names in value.terms)

    def vanishes(self, terms, bits, digit):
        """Whether terms are 0 modulo 2^bits, by the definition of a digit and by n₀·N' ≡ -1."""
        # No other digit is replaced by its definition.
        known = {name for names in self.low[digit][0] for name in names} - set(self.quotients)
        known |= {digit, *self.product_names(digit)}
        found = {}
        work = list(terms.items())
        while work:
            names, factor = work.pop()
            factor %= 1 << bits
            if not factor:
                continue
            source = next((name for name in names if name in known and self.low.get(name, ({}, 0))[1] >= bits), None)
            if source is not None:
                rest = list(names)
                rest.remove(source)
                work += [(tuple(sorted((*rest, *other))), factor * f) for other, f in self.low[source][0].items()]
            elif self.lowest in names and "inverse" in names:
                rest = list(names)
                rest.remove(self.lowest)
                rest.remove("inverse")
                work.append((tuple(rest), -factor))
            else:
                found[names] = (found.get(names, 0) + factor) % (1 << bits)
        return not any(found.values())

    def product_names(self, digit):
        """The names of the lowest limb of n and, if it has one, of the low half of its product with a digit."""
        [[limb]] = self.limb.terms
        product = times({(digit,): 1}, self.limb.terms)
        return limb, self.names.get(("low52.", frozenset(product.items())))

    def carry(self, value, bits):
        """A number divided by 2^bits, rounded down."""
        value = self.lane(value)
        require(value.is_exact, "a carry of a number that does not fit in 64 bits")
        if value.limit <= 1 << bits:
            return Lane({}, 1)
        key = value.key()
        if (key, bits) not in self.carried:
            self.carried[key, bits] = name = self.named("carry", (key, bits), -(-value.limit >> bits))
            self.sources[name] = self.exact_multiple(value, bits), bits
        name = self.carried[key, bits]
        return Lane({(name,): 1}, self.limits[name])

    def exact_multiple(self, value, bits):
        """The polynomial that is a carry times 2^bits, or None if the carry is not exact."""
        if self.quotients and self.vanishes(value.terms, bits, self.quotients[-1]):
            return value.terms
        # x + B - 1: the digit of the column x makes x + l divisible by B, where l is the low half of q·n₀.
        column = plus(value.terms, {(): 1 - (1 << bits)})
        digit = self.digits.get(frozenset(column.items()))
        if digit is None or bits != 52:
            return None
        low = self.low_half(Lane({(digit,): 1}, 1 << 52), self.limb)
        found = plus(column, low.terms)
        require(self.vanishes(found, bits, digit), "a digit does not make its column divisible")
        return found

    def low_half(self, one, other):
        """The low 52 bits of a product of numbers below 2^52."""
        product = times(one.terms, other.terms)
        return self.remainder(Lane(product, (one.limit - 1) * (other.limit - 1) + 1), 52)

    # Instructions.

    def run(self, block, previous, registers, stop, variables=None):
        """Yields each path that comes to a stop, and then the one that returns, with the last block and the registers.
        `variables` has the values of the first block's variables, if they are not those of the way to it."""
        work = [(block, previous, registers)]
        while work:
            block, previous, registers = work.pop()
            code = self.function.blocks[block]
            phis = {i.name: self.value(registers, i.operands[i.blocks.index(previous)])
                    for i in code if i.opcode == "phi"}
            registers.update(phis if variables is None else variables)
            variables = None
            for i in code:
                if i.opcode == "phi":
                    continue
                if i.opcode == "ret":
                    yield None, block, registers
                elif i.opcode == "unreachable":
                    raise Refuted("a trap is reached")
                elif i.opcode == "br":
                    targets = i.blocks
                    if i.operands:
                        condition = registers[i.operands[0].name]
                        targets = i.blocks if condition is None else [i.blocks[0 if condition else 1]]
                    for target in targets:
                        if target == stop:
                            yield stop, block, registers
                        else:
                            work.append((target, block, dict(registers) if len(targets) > 1 else registers))
                elif i.opcode == "store":
                    self.store(i, registers)
                else:
                    result = self.instruction(i, [self.value(registers, o) for o in i.operands])
                    if i.name:
                        registers[i.name] = result

    def value(self, registers, operand):
        if operand.name is not None:
            return registers[operand.name]
        if operand.number is not None:
            return operand.number
        text = operand.constant
        if text == "zeroinitializer":
            return 0
        if text == "poison":
            return None
        found = re.fullmatch(r"splat \(i64 (-?\d+)\)", text)
        if found:
            return int(found[1])
        found = set(re.findall(r"i64 (-?\d+)", text))
        if len(found) == 1 and operand.type.startswith("<"):
            return int(found.pop())
        raise Unsupported(f"{operand.type} {text}")

    def store(self, i, registers):
        value, offset = (self.value(registers, operand) for operand in i.operands)
        if i.operands[0].type != f"<{self.width // 8} x i64>" or offset % self.width:
            raise Unsupported(i.text)
        require(0 <= offset < self.size, "a store outside the rows")
        self.rows[offset] = value if isinstance(value, (Lane, Slices)) else self.lane(value)

    def instruction(self, i, values):
        op = i.opcode
        if op == "call":
            return self.call(i, values)
        if op == "load":
            require(i.type == f"<{self.width // 8} x i64>", f"a load of something other than a row: {i.text}")
            require(values[0] in self.rows, "a load of a row that was not written, or that is outside")
            return self.rows[values[0]]
        if op == "getelementptr" and len(values) == 2 and i.detail == "i8":
            return values[0] + values[1]
        # A number is put into every lane.
        if op == "insertelement" and values[0] is None and values[2] == 0:
            return values[1]
        if op == "shufflevector" and re.search(r", <\d x i32> zeroinitializer(,|$)", i.text):
            return values[0]
        if i.type.startswith("<"):
            return self.vector(i, values)
        if op == "icmp":
            if values[0] is None or values[1] is None:
                # The count of squarings is 1 or more. Its loop is a stop.
                return False if i.operands[0].name == self.turns and values[1] == 0 else None
            require(i.detail in ("eq", "ne") or min(values) >= 0, f"a comparison of a negative index: {i.text}")
            return {"eq": values[0] == values[1], "ne": values[0] != values[1], "ult": values[0] < values[1],
                    "ugt": values[0] > values[1]}[i.detail]
        if op == "and" and i.type == "i1":
            return bool(values[0]) and bool(values[1])
        if any(value is None for value in values):
            return None
        x, y = values
        result = {"add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y, "shl": lambda: x << y,
                  "lshr": lambda: x >> y, "and": lambda: x & y, "or": lambda: x | y, "udiv": lambda: x // y,
                  "urem": lambda: x % y}[op]()
        signed = i.flags == ("nsw",)
        require((-1 << 63 if signed else 0) <= result < 1 << 63, f"an index that wraps: {i.text}")
        return result

    def vector(self, i, values):
        op, (x, y) = i.opcode, values
        if op in ("add", "mul"):
            x, y = self.lane(x), self.lane(y)
            if op == "add":
                result = Lane(plus(x.terms, y.terms), x.limit + y.limit - 1, x.is_exact and y.is_exact)
            else:
                result = Lane(times(x.terms, y.terms), (x.limit - 1) * (y.limit - 1) + 1, x.is_exact and y.is_exact)
            if result.limit > 1 << 64:
                result.is_exact = False
            limit = 1 << 63 if "nsw" in i.flags else 1 << 64 if i.flags else result.limit
            is_right = result.is_exact and result.limit <= limit
            require(is_right or not i.flags, f"a sum or product that may wrap: {i.text}")
            return result
        if i.flags and i.flags != ("disjoint",):
            raise Unsupported(i.text)
        if op == "lshr" and isinstance(y, int):
            if isinstance(x, Lane) and y == self.bits and not self.is_limb(x):
                return self.carry(x, y)
            return cut(self.slices(x).parts, y, 64, -y)
        if op == "shl" and isinstance(y, int):
            if isinstance(x, Lane) and not self.is_limb(x):
                require(x.is_exact and (x.limit - 1) << y < 1 << 64, "a column may wrap")
                return Lane(times(x.terms, {(): 1 << y}), ((x.limit - 1) << y) + 1)
            return cut(self.slices(x).parts, 0, 64 - y, y)
        if op == "and" and isinstance(x, Slices) and isinstance(y, int) and is_run(y):
            return cut(x.parts, (y & -y).bit_length() - 1, y.bit_length(), 0)
        if op == "and" and isinstance(y, int) and y & (y + 1) == 0:
            x, bits = self.lane(x), y.bit_length()
            if self.is_digit(x):
                found = self.low_bits(x, bits)
                self.note_digit(found)
                return found
            require(x.is_exact, "the low bits of a number that does not fit in 64 bits")
            if bits == self.bits and not self.is_limb(x):
                self.carry(x, bits)
            return self.remainder(x, bits)
        if op == "or":
            x, y = self.slices(x).parts, self.slices(y).parts
            ends = sorted((place, place + count) for place, _, _, count in x + y)
            require(all(one[1] <= other[0] for one, other in zip(ends, ends[1:])), "bits that overlap")
            return Slices(x + y)
        raise Unsupported(i.text)

    def is_limb(self, value):
        return value.is_exact and value.limit <= 1 << self.bits

    def note_digit(self, lane):
        """Remembers a digit of a reduction."""
        name = only(only(list(lane.terms), "a digit"), "a digit")
        if name not in self.quotients:
            self.quotients.append(name)

    def call(self, i, values):
        if i.detail == "asm":
            return None
        if i.detail == "llvm.trap":
            raise Refuted("a trap is reached")
        if i.detail == "llvm.memset.p0.i64" and values[1] == values[0] % self.width == values[2] % self.width == 0:
            require(0 <= values[0] and values[0] + values[2] <= self.size, "a store outside the rows")
            for offset in range(values[0], values[0] + values[2], self.width):
                self.rows[offset] = Lane({}, 1)
            return None
        found = re.fullmatch(r"llvm\.x86\.avx512\.vpmadd52([lh])\.uq\.512", i.detail or "")
        if not found:
            raise Unsupported(i.text)
        sum, x, y = map(self.lane, values)
        column = x if self.is_digit(y) else y if self.is_digit(x) else None
        x, y = self.remainder(x, 52), self.remainder(y, 52)
        added = low = self.low_half(x, y)
        if column is not None:
            require(found[1] == "l" and not sum.terms, "a use of N' that is no digit")
            self.note_digit(low)
            self.digits[column.key()] = only(only(list(low.terms), "a digit"), "a digit")
        elif found[1] == "h":
            product = times(x.terms, y.terms)
            limit = ((x.limit - 1) * (y.limit - 1) >> 52) + 1
            name = self.named("high", frozenset(product.items()), limit)
            self.halves[name] = plus(product, low.terms, -1)
            added = Lane({(name,): 1}, limit)
        result = Lane(plus(sum.terms, added.terms), sum.limit + added.limit - 1)
        require(result.limit <= 1 << 64, "a column may wrap")
        return result


# The claims.


def power_of(bits, terms):
    return times(terms, {(): 1 << bits})


class Proof:
    """The proof about one function."""

    def __init__(self, function, bits, count, width):
        self.bits, self.count, self.width = bits, count, width
        self.one = one = Execution(function, bits, width)
        self.rows = (97 + 3 * count + 2 * count + (8 if bits == 52 else 5))
        one.size = self.rows * width
        #: The rows of the limbs of the base, n and the number.
        self.base, self.n, self.number = 97, 97 + count, 97 + 2 * count
        for index in range(32):
            for row, name in ((index, "a"), (32 + index, "n"), (64 + index, "r")):
                one.rows[row * width] = one.unknown(f"{name}{index}", 1 << 64)
        one.rows[96 * width] = one.unknown("inverse", 1 << 64)
        # The header of the loop over squarings: its condition compares with their count.
        headers = [target for code in function.blocks.values() for i in code if i.opcode == "icmp"
                   and any(o.name == one.turns for o in i.operands) and code[-1].opcode == "br"
                   and i.operands[1].number is None for target in code[-1].blocks if target in loops_of(function)]
        self.header = only(sorted(set(headers)), "the loop over squarings")
        self.function = function

    def limbs(self, row):
        one = self.one
        return [one.lane(one.rows[(row + index) * self.width]) for index in range(self.count)]

    def total(self, lanes):
        found = {}
        for index, lane in enumerate(lanes):
            found = plus(found, lane.terms, 1 << self.bits * index)
        return found

    def check_product(self, x, y, n):
        """Shows that the number in memory is a reduced product of two numbers."""
        one, result = self.one, self.limbs(self.number)
        require(all(lane.is_exact and lane.limit <= 1 << self.bits for lane in result), "a limb may be B or more")
        require(len(one.quotients) == self.count, "the count of digits")
        digits = [Lane({(name,): 1}, 1 << self.bits) for name in one.quotients]
        right = plus(times(x, y), times(self.total(digits), n))
        rest = plus(power_of(self.bits * self.count, self.total(result)), right, -1)
        # Carries and high halves are replaced by what they are, divided by a power of two.
        while True:
            name = next((name for (name, *more) in rest if not more and (
                name in one.halves or one.sources.get(name, (None,))[0] is not None)), None)
            if name is None:
                break
            factor = rest.pop((name,))
            source, bits = (one.halves[name], 52) if name in one.halves else one.sources[name]
            rest = plus(rest, source, Fraction(factor, 1 << bits))
        # What is left is the carry out of the highest limb, which is 0: see `lemma`.
        for names, factor in rest.items():
            require(factor == -1 << 2 * self.bits * self.count and len(names) == len(rest) == 1
                    and names[0] in one.sources, "the number is not the reduced product")
        one.quotients, one.digits = [], {}

    def check_slices(self, rows, bits, values):
        """Shows that rows hold the bits of numbers side by side. `values` has the slices of these numbers."""
        whole, place = [], 0
        for parts, count in values:
            whole += [(start + place, name, first, size) for start, name, first, size in parts]
            place += count
        for index, row in enumerate(rows):
            wanted = cut(whole, bits * index, bits * index + bits, -bits * index)
            found = self.one.rows[row * self.width]
            require(self.one.slices(found).parts == wanted.parts, "the bits of a number are not its bits")

    def prove(self):
        one, function = self.one, self.function
        words = {name: [(((0, f"{name}{index}", 0, 64),), 64) for index in range(32)] for name in "anr"}
        start = {one.pointer: 0, one.turns: None}
        # The product of the base and R² mod n.
        one.limb = one.lane(Slices([(0, "n0", 0, self.bits)]))
        path = only(list(one.run(function.entry, None, start, self.header)), "the way to the loop")
        require(path[0] == self.header, "the function returns before the loop")
        for name, row in (("a", self.base), ("n", self.n)):
            self.check_slices(range(row, row + self.count), self.bits, words[name])
        factors = []
        for name in "anr":
            whole = [(64 * place, f"{name}{place}", 0, 64) for place in range(32)]
            limbs = [cut(whole, self.bits * index, self.bits * (index + 1), -self.bits * index)
                     for index in range(self.count)]
            factors.append(self.total(list(map(one.lane, limbs))))
        base, n, squared = factors
        self.check_product(base, squared, n)
        _, block, registers = path
        # One turn, from any limbs, and then the end.
        variables = [i for i in function.blocks[self.header] if i.opcode == "phi"]
        require(all(i.type == "i64" for i in variables), "the variables of the loop over squarings")
        kept = {offset: one.rows[offset]
                for offset in range(self.base * self.width, self.number * self.width, self.width)}
        x = self.any_number("x")
        ends = []
        for stop, _, _ in one.run(self.header, block, registers, self.header, {i.name: None for i in variables}):
            ends.append(stop)
            if stop is not None:
                self.check_product(x, x, n)
                require(all(one.rows[offset] is value for offset, value in kept.items()), "the base or n changes")
                x = self.any_number("y")
        require(ends == [self.header, None], "the loop does not go on, or does not end")
        self.check_product(x, base, n)
        limbs = [(one.slices(lane).parts, self.bits) for lane in self.limbs(self.number)]
        self.check_slices([*range(32)], 64, limbs)
        self.check_slices([96], 64, [((), 0), *self.above(limbs)])

    def above(self, limbs):
        """The limbs without their low 2048 bits."""
        whole, place = [], 0
        for parts, count in limbs:
            whole += [(start + place, name, first, size) for start, name, first, size in parts]
            place += count
        return [(cut(whole, 2048, place, -2048).parts, 64)]

    def any_number(self, name):
        """Gives the number any limbs. Nothing else may be read before it is written. Returns its total."""
        one = self.one
        one.rows = {offset: value for offset, value in one.rows.items() if offset < self.number * self.width}
        for index in range(self.count):
            one.rows[(self.number + index) * self.width] = one.unknown(f"{name}{index}", 1 << self.bits)
        return self.total(self.limbs(self.number))


def lemma():
    """Whether a reduced product is below 2n and has no carry: p·R + c·R² = x·y + Q·n, and n < R/2^32."""
    x, y, n, q, p, c, r = z3.Reals("x y n q p c r")
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", 10_000_000)
    solver.add(0 <= x, x < 2 * n, 0 <= y, y < 2 * n, 0 <= q, q < r, 0 < n, n * (1 << 32) < r, 0 <= p, 0 <= c)
    solver.add(p * r + c * r * r == x * y + q * n, z3.Not(z3.And(p < 2 * n, c < 1)))
    return solver.check() == z3.unsat


def check(claim, path):
    """Proves one claim about a module whose IR is in a file. Returns why it fails, or None."""
    _, name, bits, count, width = CLAIMS[claim]
    with open(path, encoding="utf-8") as file:
        names = demangled(re.findall(r'^define [^@]*@"?([^"(]+)"?\(', file.read(), re.M))
    found = [symbol for symbol in names if names[symbol] == name]
    if len(found) != 1:
        return f"{UNSUPPORTED}{len(found)} functions of this name"
    try:
        require(lemma(), "a reduced product may be 2n or more")
        Proof(ir.read(path, found)[found[0]], bits, count, width).prove()
    except Refuted as error:
        return str(error)
    except Unsupported as error:
        return f"{UNSUPPORTED}{error}"
    return None
