"""Executes functions of LLVM IR that read a text and a table and write octets, for base64_text.py.

Numbers are bit vectors of z3, vectors are lists of lanes, and an address is a memory and an offset in it. The text and
the table are arrays of octets of any length. Any other memory holds what was stored at known offsets; what was stored
in the output at any offset is a list. A branch is followed to each side that the conditions of the path allow.

Shown on each path are: no trap is reached; each load and store lies inside its memory; nothing is decided by poison,
stored as poison, or called with it; each assumption and each range of a number is right. An instruction without a model
here makes the proof fail.
"""

import copy
import functools
import re

import z3

import ir
from base64_blocks import literal, shape
from build import demangled
from execute import ARITHMETIC, COMPARISONS, Refuted, Unsupported, conversion, overflow, size_of
from sha import Pointer, lanes

#: What z3 may do for one question, in its own unit.
EFFORT = 12_000_000


def number(value, bits=64):
    return z3.BitVecVal(value, bits)


# The text, and the table of a decoder.

BYTE, WORD = z3.BitVecSort(8), z3.BitVecSort(64)
TEXT, TABLE = z3.Array("text", WORD, BYTE), z3.Array("table", BYTE, BYTE)
#: The length of the text, and that of the output.
COUNT, OUTPUT = z3.BitVecs("count output.count", 64)
#: Whether the text has no address. Then it is empty.
NO_ADDRESS = z3.Bool("text has no address")
MOST = number(1 << 58)


def character(offset):
    return z3.Select(TEXT, z3.simplify(offset))


def entry(offset):
    """The number that the table has for the character at an offset of the text."""
    return z3.Select(TABLE, character(offset))


class Path:
    """What is known, what memory holds, which memory has which size, and what was written to the output.

    Memory has a name and, at each known offset, a value and the number of the octet of the value that is there. A write
    has the name of its memory, the offset, and the octet."""

    def __init__(self, conditions, sizes):
        self.conditions, self.sizes, self.memory, self.writes = list(conditions), dict(sizes), {}, []
        #: The loops that were begun, each with the memory that it does not change.
        self.met = {}
        #: The state of the specification, the state in the padding, the place of a fault, the result of a call, and
        #: whether the table was checked.
        self.ghost = self.padding = self.fault = self.called = None
        self.has_table = False
        self.serials = {}
        #: Terms that z3 should see as symbols, each with the symbol that equals it.
        self.named = []

    def copy(self):
        other = copy.copy(self)
        other.memory = {name: dict(cells) for name, cells in self.memory.items()}
        for name in ("conditions", "sizes", "writes", "met", "serials", "named"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def fresh(self, bits, name):
        """A new symbol. Paths that do not meet can have the same one, so that their questions are the same."""
        self.serials[name] = self.serials.get(name, 0) + 1
        return z3.BitVec(f"{name}!{self.serials[name]}", bits)

    def short(self, term):
        """A term, or the symbol that equals it."""
        term = z3.simplify(term)
        return next((symbol for named, symbol in self.named if term.eq(named)), term)

    def holds(self, condition):
        condition = z3.simplify(condition)
        if z3.is_true(condition) or z3.is_false(condition):
            return z3.is_true(condition)
        near = symbols_of(condition)
        for _ in range(3):
            # Fewer conditions make a question easier, and often they suffice.
            known = [one for one in self.conditions if symbols_of(one) <= near]
            if refuted(*known, z3.Not(condition), effort=EFFORT // 3):
                return True
            about = [one for one in self.conditions if near & symbols_of(one) and len(symbols_of(one)) <= 3]
            near = near.union(*map(symbols_of, about))
        return refuted(*self.conditions, z3.Not(condition))

    def must(self, condition, what):
        for part in condition.children() if z3.is_and(condition) else [condition]:
            if not any(part.eq(one) for one in self.conditions) and not self.holds(part):
                raise Refuted(what)

    def write(self, memory, offset, value):
        """Sets what memory holds at a known offset."""
        self.memory.setdefault(memory, {}).update({offset + n: (value, n) for n in range(octets_of(value))})

    def set(self, memory, values):
        """Sets all that is known of memory: the values at some offsets."""
        self.memory[memory] = {}
        for offset, value in values.items():
            self.write(memory, offset, value)

    def read(self, memory, offset, size=8):
        """What memory holds at a known offset."""
        cells = self.memory.get(memory, {})
        pieces = [cells.get(offset + n, (None, n)) for n in range(size)]
        value = pieces[0][0]
        if value is not None and octets_of(value) == size and all(
                one is value and n == at for at, (one, n) in enumerate(pieces)):
            return value
        if not all(z3.is_bv(one) for one, _ in pieces):
            raise Unsupported(f"octet {offset} of {memory} is not known")
        octets = [z3.Extract(8 * n + 7, 8 * n, one) for one, n in reversed(pieces)]
        return z3.simplify(joined(octets))


#: The answers so far, and the symbols of terms. The terms are kept, or others could get their numbers.
ASKED, SYMBOLS = {}, {}


def refuted(*conditions, effort=EFFORT):
    """Whether z3 shows that conditions do not hold together."""
    term = z3.simplify(z3.And(*conditions))
    if term not in ASKED:
        solver = z3.SolverFor("QF_AUFBV")
        solver.set("rlimit", effort)
        solver.add(term)
        ASKED[term] = solver.check() == z3.unsat
    return ASKED[term]


def symbols_of(term):
    """The symbols in a term."""
    if term.get_id() not in SYMBOLS:
        own = [term.decl().name()] if term.decl().kind() == z3.Z3_OP_UNINTERPRETED else []
        SYMBOLS[term.get_id()] = frozenset(own).union(*map(symbols_of, term.children())), term
    return SYMBOLS[term.get_id()][0]


def octets_of(value):
    return 8 if isinstance(value, Pointer) else value.size() // 8


def flag(condition):
    return z3.simplify(z3.If(condition, number(1, 1), number(0, 1)))


class Execution:
    """The execution of one function. `loops` has what to do where each loop begins, and `calls` what functions do, by
    their names in Swift."""

    def __init__(self, function, module, loops, calls):
        self.function, self.module, self.loops, self.calls = function, module, loops, calls
        self.stack = {}
        #: The memory that each call for a new array makes, one after the other.
        self.arrays = []
        #: Results of instructions that z3 should see as symbols: the instruction, the number, and the symbol.
        self.names = []

    def size(self, type):
        """The size of a type of the module in octets."""
        # Another module in the process can have a type of the same name, which then has a number here.
        type = re.sub(r"\.\d+$", "", type)
        packed = re.fullmatch(r"<\{(.*)\}>", type)
        if packed:
            return sum(self.size(one) for one in ir.parts(packed[1]))
        return self.size(self.module.types[type]) if type in self.module.types else size_of(type)

    def run(self, arguments, path):
        """Yields each path that returns, with its result."""
        registers = {p.name: a for p, a in zip(self.function.parameters, arguments)}
        work = [(self.function.entry, 0, None, registers, path)]
        while work:
            block, at, previous, registers, path = work.pop()
            if at == 0:
                phis = [i for i in self.function.blocks[block] if i.opcode == "phi"]
                values = [self.value(registers, i.operands[i.blocks.index(previous)]) for i in phis]
                turns = [(values, path)]
                if block in self.loops:
                    turns = self.loops[block](self, block, registers, values, path)
                for values, path in turns[1:]:
                    named = dict(zip((i.name for i in phis), values))
                    work.append((block, len(phis), previous, {**registers, **named}, path))
                if not turns:
                    continue
                values, path = turns[0]
                registers = {**registers, **dict(zip((i.name for i in phis), values))}
                at = len(phis)
            for index in range(at, len(self.function.blocks[block])):
                i = self.function.blocks[block][index]
                if i.opcode == "ret":
                    yield path, self.value(registers, i.operands[0]) if i.operands else None
                    break
                if i.opcode in ("br", "switch"):
                    for target, other in self.targets(i, registers, path):
                        work.append((target, 0, block, dict(registers), other))
                    break
                results = self.instruction(i, [self.value(registers, o) for o in i.operands], path)
                for result, other in results[1:]:
                    work.append((block, index + 1, previous, {**registers, i.name: result}, other))
                result, path = results[0]
                registers = {**registers, i.name: result} if len(results) > 1 else registers
                if i.name:
                    registers[i.name] = result

    def sides(self, condition, path):
        """The truth of a condition on the paths that it allows."""
        condition = z3.simplify(condition)
        found = []
        for truth, one in ((True, condition), (False, z3.simplify(z3.Not(condition)))):
            if z3.is_false(one) or not z3.is_true(one) and path.holds(z3.Not(one)):
                continue
            other = path.copy()
            other.conditions += [] if z3.is_true(one) else [one]
            found.append((truth, other))
        return found

    def targets(self, i, registers, path):
        """The blocks that a branch can go to, each with its path."""
        if i.opcode == "br" and not i.operands:
            return [(i.blocks[0], path)]
        value = clean(self.value(registers, i.operands[0]), i, path)
        if i.opcode == "br":
            return [(i.blocks[not truth], other) for truth, other in self.sides(value == 1, path)]
        found, rest = [], path
        for one, target in zip(i.detail, i.blocks[1:]):
            for truth, other in self.sides(value == one, rest):
                if truth:
                    found.append((target, other))
                else:
                    rest = other
            if path.holds(value == one):
                return found
        return found + ([(i.blocks[0], rest)] if not rest.holds(z3.BoolVal(False)) else [])

    def value(self, registers, operand):
        if operand.name is not None:
            return registers[operand.name]
        text = operand.constant if operand.number is None else str(operand.number)
        if operand.type != "ptr" or operand.number is not None:
            return literal(operand.type.replace("ptr", "i64"), text)
        inner = re.fullmatch(r"getelementptr inbounds(?: nuw)? \(i8, ptr (.+), i64 (\d+)\)", text)
        words = re.search(r' constant .* c"(.*)\\00"$', text)
        if words:
            return Pointer("@" + words[1], number(0))
        return Pointer(inner[1], number(int(inner[2]))) if inner else Pointer(text, number(0))

    # Instructions. Each gives results with their paths.

    def instruction(self, i, values, path):
        op = i.opcode
        if set(re.findall(r", !([\w.]+)", i.text)) - {"range"}:
            raise Unsupported(i.text)
        if op == "unreachable":
            raise Refuted("a trap, or the end of code that must not be reached")
        if op == "call":
            return self.call(i, values, path)
        if op == "select" and not isinstance(values[0], list) and any(isinstance(v, Pointer) for v in values):
            return [(values[1 if truth else 2], other) for truth, other in
                    self.sides(clean(values[0], i, path) == 1, path)]
        return [(self.plain(i, values, path), path)]

    def plain(self, i, values, path):
        op = i.opcode
        if op == "alloca":
            memory = f"stack.{i.name}"
            self.stack[memory] = number(self.size(re.search(r"alloca (.+?), align", i.text)[1]))
            path.sizes[memory] = self.stack[memory]
            return Pointer(memory, number(0))
        if op == "load":
            return self.load(i, values[0], path)
        if op == "store":
            return self.store(i, values[0], values[1], path)
        if op == "getelementptr" and len(values) == 2:
            distance = clean(values[1], i, path) * size_of(i.detail)
            result = Pointer(values[0].memory, z3.simplify(values[0].offset + distance))
            if i.flags and not result.memory.startswith("@"):
                path.must(z3.And(distance >= 0, result.offset >= 0, result.offset <= path.sizes[result.memory],
                                 size_of(i.detail) == 1), "poison: " + i.text)
            return result
        if op in ("inttoptr", "ptrtoint"):
            return values[0]
        if op == "extractvalue":
            return values[0][i.detail[0]]
        if op == "insertelement":
            at = values[2].as_long()
            return values[0][:at] + [values[1]] + values[0][at + 1:]
        if op == "shufflevector":
            mask = re.search(r", (<\d+ x i32>) (<[^>]*>|splat \(.*?\)|zeroinitializer|poison)(?=, !|$)", i.text)
            return [None if at is None else (values[0] + values[1])[at.as_long()] for at in literal(*mask.groups())]
        if any(isinstance(one, Pointer) for one in values):
            return self.with_addresses(i, values, path)
        if op == "select" and not isinstance(values[0], list) and isinstance(values[1], list):
            values = [[values[0]] * len(values[1]), *values[1:]]
        rows = zip(*[lanes(v) for v in values])
        if isinstance(values[0], list):
            return [self.lane(i, row, path) for row in rows]
        return clean(self.lane(i, next(rows), path), i, path)

    def lane(self, i, row, path):
        """The result of an instruction in one lane."""
        op = i.opcode
        if all(one is None for one in row[op == "select":]) or op != "select" and None in row:
            return None
        width = next(one for one in row[op == "select":] if one is not None)
        bits, poison = zip(*[pair(one, width) for one in row])
        if op == "select":
            is_true = z3.simplify(bits[0] == 1)
            result, poison = z3.If(is_true, *bits[1:]), z3.Or(poison[0], z3.If(is_true, *poison[1:]))
            return lane_of(result, poison)
        if op == "icmp":
            conditions = [(bits[0] < 0) == (bits[1] < 0)] if "samesign" in i.flags else []
            result = flag(COMPARISONS[i.detail](*bits))
        elif op in ("zext", "sext", "trunc"):
            conditions, result = conversion(op, i.flags, bits[0], shape(i.type)[1])
        elif op in ARITHMETIC and op not in ("udiv", "urem", "srem"):
            if op == "sdiv" and not (z3.is_bv_value(bits[1]) and bits[1].as_signed_long() > 0):
                raise Unsupported(i.text)
            conditions, result = list(overflow(op, i.flags, *bits)), ARITHMETIC[op](*bits)
        else:
            raise Unsupported(i.text)
        for named, definition, name in self.names:
            if op == named and bits[0].size() == 64 and path.holds(result == definition):
                result = name
        return lane_of(path.short(result), z3.Or(*poison, *[z3.Not(one) for one in conditions]))

    def with_addresses(self, i, values, path):
        """Sums of an address and a number, and comparisons of an address."""
        one, other = values
        if i.opcode == "add" and not i.flags and isinstance(one, Pointer) != isinstance(other, Pointer):
            pointer, distance = (one, other) if isinstance(one, Pointer) else (other, one)
            return Pointer(pointer.memory, z3.simplify(pointer.offset + clean(distance, i, path)))
        if i.opcode == "sub" and not i.flags and isinstance(one, Pointer) and isinstance(other, Pointer):
            return path.fresh(64, "distance")
        if i.opcode == "icmp" and i.detail in ("eq", "ne") and z3.is_bv(other) and z3.is_bv_value(other) and (
                other.as_long() == 0):
            if one.memory == "text" and z3.is_bv_value(one.offset) and one.offset.as_long() == 0:
                return flag(NO_ADDRESS == (i.detail == "eq"))
            if one.memory == "error":
                return number(i.detail == "ne", 1)
        raise Unsupported(i.text)

    # Memory.

    def inside(self, i, pointer, size, path):
        if pointer.memory not in path.sizes:
            raise Unsupported("unknown memory: " + i.text)
        room = path.sizes[pointer.memory] - pointer.offset
        path.must(z3.And(pointer.offset >= 0, pointer.offset <= path.sizes[pointer.memory], room >= size),
                  f"outside {pointer.memory}: {i.text}")

    def load(self, i, pointer, path):
        count, bits = (0, 64) if i.type == "ptr" else shape(i.type)
        step = bits // 8
        self.inside(i, pointer, (count or 1) * step, path)
        found = [self.load_one(i, Pointer(pointer.memory, z3.simplify(pointer.offset + n * step)), step, path)
                 for n in range(count or 1)]
        if "!range" in i.text and i.type == "i64":
            path.must(z3.And(found[0] >= 0, found[0] != (1 << 63) - 1), "range: " + i.text)
        return found if count else found[0]

    def load_one(self, i, pointer, size, path):
        if pointer.memory == "text" and size == 1:
            return character(pointer.offset)
        offset = pointer.offset
        if pointer.memory == "table" and size == 1:
            path.must(z3.And(offset >= 32, offset < 288), "outside the table's entries: " + i.text)
            if not path.has_table:
                raise Unsupported("an entry is used before the table is checked")
            return z3.Select(TABLE, z3.simplify(z3.Extract(7, 0, offset - 32)))
        if not z3.is_bv_value(offset):
            raise Unsupported(f"an unknown offset in {pointer.memory}: {i.text}")
        return path.read(pointer.memory, offset.as_long(), size)

    def store(self, i, value, pointer, path):
        if pointer.memory == "text":
            raise Refuted("a store to the text: " + i.text)
        at = pointer.offset
        for one in lanes(value):
            one = clean(one, i, path) if not isinstance(one, Pointer) else one
            self.inside(i, Pointer(pointer.memory, at), octets_of(one), path)
            # An array begins with its header.
            header = 32 if pointer.memory in self.arrays else 0
            is_known = z3.is_bv_value(at) and (pointer.memory != "output" or at.as_long() < header)
            if is_known and pointer.memory == "table" and path.has_table:
                raise Refuted("the table is changed: " + i.text)
            if is_known:
                path.write(pointer.memory, at.as_long(), one)
            elif pointer.memory in ("output", "values"):
                path.must(at >= header, "the header of an array is changed: " + i.text)
                path.writes += [(pointer.memory, z3.simplify(at + n), z3.simplify(z3.Extract(8 * n + 7, 8 * n, one)))
                                for n in range(octets_of(one))]
            else:
                raise Unsupported(f"an unknown offset in {pointer.memory}: {i.text}")
            at = z3.simplify(at + octets_of(one))

    # Calls.

    def call(self, i, values, path):
        name = i.detail or ""
        model = self.calls.get(self.module.names.get(name))
        if model:
            return model(self, i, values, path)
        if name == "asm" or name in ("swift_release", "swift_retain"):
            return [(None, path)]
        if name == "swift_willThrowTypedImpl" or name.endswith("6Basics7RefusalVACs5ErrorAAWl"):
            return [(Pointer("@witness", number(0)), path)]
        if "28_allocateBufferUninitialized15minimumCapacity" in name:
            memory = self.arrays[sum(one in path.sizes for one in self.arrays)]
            path.must(z3.And(values[0] > 0, values[0] < 3 * MOST), "the size of an array")
            path.sizes[memory] = z3.simplify(values[0] + 32)
            return [(Pointer(memory, number(0)), path)]
        kind = name.split(".")
        if kind[0] != "llvm":
            raise Unsupported(i.text)
        for low, high, register in re.findall(r"range\(i64 (-?\d+), i64 (-?\d+)\) (%[\w.]+)", i.text):
            one = values[[o.name for o in i.operands].index(register[1:])] if register[1:] in [
                o.name for o in i.operands] else values[0]
            path.must(z3.ULT(one - int(low), number(int(high) - int(low))), "poison: " + i.text)
        return [(self.intrinsic(i, kind[1:], values, path), path)]

    def intrinsic(self, i, kind, values, path):
        if kind[0] == "trap":
            raise Refuted("a trap is reached")
        if kind[0] == "assume":
            return path.must(clean(values[0], i, path) == 1, "a wrong assumption: " + i.text)
        if kind[0] == "lifetime":
            memory = values[-1].memory
            path.memory[memory], path.sizes[memory] = {}, self.stack[memory] if kind[1] == "start" else number(0)
            return None
        if kind[0] == "memset" and values[0].memory == "output":
            if path.met or path.writes or "output" not in self.arrays:
                raise Refuted("octets that are decoded are set: " + i.text)
            start, size = values[0].offset, path.sizes["output"]
            path.must(z3.And(start >= 32, values[2] >= 0, start + values[2] <= size), i.text)
            return None
        if kind[0] == "memset" and z3.is_bv_value(values[2]):
            for n in range(values[2].as_long()):
                self.store(i, values[1], Pointer(values[0].memory, z3.simplify(values[0].offset + n)), path)
            return None
        x, *others = [clean(one, i, path) for one in values]
        if kind[0] in ("sadd", "ssub") and kind[1:3] == ["with", "overflow"]:
            op = {"sadd": "add", "ssub": "sub"}[kind[0]]
            fits = z3.And(*overflow(op, ("nsw",), x, others[0]))
            return path.short(ARITHMETIC[op](x, others[0])), flag(z3.Not(fits))
        if kind[0] == "umin":
            return z3.simplify(z3.If(z3.ULT(x, others[0]), x, others[0]))
        if kind[0] == "bswap":
            return z3.simplify(z3.Concat(*[z3.Extract(at + 7, at, x) for at in range(0, x.size(), 8)]))
        if kind[:3] == ["vector", "reduce", "or"]:
            return z3.simplify(functools.reduce(ARITHMETIC["or"], x))
        raise Unsupported(i.text)


class Lane:
    """A number that can be poison, and when it is."""

    def __init__(self, bits, poison):
        self.bits, self.poison = bits, poison


def pair(value, like):
    """The bits of a lane, and when it is poison. None is poison, of as many bits as another."""
    if value is None:
        return number(0, pair(like, like)[0].size()), z3.BoolVal(True)
    return (value.bits, value.poison) if isinstance(value, Lane) else (value, z3.BoolVal(False))


def lane_of(bits, poison):
    bits, poison = z3.simplify(bits), z3.simplify(poison)
    return bits if z3.is_false(poison) else None if z3.is_true(poison) else Lane(bits, poison)


def clean(value, i, path):
    """A value that is neither an address nor, on a path, poison."""
    if isinstance(value, list):
        return [clean(one, i, path) for one in value]
    if isinstance(value, Lane):
        path.must(z3.Not(value.poison), "poison: " + i.text)
        return value.bits
    if not z3.is_bv(value):
        raise Unsupported("poison or an address in " + i.text)
    return value


# What holds where a loop begins.

def begin(path, block, variable=()):
    """Begins any turn of a loop. Memory that is not variable must be unchanged where the turn ends."""
    kept = {name: dict(cells) for name, cells in path.memory.items() if name not in variable}
    path.met[block], path.writes = (kept, dict(path.sizes)), []
    return path


def end(path, block):
    """Checks at the end of a turn that the loop left memory as it is assumed where a turn begins."""
    kept, sizes = path.met[block]
    if path.sizes != sizes:
        raise Refuted("memory whose size or lifetime differs in the next turn")
    for name, cells in kept.items():
        for at, (one, n) in cells.items():
            now, m = path.memory.get(name, {}).get(at, (None, 0))
            if not same(now, one) or m != n:
                raise Refuted(f"{name} is changed in a loop")


def same(one, other):
    if isinstance(one, Pointer) and isinstance(other, Pointer):
        return one.memory == other.memory and one.offset.eq(other.offset)
    return z3.is_bv(one) and z3.is_bv(other) and one.eq(other)


def joined(values):
    return values[0] if len(values) == 1 else z3.Concat(*values)


def check_writes(path, start, expected, more=0):
    """Checks that exactly the expected octets were written from a place in the output on, and at most some more after
    them."""
    written = {}
    for memory, offset, octet in path.writes:
        if memory != "output":
            raise Refuted(f"an octet is written to {memory}")
        at = next((n for n in range(len(expected) + more) if path.holds(offset - start == n)), None)
        if at is None:
            raise Refuted("an octet is written before or after those that are decoded")
        written[at] = octet
    for n, one in enumerate(expected):
        if n not in written:
            raise Refuted(f"octet {n} is not written")
        path.must(written[n] == one, f"octet {n}")


def refute_unless(condition, what, effort=EFFORT):
    if not refuted(z3.Not(condition), effort=effort):
        raise Refuted(what)


def phis_of(function, block):
    return [i for i in function.blocks[block] if i.opcode == "phi"]


#: Debug information, and hints that nothing here uses: all metadata but the ranges of numbers.
DEBUG = r",? !(?!range)[\w.]+ !\d+|^ *#dbg_.*$|^.*@llvm.experimental.noalias.*$|^!(?!\d+ = !{i64 [^!]*}$).*$"


class Module:
    """The functions of a module that have a name in Swift, the names of all functions, and the definitions of types."""

    def __init__(self, path, wanted):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        symbols = re.findall(r'^(?:define|declare) [^@]*@"?([^"(]+)"?\(', text, re.M)
        self.text, self.names = text, demangled(symbols)
        self.types = dict(re.findall(r"^(%\S+) = type (.+)$", text, re.M))
        # llvmlite does not read all debug information.
        plain = path + ".plain"
        with open(plain, "w", encoding="utf-8") as file:
            file.write(re.sub(DEBUG, "", text, flags=re.M))
        self.functions = ir.read(plain, [s for s, name in self.names.items() if name == wanted])

    def body(self, symbol):
        return re.search(rf'^define [^@]*@"?{re.escape(symbol)}"?\(.*?^}}', self.text, re.M | re.S)[0]
