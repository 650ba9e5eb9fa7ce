"""Runs the sums of points of the shipped code on small curves, for all points, and compares them with the group law.

points.py executes `double` and `add` as LLVM IR. Here the execution writes down the operations on residues of each path
and the conditions of the path, as a function in Python. The function is called with integers modulo small primes p. The
curves are y² = x³ - 3x + b for all b for which the curve is not singular. Points with y = 0 are among them, though the
curves P-256 and P-384 have none.

P is any point, also the point at infinity. Q is any point but the point at infinity, with which `add` must not be
called. Each of them has every Z other than zero if p <= 11, and Z = 1, 2 and 3 if p is larger. The point at infinity is
(t² : t³ : 0) for these t. The result must have Z = 0 if the sum is the point at infinity. Otherwise it must have Z ≠ 0,
X = x·Z² and Y = y·Z³.
"""

from itertools import product

import points
from execute import Refuted, Unsupported
from sha import UNSUPPORTED

#: The module and the curve of each claim.
CLAIMS = {f"ECDSA: {curve}: small curves": ("ECDSA", curve) for curve in points.COEFFICIENTS}
#: The claims are not proved but tried.
VERDICT = "tried  "
PRIMES = [5, 7, 11, 13, 17, 19, 23, 29, 31]
#: The operations of points.py, as Python writes them.
TEXTS = {"+ infix": "({} + {})", "- infix": "({} - {})", "* infix": "({} * {})", "squared": "({0} * {0})",
         "halved": "({} * half)"}

sources = points.sources


class Recording(points.Execution):
    """An execution in which a residue is the name of a variable, and an operation is a line of a program."""

    constants = "0", "1"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.lines = []

    @staticmethod
    def variable(name):
        return name

    def operate(self, operation, operands):
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {TEXTS[operation].format(*operands)} % p")
        return name


def program(path, curve, function, parameters):
    """A function of a curve, written in Python. It takes P, and as many coordinates of Q as `parameters` says."""
    execution, first = points.start(path, curve, function, Recording)
    returns = []
    for end in execution.paths(first):
        conditions = [f"{name} == 0" for name in end.zero] + [f"{name} != 0" for name in end.nonzero]
        result = execution.coordinates(end, "self")
        if end.doubles and result != ["X1", "Y1", "Z1"]:
            raise Refuted("a point other than P is doubled")
        value = f"{'double' if end.doubles else ''}({', '.join(result)})"
        returns.append(f"if {' and '.join(conditions) or True}: return {value}")
    name = {0: "double", 2: "add_affine", 3: "add"}[parameters]
    names = ["X1", "Y1", "Z1", "X2", "Y2", "Z2"][:3 + parameters]
    return "\n    ".join([f"def {name}({', '.join(names)}):", *execution.lines, *returns]) + "\n"


def total(one, other, p):
    """The sum of two affine points by the group law. None is the point at infinity."""
    if one is None or other is None:
        return other if one is None else one
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % p == 0:
        return None
    slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, p) if one == other else (y2 - y1) * pow(x2 - x1, -1, p)
    x = (slope * slope - x1 - x2) % p
    return x, (slope * (x1 - x) - y1) % p


def jacobian(point, z, p):
    """The coordinates of an affine point or of None with a Z."""
    x, y = point or (1, 1)
    return x * z * z % p, y * z * z * z % p, z if point else 0


def wrong_prime(text, p):
    """Compares the functions with the group law, on all curves modulo a prime. Returns what is wrong, or None."""
    functions = {"p": p, "half": (p + 1) // 2}
    exec(text, functions)
    double, add, add_affine = (functions[name] for name in ("double", "add", "add_affine"))

    def check(name, result, right, *operands):
        z = result[2]
        same = z == 0 if right is None else z != 0 and result == jacobian(right, z, p)
        return None if same else f"y² = x³ - 3x + {b} modulo {p}: {name} of {operands} gives {result}"

    scales = range(1, p) if p <= 11 else (1, 2, 3)
    for b in range(p):
        if (b * b - 4) % p == 0:
            continue  # The discriminant is -432·(b² - 4).
        finite = [(x, y) for x, y in product(range(p), repeat=2) if (y * y - x * x * x + 3 * x - b) % p == 0]
        for one, scale in product([None, *finite], scales):
            first = jacobian(one, scale, p)
            wrong = check("the double", double(*first), total(one, one, p), first)
            for other in finite:
                right = total(one, other, p)
                wrong = wrong or check("the sum", add_affine(*first, *other), right, first, other)
                for second in (jacobian(other, z, p) for z in scales):
                    wrong = wrong or check("the sum", add(*first, *second), right, first, second)
            if wrong:
                return wrong
    return None


def check(claim, path):
    """Proves one claim about a module whose IR is in a file. Returns why it fails, or None."""
    curve = CLAIMS[claim][1]
    try:
        text = "".join(program(path, curve, function, parameters) for function, parameters in
                       (("double()", 0), ("add(ECDSA.AffinePoint<A>)", 2), ("add(ECDSA.JacobianPoint<A>)", 3)))
    except Refuted as error:
        return str(error)
    except Unsupported as error:
        return f"{UNSUPPORTED}{error}"
    return next(filter(None, (wrong_prime(text, p) for p in PRIMES)), None)
