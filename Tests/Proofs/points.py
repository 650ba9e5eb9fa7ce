"""Shows that the sums of points in the shipped code obey the group law of P-256 and P-384, in every case.

Let P = (X1 : Y1 : Z1) and Q = (X2 : Y2 : Z2) be points of a curve y² = x³ - 3x + b in Jacobian coordinates: x = X/Z²,
y = Y/Z³, and Z is zero for the point at infinity. The claims are:

  - `double` replaces P by 2·P. The point at infinity stays the point at infinity.
  - `add` replaces P by P + Q, for any P, and for any Q other than the point at infinity. Q may be an affine point.

The function is executed as LLVM IR, path by path. field.py shows what the functions do that add, subtract, multiply,
square and halve residues, so a call of one is a step of this proof. A residue is a polynomial in the coordinates, with
coefficients from the integers and 1/2. The limbs of a residue occur as copies only, and in the comparison of all limbs
with zero, at which a path has two continuations.

A path is right in one of these cases. D, N and M stand for the numerators and the denominator of the chord or of the
tangent: its slope λ is M/D, and the sum has x = λ² - x1 - x2 and y = λ·(x1 - x) - y1.

  - It found that P is the point at infinity, and the result is Q.
  - It found that x1 = x2 and y1 = y2, and it calls `double`.
  - It found that x1 = x2 and y1 ≠ y2, and the result has Z = 0. Both points are on the curve, so y1² = y2², and Q = -P.
  - It found that x1 ≠ x2, or it doubles, and the result has Z = D, X = x·D² and Y = y·D³ for the sum's x and y. These
    are identities of polynomials. D is not zero: it is a product of Z1, Z2 and a difference that is not zero. For the
    tangent of a point other than the point at infinity, D = 2·Y·Z, and no point has Y = 0: x³ - 3x + b has no root.

The compiler inlines the functions of residues, so the proof is about a copy in which it does not; see field.py.
"""

import re
from fractions import Fraction
from typing import NamedTuple

import field
import ir
from build import demangled
from execute import Refuted, Unsupported
from field import MODULI, Pointer
from sha import UNSUPPORTED

#: The coefficient b of each curve, from SP 800-186 §3.2.1.
COEFFICIENTS = {
    "P256": 0x5AC635D8AA3A93E7_B3EBBD55769886BC_651D06B0CC53B0F6_3BCE3C3E27D2604B,
    "P384": 0xB3312FA7E23EE7E4_988E056BE3F82D19_181D9C6EFE814112_0314088F5013875A_C656398D8A2ED19D_2A85C8EDD3EC2AEF,
}
#: The module, the curve and the function of each claim.
CLAIMS = {
    f"ECDSA: {curve}: {text}": ("ECDSA", curve, function)
    for curve in COEFFICIENTS
    for text, function in (("a double", "double()"), ("a sum of points", "add(ECDSA.JacobianPoint<A>)"),
                           ("a sum with an affine point", "add(ECDSA.AffinePoint<A>)"))
}


def sources(claim, folder, replaced):
    """The sources that are compiled in place of others."""
    return field.outlined(folder, replaced)


class Polynomial:
    """A polynomial: a coefficient for each monomial, which is a sorted tuple of the names of its variables."""

    def __init__(self, terms):
        self.terms = {names: factor for names, factor in terms.items() if factor}

    def __add__(self, other):
        terms = dict(self.terms)
        for names, factor in other.terms.items():
            terms[names] = terms.get(names, 0) + factor
        return Polynomial(terms)

    def __mul__(self, other):
        if not isinstance(other, Polynomial):
            return Polynomial({names: factor * other for names, factor in self.terms.items()})
        terms = {}
        for x, one in self.terms.items():
            for y, two in other.terms.items():
                names = tuple(sorted(x + y))
                terms[names] = terms.get(names, 0) + one * two
        return Polynomial(terms)

    def __sub__(self, other):
        return self + other * -1

    def __eq__(self, other):
        return self.terms == other.terms

    def __hash__(self):
        return hash(frozenset(self.terms.items()))


def variable(name):
    return Polynomial({(name,): 1})


ZERO, UNIT = Polynomial({}), Polynomial({(): 1})

OPERATIONS = {
    "+ infix": lambda x, y: x + y,
    "- infix": lambda x, y: x - y,
    "* infix": lambda x, y: x * y,
    "squared": lambda x: x * x,
    "halved": lambda x: x * Fraction(1, 2),
}


class Limb(NamedTuple):
    """A limb of a residue."""

    residue: Polynomial
    index: int


class Zeros(NamedTuple):
    """The condition that some limbs are zero."""

    limbs: frozenset


class Path:
    """One path: memory by addresses, registers, and the residues that are known to be zero, or not to be."""

    def __init__(self, memory, registers):
        self.memory, self.registers = memory, registers
        self.zero, self.nonzero, self.doubles = [], [], False

    def copy(self):
        other = Path(dict(self.memory), dict(self.registers))
        other.zero, other.nonzero, other.doubles = list(self.zero), list(self.nonzero), self.doubles
        return other


class Execution:
    """The execution of one function of a curve."""

    #: The residues 0 and 1, and the residue of a name. small_curves.py has others, and other operations.
    constants = ZERO, UNIT
    variable = staticmethod(variable)

    def __init__(self, function, operations, doubling, curve):
        #: The operation of each function of residues, by its symbol, and the symbol of `double`.
        self.operations, self.doubling = operations, doubling
        self.function, (self.modulus, self.count) = function, MODULI[f"{curve}.Field"]
        #: The octets of each block of memory.
        self.sizes = {}

    def paths(self, path):
        """Yields each path at its end."""
        work = [(self.function.entry, path)]
        while work:
            block, path = work.pop()
            for i in self.function.blocks[block]:
                if i.opcode == "ret":
                    yield path
                elif i.opcode == "br":
                    work += self.branch(i, path)
                else:
                    path.registers[i.name] = self.instruction(i, path)
            if len(work) > 100:
                raise Unsupported("a loop")

    def branch(self, i, path):
        if len(i.blocks) == 1:
            return [(i.blocks[0], path)]
        condition = path.registers[i.operands[0].name]
        residues = {limb.residue for limb in condition.limbs}
        if len(residues) != 1 or len(condition.limbs) != self.count:
            raise Refuted(f"a branch on something other than all limbs of a residue: {i.text}")
        residue, other = residues.pop(), path.copy()
        path.zero.append(residue)
        other.nonzero.append(residue)
        return [(i.blocks[0], path), (i.blocks[1], other)]

    def value(self, path, operand):
        if operand.name is not None:
            return path.registers[operand.name]
        if operand.number is not None:
            return operand.number % (1 << 64)
        raise Unsupported(f"{operand.type} {operand.constant}")

    def instruction(self, i, path):
        op = i.opcode
        if op == "call":
            return self.call(i, path)
        if op == "alloca":
            place = Pointer(i.name, 0)
            self.sizes[place.memory] = 8 * self.count
            return place
        values = [self.value(path, operand) for operand in i.operands]
        if op == "getelementptr" and i.detail == "i8" and isinstance(values[1], int):
            return Pointer(values[0].memory, values[0].offset + values[1])
        if op == "load" and i.type == "i64":
            return self.load(path, values[0])
        if op == "store" and i.operands[0].type == "i64":
            path.memory[self.place(values[1])] = values[0]
            return None
        if op == "extractvalue" and len(i.detail) == 1:
            return values[0][i.detail[0]]
        if op == "icmp" and i.detail == "eq" and isinstance(values[0], Limb) and values[1] == 0:
            return Zeros(frozenset(values[:1]))
        both = op == "select" and i.operands[2].number == 0 or op == "and"
        if both and isinstance(values[0], Zeros) and isinstance(values[1], Zeros):
            return Zeros(values[0].limbs | values[1].limbs)
        raise Unsupported(i.text)

    def place(self, pointer):
        if pointer.offset % 8 or not 0 <= pointer.offset < self.sizes.get(pointer.memory, 0):
            raise Refuted(f"an access outside {pointer.memory}")
        return pointer

    def load(self, path, pointer):
        found = path.memory.get(self.place(pointer))
        if found is None:
            raise Refuted(f"a load from memory of {pointer.memory} that was not written")
        return found

    def cells(self, pointer, count):
        return [self.place(Pointer(pointer.memory, pointer.offset + 8 * index)) for index in range(count)]

    def residue(self, limbs):
        """The residue that limbs are. The Montgomery form of one is R - m."""
        if all(isinstance(limb, Limb) for limb in limbs):
            if [limb.index for limb in limbs] == list(range(self.count)) and len({limb.residue for limb in limbs}) == 1:
                return limbs[0].residue
        elif all(isinstance(limb, int) for limb in limbs):
            form = sum(limb << 64 * index for index, limb in enumerate(limbs))
            if form in (0, (1 << 64 * self.count) - self.modulus):
                return self.constants[1 if form else 0]
        raise Refuted("limbs that are not those of one residue, in their order")

    def limbs(self, residue):
        return [Limb(residue, index) for index in range(self.count)]

    def call(self, i, path):
        values = [self.value(path, operand) for operand in i.operands]
        if i.detail.startswith("llvm.lifetime."):
            for pointer in self.cells(values[-1], self.count):
                path.memory.pop(pointer, None)
            return None
        if i.detail in ("llvm.memcpy.p0.p0.i64", "llvm.memset.p0.i64") and values[2] % 8 == 0:
            target = self.cells(values[0], values[2] // 8)
            if i.detail == "llvm.memcpy.p0.p0.i64":
                copied = [self.load(path, pointer) for pointer in self.cells(values[1], values[2] // 8)]
            elif values[1] == 0:
                copied = [0] * len(target)
            else:
                raise Unsupported(i.text)
            path.memory |= zip(target, copied)
            return None
        if i.detail == self.doubling:
            if values != [Pointer("self", 0)]:
                raise Refuted("a point other than this one is doubled")
            path.doubles = True
            return None
        if i.detail not in self.operations:
            raise Unsupported(i.text)
        operation = self.operations[i.detail]
        if i.type == "void":
            # The function takes the addresses of its result and of its operands.
            operands = [[self.load(path, cell) for cell in self.cells(pointer, self.count)] for pointer in values[1:]]
            result = self.operate(operation, [self.residue(limbs) for limbs in operands])
            path.memory |= zip(self.cells(values[0], self.count), self.limbs(result))
            return None
        operands = [values[start:start + self.count] for start in range(0, len(values), self.count)]
        return self.limbs(self.operate(operation, [self.residue(limbs) for limbs in operands]))

    def operate(self, operation, operands):
        return OPERATIONS[operation](*operands)

    def coordinates(self, path, memory, count=3):
        limbs = [self.load(path, cell) for cell in self.cells(Pointer(memory, 0), count * self.count)]
        return [self.residue(limbs[start:start + self.count]) for start in range(0, len(limbs), self.count)]


# The claims.


def has_root(curve):
    """Whether x³ - 3x + b has a root modulo p: whether it has a common factor with x^p - x."""
    p, b = MODULI[f"{curve}.Field"][0], COEFFICIENTS[curve]

    def product(one, other):
        found = [0] * 5
        for i, x in enumerate(one):
            for j, y in enumerate(other):
                found[i + j] += x * y
        for degree in (4, 3):
            # x³ is 3x - b.
            found[degree - 2] += 3 * found[degree]
            found[degree - 3] -= b * found[degree]
        return [x % p for x in found[:3]]

    power = [1, 0, 0]
    for bit in f"{p:b}":
        power = product(power, power)
        if bit == "1":
            power = product(power, [0, 1, 0])
    one, other = [b, p - 3, 0, 1], [power[0], (power[1] - 1) % p, power[2]]
    while any(other):
        while not other[-1]:
            other.pop()
        inverse = pow(other[-1], -1, p)
        while len(one) >= len(other):
            factor, start = one[-1] * inverse, len(one) - len(other)
            one = [(x - factor * other[i - start]) % p if i >= start else x for i, x in enumerate(one)][:-1]
        one, other = other, one
    return len([x for x in one if x]) > 1 or bool(one[1:])


def is_sum(result, divisor, slope, sum_of_x, x1, y1):
    """Whether a result has the coordinates of a sum. `sum_of_x` is (x1 + x2)·D², `x1` is x1·D², and `y1` is y1·D³."""
    x = slope * slope - sum_of_x
    return result == [x, slope * (x1 - x) - y1, divisor]


def wrong_path(execution, path, function, affine):
    """Returns why the result of a path is not shown to be right, or None."""
    x1, y1, z1 = (variable(name) for name in ("X1", "Y1", "Z1"))
    result = execution.coordinates(path, "self")
    if function == "double()":
        if path.zero or path.nonzero:
            return "a double depends on a condition"
        divisor, slope = y1 * z1 * 2, (x1 * x1 - z1 * z1 * z1 * z1) * 3
        square = y1 * y1 * 4
        right = is_sum(result, divisor, slope, x1 * square * 2, x1 * square, y1 * square * y1 * 2)
        return None if right else "the result is not the double"
    other = execution.coordinates(path, "other", 2 if affine else 3)
    x2, y2, z2 = [*other, UNIT] if affine else other
    # The differences x2 - x1 and y2 - y1, times powers of Z1·Z2.
    h, r = x2 * z1 * z1 - x1 * z2 * z2, y2 * z1 * z1 * z1 - y1 * z2 * z2 * z2
    facts = path.zero, path.nonzero
    if facts == ([z1], []):
        return None if result == [x2, y2, z2] else "the sum with the point at infinity is not the other point"
    if facts == ([h, r], [z1]):
        same = result == [x1, y1, z1] and path.doubles
        return None if same else "the sum of equal points is not the double"
    if path.doubles:
        return "different points are doubled"
    if facts == ([h], [z1, r]):
        return None if result[2] == ZERO else "the sum of opposite points is not the point at infinity"
    if facts != ([], [z1, h]):
        return "the conditions of a path are none of the known cases"
    first, second = x1 * z2 * z2, x2 * z1 * z1
    right = is_sum(result, h * z1 * z2, r, (first + second) * h * h, first * h * h, y1 * z2 * z2 * z2 * h * h * h)
    return None if right else "the result is not the sum"


def start(path, curve, function, kind=Execution):
    """The execution of a function of a curve in a module whose IR is in a file, and the path that it starts with."""
    with open(path, encoding="utf-8") as file:
        names = re.findall(r'^define [^@]*@"?([^"(]+)"?\(', file.read(), re.M)
    prefix = r"generic specialization <ECDSA\.%s> of (?:static )?ECDSA\.%s\.(.+)"
    operations, methods = {}, {}
    for symbol, long in demangled(names, full=True).items():
        if match := re.match(prefix % (curve + r"\.Field", "Residue"), long):
            if (name := match[1].split("(")[0]) in OPERATIONS:
                operations[symbol] = name
        elif match := re.match(prefix % (curve, "JacobianPoint"), long):
            methods.setdefault(match[1].removesuffix(" -> ()"), []).append(symbol)
    if len(methods.get(function, [])) != 1 or len(methods.get("double()", [])) != 1:
        raise Unsupported(f"no function, or several functions of this name: {sorted(methods)}")
    [symbol], [doubling] = methods[function], methods["double()"]
    execution = kind(ir.read(path, [symbol])[symbol], operations, doubling, curve)
    parameters = [p.name for p in execution.function.parameters]
    blocks = {"self": ("X1", "Y1", "Z1")}
    if function != "double()":
        blocks = {"other": ("X2", "Y2") if "Affine" in function else ("X2", "Y2", "Z2"), **blocks}
    memory = {}
    for block, coordinates in blocks.items():
        execution.sizes[block] = 8 * execution.count * len(coordinates)
        limbs = [limb for name in coordinates for limb in execution.limbs(execution.variable(name))]
        memory |= {Pointer(block, 8 * index): limb for index, limb in enumerate(limbs)}
    if len(parameters) != len(blocks) or any(p.type != "ptr" for p in execution.function.parameters):
        raise Unsupported(f"the parameters {parameters}")
    return execution, Path(memory, dict(zip(parameters, (Pointer(block, 0) for block in blocks))))


def check(claim, path):
    """Proves one claim about a module whose IR is in a file. Returns why it fails, or None."""
    _, curve, function = CLAIMS[claim]
    if has_root(curve):
        return "a point may have Y = 0"
    try:
        execution, first = start(path, curve, function)
        failures = [wrong_path(execution, one, function, "Affine" in function) for one in execution.paths(first)]
    except Refuted as error:
        return str(error)
    except Unsupported as error:
        return f"{UNSUPPORTED}{error}"
    if len(failures) != (1 if function == "double()" else 4):
        return f"{len(failures)} paths"
    return next((failure for failure in failures if failure), None)
