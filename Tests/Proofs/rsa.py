"""Shows that products, squares and Montgomery's reduction of the module RSA are right, for any number of limbs.

B is 2^64. A number has k limbs, k a multiple of four and at least 4, and R is B^k. The claims are:

  - `storeProduct` sets a number of 2·k limbs to the product of two numbers of k limbs.
  - `storeSquare` sets a number of 2·k limbs to the square of a number of k limbs.
  - `reduce` gets a number T of 2·k limbs, n, a number M below n with B⁴·M ≡ 1 (mod n), and N' with N'·n ≡ -1 (mod B⁴).
    It gives a number r of k limbs with r·R ≡ T (mod n). r is at most T/R + 2n.
  - The integer statements of Tests/Audit/invariants.tsv about RSA and its kernels, each by its name, hold.

So a multiplication, a product and then a reduction, gives a·b/R modulo n; and by `below-8n`, if both factors are below
R and below 8n, or below 4n if n is below R/8, the result is too.

A function is executed as LLVM IR, from one cut to the next. The cuts are the entry and the headers of outer loops. An
integer is a polynomial in unknown numbers (field.py). So is the index of a loop, and a place in memory is a sum of
indices and a constant. Memory is a row of pieces. A piece has a start, a length, and a value: the number that its limbs
form, as a polynomial in unknown numbers and in powers of B, whose exponents are indices. Pieces do not overlap. Access
to anything but a piece makes the proof fail, so the functions use no memory but what the claim names.

A loop of one block is not unrolled. One turn is executed for any index i and any values of the loop's variables. They
form a carry K. The turn must read and write w limbs x of a number, and must satisfy, for a constant c and a factor m,

    x' + B^w·K' = K + c·x + m·f,

where f is limb i of another number F, or its square (then m is 1). By induction over i, the whole loop satisfies

    X' + B^(w·count)·K' = K + c·X + m·F,

where F stands for the number, or for the sum of fᵢ²·B^(w·i). The step is the first equation times B^(w·i). A variable
that holds the top of the carry may be known only modulo B. Then the bounds of the right side show that it is below B.

The values at the cuts are, in the notation of the functions:

  - storeProduct, row: the limbs below row + k are one[0 ..< row] · other.
  - storeSquare, row: twice the limbs below row + k, and the squares of root[0 ..< row], are
    X² + 2·X·Y·B^row, where X is root[0 ..< row], and Y is the rest of root. At row = k, that is root².
  - reduce, block: V, the limbs from block on with the carry above, satisfies V·B^block <= T + M·B⁴·(B^block - 1), and
    V·B^block ≡ T (mod n). A step takes V = q + B⁴·H to H + q·M.
  - reduce, last step: U = (V + q'·n)/B⁴, whose division is exact. Then n is subtracted until U is below R.

Each step is an identity of polynomials, and each inequality is a lemma that z3 shows. Assumed are what the rows of the
functions in Tests/Audit/operations.tsv say about their callers (numbers are in memory that does not overlap), that no
memory has 2^56 limbs, and that the fields of MontgomeryModulus lie in their order. The constants M and N', shiftUp,
normalize and the power itself are not part of the claims.
"""

import itertools
import math
import os
import re
from fractions import Fraction
from typing import NamedTuple

import z3

import field
import ir
from build import ROOT, demangled
from execute import Refuted, Unsupported, loops_of
from field import Atom, Number, ONE, constant, total
from points import Polynomial, UNIT, ZERO, variable
from sha import UNSUPPORTED

#: The module of each claim, and the short name of its function.
CLAIMS = {
    "RSA: a product": ("RSA", "storeProduct(_:_:_:_:)"),
    "RSA: a square": ("RSA", "storeSquare(_:_:_:)"),
    "RSA: a reduction": ("RSA", "MontgomeryModulus.reduce(_:_:_:)"),
    "RSA: the bounds of invariants.tsv": ("RSA", None),
}
#: An index is below 2^56: no memory has more limbs. The index of an inner loop may be a sum of some of these.
INDEX_BITS, INNER_BITS = 56, 60
B = 1 << 64


class Address(NamedTuple):
    """An address: a block of memory, and an offset in limbs."""

    memory: str
    offset: Number


class Condition(NamedTuple):
    """A comparison of two numbers."""

    predicate: str
    one: Number
    other: Number


class Piece(NamedTuple):
    """A part of memory. The value is a polynomial, a number for a single limb, or None if nothing was written."""

    start: Number
    length: Number
    value: object


def key(number):
    return frozenset(number.terms.items())


def polynomial(value):
    """A number of registers as a polynomial in names."""
    if isinstance(value, Polynomial):
        return value
    return Polynomial({tuple(sorted(f"x{atom.serial}" for atom in atoms)): factor
                       for atoms, factor in value.terms.items()})


def power(length):
    """B to the power of a length."""
    found = UNIT
    for atoms, factor in length.terms.items():
        if len(atoms) > 1 or factor.denominator != 1 or factor < 0:
            raise Unsupported("a power of B with this exponent")
        for _ in range(int(factor) if atoms else 0):
            found = found * variable(f"B^x{atoms[0].serial}")
        found = found if atoms else found * B ** int(factor)
    return found


class Path:
    """One path: memory, registers, and conditions that hold."""

    def __init__(self, registers, memory, facts):
        self.registers, self.facts = dict(registers), list(facts)
        self.memory = {name: {key(piece.start): piece for piece in pieces} for name, pieces in memory.items()}

    def copy(self):
        other = Path(self.registers, {}, self.facts)
        other.memory = {name: dict(pieces) for name, pieces in self.memory.items()}
        return other

    def piece(self, memory, start):
        found = self.memory.get(memory, {}).get(key(start))
        if found is None:
            raise Refuted(f"an access outside the parts of {memory} that the function may use")
        return found

    def pieces(self, memory, start, length):
        """The pieces that fill a part of memory."""
        found, at = [], start
        while key(at) != key(start + length):
            found.append(self.piece(memory, at))
            at = at + found[-1].length
            if len(found) > 100:
                raise Refuted(f"an access to a part of {memory} that no pieces fill")
        return found

    def value(self, memory, start, length):
        """The number that a part of memory holds."""
        found = ZERO
        for piece in self.pieces(memory, start, length):
            if piece.value is None:
                raise Refuted(f"a load from memory of {memory} that was not written")
            found = found + power(piece.start - start) * polynomial(piece.value)
        return found

    def set(self, memory, start, length, value):
        """Gives a part of memory a value."""
        for piece in self.pieces(memory, start, length):
            del self.memory[memory][key(piece.start)]
        self.memory[memory][key(start)] = Piece(start, length, value)


class Loops(field.Execution):
    """The execution of one function between its cuts."""

    def __init__(self, function, constants):
        super().__init__({})
        self.function, self.loops = function, loops_of(function)
        #: The blocks of memory that the function may not change, and the path that is executed.
        self.constants, self.path = constants, None
        #: In a turn of an inner loop: the limbs that it loaded and stored, by memory and offset. Otherwise None.
        self.turn = None
        #: The names of the low parts of numbers that were split, with their counts of limbs.
        self.splits = []
        #: The factor of each inner loop, and the variables at its end.
        self.factors, self.ends = [], []

    def index(self, bits=INDEX_BITS):
        return Number({(self.atom(bits),): 1})

    # Conditions.

    def possible(self, path, *conditions):
        """Whether conditions can hold on a path. A product of numbers counts as any integer."""
        solver, names = z3.Solver(), {}
        solver.set("rlimit", 10_000_000)

        def term(number):
            found = z3.IntVal(0)
            for atoms, factor in number.terms.items():
                if factor.denominator != 1:
                    return z3.FreshInt()
                if atoms not in names:
                    names[atoms] = z3.Int(f"t{len(names)}") if atoms else z3.IntVal(1)
                    if len(atoms) == 1:
                        solver.add(names[atoms] >= 0, names[atoms] < 1 << atoms[0].bits)
                found = found + int(factor) * names[atoms]
            return found

        for predicate, one, other in [*path.facts, *conditions]:
            x, y = term(one), term(other)
            solver.add({"eq": x == y, "ne": x != y, "slt": x < y, "sgt": x > y, "sle": x <= y,
                        "sge": x >= y}[predicate])
        return solver.check() != z3.unsat

    def holds(self, path, condition):
        return not self.possible(path, negated(condition))

    # Paths.

    def run(self, block, path, stops):
        """Yields each path that returns, with None, and each that comes to a stop, with its name and the values of its
        variables."""
        work = [(block, path)]
        while work:
            block, path = work.pop()
            for i in self.function.blocks[block]:
                self.path = path
                if i.opcode == "phi":
                    continue
                if i.opcode == "ret":
                    yield path, None, {}
                elif i.opcode == "unreachable":
                    raise Refuted("a trap is reached")
                elif i.opcode != "br":
                    result = self.instruction(i, [self.value(path.registers, operand) for operand in i.operands])
                    if i.name:
                        path.registers[i.name] = result
                    continue
                else:
                    for target, other in self.sides(i, path):
                        variables = self.variables(target, block, other)
                        if target in stops:
                            yield other, target, variables
                            continue
                        if self.loops.get(target) == {target}:
                            header, target = target, self.summarised(target, variables, other)
                            variables = self.variables(target, header, other)
                        if target in self.loops or target in stops:
                            raise Unsupported("a loop without a cut, or a cut after an inner loop")
                        other.registers |= variables
                        work.append((target, other))
                break

    def variables(self, target, previous, path):
        """The values of the variables of a block, by their names."""
        return {i.name: self.value(path.registers, i.operands[i.blocks.index(previous)])
                for i in self.function.blocks[target] if i.opcode == "phi"}

    def sides(self, i, path):
        """The blocks that a branch can go to, each with its path."""
        if not i.operands:
            return [(i.blocks[0], path)]
        condition = path.registers[i.operands[0].name]
        if isinstance(condition, bool):
            return [(i.blocks[0 if condition else 1], path)]
        if not isinstance(condition, Condition):
            raise Unsupported(f"a branch on a carry: {i.text}")
        found = []
        for target, one in zip(i.blocks, (condition, negated(condition))):
            if self.possible(path, one):
                other = path.copy()
                other.facts.append(one)
                found.append((target, other))
        return found

    # Loops of one block.

    def summarised(self, header, initial, path):
        """Replaces a loop of one block by its effect. Returns the block after it."""
        block = self.function.blocks[header]
        phis = {i.name: i.operands[i.blocks.index(header)] for i in block if i.opcode == "phi"}
        indices = [name for name, value in initial.items() if isinstance(value, Number) and not value.terms
                   and self.is_counter(block, name, phis[name])]
        if len(indices) != 1:
            raise Unsupported(f"a loop with {len(indices)} indices")
        variables = [name for name in phis if name != indices[0]]
        types = {i.name: field.width(i.type) for i in block if i.opcode == "phi"}
        failure = None
        # A variable can be a bit although it has a register of 64 bits.
        for bits in ({name: types[name] for name in variables}, dict.fromkeys(variables, 1)):
            try:
                return self.effect(header, indices[0], phis, bits, initial, path)
            except Refuted as error:
                failure = failure or error
        raise failure

    @staticmethod
    def is_counter(block, name, following):
        return any(i.name == following.name and i.opcode == "add" and i.operands[0].name == name
                   and i.operands[1].number == 1 for i in block)

    def effect(self, header, index, phis, bits, initial, path):
        i = self.index(INNER_BITS)
        before = {name: self.index(count) for name, count in bits.items()}
        if not all(self.exact_number(initial[name]).is_within(0, 1 << count) for name, count in bits.items()):
            raise Refuted("a variable of a loop begins outside its bounds")
        turn = Path({**path.registers, **before, index: i}, {}, [])
        turn.memory, self.turn, self.path = path.memory, {}, turn
        for one in self.function.blocks[header]:
            if one.opcode == "br":
                condition, targets = turn.registers[one.operands[0].name], one.blocks
            elif one.opcode != "phi":
                result = self.instruction(one, [self.value(turn.registers, operand) for operand in one.operands])
                if one.name:
                    turn.registers[one.name] = result
        turn, touched, self.turn = turn.registers, self.turn, None
        after = {name: turn[phis[name].name] for name in bits}
        if condition.predicate != "eq" or targets.index(header) != 1 or key(condition.one) != key(i + constant(1)):
            raise Unsupported("the condition of a loop")
        count = condition.other
        is_fixed = not any(i_atom(i) in atoms for atoms in count.terms)
        if not is_fixed or not self.holds(path, Condition("sge", count, constant(1))):
            raise Refuted("a loop whose count may be zero")
        if not count.is_within(0, 1 << INNER_BITS):
            raise Unsupported("the bounds of a loop")
        equation = self.equation(i, before, after, bits, touched)
        place, width, carry, scale, factor, other, is_square = equation
        start = place.offset
        end = {name: self.index(count_) for name, count_ in bits.items()}
        length = count * constant(width)
        if other is None:
            added = ZERO
        elif is_square:
            path.pieces(other.memory, other.offset, count)
            added = variable("squares")
        else:
            added = polynomial(factor) * path.value(other.memory, other.offset, count)
        changed = {key(piece.start) for piece in path.pieces(place.memory, start, length)}
        if other and other.memory == place.memory and any(
                key(piece.start) in changed for piece in path.pieces(other.memory, other.offset, count)):
            raise Refuted("a loop changes its factor")
        value = (polynomial(carry({name: self.exact_number(initial[name]) for name in bits}))
                 + path.value(place.memory, start, length) * scale + added
                 - power(length) * polynomial(carry(end)))
        if place.memory in self.constants:
            raise Refuted("a store to memory that the function may not change")
        path.set(place.memory, start, length, value)
        self.factors.append(factor)
        self.ends.append(list(end.values()))
        inside = {one.name for one in self.function.blocks[header]}
        path.registers = {name: value for name, value in path.registers.items() if name not in inside}
        path.registers |= {phis[name].name: number for name, number in end.items()}
        return targets[0]

    def definition(self, number):
        """A number that is congruent modulo B⁴. In the highest of four limbs, a remainder modulo B is replaced by the
        number whose remainder it is."""
        sources = {atom: Number(dict(terms)) for (bits, terms), atom in self.remainders.items() if bits == 64}
        found = constant(0)
        for atoms, factor in number.terms.items():
            if len(atoms) == 1 and atoms[0] in sources and factor % B ** 3 == 0:
                found = found + self.definition(sources[atoms[0]] * constant(factor))
            else:
                found = found + Number({atoms: factor})
        return found

    def exact_number(self, number):
        """The number of a register of 64 bits."""
        if not isinstance(number, Number):
            raise Unsupported("a variable of a loop that is no number")
        return self.remainder(number, 64)

    def equation(self, i, before, after, bits, touched):
        """Finds the equation of a turn: the place of the number that changes and its limbs in a turn; the carry, as a
        function of the variables; the constant c; the factor m; the place of F or None; and whether F has squares."""
        stored = {place: value for place, value in touched.items() if value[1] is not None}
        width = len(stored)
        places = sorted(((Address(memory, Number(dict(terms))), value) for (memory, terms), value in stored.items()),
                        key=lambda one: one[0].offset.terms.get((), 0))
        if not places:
            raise Unsupported("a loop that stores nothing")
        step = i * constant(width)
        first = places[0][0]
        first = Address(first.memory, first.offset - step)
        for n, (place, (loaded, _)) in enumerate(places):
            if place.memory != first.memory or key(place.offset) != key(first.offset + step + constant(n)):
                raise Refuted("a loop stores to places that do not follow each other")
            if loaded is None:
                raise Unsupported("a loop that stores to a limb that it does not load")
        loads = [(Address(memory, Number(dict(terms)) - i), value[0])
                 for (memory, terms), value in touched.items() if value[1] is None]
        if len(loads) > 1:
            raise Unsupported("a loop with more than one factor")
        other, limb = loads[0] if loads else (None, None)
        for place in (first, other) if other else (first,):
            if any(i_atom(i) in atoms for atoms in place.offset.terms):
                raise Refuted("a loop whose places do not follow the index")
        new = total([self.remainder(value[1], 64) for _, value in places])
        old = total([value[0] for _, value in places])
        for carry in carries(list(bits), bits):
            rest = self.expanded(new + carry(after) * constant(B ** width) - carry(before))
            found = self.split(rest, old, limb)
            if found is None:
                continue
            scale, factor, is_square = found
            known = {i_atom(number) for number in (i, *before.values(), *(value[0] for _, value in places))}
            if limb is not None:
                known.add(i_atom(limb))
            if any(known & set(atoms) for atoms in factor.terms):
                continue
            product = factor * limb * (limb if is_square else constant(1)) if limb else constant(0)
            self.check_bounds(after, bits, carry, carry(before) + old * constant(scale) + product, new, width)
            return first, width, carry, scale, factor, other, is_square
        raise Refuted("a turn of a loop does not satisfy the equation")

    @staticmethod
    def split(rest, old, limb):
        """Takes c·x + m·f apart: returns c, m, and whether f is a square; or None."""
        lowest = next(atoms for atoms, factor in old.terms.items() if factor == 1)
        scale = rest.terms.get(lowest, 0)
        rest = rest - old * constant(scale)
        if scale not in (1, 2):
            return None
        if limb is None:
            return (scale, constant(0), False) if not rest.terms else None
        atom = i_atom(limb)
        if rest.terms == {(atom, atom): 1}:
            return scale, constant(1), True
        if not all(atoms.count(atom) == 1 for atoms in rest.terms):
            return None
        factor = Number({tuple(a for a in atoms if a != atom): f for atoms, f in rest.terms.items()})
        return scale, factor, False

    @staticmethod
    def check_bounds(after, bits, carry, sum, new, width):
        """Shows that each variable is within its bounds after a turn. The top of the carry is bounded by the sum, which
        is x' + B^w·K'."""
        outside = [name for name, count in bits.items() if not after[name].is_within(0, 1 << count)]
        if not outside:
            return
        [name, *others] = outside
        one = carry({**dict.fromkeys(bits, constant(0)), name: constant(1)}).terms.get((), 0)
        rest = carry({**after, name: constant(0)})
        scale = one * B ** width
        low = sum.low - new.high - rest.high * B ** width
        high = sum.high - new.low - rest.low * B ** width
        if others or one <= 0 or math.ceil(Fraction(low, scale)) < 0 or high // scale >= 1 << bits[name]:
            raise Refuted("a variable of a loop may be outside its bounds")

    # Instructions.

    def instruction(self, i, values):
        op = i.opcode
        # Another module in the process can have a type of the same name, which then has a number here.
        if op == "getelementptr" and len(values) == 2 and re.fullmatch(r"i8|%Ts6UInt64V(\.\d+)?", i.detail):
            distance = values[1] if i.detail != "i8" else values[1].divided(8)
            if not distance.is_whole():
                raise Unsupported(i.text)
            return Address(values[0].memory, values[0].offset + distance)
        if op == "icmp" and isinstance(values[0], Address):
            if values[0].memory != values[1].memory and i.detail == "eq":
                return False
            return None
        if op == "icmp" and i.detail in ("eq", "ne", "slt", "sgt"):
            bits = field.width(i.operands[0].type)
            if not all(value.is_within(-1 << bits - 1, 1 << bits - 1) for value in values):
                raise Unsupported(i.text)
            return Condition(i.detail, *values)
        if op == "select" and values[0] is False and i.operands[2].number == 0 and i.type == "i1":
            return False
        return super().instruction(i, values)

    def value(self, registers, operand):
        if operand.number is not None and operand.type == "i1":
            return constant(operand.number % 2)
        if operand.name is not None and operand.name not in registers:
            raise Unsupported(f"the register {operand.name}")
        return super().value(registers, operand)

    def call(self, i, values):
        if i.detail == "asm":
            return None
        if i.detail == "llvm.trap":
            raise Refuted("a trap is reached")
        if i.detail == "llvm.memset.p0.i64" and not values[1].terms:
            length = values[2].divided(8)
            self.path.set(values[0].memory, values[0].offset, length, ZERO)
            return None
        if i.detail in ("llvm.memmove.p0.p0.i64", "llvm.memcpy.p0.p0.i64"):
            (target, source), length = values[:2], values[2].divided(8)
            self.cut(source)
            value = self.path.value(source.memory, source.offset, length)
            self.path.set(target.memory, target.offset, length, value)
            return None
        return super().call(i, values)

    def cut(self, place):
        """Makes a piece begin at a place: splits the piece that begins some limbs before it."""
        pieces = self.path.memory[place.memory]
        if key(place.offset) in pieces:
            return
        for piece in list(pieces.values()):
            before = place.offset - piece.start
            if set(before.terms) == {()} and before.terms[()] > 0 and isinstance(piece.value, Polynomial):
                name = f"low{len(self.splits)}"
                self.splits.append((name, before.terms[()]))
                low = variable(name)
                high = (piece.value - low) * Fraction(1, B ** before.terms[()])
                pieces[key(piece.start)] = Piece(piece.start, before, low)
                pieces[key(place.offset)] = Piece(place.offset, piece.length - before, high)
                return

    def access(self, i, values):
        place = values[-1]
        if (i.type if i.opcode == "load" else i.operands[0].type) != "i64":
            raise Unsupported(i.text)
        if self.turn is not None:
            return self.access_in_turn(i, values)
        piece = self.path.piece(place.memory, place.offset)
        if key(piece.length) != key(constant(1)):
            raise Refuted(f"an access to a limb inside a number: {i.text}")
        if i.opcode == "load":
            if not isinstance(piece.value, Number):
                raise Refuted(f"a load from memory without a known limb: {i.text}")
            return piece.value
        if place.memory in self.constants:
            raise Refuted("a store to memory that the function may not change")
        self.path.memory[place.memory][key(place.offset)] = Piece(
            place.offset, constant(1), self.remainder(values[0], 64))
        return None

    def access_in_turn(self, i, values):
        """A load or store of a limb in a turn of a loop. Distinct places hold limbs that have nothing in common."""
        place = values[-1].memory, key(values[-1].offset)
        loaded, stored = self.turn.get(place, (None, None))
        if i.opcode == "store":
            self.turn[place] = loaded, values[0]
            return None
        if stored is not None:
            return stored
        if loaded is None:
            loaded = self.index(64)
            self.turn[place] = loaded, None
        return loaded


def i_atom(number):
    """The atom that a number is."""
    [(atoms, _)] = number.terms.items()
    return atoms[0]


def negated(condition):
    opposite = {"eq": "ne", "ne": "eq", "slt": "sge", "sgt": "sle", "sle": "sgt", "sge": "slt"}
    return Condition(opposite[condition.predicate], condition.one, condition.other)


def carries(names, bits):
    """The carries that the variables of a loop may form: a number of limbs, in any order, or a sum of bits, and
    either with a sign."""
    if all(count == 1 for count in bits.values()):
        orders = [[(name, 1) for name in names]]
    else:
        orders = [[(name, B ** place) for place, name in enumerate(order)] for order in itertools.permutations(names)]
    for order in orders:
        for sign in (1, -1):
            def carry(values, order=order, sign=sign):
                return sum((values[name] * constant(sign * weight) for name, weight in order), constant(0))
            yield carry



# The claims.

START, FOUR = constant(0), constant(4)


def number(name, start, length):
    """A piece that holds the number of a name."""
    return Piece(start, length, variable(name))


def unwritten(start, count=4):
    """Pieces of one limb each, in which nothing was written."""
    return [Piece(start + constant(n), constant(1), None) for n in range(count)]


def difference(one, other):
    """The terms in which two polynomials differ."""
    return (one - other).terms


class Proof:
    """The proof of one function. `outer` has the headers of its outer loops."""

    def __init__(self, function):
        self.function, self.loops = function, loops_of(function)
        self.outer = [block for block in function.blocks if block in self.loops and not any(
            block in inside for header, inside in self.loops.items() if header != block)]

    def enter(self, arguments, memory, constants, stops):
        """Executes the function from its entry. Returns the execution and the paths to each stop, by name."""
        one = Loops(self.function, constants)
        parameters = self.function.parameters
        if [p.type for p in parameters] != ["i64" if isinstance(a, Number) else "ptr" for a in arguments]:
            raise Unsupported("the parameters")
        start = Path(dict(zip((p.name for p in parameters), arguments)), memory, [])
        found = {}
        for path, stop, variables in one.run(self.function.entry, start, stops):
            if stop in found:
                raise Unsupported("two ways to a cut")
            found[stop] = path, variables
        return one, found

    def follow(self, one, block, path, variables, memory, stops):
        """Yields the paths from a cut, where the variables have other values than on the path to it."""
        start = Path({**path.registers, **variables}, memory, [])
        yield from one.run(block, start, stops)


def limbs(one, start, count=4):
    """Pieces of one limb each, with unknown limbs."""
    return [Piece(start + constant(n), constant(1), one.index(64)) for n in range(count)]


def only(found, what):
    """The only member of a list."""
    require(len(found) == 1, what)
    return found[0]


def require(condition, what):
    if not condition:
        raise Refuted(what)


def prove_product(function):
    """storeProduct(product, one, other, count)."""
    proof = Proof(function)
    row_block = only(proof.outer, "the loops")
    addresses = [Address(name, START) for name in ("product", "one", "other")]

    def enter(count):
        return proof.enter([*addresses, count], {"product": [Piece(START, count, None)]}, {"one", "other"}, {row_block})

    # From the entry: row is 0, and the first k limbs are 0.
    count = FOUR + quadruple(0)
    _, found = enter(count)
    require(set(found) == {row_block}, "the function returns before the loop")
    path, variables = found[row_block]
    row_name = only(list(variables), "the variables of the loop")
    require(not variables[row_name].terms and path.value("product", START, count) == ZERO,
            "the loop does not begin with zero")

    # One row.
    row = quadruple(1)
    count = row + FOUR + quadruple(0)
    one, found = enter(count)
    factor = limbs(one, row)
    memory = {"product": [number("low", START, row), number("N", row, count), *unwritten(row + count)],
              "one": factor, "other": [number("F", START, count)]}
    m = polynomial(total([piece.value for piece in factor]))
    before = variable("low") + power(row) * variable("N")
    ends = set()
    entry, _ = found[row_block]
    for path, stop, variables in proof.follow(one, row_block, entry, {row_name: row}, memory, {row_block}):
        ends.add(stop)
        after = path.value("product", START, row + count + FOUR)
        require(not difference(after, before + power(row) * m * variable("F")), "a row does not add m · other")
        check_row(one, path, stop, variables, {row_name: row + FOUR}, row, count)
    require(ends == {None, row_block}, "the loop does not go on, or does not end")


def check_row(one, path, stop, variables, following, row, count):
    """Shows that the loop goes on with the next four limbs, or ends because all limbs were used."""
    if stop is None or not following:
        require(one.holds(path, Condition("eq", row + FOUR, count)), "the loop ends before all limbs were used")
    else:
        require({name: key(value) for name, value in variables.items()}
                == {name: key(value) for name, value in following.items()}, "the variables of the next row are wrong")
        require(one.holds(path, Condition("sle", row + constant(8), count)), "the loop goes on after the last row")


def without(terms, zero, unit):
    """Terms where some variables are 0, and those of the polynomial `unit`, which is a product of variables, are 1."""
    [ones], found = unit.terms, {}
    for names, factor in terms.items():
        if not set(names) & set(zero):
            rest = tuple(name for name in names if name not in ones)
            found[rest] = found.get(rest, 0) + factor
    return {names: factor for names, factor in found.items() if factor}


def quadruple(serial):
    """Four times an unknown index."""
    return Number({(Atom(-1 - serial, INDEX_BITS),): 4})


def prove_square(function):
    """storeSquare(square, root, count)."""
    proof = Proof(function)
    require(len(proof.outer) == 2, "the loops")
    row_block, doubling = proof.outer
    stops = {row_block, doubling}
    addresses = [Address(name, START) for name in ("square", "root")]

    def enter(count):
        return proof.enter([*addresses, count], {"square": [Piece(START, count, None)]}, {"root"}, stops)

    count = FOUR + quadruple(0)
    _, found = enter(count)
    require(set(found) == {row_block}, "the function returns before the loop")
    path, variables = found[row_block]
    require(path.value("square", START, count) == ZERO, "the loop does not begin with zero")

    # One row. A variable that begins with k is k - row: it counts down.
    row = quadruple(1)
    rest = quadruple(0)
    count = row + FOUR + rest
    one, found = enter(count)
    path, variables = found[row_block]
    kinds = {key(START): (row, row + FOUR), key(count): (count - row, count - row - FOUR)}
    require(all(key(value) in kinds for value in variables.values()), "the variables of the first row are wrong")
    now = {name: kinds[key(value)][0] for name, value in variables.items()}
    following = {name: kinds[key(value)][1] for name, value in variables.items()}
    root, middle, twice = limbs(one, row), limbs(one, row + row + constant(1), 3), row + row
    memory = {"square": [number("low", START, twice + constant(1)), *middle, number("N", twice + FOUR, rest),
                         *unwritten(row + count)],
              "root": [*root, number("Z", row + FOUR, rest)]}
    r = [polynomial(piece.value) for piece in root]
    m = sum((x * B ** n for n, x in enumerate(r)), ZERO)
    triangle = sum((r[i] * r[j] * B ** (i + j) for j in range(4) for i in range(j)), ZERO)
    between = sum((polynomial(piece.value) * B ** (n + 1) for n, piece in enumerate(middle)), ZERO)
    before = variable("low") + power(twice) * between + power(twice + FOUR) * variable("N")
    right = before + power(twice) * (triangle + m * variable("Z") * B ** 4)
    ends = set()
    for path, stop, variables in proof.follow(one, row_block, path, now, memory, stops):
        ends.add(stop)
        after = path.value("square", START, row + count + FOUR)
        # Without limbs behind the four, N and Z are 0, and B to the power of their count is 1.
        is_last = one.holds(path, Condition("eq", rest, START))
        wrong = difference(after, right)
        if is_last:
            wrong = without(wrong, ("N", "Z"), power(rest))
        require(not wrong, "a row does not add the products of its limbs")
        check_row(one, path, stop, variables, following if stop == row_block else {}, row, count)
    require(ends == {row_block, doubling}, "the loop does not go on, or does not end")
    # 2·E + D = X² + 2·X·Y·W with Y = m + B⁴·Z implies the same for the next row.
    x, w, z = variable("X"), variable("W"), variable("Z")
    squares = sum((x_ * x_ * B ** (2 * n) for n, x_ in enumerate(r)), ZERO)
    step = (triangle + m * z * B ** 4) * 2 + squares
    next_x = x + w * m
    require(not difference(x * x + x * (m + z * B ** 4) * w * 2 + w * w * step,
                           next_x * next_x + next_x * z * w * 2 * B ** 4), "the rows do not form a square")

    # The square: twice the products, and the squares of the limbs.
    one, found = enter(count)
    path, _ = found[row_block]
    names = [i.name for i in function.blocks[doubling] if i.opcode == "phi"]
    memory = {"square": [number("S", START, count + count)], "root": [number("F", START, count)]}
    predecessor = only([block for block, code in function.blocks.items() if doubling in code[-1].blocks
                        and block != doubling], "the way to the doubling")
    start = Path(path.registers, memory, [])
    variables = one.variables(doubling, predecessor, start)
    require(len(names) == 3 and not any(value.terms for value in variables.values()),
            "the doubling does not begin with 0")
    block = one.summarised(doubling, variables, start)
    for path, stop, _ in one.run(block, start, set()):
        after = path.value("square", START, count + count)
        # The result and B^2k·carry are root², which is below B^2k. So the carry, a sum of two bits, is 0.
        require(len(one.ends[-1]) == 2 and all(bit.is_within(0, 2) for bit in one.ends[-1]),
                "the carry of the doubling")
        carry = sum(map(polynomial, one.ends[-1]), ZERO)
        require(not difference(after + power(count + count) * carry, variable("S") * 2 + variable("squares")),
                "the doubling is wrong")


def join_of(proof):
    """The block at which the path without steps and the loop of the steps join."""
    found = [block for block, code in proof.function.blocks.items() if block not in proof.loops and any(
        i.opcode == "phi" and proof.function.entry in i.blocks for i in code)]
    if len(found) != 1:
        raise Unsupported("the blocks after the steps")
    return found[0]


def prove_reduction(function):
    """reduce(result, product, constants.modulus, constants.shift, self)."""
    proof = Proof(function)
    require(len(proof.outer) == 3, "the loops")
    steps, _, last = proof.outer
    join = join_of(proof)
    addresses = [Address(name, START) for name in ("result", "product", "modulus", "shift", "self")]
    fixed, stops = {"modulus", "shift", "self"}, {steps, last, join}
    inverse = [Piece(constant(n), constant(1), Number({(Atom(-10 - n, 64),): 1})) for n in range(3, 7)]

    def always(count):
        """The memory that the function only reads. self has the constants, k, the bits of n, and -1/n mod B⁴."""
        return {"self": [Piece(constant(1), constant(1), count), *inverse],
                "modulus": [number("n", START, count)], "shift": [number("M", START, count)]}

    # From the entry: block is 0 and the carry is 0. Without steps, k is 4.
    count = FOUR + quadruple(0)
    one, found = proof.enter(addresses, always(count), fixed, stops)
    require(set(found) == {steps, join}, "the function does not begin with the steps")
    require(not any(value.terms for _, variables in found.values() for value in variables.values()),
            "the steps do not begin with zeros")
    require(one.holds(found[join][0], Condition("eq", count, FOUR)), "there are no steps although k is above 4")

    # One step.
    block = quadruple(1)
    count = block + constant(8) + quadruple(0)
    one, found = proof.enter(addresses, always(count), fixed, stops)
    lowest, upper, carry = limbs(one, block), limbs(one, block + FOUR + count), one.index(1)
    memory = {**always(count), "product": [*lowest, number("N", block + FOUR, count), *upper]}
    types = {i.name: i.type for i in function.blocks[steps] if i.opcode == "phi"}
    require(sorted(types.values()) == ["i1", "i64"], "the variables of the steps")
    now = {name: carry if type == "i1" else block for name, type in types.items()}
    q, above = (polynomial(total([piece.value for piece in pieces])) for pieces in (lowest, upper))
    right = variable("N") + power(count) * (above + polynomial(carry)) + q * variable("M")
    ends, index_name = set(), None
    for path, stop, variables in proof.follow(one, steps, found[steps][0], now, memory, stops):
        ends.add(stop)
        index = only([name for name, value in variables.items() if key(value) == key(block + FOUR)], "the next step")
        bit = only([value for name, value in variables.items() if name != index], "the carry of a step")
        require(bit.is_within(0, 2), "the carry of a step may be above 1")
        after = path.value("product", block + FOUR, count + FOUR) + power(count + FOUR) * polynomial(bit)
        require(not difference(after, right), "a step does not add q · M")
        if stop == steps:
            require(one.holds(path, Condition("sle", block + constant(12), count)), "a step after the last one")
        else:
            index_name = index
            require(one.holds(path, Condition("eq", block + constant(8), count)), "the steps end too early")
    require(ends == {steps, join}, "the steps do not go on, or do not end")

    # The last step, at block = k - 4.
    block = quadruple(1)
    count = block + FOUR
    one, found = proof.enter(addresses, always(count), fixed, stops)
    lowest, upper, carry = limbs(one, block), limbs(one, block + count), one.index(1)
    memory = {**always(count), "result": [Piece(START, count, None)],
              "product": [*lowest, number("N", block + FOUR, block), *upper]}
    path, variables = found[join]
    now = {name: block if name == index_name else carry for name in variables}
    v = (polynomial(total([piece.value for piece in lowest])) + variable("N") * B ** 4
         + power(count) * polynomial(total([piece.value for piece in upper])) + power(count + FOUR) * polynomial(carry))
    excesses = {}
    for path, stop, variables in proof.follow(one, join, path, now, memory, stops):
        # The lowest four limbs of the sum are called low.
        low, places = only(one.splits, "the division by B⁴")
        quotient = only(one.factors, "the last step is not a strip")
        require(places == 4, "the sum is not divided by B⁴")
        if stop is None:
            # The function returns because the part above R is 0.
            predicate, excess, zero = path.facts[-1]
            require(predicate == "eq" and not zero.terms, "the function returns for another reason")
        else:
            excess = only(list(variables.values()), "the variables of the subtractions")
        excesses[stop] = excess
        require(excess.is_within(0, 3), "the part above R may be 3 or more")
        u = path.value("result", START, count) + power(count) * polynomial(excess)
        require(not difference(u * B ** 4 + variable(low), v + polynomial(quotient) * variable("n")),
                "the last step does not add a multiple of n, and divide by B⁴")
        # The quotient is q·N' modulo B⁴: so the lowest four limbs are divisible by B⁴, and zero.
        wanted = total([piece.value for piece in lowest]) * total([piece.value for piece in inverse])
        exact = one.definition(quotient)
        require((exact - wanted).divided(B ** 4).is_whole(), "the quotient is wrong")
    require(set(excesses) == {None, last}, "the function does not subtract, or always subtracts")

    # One subtraction. The part above R is 1 or 2.
    one, found = proof.enter(addresses, always(count), fixed, stops)
    memory["result"] = [Piece(START, count, None)]
    memory["product"] = [*limbs(one, block), number("N", block + FOUR, block), *limbs(one, block + count)]
    path, variables = found[join]
    now = {name: block if name == index_name else one.index(1) for name in variables}
    path, variables = only([(path, variables) for path, stop, variables
                            in proof.follow(one, join, path, now, memory, stops) if stop == last], "the subtractions")
    name = only(list(variables), "the variables of the subtractions")
    excess = one.index(1) + ONE
    memory = {**always(count), "result": [number("Y", START, count)]}
    ends = set()
    for path, stop, variables in proof.follow(one, last, path, {name: excess}, memory, {last}):
        ends.add(stop)
        borrow = only(one.ends[-1], "the borrow")
        following = excess - borrow
        after = path.value("result", START, count) + power(count) * polynomial(following)
        require(borrow.is_within(0, 2), "the borrow may be above 1")
        require(not difference(after, variable("Y") + power(count) * polynomial(excess) - variable("n")),
                "n is not subtracted")
        if stop == last:
            require(key(variables[name]) == key(following), "the part above R is wrong")
        require(one.holds(path, Condition("ne" if stop else "eq", following, START)),
                "the subtractions end at the wrong time")
    require(ends == {None, last}, "the subtractions do not go on, or do not end")


# The bounds. They hold for real numbers, so for integers too.


def limited(*limits):
    """The conditions that numbers are from 0 to the greatest integer below their limits."""
    return [z3.And(0 <= one, one <= limit - 1) for one, limit in limits]


def statements():
    """The module and the name of each invariant that is stated here, what holds before, and what follows."""
    half, limb52, limb28 = 1 << 32, 1 << 52, 1 << 28
    a, b, x, y, n, q, h, v, u, w, t, r, m, result = z3.Reals("a b x y n q h v u w t r m result")
    b4, several = B ** 4, z3.Real("several")
    yield ("RSA", "strip", limited((a, b4), (b, b4), (x, B), (y, B)), a + b * x + y <= B ** 5 - 1)
    yield ("RSA", "halves", limited((a, half), (b, half), (x, half), (y, half)), a * b + x + y <= half ** 2 - 1)
    yield ("RSA", "halves", limited((a, half ** 8), (b, half ** 8), (x, half), (y, half)),
           a + b * x + y <= half ** 9 - 1)
    yield ("RSA", "halves", limited((a, half ** 2), (b, half ** 2)), a * b < half ** 4)
    # A step of reduce, with W = B^block and V = q + B⁴·H, and the last step, with R = W·B⁴.
    steps = v * w <= t + m * b4 * (w - 1)
    yield ("RSA", "below-8n", [*limited((q, b4)), 0 <= m, 1 <= w, v == q + b4 * h, steps, u == h + q * m],
           u * (w * b4) <= t + m * b4 * (w * b4 - 1))
    yield ("RSA", "below-8n", [*limited((q, b4), (m, n)), 1 <= w, steps, u * b4 == v + q * n, r == w * b4],
           u * r <= t + 2 * n * r)
    # reduce: its sum U is below 3R, and above 0 after a subtraction, because U was R or more.
    yield ("RSA", "below-8n", [*limited((t, r * r), (n, r)), r > 1, u * r <= t + 2 * n * r], u < 3 * r)
    yield ("RSA", "below-8n", [*limited((n, r)), u >= r], u - n > 0)
    # The result is at most U. If n is R/8 or more, it is below 8n because it is below R.
    yield ("RSA", "below-8n", [8 * n >= r, result < r], result < 8 * n)
    yield ("RSA", "below-8n", [*limited((a, 4 * n), (b, 4 * n)), 0 < r, 8 * n < r, result * r <= a * b + 2 * n * r],
           result < 4 * n)
    yield ("Kernels/IFMA", "columns", limited((several, 80 * (limb52 - 1) + 1)), several < 80 * limb52)
    # A column of a product or a square, the halves that a reduction adds, and a carry; and then the next carry.
    yield ("Kernels/IFMA", "columns", [*limited((several, 81 * limb52), (x, 80 * (limb52 - 1) + 1)), 0 <= y, y <= 162],
           z3.And(several + x + y < 162 * limb52, several + x + y + limb52 - 1 < 1 << 60))
    yield ("Kernels/IFMA", "columns", [*limited((x, 162 * limb52))], (x + limb52 - 1) / limb52 < 163)
    yield ("Kernels/AVX2", "columns", [*limited((several, 75 * (limb28 - 1) ** 2 + 1), (x, 75 * (limb28 - 1) ** 2 + 1)),
                                       0 <= y, y < 1 << 36],
           z3.And(several + x + y < 150 * limb28 ** 2 + (1 << 36), 150 * limb28 ** 2 + (1 << 36) < 1 << 64))
    yield ("Kernels/AVX2", "columns", [0 <= x, x < 1 << 64], x / limb28 < 1 << 36)


def wrong_bounds():
    """The first statement that is not shown, or whose invariant does not exist, or None."""
    with open(os.path.join(ROOT, "Tests/Audit/invariants.tsv"), encoding="utf-8") as table:
        invariants = {tuple(line.split("\t")[:2]) for line in table}
    for module, name, before, after in statements():
        if (module, name) not in invariants:
            return f"{module}: {name} is not an invariant"
        solver = z3.SolverFor("QF_NRA")
        solver.set("rlimit", 10_000_000)
        solver.add(*before)
        if solver.check() != z3.sat:
            return f"{module}: {name}: the conditions exclude each other"
        solver.add(z3.Not(after))
        if solver.check() != z3.unsat:
            return f"{module}: {name}: {after}"
    return None


def check(claim, path):
    """Proves one claim about a module whose IR is in a file. Returns why it fails, or None."""
    if CLAIMS[claim][1] is None:
        return wrong_bounds()
    with open(path, encoding="utf-8") as file:
        names = demangled(re.findall(r'^define [^@]*@"?([^"(]+)"?\(', file.read(), re.M))
    found = [symbol for symbol, name in names.items() if name == CLAIMS[claim][1]]
    if len(found) != 1:
        return f"{UNSUPPORTED}{len(found)} functions of this name"
    try:
        PROOFS[CLAIMS[claim][1]](ir.read(path, found)[found[0]])
    except Refuted as error:
        return str(error)
    except Unsupported as error:
        return f"{UNSUPPORTED}{error}"
    return None


PROOFS = {
    "storeProduct(_:_:_:_:)": prove_product,
    "storeSquare(_:_:_:)": prove_square,
    "MontgomeryModulus.reduce(_:_:_:)": prove_reduction,
}
