"""Shows that products, squares, sums, differences and halves of residues in the shipped code are right for all inputs.

Let m be one of the four moduli of P-256 and P-384. Let a and b be two numbers of n limbs of 64 bits, and R = 2^(64·n).
The claim is: if a·b is below m·R, then the result r is below m, and r·R ≡ a·b (mod m). The condition holds if
a and b are below m. It also holds if only one of them is.

The function is executed as LLVM IR. It is one block without branches. Each integer is a polynomial in atoms, with
rational coefficients and with bounds. An atom is an unknown natural number below a power of two: a limb of an input, or
a remainder. The polynomial describes the integer exactly, for all inputs.

  - A register of k bits holds a number that is congruent to its polynomial modulo 2^k. Sums and differences keep this
    congruence, and can be negative. Other instructions need the number itself. It is the polynomial if the bounds show
    that it is from 0 to 2^k - 1. Otherwise it is the remainder of the polynomial modulo 2^k.
  - A remainder of P modulo 2^k is a new atom r, and the quotient is (P - r) / 2^k. The upper half of a product, the
    carry of a sum and the borrow of a difference are such quotients. For example, the carry of a + b is
    (a + b - r) / 2^64, where r is the sum in the register.
  - If P has whole coefficients, then r is congruent to P modulo 2^k, and the program remembers this. Two numbers get
    the same remainder if the program sees that they are congruent. So it finds that the lowest limb of x + q·m is zero,
    if the digit q is x·n' modulo 2^64 and n'·m ≡ -1 (mod 2^64).
  - The bounds of a polynomial follow from the bounds of its atoms. They are rounded, because the polynomial is an
    integer: an integer above -1 is at least 0.

Before its last step, the function has a number s of n limbs and a carry c. Let t = s + c·R. The program shows:

  - t·R - a·b is M·m for a polynomial M with whole coefficients, and 0 <= M < R. Therefore t is below 2m.
  - The last step computes a number d of n limbs and a borrow e, with d = s - m + e·R.
  - The result is s if e = 1 and c = 0. Otherwise the result is d.

From these facts, z3 shows that the result is below m, and that it is t or t - m.

The release build inlines sums, differences and halves into their callers. So the proof compiles a copy of their source
in which they are functions of their own, and is about these. For a and b below m, it shows that the result is below m,
and congruent to a + b, to a - b, or, when doubled, to a:

  - A sum has the last step of a product, and t is a + b.
  - A difference is d + e·m modulo R, for a number d of n limbs and a borrow e with d = a - b + e·R.
  - The double of a half is a, or a + m.

An instruction without a model here makes the proof fail.
"""

import itertools
import math
import os
import re
from fractions import Fraction
from typing import NamedTuple

import z3

import ir
from build import ROOT, demangled
from execute import Refuted, Unsupported, size_of
from sha import UNSUPPORTED

#: The moduli, from SP 800-186 §3.2.1, with their numbers of limbs.
MODULI = {
    "P256.Field": (2**256 - 2**224 + 2**192 + 2**96 - 1, 4),
    "P256.Order": (0xFFFFFFFF_00000000_FFFFFFFFFFFFFFFF_BCE6FAADA7179E84_F3B9CAC2FC632551, 4),
    "P384.Field": (2**384 - 2**128 - 2**96 + 2**32 - 1, 6),
    "P384.Order": (2**384 - 2**192 + 0xC7634D81F4372DDF_581A0DB248B0A77A_ECEC196ACCC52973, 6),
}
#: The names of the functions, and how many residues they take.
OPERANDS = {"* infix": 2, "squared": 1, "+ infix": 2, "- infix": 2, "halved": 1}
#: The functions that the release build inlines, as they begin in their source.
INLINED_SOURCE = "Sources/ECDSA/Residue.swift"
INLINED = {"+ infix": "static func + (", "- infix": "static func - (", "halved": "func halved("}
#: The module, the modulus and the function of each claim. The module has no square modulo an order.
CLAIMS = {
    "ECDSA: P256.Field: a product": ("ECDSA", "P256.Field", "* infix"),
    "ECDSA: P256.Field: a square": ("ECDSA", "P256.Field", "squared"),
    "ECDSA: P256.Order: a product": ("ECDSA", "P256.Order", "* infix"),
    "ECDSA: P384.Field: a product": ("ECDSA", "P384.Field", "* infix"),
    "ECDSA: P384.Field: a square": ("ECDSA", "P384.Field", "squared"),
    "ECDSA: P384.Order: a product": ("ECDSA", "P384.Order", "* infix"),
    "ECDSA: P256.Field: a sum": ("ECDSA", "P256.Field", "+ infix"),
    "ECDSA: P256.Field: a difference": ("ECDSA", "P256.Field", "- infix"),
    "ECDSA: P256.Field: a half": ("ECDSA", "P256.Field", "halved"),
    "ECDSA: P256.Order: a sum": ("ECDSA", "P256.Order", "+ infix"),
    "ECDSA: P256.Order: a difference": ("ECDSA", "P256.Order", "- infix"),
    "ECDSA: P384.Field: a sum": ("ECDSA", "P384.Field", "+ infix"),
    "ECDSA: P384.Field: a difference": ("ECDSA", "P384.Field", "- infix"),
    "ECDSA: P384.Field: a half": ("ECDSA", "P384.Field", "halved"),
    "ECDSA: P384.Order: a sum": ("ECDSA", "P384.Order", "+ infix"),
    "ECDSA: P384.Order: a difference": ("ECDSA", "P384.Order", "- infix"),
}
#: Parts of the names of functions that these functions may call.
HELPERS = ("reduceByLimb", "addProduct", "multiplied")
#: The sizes of types of ECDSA in octets.
SIZES = {"%T5ECDSA9FourLimbsV": 32, "%T5ECDSA8SixLimbsV": 48}


class Atom(NamedTuple):
    """An unknown natural number below 2^bits."""

    serial: int
    bits: int


class Number:
    """An integer: a polynomial, and bounds. `terms` has the coefficient of each product of atoms, a sorted tuple."""

    def __init__(self, terms, low=-math.inf, high=math.inf):
        self.terms = {atoms: factor for atoms, factor in terms.items() if factor}
        least = most = self.terms.get((), 0)
        for atoms, factor in self.terms.items():
            extent = factor * math.prod((1 << atom.bits) - 1 for atom in atoms) if atoms else 0
            least, most = least + min(extent, 0), most + max(extent, 0)
        self.low, self.high = max(low, math.ceil(least)), min(high, math.floor(most))

    def __add__(self, other):
        terms = dict(self.terms)
        for atoms, factor in other.terms.items():
            terms[atoms] = terms.get(atoms, 0) + factor
        return Number(terms, self.low + other.low, self.high + other.high)

    def __sub__(self, other):
        return self + other * constant(-1)

    def __mul__(self, other):
        terms = {}
        for (x, one), (y, two) in itertools.product(self.terms.items(), other.terms.items()):
            atoms = tuple(sorted(x + y))
            terms[atoms] = terms.get(atoms, 0) + one * two
        corners = [x * y for x in (self.low, self.high) for y in (other.low, other.high)]
        return Number(terms, min(corners), max(corners))

    def divided(self, divisor, low=-math.inf, high=math.inf):
        """The quotient, which is between bounds. They hold if the quotient is an integer."""
        return Number({atoms: Fraction(factor) / divisor for atoms, factor in self.terms.items()}, low, high)

    def is_whole(self):
        return all(factor.denominator == 1 for factor in self.terms.values())

    def is_within(self, low, limit):
        return low <= self.low and self.high < limit


def constant(number):
    return Number({(): number})


ONE = constant(1)


def total(limbs):
    """The number that limbs stand for."""
    return sum((limb * constant(1 << 64 * index) for index, limb in enumerate(limbs)), constant(0))


class Pointer(NamedTuple):
    """An address: a block of memory, and an offset in it."""

    memory: str
    offset: int


class Both(NamedTuple):
    """A bit that is set if two bits are."""

    one: Number
    other: Number


class Choice(NamedTuple):
    """The number `one` if a condition holds, and `other` if not."""

    condition: Both
    one: Number
    other: Number


def width(type):
    found = re.fullmatch(r"i(\d+)", type)
    if not found:
        raise Unsupported(f"the type {type}")
    return int(found[1])


class Execution:
    """The execution of functions of one block each."""

    def __init__(self, functions):
        self.functions, self.serial = functions, itertools.count()
        #: The atom of each remainder. The polynomial to which an atom is congruent modulo 2^atom.bits.
        self.remainders, self.congruent = {}, {}
        #: The atom of each bit that has a name, and the bit of each such atom.
        self.names, self.bits = {}, {}
        #: The limbs in memory by their addresses, and the octets of each block of memory. Memory on the stack has them
        #: from its start to its end.
        self.limbs, self.sizes, self.stack = {}, {}, {}

    # Remainders.

    def atom(self, bits):
        return Atom(next(self.serial), bits)

    def normal(self, terms, bits):
        """Terms that are congruent modulo 2^bits. Atoms are replaced by polynomials to which they are congruent.
        Returns None if a coefficient is a fraction."""
        found = {}
        for atoms, factor in terms.items():
            if factor.denominator != 1:
                return None
            more, inner = {atoms: factor}, self.congruent.get(atoms[0]) if len(atoms) == 1 else None
            # If r and P are congruent modulo 2^j, then 2^i·r and 2^i·P are congruent modulo 2^(i+j).
            if inner and (int(factor) << atoms[0].bits) % (1 << bits) == 0:
                more = self.normal({other: factor * n for other, n in inner.items()}, bits)
            for other, n in more.items():
                found[other] = int(found.get(other, 0) + n) % (1 << bits)
        return {atoms: factor for atoms, factor in found.items() if factor}

    def remainder(self, number, bits):
        """The remainder of a number modulo 2^bits."""
        if number.is_within(0, 1 << bits):
            return number
        if bit := self.names.get(frozenset((number * constant(-1)).terms.items())):
            return Number({(bit,): (1 << bits) - 1})
        form, shift, terms = number.terms, 0, self.normal(number.terms, bits)
        if terms is not None:
            if Number(terms).is_within(0, 1 << bits):
                return Number(terms)
            # The remainder of 2^i·P modulo 2^bits is 2^i times the remainder of P modulo 2^(bits - i).
            shift = min((factor & -factor).bit_length() - 1 for factor in terms.values())
            form = {atoms: factor >> shift for atoms, factor in terms.items()}
        key = bits - shift, frozenset(form.items())
        if key not in self.remainders:
            self.remainders[key] = self.atom(bits - shift)
            if terms is not None:
                self.congruent[self.remainders[key]] = form
        return Number({(self.remainders[key],): 1 << shift})

    def quotient(self, number, bits):
        """The number divided by 2^bits, rounded down."""
        rest = number - self.remainder(number, bits)
        return rest.divided(1 << bits, number.low >> bits, number.high >> bits)

    def named(self, bit):
        """A bit as an atom. Its polynomial has fractions, and its bounds are wide."""
        key = frozenset(bit.terms.items())
        if key not in self.names:
            self.names[key] = self.atom(1)
            self.bits[self.names[key]] = bit
        return Number({(self.names[key],): 1})

    def expanded(self, number):
        """A number without the atoms of bits."""
        found = constant(0)
        for atoms, factor in number.terms.items():
            term = constant(factor)
            for atom in atoms:
                term = term * (self.expanded(self.bits[atom]) if atom in self.bits else Number({(atom,): 1}))
            found = found + term
        return Number(found.terms, number.low, number.high)

    def difference(self, one, other, bits):
        """The difference of two numbers in a register, and the borrow."""
        return self.remainder(one - other, bits), self.quotient(one - other, bits) * constant(-1)

    # Instructions.

    def run(self, name, arguments):
        """Executes a function. Returns its result."""
        function = self.functions[name]
        if len(function.blocks) != 1:
            raise Unsupported(f"the branches of {name}")
        registers = dict(zip((p.name for p in function.parameters), arguments))
        for i in function.blocks[function.entry]:
            values = [self.value(registers, operand) for operand in i.operands]
            if i.opcode == "ret":
                return values[0] if values else None
            registers[i.name] = self.instruction(i, values)
        raise Unsupported(f"the end of {name}")

    def value(self, registers, operand):
        if operand.name is not None:
            return registers[operand.name]
        if operand.number is not None:
            return constant(operand.number)
        if operand.type.startswith("{") and operand.constant in ("undef", "poison"):
            return {}
        raise Unsupported(f"{operand.type} {operand.constant}")

    def instruction(self, i, values):
        op = i.opcode
        if op == "call":
            return self.call(i, values)
        if op in ("load", "store"):
            return self.access(i, values)
        if op == "alloca":
            place = Pointer(f"stack{next(self.serial)}", 0)
            # Another module in the process can have a type of the same name, which then has a number here.
            type = re.sub(r"\.\d+$", "", re.search(r"alloca ([^,]+)", i.text)[1])
            self.stack[place.memory] = SIZES[type] if type in SIZES else size_of(type)
            return place
        if op == "getelementptr" and i.detail == "i8" and len(values) == 2 and i.operands[1].number is not None:
            return Pointer(values[0].memory, values[0].offset + i.operands[1].number)
        if op == "extractvalue" and len(i.detail) == 1:
            return values[0][i.detail[0]]
        if op == "insertvalue" and len(i.detail) == 1:
            return {**values[0], i.detail[0]: values[1]}
        if op == "select" and i.type == "i64":
            condition, one, other = values
            if isinstance(condition, Number):
                condition = self.remainder(condition, 1)
                if i.operands[1].number is not None and i.operands[2].number is not None:
                    one, other = self.remainder(one, 64), self.remainder(other, 64)
                    return other + self.named(condition) * (one - other)
                condition = Both(condition, ONE)
            if isinstance(condition, Both) and isinstance(one, Number) and isinstance(other, Number):
                return Choice(condition, self.remainder(one, 64), self.remainder(other, 64))
        if not all(isinstance(value, Number) for value in values):
            raise Unsupported(i.text)
        if op in ("add", "sub", "mul", "shl", "trunc"):
            return self.arithmetic(i, values)
        if op == "or" and i.flags == ("disjoint",):
            return self.disjoint_sum(i, *self.exact(i, values))
        if i.flags:
            raise Unsupported(i.text)
        numbers = self.exact(i, values)
        number, bits = i.operands[-1].number, width(i.operands[0].type)
        if op == "zext":
            return numbers[0]
        if op == "sext" and bits == 1:
            self.named(numbers[0])
            return numbers[0] * constant(-1)
        if op == "lshr" and number in range(bits):
            return self.quotient(numbers[0], number)
        if op == "and" and bits == 1:
            return Both(*numbers)
        if op == "and" and number in [(1 << n) - 1 for n in range(1, bits)]:
            return self.remainder(numbers[0], number.bit_length())
        if op == "and" and number is not None and (mask := numbers[0].divided((1 << bits) - 1, 0, 1)).is_whole():
            # The bits of the mask are all set or all clear.
            return self.remainder(mask * constant(number), bits)
        if op == "xor" and bits == 1 and number is not None:
            return ONE - numbers[0] if number & 1 else numbers[0]
        if op == "xor" and bits == 1:
            if (numbers[0] + numbers[1]).high > 1:
                raise Refuted(f"both of two carries may be set: {i.text}")
            return numbers[0] + numbers[1]
        # A number is below another if their difference has a borrow, and it is not zero if zero is below it.
        if op == "icmp" and i.detail == "ult":
            return self.difference(numbers[0], numbers[1], bits)[1]
        if op == "icmp" and (i.detail == "ugt" or i.detail == "ne" and number == 0):
            return self.difference(numbers[1], numbers[0], bits)[1]
        raise Unsupported(i.text)

    def disjoint_sum(self, i, one, other):
        """The sum of two numbers, of which one is a multiple of a power of two that the other is below."""
        for multiple, rest in ((one, other), (other, one)):
            if rest.low >= 0 and multiple.divided(1 << rest.high.bit_length()).is_whole():
                return one + other
        raise Refuted(f"the result may be poison: {i.text}")

    def exact(self, i, values):
        """The numbers in the registers of an instruction's operands."""
        return [self.remainder(value, width(operand.type)) for value, operand in zip(values, i.operands)]

    def arithmetic(self, i, values):
        """The result of an instruction that keeps congruences. Shows that the result is not poison."""
        bits = width(i.type)
        if "nuw" in i.flags:
            values = self.exact(i, values)
        if i.opcode == "shl":
            if i.operands[1].number not in range(bits):
                raise Unsupported(i.text)
            values = [values[0], constant(1 << i.operands[1].number)]
        one, other = values[0], values[-1]
        if i.opcode in ("add", "sub"):
            result = one + other if i.opcode == "add" else one - other
        else:
            result = one if i.opcode == "trunc" else one * other
        for flag in i.flags:
            if flag not in ("nuw", "nsw"):
                raise Unsupported(i.text)
            low, limit = (0, 1 << bits) if flag == "nuw" else (-1 << bits - 1, 1 << bits - 1)
            if not all(number.is_within(low, limit) for number in (*values, result)):
                raise Refuted(f"the result may be poison: {i.text}")
        return result if i.opcode in ("add", "sub") else self.remainder(result, bits)

    def call(self, i, values):
        if i.detail in self.functions:
            return self.run(i.detail, values)
        if i.detail == "llvm.uadd.with.overflow.i64":
            one, other = self.exact(i, values)
            return self.remainder(one + other, 64), self.quotient(one + other, 64)
        if i.detail == "llvm.usub.with.overflow.i64":
            return self.difference(*self.exact(i, values), 64)
        if i.detail == "llvm.fshl.i64" and i.operands[2].number in range(1, 64):
            # The upper half of the two numbers side by side, shifted to the left.
            high, low, _ = self.exact(i, values)
            count = i.operands[2].number
            return self.remainder(high, 64 - count) * constant(1 << count) + self.quotient(low, 64 - count)
        if i.detail in ("llvm.lifetime.start.p0", "llvm.lifetime.end.p0"):
            memory = values[-1].memory
            self.limbs = {place: limb for place, limb in self.limbs.items() if place.memory != memory}
            self.sizes[memory] = self.stack[memory] if i.detail == "llvm.lifetime.start.p0" else 0
            return None
        raise Unsupported(i.text)

    def access(self, i, values):
        """Loads or stores a limb."""
        place = values[-1]
        if (i.type if i.opcode == "load" else i.operands[0].type) != "i64" or place.offset % 8:
            raise Unsupported(i.text)
        if not 0 <= place.offset <= self.sizes.get(place.memory, 0) - 8:
            raise Refuted(f"an access outside {place.memory}: {i.text}")
        if i.opcode == "store" and place.memory.startswith("factor"):
            raise Refuted(f"a store to a factor: {i.text}")
        if i.opcode == "load" and place not in self.limbs:
            raise Refuted(f"a load from memory without a known limb: {i.text}")
        if i.opcode == "store":
            self.limbs[place] = values[0]
        return self.limbs[place]


# The claims.


def sources(claim, folder, replaced):
    """The sources that the proof of a claim compiles in place of others. `replaced` has some of them already."""
    return outlined(folder, replaced) if CLAIMS[claim][2] in INLINED else replaced


def outlined(folder, replaced):
    """Sources that are compiled in place of others: also the one whose functions would be inlined."""
    path, copy = os.path.join(ROOT, INLINED_SOURCE), os.path.join(folder, "Outlined.swift")
    with open(replaced.get(path, path), encoding="utf-8") as file:
        text = file.read()
    for head in INLINED.values():
        text, count = re.subn(r"@inline\(__always\)(\n *" + re.escape(head) + ")", r"@inline(never)\1", text)
        if count != 1:
            raise ValueError(f"{INLINED_SOURCE} has {count} functions that begin with {head}")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text)
    return {**replaced, path: copy}


def outcome(functions, symbol, count, operands):
    """Executes a function of some residues. Returns the execution, the limbs of the residues, and the registers of the
    result's limbs."""
    one = Execution(functions)
    numbers = [[Number({(one.atom(64),): 1}) for _ in range(count)] for _ in range(operands)]
    types = [parameter.type for parameter in functions[symbol].parameters]
    if types == ["i64"] * (count * operands):
        result = one.run(symbol, sum(numbers, []))
        return one, numbers, [result.get(index) for index in range(count)]
    if types != ["ptr"] * (1 + operands):
        raise Unsupported(f"the parameters {types}")
    # The function takes the addresses of its result and of its operands.
    memories = ["result", *(f"operand{index}" for index in range(operands))]
    one.sizes = dict.fromkeys(memories, 8 * count)
    for memory, limbs in zip(memories[1:], numbers):
        one.limbs |= {Pointer(memory, 8 * index): limb for index, limb in enumerate(limbs)}
    one.run(symbol, [Pointer(memory, 0) for memory in memories])
    return one, numbers, [one.limbs.get(Pointer("result", 8 * index)) for index in range(count)]


def last_step_is_right(modulus, radix, scale, limit):
    """Whether z3 shows that the facts of the last step make the result right. The names are those of `wrong_choice`, and
    of the docstring."""
    value, multiple, s, c, t, d, e = z3.Ints("value multiple s c t d e")
    limits = [(value, limit), (multiple, scale), (s, radix), (d, radix), (c, 2), (e, 2)]
    result = z3.If(z3.And(e == 1, c == 0), s, d)
    solver = z3.Solver()
    solver.add(*(z3.And(0 <= number, number < limit) for number, limit in limits))
    solver.add(t == s + c * radix, t * scale == value + multiple * modulus, d == s - modulus + e * radix)
    solver.add(z3.Not(z3.And(0 <= result, result < modulus, z3.Or(result == t, result == t - modulus))))
    return solver.check() == z3.unsat


def wrong_choice(one, result, value, modulus, radix, scale, limit):
    """Returns why a result is not shown to be congruent to a value divided by `scale`, or None. The value is below a
    limit."""
    if not all(isinstance(limb, Choice) and limb.condition == result[0].condition for limb in result):
        return "the limbs of the result are not chosen from two numbers by one condition"
    s, d = (one.expanded(total(limbs)) for limbs in zip(*((limb.one, limb.other) for limb in result)))
    reason = "the number before the last step is not congruent to the right one"
    for e, no_carry in itertools.permutations(map(one.expanded, result[0].condition)):
        t = s + (ONE - no_carry) * constant(radix)
        multiple = (t * constant(scale) - value).divided(modulus)
        if not multiple.is_whole():
            continue
        if not multiple.is_within(0, scale):
            return "the number before the last step may be 2m or more"
        if not (d - (s - constant(modulus) + e * constant(radix))).terms:
            right = last_step_is_right(modulus, radix, scale, limit)
            return None if right else "the last step is wrong"
        reason = "the last step does not subtract m, or its condition is not the borrow"
    return reason


def wrong_difference(one, numbers, result, modulus, radix):
    """Returns why a result is not shown to be the difference of two residues, or None."""
    limbs, borrow = [], constant(0)
    for x, y in zip(*numbers):
        limb, first = one.difference(x, y, 64)
        limb, second = one.difference(limb, borrow, 64)
        limbs.append(limb)
        borrow = first + second
        if borrow.high > 1:
            return "the borrow of a limb may be more than 1"
    a, b = map(total, numbers)
    if (total(limbs) - (a - b + borrow * constant(radix))).terms:
        return "the difference of the limbs is wrong"
    exact = one.expanded(total(one.remainder(limb, 64) for limb in result))
    # The result is a - b + e·m and a multiple of R, whose factor is an integer: a carry, or e and a carry.
    factor = (exact - (a - b + borrow * constant(modulus))).divided(radix)
    carry = one.expanded(one.quotient(result[-1], 64))
    if (factor + carry).terms and (factor + carry - borrow).terms:
        return "the result is not congruent to the difference"
    x, y, d, e, r, k = z3.Ints("a b d e r k")
    solver = z3.Solver()
    limits = [(x, modulus), (y, modulus), (d, radix), (e, 2), (r, radix)]
    solver.add(*(z3.And(0 <= number, number < limit) for number, limit in limits))
    solver.add(d == x - y + e * radix, r == x - y + e * modulus + k * radix)
    solver.add(z3.Not(z3.And(r < modulus, z3.Or(r == x - y, r == x - y + modulus))))
    return None if solver.check() == z3.unsat else "the result may be m or more"


def wrong_half(one, numbers, result, modulus):
    """Returns why a result is not shown to be the half of a residue, or None. If its double is a + h·m for a bit h, then
    it is below m, because a is."""
    odd = one.remainder(numbers[0][0], 1)
    exact = one.expanded(total(one.remainder(limb, 64) for limb in result))
    different = (exact * constant(2) - (total(numbers[0]) + odd * constant(modulus))).terms
    return "the double of the result is not the residue, or the residue and m" if different else None


def check(claim, path):
    """Proves one claim about a module whose IR is in a file. Returns why it fails, or None."""
    _, name, operation = CLAIMS[claim]
    with open(path, encoding="utf-8") as file:
        names = re.findall(r'^define [^@]*@"?([^"(]+)"?\(', file.read(), re.M)
    pattern = r"(?:generic specialization <ECDSA\.([\w.]+)> of )?(?:static )?ECDSA\.Residue\.([-+*] infix|squared|halved)\("
    found = {}
    for symbol, long in demangled(names, full=True).items():
        match = re.search(pattern, long)
        if match and (match[2] in INLINED) == (operation in INLINED):
            found.setdefault(match.groups(), []).append(symbol)
    # Every such function must have a claim.
    if set(found) != {row[1:] for row in CLAIMS.values() if (row[2] in INLINED) == (operation in INLINED)}:
        return f"{UNSUPPORTED}these functions, which are not those of the claims: {sorted(found, key=str)}"
    if len(found[name, operation]) != 1:
        return f"{UNSUPPORTED}{len(found[name, operation])} functions of this name"
    symbol, (modulus, count) = found[name, operation][0], MODULI[name]
    functions = ir.read(path, [symbol, *(one for one in names if any(helper in one for helper in HELPERS))])
    try:
        return wrong(operation, *outcome(functions, symbol, count, OPERANDS[operation]), modulus, 1 << 64 * count)
    except Refuted as error:
        return str(error)
    except Unsupported as error:
        return f"{UNSUPPORTED}{error}"


def wrong(operation, one, numbers, result, modulus, radix):
    """Returns why the result of an operation is not shown to be right, or None."""
    a, b = total(numbers[0]), total(numbers[-1])
    if operation == "- infix":
        return wrong_difference(one, numbers, result, modulus, radix)
    if operation == "halved":
        return wrong_half(one, numbers, result, modulus)
    if operation == "+ infix":
        return wrong_choice(one, result, a + b, modulus, radix, 1, 2 * modulus)
    return wrong_choice(one, result, a * b, modulus, radix, radix, modulus * radix)
