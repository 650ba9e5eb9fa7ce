"""Executes a function of LLVM IR for all inputs that its contract allows, path by path.

Numbers are bit vectors of z3. A pointer is a number and the region of memory that it points into. A region has cells,
each at a known offset, or is a buffer: bytes of any number. What a path knows is a list of conditions. A branch is
followed to each side that the conditions allow.

An obligation is a condition that must hold on every path that reaches it: no trap, loads from a buffer inside it,
nothing that depends on poison, a caller's duty before a call. `Refuted` names the first that may fail.

A call of a function that has a contract uses the contract. Any other function of the same module is executed in
place, unless it has a loop.
"""

import itertools
import re
from dataclasses import dataclass, field

import z3

from integers import are_impossible
from ir import parts


class Refuted(Exception):
    """An obligation that z3 refutes, or cannot decide."""


class Unsupported(Exception):
    """Something that this program has no model of."""


_fresh = itertools.count()


def number(value, bits=64):
    return z3.BitVecVal(value, bits)


def fresh(bits, name="v"):
    return z3.BitVec(f"{name}!{next(_fresh)}", bits)


#: Where an array has the number of its elements, and the first element.
COUNT, ELEMENTS = 16, 32


class Region:
    """Memory that a pointer points into. Regions do not overlap.

    A buffer has `size`, a bit vector, and `bytes`, an array of octets. Any other region has cells: an offset has the
    value that was stored there, or one that is made when it is first read. Two pointers of unknown origin may point to
    the same object, so the region of one can be read and not written.

    An array has cells up to `ELEMENTS`, of which that at `COUNT` is the number of elements; `stride`, the size of an
    element; and elements of any value, which may change between two reads.
    """

    def __init__(self, name, size=None, is_known=True, stride=None):
        self.name, self.size, self.is_known, self.stride = name, size, is_known, stride
        self.base = fresh(64, name + ".address")
        if size is not None:
            self.bytes = z3.Array(f"{name}.bytes!{next(_fresh)}", z3.BitVecSort(64), z3.BitVecSort(8))

    def octet(self, offset):
        """The octet at an offset of a buffer."""
        return z3.Select(self.bytes, offset)

    def __repr__(self):
        return self.name


#: The region of a pointer that a loop changes to one into another region. Nothing may use it.
MOVED = Region("moved", is_known=False)


@dataclass(frozen=True)
class Value:
    """A number, the region that it points into if it is an address, and when it is poison: LLVM's result of an
    instruction whose flag was wrong, which nothing may depend on."""

    bits: object
    region: Region = None
    poison: object = None

    def __add__(self, other):
        return Value(z3.simplify(self.bits + other), self.region)


def bit_width(type):
    return 64 if type == "ptr" else int(type[1:]) if type[1:].isdigit() else None


SIZES = {"%TSi": 8, "%TSu": 8, "%TSV": 8, "%Ts5UInt8V": 1, "%Ts6UInt32V": 4, "%Ts6UInt64V": 8, "%TSa": 8, "ptr": 8,
         "%Ts6SIMD16Vys6UInt32VG": 64, "%Ts6SIMD16Vys6UInt64VG": 128}


def size_of(type):
    """The size of a type in octets."""
    if type.startswith("<{"):
        return sum(size_of(part) for part in parts(type[2:-2]))
    array = re.fullmatch(r"\[(\d+) x (.+)\]", type)
    if array:
        return int(array[1]) * size_of(array[2])
    # Another module in the process can have a type of the same name, which then has a number here.
    type = re.sub(r"\.\d+$", "", type)
    if type in SIZES:
        return SIZES[type]
    if type[1:].isdigit():
        return (int(type[1:]) + 7) // 8
    raise Unsupported("the size of " + type)


def vector(type):
    """The number of elements of a vector type, and their type."""
    count, element = re.fullmatch(r"<(\d+) x (.+)>", type).groups()
    return int(count), element


class State:
    """One point of one path."""

    #: The changes of memory while a loop is tried, or None. The keys are the region of each, the offset, the number of
    #: octets or None for the whole region, and whether they are one cell.
    changes = None

    def __init__(self):
        self.conditions = []
        self.cells = {}

    def copy(self):
        other = State()
        other.conditions = list(self.conditions)
        other.cells = {region: dict(cells) for region, cells in self.cells.items()}
        return other

    def read(self, region, offset, bits):
        """The value of a cell, made if the cell was never written."""
        cells = self.cells.setdefault(region, {})
        found = cells.get(offset)
        if found is None:
            # Part of a wider cell, or a cell of several narrower ones.
            for start, one in cells.items():
                inner = 8 * (offset - start)
                if 0 < inner and inner + bits <= one.bits.size():
                    return Value(z3.Extract(inner + bits - 1, inner, one.bits))
            value = Value(fresh(bits, f"{region.name}.{offset}"))
            cells[offset] = value
            return value
        if found.bits.size() == bits:
            return found
        if found.bits.size() > bits:
            return Value(z3.Extract(bits - 1, 0, found.bits))
        pieces, at = [found.bits], offset + found.bits.size() // 8
        while sum(p.size() for p in pieces) < bits:
            one = cells.get(at)
            if one is None or sum(p.size() for p in pieces) + one.bits.size() > bits:
                return Value(fresh(bits, f"{region.name}.{offset}"))
            pieces.append(one.bits)
            at += one.bits.size() // 8
        return Value(z3.Concat(*reversed(pieces)))

    def write(self, region, offset, value):
        cells = self.cells.setdefault(region, {})
        self.note(region, offset, value.bits.size() // 8, True)
        end = offset + value.bits.size() // 8
        for start in [s for s, v in cells.items() if s < end and offset < s + (v.bits.size() + 7) // 8]:
            if start != offset or cells[start].bits.size() > value.bits.size():
                old = cells[start]
                cells[start] = Value(fresh(old.bits.size(), f"{region.name}.{start}"))
            else:
                del cells[start]
        cells[offset] = value

    def forget(self, region, start, size):
        """Makes octets of a region unknown: `size` of them, or all if it is None."""
        self.note(region, start, size, False)
        if size is None:
            self.cells[region] = {}
            return
        cells = self.cells.setdefault(region, {})
        for at in [at for at, v in cells.items() if at < start + size and start < at + (v.bits.size() + 7) // 8]:
            del cells[at]

    def note(self, *change):
        if State.changes is not None:
            State.changes[change] = True


@dataclass
class Frame:
    """The function that a path is in: its registers, the block it came from, and how often it met each loop."""

    function: object
    registers: dict
    previous: str = None
    rounds: dict = field(default_factory=dict)

    def copy(self):
        return Frame(self.function, dict(self.registers), self.previous, self.rounds)


#: What z3 may do for one question, in its own unit: a time would make the verdict depend on the machine. The solver
#: that keeps the conditions of a path gets little. Those that see a question alone get more, and then much: the one of
#: integers, and the one of bit vectors.
FIRST_EFFORT, EFFORTS = 1_000_000, ((200_000, 20_000_000), (2_000_000, 200_000_000))
#: How many candidates for invariants of loops one question is about.
TOGETHER = 50


class Machine:
    """Executes functions of some modules."""

    def __init__(self, functions, contracts, wide=True):
        """Without `wide`, invariants of loops are about fewer numbers."""
        self.functions, self.contracts, self.wide = functions, contracts, wide
        State.changes = None
        self.solver = z3.Solver()
        self.solver.set("rlimit", FIRST_EFFORT)
        self.undecided = False
        self.queries = self.obligations = 0
        self.pushed = []
        #: `exact`: whether a call follows each form that the contract of the function accepts.
        self.hints, self.unroll, self.exact = (), 0, False
        #: Whether a trap only ends a path.
        self.may_trap = False
        self.checking = True
        self.regions = {}
        #: What each loop was seen to change, and which candidates it did not keep. These are not tried again.
        self.changes, self.unkept = {}, {}
        #: The pointers that each loop changes to ones into another region.
        self.moved = {}

    def facts(self, condition):
        """Adds a condition that holds on every path."""
        self.align([])
        self.solver.add(condition)

    # Conditions.

    def possible(self, state, *more):
        """Whether the conditions allow more conditions. An undecided question counts as allowed."""
        more = [z3.simplify(m) for m in more]
        if any(z3.is_false(m) for m in more):
            return False
        result, _ = self.ask(state, *more)
        if result == z3.unknown:
            result = self.ask_alone(*more)
        self.undecided = result == z3.unknown
        return result != z3.unsat

    def ask(self, state, *more):
        """z3's answer, with little effort, to whether the conditions allow more conditions; and a model of them."""
        self.queries += 1
        self.align(state.conditions)
        self.solver.push()
        self.solver.add(*more)
        result = self.solver.check()
        model = self.solver.model() if result == z3.sat else None
        self.solver.pop()
        return result, model

    def ask_alone(self, *more):
        """z3's answer about the conditions of the last question, all at once. Integers suit sums and bounds, and show
        only that conditions are not allowed. A solver that sees all conditions prepares them better."""
        conditions = [*self.solver.assertions(), *more]
        for integers, vectors in EFFORTS:
            if are_impossible(conditions, integers):
                return z3.unsat
            alone = z3.SolverFor("QF_ABV")
            alone.set("rlimit", vectors)
            alone.add(*conditions)
            result = alone.check()
            if result != z3.unknown:
                break
        return result

    def align(self, conditions):
        """Makes the solver's conditions those of a path. Paths that follow each other share most of theirs."""
        common = 0
        for one, other in zip(self.pushed, conditions):
            if one is not other:
                break
            common += 1
        self.solver.pop(len(self.pushed) - common)
        for one in conditions[common:]:
            self.solver.push()
            self.solver.add(one)
        self.pushed = list(conditions)

    def holds(self, state, condition):
        condition = z3.simplify(condition)
        return z3.is_true(condition) or not self.possible(state, z3.Not(condition))

    def must(self, state, condition, what):
        if not self.checking:
            state.conditions.append(condition)
            return
        self.obligations += 1
        if not self.holds(state, condition):
            raise Refuted(("undecided: " if self.undecided else "refuted: ") + what)

    def must_all(self, state, conditions, what):
        """Requires several conditions. One question is about all of them, and more only name the one that fails."""
        if not self.checking or len(conditions) < 2 or not self.holds(state, z3.And(*conditions)):
            for condition in conditions:
                self.must(state, condition, f"{what}: {condition}")
        else:
            self.obligations += len(conditions)

    def clean(self, state, value, what):
        """Requires that a value is not poison."""
        if isinstance(value, list):
            for one in value:
                self.clean(state, one, what)
        elif value is not None and value.poison is not None:
            self.must(state, z3.Not(value.poison), "poison: " + what)

    # Values.

    def value(self, frame, operand):
        if operand.name is not None:
            return frame.registers[operand.name]
        bits = bit_width(operand.type)
        if operand.number is not None and bits:
            return Value(number(operand.number, bits))
        match = re.fullmatch(r"ptrtoint \(ptr (.+) to i64\)", operand.constant or "")
        if match:
            return self.global_(match[1])
        if operand.constant and operand.constant.startswith("@"):
            return self.global_(operand.constant)
        if operand.constant in ("poison", "undef"):
            return self.unknown(operand.type)
        if operand.type.startswith("<") and operand.constant:
            return self.constants(operand)
        if operand.type == "ptr":
            return self.global_(operand.constant)
        return self.unknown(operand.type)

    def constants(self, operand):
        """The elements of a constant vector."""
        count, element = vector(operand.type)
        if operand.constant == "zeroinitializer":
            return [Value(number(0, bit_width(element)))] * count
        texts = [part.split()[-1] for part in parts(operand.constant[1:-1])]
        return [Value(number(int(text), bit_width(element))) if re.fullmatch(r"-?\d+", text) else self.unknown(element)
                for text in texts]

    def global_(self, text):
        match = re.fullmatch(r"inttoptr \(i64 (-?\d+) to ptr\)", text)
        if match:
            return Value(number(int(match[1])))
        if text not in self.regions:
            self.regions[text] = Region(text)
            self.facts(self.regions[text].base != 0)
        region = self.regions[text]
        return Value(region.base, region)

    def unknown(self, type):
        """Any value of a type."""
        if type.startswith("{"):
            return [self.unknown(one) for one in parts(type[1:-1])]
        if type.startswith("<{"):
            return [self.unknown(one) for one in parts(type[2:-2])]
        if type.startswith("<"):
            count, element = vector(type)
            return [self.unknown(element) for _ in range(count)]
        bits = bit_width(type)
        return Value(fresh(bits)) if bits else None

    # Memory.

    def place(self, state, pointer, what):
        """The region of a pointer, and the offset in it. A pointer from a cell or a call points into a region of its
        own, which is made when it is first used."""
        if pointer.region is MOVED:
            raise Unsupported("a pointer that a loop moved to other memory: " + what)
        if pointer.region is None:
            key = z3.simplify(pointer.bits)
            terms = [key]
            if key.decl().kind() == z3.Z3_OP_BADD:
                terms = key.children()
            bases = [t for t in terms if not z3.is_bv_value(t)]
            if len(bases) != 1:
                raise Unsupported("an address that is computed: " + what)
            region = self.regions.setdefault(("at", bases[0].get_id()), Region("at", is_known=False))
            self.regions[("keep", bases[0].get_id())] = bases[0]
            offset = z3.simplify(key - bases[0])
            return region, offset
        return pointer.region, z3.simplify(pointer.bits - pointer.region.base)

    def place_to_write(self, state, pointer, what):
        region, offset = self.place(state, pointer, what)
        self.writable(region, what)
        return region, offset

    def writable(self, region, what):
        if region.size is not None or region.stride:
            raise Refuted("store to a buffer: " + what)
        if not region.is_known:
            raise Unsupported("store to memory that is only read, or of unknown origin: " + what)

    def load(self, state, pointer, type, what):
        region, offset = self.place(state, pointer, what)
        if type.startswith("<"):
            count, element = vector(type)
            step = size_of(element)
            if region.size is None:
                return [self.load(state, pointer + number(n * step), element, what) for n in range(count)]
            self.inside(state, region, offset, count * step, what)
            return [self.octets(region, offset + n * step, step) for n in range(count)]
        bits = bit_width(type)
        if bits is None:
            return self.unknown(type)
        count = max(1, bits // 8)
        if region.size is not None:
            self.inside(state, region, offset, count, what)
            return self.octets(region, offset, count)
        if region.stride and not (z3.is_bv_value(offset) and offset.as_long() < ELEMENTS):
            room = state.read(region, COUNT, 64).bits * region.stride
            self.must(state, z3.And(room >= count, z3.ULE(offset - ELEMENTS, room - count)),
                      "load outside the array: " + what)
            return Value(fresh(bits))
        if not z3.is_bv_value(offset):
            return Value(fresh(bits))
        return state.read(region, offset.as_long(), 8 * count if bits == 1 else bits) if bits != 1 else Value(
            z3.Extract(0, 0, state.read(region, offset.as_long(), 8).bits))

    def inside(self, state, region, offset, count, what):
        """Requires that octets lie inside a buffer."""
        self.must(state, z3.And(z3.ULT(offset, region.size), z3.UGE(region.size, count),
                                z3.ULT(offset, region.size - (count - 1))), "load outside the buffer: " + what)

    def octets(self, region, offset, count):
        """The number that octets of a buffer make, the least significant first."""
        octets = [region.octet(offset + n) for n in range(count)]
        return Value(z3.simplify(z3.Concat(*reversed(octets)) if count > 1 else octets[0]))

    def store(self, state, pointer, value, what):
        if isinstance(value, list) and all(isinstance(v, Value) for v in value):
            for n, one in enumerate(value):
                self.store(state, pointer + number(n * one.bits.size() // 8), one, what)
            return
        region, offset = self.place_to_write(state, pointer, what)
        if value is None or isinstance(value, list):
            state.forget(region, 0, None)
            return
        if not z3.is_bv_value(offset):
            # Any cell may have changed.
            state.forget(region, 0, None)
            return
        if value.bits.size() == 1:
            value = Value(z3.ZeroExt(7, value.bits))
        state.write(region, offset.as_long(), value)

    # Paths.

    def run(self, name, arguments, state, depth=0):
        """Yields the state and the result of each path that returns."""
        function = self.functions[name]
        frame = Frame(function, dict(zip((p.name for p in function.parameters), arguments)))
        loops = loops_of(function)
        work = [(function.entry, 0, frame, state)]
        while work:
            block, index, frame, state = work.pop()
            if index == 0:
                if block in loops and self.unroll:
                    frame.rounds = {**frame.rounds, block: frame.rounds.get(block, 0) + 1}
                    self.must(state, z3.BoolVal(frame.rounds[block] <= self.unroll), "a loop goes round more often")
                    self.phis(function, block, frame, state)
                elif block in loops:
                    if frame.previous in loops[block]:
                        # One way round the loop. The invariant was shown to hold after it when it was found.
                        self.phis(function, block, frame, state)
                        continue
                    self.enter_loop(function, block, loops[block], frame, state)
                else:
                    self.phis(function, block, frame, state)
            for outcome in self.block(function, block, index, frame, state, depth):
                if outcome[0] == "return":
                    yield outcome[1], outcome[2]
                else:
                    work.append(outcome[1:])

    def phis(self, function, block, frame, state):
        values, is_loop = {}, block in loops_of(function)
        for i in function.blocks[block]:
            if i.opcode != "phi":
                break
            values[i.name] = self.value(frame, i.operands[i.blocks.index(frame.previous)])
            if is_loop:
                self.clean(state, values[i.name], i.text)
        frame.registers.update(values)

    def block(self, function, block, index, frame, state, depth):
        """Executes a block from an instruction on. Yields what follows: ("go", block, index, frame, state) or
        ("return", state, result)."""
        instructions = function.blocks[block]
        registers = frame.registers
        self.at = block
        for at in range(index, len(instructions)):
            i = instructions[at]
            if i.opcode == "phi":
                continue
            if i.opcode == "br":
                if len(i.blocks) == 1:
                    yield self.go(i.blocks[0], block, frame, state)
                    return
                subject = self.value(frame, i.operands[0])
                self.clean(state, subject, i.text)
                condition = subject.bits == 1
                yield from self.fork(function, block, frame, state,
                                     [(i.blocks[0], condition), (i.blocks[1], z3.Not(condition))])
                return
            if i.opcode == "switch":
                subject = self.value(frame, i.operands[0])
                self.clean(state, subject, i.text)
                subject = subject.bits
                cases = [subject == number(n, subject.size()) for n in i.detail]
                otherwise = z3.And(*[z3.Not(c) for c in cases])
                yield from self.fork(function, block, frame, state,
                                     [(i.blocks[0], otherwise), *zip(i.blocks[1:], cases)])
                return
            if i.opcode == "ret":
                result = self.value(frame, i.operands[0]) if i.operands else None
                self.clean(state, result, i.text)
                yield "return", state, result
                return
            if i.opcode == "unreachable":
                return
            if i.opcode == "select":
                chooser, one, other = (self.value(frame, o) for o in i.operands)
                condition = chooser.bits == 1
                if isinstance(one, list) or one.region is not other.region:
                    self.clean(state, chooser, i.text)
                    # Each choice is a path, because addresses in two regions have no common value.
                    for choice, c in ((one, condition), (other, z3.Not(condition))):
                        if self.possible(state, c):
                            branch = self.branch(frame, state, c)
                            branch[0].registers[i.name] = choice
                            yield "go", block, at + 1, *branch
                    return
                # The value that is not chosen may be poison.
                poisons = [(z3.BoolVal(False) if v.poison is None else v.poison) for v in (chooser, one, other)]
                poison = z3.simplify(z3.Or(poisons[0], z3.If(condition, *poisons[1:])))
                registers[i.name] = Value(z3.simplify(z3.If(condition, one.bits, other.bits)), one.region,
                                          None if z3.is_false(poison) else poison)
                continue
            if i.opcode == "call":
                outcomes = self.call(i, frame, state, depth)
                if outcomes is None:
                    return
                if outcomes is not True:
                    for after, result in outcomes:
                        branch = frame.copy()
                        if i.name:
                            branch.registers[i.name] = result
                        yield "go", block, at + 1, branch, after
                    return
                continue
            result = self.operation(i, frame, state)
            if i.name:
                registers[i.name] = result

    def go(self, target, block, frame, state):
        frame.previous = block
        return "go", target, 0, frame, state

    def branch(self, frame, state, condition):
        other = state.copy()
        other.conditions.append(z3.simplify(condition))
        return frame.copy(), other

    def fork(self, function, block, frame, state, targets):
        for target, condition in targets:
            traps = any(i.detail == "llvm.trap" for i in function.blocks[target])
            if self.possible(state, condition) and not (traps and (self.may_trap or not self.checking)):
                yield self.go(target, block, *self.branch(frame, state, condition))

    # Instructions.

    def operation(self, i, frame, state):
        op = i.opcode
        values = [self.value(frame, o) for o in i.operands]
        if op == "alloca":
            region = Region(i.name)
            state.conditions.append(region.base != 0)
            return Value(region.base, region)
        if op in ("load", "store", "getelementptr", "freeze"):
            for value in values:
                self.clean(state, value, i.text)
        if op == "getelementptr":
            if len(values) != 2:
                raise Unsupported("getelementptr with several indices: " + i.text)
            return values[0] + values[1].bits * number(size_of(i.detail))
        if op == "load":
            return self.load(state, values[0], i.type, i.text)
        if op == "store":
            return self.store(state, values[1], values[0], i.text)
        if op in ("ptrtoint", "inttoptr", "freeze", "bitcast"):
            return values[0]
        if op == "extractvalue":
            result = values[0]
            for n in i.detail:
                result = result[n]
            return result
        if op == "insertvalue":
            result = list(values[0])
            result[i.detail[0]] = values[1]
            return result
        if any(v is None or isinstance(v, list) for v in values) or not bit_width(i.type):
            for value in values:
                self.clean(state, value, i.text)
            if i.flags:
                raise Unsupported("a flag of a vector's instruction: " + i.text)
            return self.lanes(i, values) or self.unknown(i.type)
        bits = [v.bits for v in values]
        region = values[0].region
        if op in ("zext", "sext", "trunc"):
            conditions, result = conversion(op, i.flags, bits[0], bit_width(i.type))
            region = region if bit_width(i.type) == 64 else None
        elif op == "icmp":
            conditions = [(bits[0] < 0) == (bits[1] < 0)] if "samesign" in i.flags else []
            result, region = z3.If(COMPARISONS[i.detail](*bits), number(1, 1), number(0, 1)), None
        elif op in ARITHMETIC:
            conditions, result = overflow(op, i.flags, *bits), ARITHMETIC[op](*bits)
            if op == "add" and i.flags == ("nuw",) and self.is_inside(state, *values):
                conditions = []
            if op in ("udiv", "sdiv", "urem", "srem"):
                for value in values:
                    self.clean(state, value, i.text)
                self.must(state, z3.And(*divisible(op, *bits)), "division: " + i.text)
            if op == "add":
                region = values[0].region or values[1].region
            elif op != "sub" or values[0].region is values[1].region:
                region = None
        else:
            raise Unsupported(i.text)
        poisons = [v.poison for v in values if v.poison is not None]
        for condition in conditions:
            self.obligations += 1
            if not self.holds(state, condition):
                poisons.append(z3.Not(condition))
        return Value(z3.simplify(result), region, z3.Or(*poisons) if poisons else None)

    def is_inside(self, state, one, other):
        """Whether one of two numbers is an address in a buffer, and their sum is too. Then the sum does not overflow,
        because a buffer's end is an address. The question is easier than the one about the sum."""
        if one.region is None:
            one, other = other, one
        region = one.region
        if region is None or region.size is None or other.region is not None:
            return False
        offset = one.bits - region.base
        return self.holds(state, z3.And(z3.ULE(offset, region.size), z3.ULE(other.bits, region.size),
                                        z3.ULE(offset + other.bits, region.size), region.size >= 0,
                                        region.size < 1 << 62, z3.BVAddNoOverflow(region.base, region.size, False)))

    def lanes(self, i, values):
        """The result of an instruction on vectors of numbers. None if it is any value: of symbols, and of instructions
        that have no model."""
        if i.opcode == "insertelement":
            place = i.operands[2].number
            return [values[1] if n == place else one for n, one in enumerate(values[0])]
        if i.opcode == "shufflevector" and i.text.endswith("> zeroinitializer"):
            return [values[0][0]] * vector(i.type)[0]
        if i.opcode in ARITHMETIC and all(map(are_numbers, values)):
            return [Value(z3.simplify(ARITHMETIC[i.opcode](x.bits, y.bits))) for x, y in zip(*values)]
        return None

    # Calls.

    def call(self, i, frame, state, depth):
        """Executes a call. Returns True if the path goes on with the next instruction, None if it ends, or the
        states and results of the paths after it."""
        name = i.detail
        if name == "asm" or name and name.startswith(("llvm.lifetime.", "llvm.experimental.", "llvm.dbg.")):
            return True
        if name == "llvm.trap":
            if self.checking and not self.may_trap:
                self.must(state, z3.BoolVal(False), f"a trap in block {self.at} of {frame.function.name}")
            return None
        values = [self.value(frame, o) for o in i.operands]
        for value in values:
            self.clean(state, value, i.text)
        if name and name.startswith("llvm."):
            result = self.intrinsic(i, name, values, state)
            if i.name:
                frame.registers[i.name] = result
            return True
        called = frame.registers.get(name[1:]) if name.startswith("%") else None
        if called and called.region and called.region.name == "closure":
            frame.registers[i.name] = self.unknown(i.type)
            return True
        contract = self.contracts.get(name)
        if contract:
            return contract.call(self, state, values, i)
        if name in self.functions and not loops_of(self.functions[name]) and depth < 6:
            return self.run(name, values, state, depth + 1)
        if name in RUNTIME or name and name.endswith("Wl"):
            if i.name:
                frame.registers[i.name] = self.unknown(i.type)
            return True
        raise Unsupported("a call without a contract: " + str(name))

    def intrinsic(self, i, name, values, state):
        kind = name.split(".")[1]
        if kind == "assume":
            # The compiler relies on the condition.
            self.must(state, values[0].bits == 1, "assumption: " + i.text)
            return None
        bits = [v.bits for v in values if isinstance(v, Value)]
        if kind in ("smax", "smin", "umax", "umin"):
            if bit_width(i.type):
                return Value(z3.If(EXTREMES[kind](*bits), *bits))
            if not all(map(are_numbers, values)):
                return self.unknown(i.type)
            return [Value(z3.simplify(z3.If(EXTREMES[kind](x.bits, y.bits), x.bits, y.bits))) for x, y in zip(*values)]
        if name.startswith("llvm.vector.reduce.") and are_numbers(values[0]):
            op = name.split(".")[3]
            result = values[0][0].bits
            for one in values[0][1:]:
                result = z3.If(EXTREMES[op](result, one.bits), result, one.bits) if op in EXTREMES else (
                    ARITHMETIC[op](result, one.bits))
            return Value(z3.simplify(result))
        if ".with.overflow." in name:
            op, signed = kind[1:], kind[0] == "s"
            result = ARITHMETIC[op](*bits)
            flag = "nsw" if signed else "nuw"
            fits = z3.And(*overflow(op, {flag}, *bits))
            return [Value(z3.simplify(result)), Value(z3.simplify(z3.If(fits, number(0, 1), number(1, 1))))]
        if kind in ("memcpy", "memmove"):
            return self.copy(state, *values[:3], i.text)
        if kind == "memset":
            return self.fill(state, *values[:3], i.text)
        return self.unknown(i.type)

    def fill(self, state, target, octet, count, text):
        region, start = self.place_to_write(state, target, text)
        if not z3.is_bv_value(start) or not z3.is_bv_value(count.bits):
            state.forget(region, 0, None)
            return
        start, count = start.as_long(), count.bits.as_long()
        words = count // 8
        for at, size in [(8 * n, 8) for n in range(words)] + [(n, 1) for n in range(8 * words, count)]:
            state.write(region, start + at, Value(z3.Concat(*[octet.bits] * size) if size > 1 else octet.bits))

    def copy(self, state, target, source, count, text):
        to, start = self.place_to_write(state, target, text)
        source_region, offset = self.place(state, source, text)
        known = all(z3.is_bv_value(z3.simplify(x)) for x in (start, offset, count.bits))
        if source_region.size is not None:
            self.must(state, z3.And(z3.ULE(count.bits, source_region.size),
                                    z3.ULE(offset, source_region.size - count.bits)), "copy from a buffer: " + text)
        if not known or source_region.size is not None:
            state.forget(to, 0, None)
            return None
        start, offset, count = (z3.simplify(x).as_long() for x in (start, offset, count.bits))
        cells = state.cells.setdefault(source_region, {})
        moved = {start + at - offset: v for at, v in cells.items()
                 if offset <= at and at + v.bits.size() // 8 <= offset + count}
        state.forget(to, start, count)
        state.cells[to].update(moved)
        return None

    # Loops.

    def enter_loop(self, function, header, body, frame, state):
        """Replaces what the loop changes by anything that the invariant allows. The invariant is the largest set of
        candidates that hold at entry and are kept by the loop's body."""
        self.phis(function, header, frame, state)
        names = [i.name for i in function.blocks[header] if i.opcode == "phi"]
        entry = {n: frame.registers[n] for n in names}
        checking, self.checking = self.checking, False
        outer, changes = State.changes, self.changes.setdefault((function.name, header), {})
        unkept = self.unkept.setdefault((function.name, header), set())
        used = {o.name for b in body for i in function.blocks[b] for o in i.operands}
        fixed = {n: v for n, v in frame.registers.items() if n not in entry and (self.wide or n in used)}
        moved, candidates = self.moved.setdefault((function.name, header), set()), None
        while True:
            State.changes = None
            before = {(region, at, 8 * size): state.read(region, at, 8 * size)
                      for region, at, size, is_cell in changes if is_cell}
            if candidates is None:
                found = [*self.candidates(entry, before, fixed), *self.guards(function, header, body, frame)]
                candidates = self.holding(state, [c for c in found if c.label not in unkept], entry | before)
            trial_frame, trial = self.havoc(frame, state, entry, before, changes, candidates, moved)
            State.changes, count = {}, len(moved)
            failed = self.failing(function, header, body, trial_frame, trial, candidates, entry, before, moved)
            if not State.changes.keys() <= changes.keys() or len(moved) > count:
                changes |= State.changes
                candidates = None
            elif failed:
                unkept |= {c.label for c in candidates if id(c) in failed}
                candidates = [c for c in candidates if id(c) not in failed]
            else:
                break
        self.checking, State.changes = checking, outer
        new_frame, new_state = self.havoc(frame, state, entry, before, changes, candidates, moved)
        frame.registers, state.conditions, state.cells = new_frame.registers, new_state.conditions, new_state.cells

    def havoc(self, frame, state, entry, before, changes, candidates, moved):
        """A state in which the loop may begin. What the loop keeps has the value that it had."""
        registers, other = dict(frame.registers), state.copy()
        kept = {c.key for c in candidates if c.op == "="} - moved
        now = {}
        for n, v in entry.items():
            now[n] = registers[n] = v if n in kept else self.like(v, n, n in moved)
        for region, at, size, is_cell in changes:
            if not is_cell:
                other.forget(region, at, size)
        for key, v in before.items():
            now[key] = v if key in kept else self.like(v, key[0].name, key in moved)
            other.write(*key[:2], now[key])
        other.conditions += [c.holds(now) for c in self.telling(candidates, moved) if c.op != "=" or c.key in moved]
        return Frame(frame.function, registers, frame.previous), other

    def telling(self, candidates, moved):
        """The candidates without those that are about nothing but what the loop keeps. These stay true."""
        kept = {c.key for c in candidates if c.op == "="} - moved
        return [c for c in candidates if c.op == "=" or not {c.key, c.other or c.key} <= kept]

    def like(self, value, name, is_moved=False):
        if isinstance(value, list):
            return [self.like(v, name) for v in value]
        return Value(fresh(value.bits.size(), name), MOVED if is_moved else value.region) if value is not None else None

    def candidates(self, entry, before, fixed):
        """Relations between what the loop may change, its values before the loop, and numbers that are fixed."""
        varying = {k: v for k, v in {**entry, **before}.items() if isinstance(v, Value)}
        found = []
        for k, v in varying.items():
            found.append(Candidate("=", k, v.bits))
            if v.bits.size() == 64:
                found.append(Candidate(">=", k, number(0), source="0"))
                if not v.region:
                    found += [Candidate(op, k, v.bits) for op in (">=", "<=")]
        words = {k: v for k, v in varying.items() if v.bits.size() == 64}
        others = {n: v for n, v in fixed.items()
                  if isinstance(v, Value) and v.bits.size() == 64 and not z3.is_bv_value(v.bits)}
        seen = set()
        for k, v in words.items():
            for n, w in others.items():
                if w.region is v.region and (k, w.bits.get_id()) not in seen:
                    seen.add((k, w.bits.get_id()))
                    found += [Candidate(op, k, w.bits, source=n) for op in ("<", "<=", ">=")]
            for n, w in words.items():
                if n is not k and w.region is v.region:
                    found += [Candidate("<=", k, other=n), Candidate("<", k, other=n)]
                    found.append(Candidate("-", k, v.bits - w.bits, n))
                    found += [Candidate("?", k, hint, n) for hint in self.hints]
        return found

    def guards(self, function, header, body, frame):
        """The conditions under which the loop goes round again, as conditions on its values at the header. A loop that
        ends where two numbers are equal may count up to the second."""
        inside = {i.name: i for b in body for i in function.blocks[b] if i.name}
        found = []
        for latch in [name for name in function.blocks if name in body]:
            branch = function.blocks[latch][-1]
            if branch.opcode != "br" or len(branch.blocks) != 2 or header not in branch.blocks:
                continue
            phis = [i for i in function.blocks[header] if i.opcode == "phi"]
            next_ = {i.operands[i.blocks.index(latch)].name: i.name for i in phis}
            next_.pop(None, None)
            again = number(int(branch.blocks[0] == header), 1)

            def holds(now, condition=branch.operands[0], next_=next_, again=again):
                bits = self.again(condition, inside, next_, now, frame)
                return z3.BoolVal(True) if bits is None else bits == again

            found.append(Candidate("again", latch, holds))
            test = inside.get(branch.operands[0].name)
            if test is not None and test.opcode == "icmp" and test.detail in ("eq", "ne"):

                def is_less(now, sides=test.operands, next_=next_):
                    bits = [self.again(side, inside, next_, now, frame) for side in sides]
                    return z3.BoolVal(True) if any(one is None for one in bits) else bits[0] < bits[1]

                found.append(Candidate("again", latch, is_less, source="<"))
        return found

    def again(self, operand, inside, next_, now, frame):
        """What an operand becomes if the loop's next values are those it has now; None if that takes more than
        arithmetic."""
        if operand.name in next_:
            return now[next_[operand.name]].bits
        i = inside.get(operand.name)
        if i is None:
            value = self.value(frame, operand)
            return value.bits if isinstance(value, Value) else None
        if i.opcode == "extractvalue" and i.detail == [0] and i.operands[0].name in inside:
            call = inside[i.operands[0].name]
            if ".with.overflow." not in str(call.detail):
                return None
            i, op = call, call.detail.split(".")[1][1:]
        else:
            op = i.opcode
        if op not in ARITHMETIC and op != "icmp":
            return None
        bits = [self.again(o, inside, next_, now, frame) for o in i.operands]
        if any(one is None for one in bits):
            return None
        if op == "icmp":
            return z3.If(COMPARISONS[i.detail](*bits), number(1, 1), number(0, 1))
        return ARITHMETIC[op](*bits)

    def holding(self, state, candidates, now):
        """The candidates that hold. A question is about several, and a model that refutes some is tried on all."""
        left, shown = [(c, z3.simplify(c.holds(now))) for c in candidates], []
        while left:
            some = left[:TOGETHER]
            refuted = z3.Or(*[z3.Not(condition) for _, condition in some])
            result, model = self.ask(state, refuted)
            wrong = {id(c) for c, condition in left
                     if model and z3.is_false(model.eval(condition, model_completion=True))}
            if wrong:
                left = [one for one in left if id(one[0]) not in wrong]
                continue
            left = left[TOGETHER:]
            if result == z3.unknown:
                result = self.ask_alone(refuted)
            shown += [c for c, condition in some if result == z3.unsat or self.holds(state, condition)]
        return shown

    def failing(self, function, header, body, frame, state, candidates, entry, before, moved):
        """The candidates that one way round the loop does not keep, by identity. Adds to `moved`."""
        failed, names, telling = set(), list(entry), self.telling(candidates, moved)
        loops = loops_of(function)
        work = [(header, 0, frame, state)]
        while work:
            block, index, frame, state = work.pop()
            if index == 0 and (block != header or frame.previous in body):
                if block == header:
                    self.phis(function, block, frame, state)
                    now = {n: frame.registers[n] for n in names}
                    now |= {key: state.read(*key) for key in before}
                    moved |= {key for key, v in (entry | before).items()
                              if isinstance(v, Value) and now[key].region is not v.region}
                    kept = set(map(id, self.holding(state, [c for c in telling if id(c) not in failed], now)))
                    failed |= {id(c) for c in telling} - kept
                    continue
                if block not in body:
                    continue
                if block in loops:
                    if frame.previous in loops[block]:
                        continue
                    self.enter_loop(function, block, loops[block], frame, state)
                else:
                    self.phis(function, block, frame, state)
            for outcome in self.block(function, block, index, frame, state, 0):
                if outcome[0] == "go":
                    work.append(outcome[1:])
        return failed


@dataclass(frozen=True)
class Candidate:
    """A relation that may hold each time a loop begins: of `key` and a fixed number, of `key` and another key, or any
    condition on what the loop may change."""

    op: str
    key: object
    fixed: object = None
    other: object = None
    #: The name of the fixed number, or None if it is that of `key` before the loop.
    source: str = None

    @property
    def label(self):
        """What tells the candidates of a loop apart, also when the loop is met again."""
        return self.op, self.key, self.other, self.source, self.fixed if self.op == "?" else None

    def holds(self, now):
        if self.op == "again":
            return self.fixed(now)
        left = now[self.key].bits
        if self.op == "-":
            return left - now[self.other].bits == self.fixed
        if self.op == "?":
            return self.fixed(left, now[self.other].bits)
        right = self.fixed if self.other is None else now[self.other].bits
        if self.op == "=":
            return left == right
        return {"<": left < right, "<=": left <= right, ">=": left >= right}[self.op]


def loops_of(function):
    """The natural loops: the header of each, and the blocks in it."""
    if hasattr(function, "loops"):
        return function.loops
    following = {name: block[-1].blocks if block[-1].opcode in ("br", "switch") else []
                 for name, block in function.blocks.items()}
    order, seen, active, back = [], set(), set(), []
    stack = [(function.entry, iter(following[function.entry]))]
    seen.add(function.entry), active.add(function.entry)
    while stack:
        node, rest = stack[-1]
        for target in rest:
            if target in active:
                back.append((node, target))
            elif target not in seen:
                seen.add(target), active.add(target)
                stack.append((target, iter(following[target])))
                break
        else:
            active.discard(node)
            stack.pop()
    preceding = {}
    for name, targets in following.items():
        for target in targets:
            preceding.setdefault(target, set()).add(name)
    loops = {}
    for end, header in back:
        body, work = loops.setdefault(header, {header}), [end]
        while work:
            one = work.pop()
            if one not in body:
                body.add(one)
                work += preceding.get(one, ())
    for header, body in loops.items():
        if any(before not in body for one in body - {header} for before in preceding.get(one, ())):
            raise Unsupported(f"a loop that is entered beside its header {header}")
    function.loops = loops
    return loops


COMPARISONS = {
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
    "slt": lambda x, y: x < y, "sle": lambda x, y: x <= y, "sgt": lambda x, y: x > y, "sge": lambda x, y: x >= y,
    "ult": z3.ULT, "ule": z3.ULE, "ugt": z3.UGT, "uge": z3.UGE,
}
ARITHMETIC = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
    "shl": lambda x, y: x << y, "lshr": z3.LShR, "ashr": lambda x, y: x >> y,
    "udiv": z3.UDiv, "sdiv": lambda x, y: x / y, "urem": z3.URem, "srem": z3.SRem,
}


#: Whether the first of two numbers is the one that an intrinsic chooses.
EXTREMES = {"smax": lambda x, y: x > y, "smin": lambda x, y: x < y, "umax": z3.UGT, "umin": z3.ULT}


def are_numbers(values):
    """Whether the elements of a vector are numbers, not symbols."""
    return isinstance(values, list) and all(z3.is_bv_value(one.bits) for one in values)


def conversion(op, flags, x, width):
    """The conditions under which a conversion has a result, and the result."""
    if op == "trunc":
        short = z3.Extract(width - 1, 0, x)
        extend = {"nuw": z3.ZeroExt, "nsw": z3.SignExt}
        return [extend[f](x.size() - width, short) == x for f in flags if f in extend], short
    conditions = [x >= 0] if "nneg" in flags else []
    return conditions, (z3.ZeroExt if op == "zext" else z3.SignExt)(width - x.size(), x)


def divisible(op, x, y):
    """The conditions under which a division is defined."""
    yield y != 0
    if op in ("sdiv", "srem"):
        yield z3.Not(z3.And(y == -1, x == 1 << (x.size() - 1)))


def overflow(op, flags, x, y):
    """The conditions under which an operation has a result: those of its flags, and of shifts."""
    if op in ("shl", "lshr", "ashr"):
        yield z3.ULT(y, x.size())
    if "nsw" in flags:
        if op == "add":
            yield z3.And(z3.BVAddNoOverflow(x, y, True), z3.BVAddNoUnderflow(x, y))
        if op == "sub":
            yield z3.And(z3.BVSubNoOverflow(x, y), z3.BVSubNoUnderflow(x, y, True))
        if op == "mul":
            yield z3.And(z3.BVMulNoOverflow(x, y, True), z3.BVMulNoUnderflow(x, y))
        if op == "shl":
            yield ((x << y) >> y) == x
    if "nuw" in flags:
        if op == "add":
            yield z3.BVAddNoOverflow(x, y, False)
        if op == "sub":
            yield z3.UGE(x, y)
        if op == "mul":
            yield z3.BVMulNoOverflow(x, y, False)
        if op == "shl":
            yield z3.LShR(x << y, y) == x
    if "exact" in flags and op in ("lshr", "ashr"):
        yield (z3.LShR(x, y) << y) == x
    if "disjoint" in flags:
        yield x & y == 0


#: Functions of Swift's runtime that change nothing that a path reads.
RUNTIME = {
    "swift_retain", "swift_release", "swift_bridgeObjectRetain", "swift_bridgeObjectRelease",
    "swift_willThrowTypedImpl", "swift_willThrow", "swift_getWitnessTable", "swift_beginAccess", "swift_endAccess",
}
