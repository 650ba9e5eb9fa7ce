"""Shows that compression functions of the shipped code compute what FIPS 180-4 says, for all blocks and hash values.

A function is executed as LLVM IR with symbols for the hash value, the octets of the message and the number of octets.
Its loop over blocks is proved by induction: if the loop's variables hold the hash value before a block, they hold the
one after it where the loop begins again, and the function returns when no whole block is left. execute.py would forget
what the loop computes, and all but bounds of it, so this file has an execution of its own.

The standard's words W(t), a and e after each round, and the next hash value are cut points. Each has a symbol, and its
definition in terms of other symbols. Every word carries what it is for a few random inputs beside its term. A word
that agrees with a cut point for these inputs is proved equal to the definition by z3, and then replaced by the symbol.
So no question to z3 is longer than a few rounds.

The compact functions are for WebAssembly and microcontrollers, where an offset has 32 bits. They are proved as compiled
for x86-64, like the other functions.
"""

import collections
import itertools
import os
import re

import z3
from z3 import z3util

import ir
from build import ROOT, demangled
from execute import COMPARISONS, Refuted, Unsupported, conversion, loops_of, overflow, size_of
from fips180 import CONCRETE, INSTRUCTIONS, SAMPLES, SHA1, SHA256, SHA512, Message, Word, constant, joined, symbol

#: What z3 may do for one question, in its own unit.
EFFORT = 3_000_000
#: How often a path may enter a block.
MOST_VISITS = 1000
#: The beginnings of the names of symbols for what is poison or undefined, and for memory that is not known.
UNKNOWN = ("undefined", "unknown")


def refuted(*conditions, effort=EFFORT):
    """Whether z3 shows that conditions do not hold together."""
    solver = z3.SolverFor("QF_BV")
    solver.set("rlimit", effort)
    solver.add(*(z3.simplify(one) for one in conditions))
    return solver.check() == z3.unsat


class Rewritten(Exception):
    """A store in the loop to memory that had constants before it."""


class Pointer:
    """An address: a block of memory, and an offset in it."""

    def __init__(self, memory, offset):
        self.memory, self.offset = memory, offset


class Path:
    """A path: what is known, what memory holds, and how many octets it has. Memory has a name, and for the offset of
    each octet a word and the number of the octet in it."""

    def __init__(self):
        self.conditions, self.memory, self.sizes, self.met = [], {}, {}, False

    def copy(self):
        other = Path()
        other.conditions, other.sizes, other.met = list(self.conditions), dict(self.sizes), self.met
        other.memory = {name: dict(cells) for name, cells in self.memory.items()}
        return other


class Execution:
    """The execution of one function.

    `messages` has the messages by their names, which are those of their memory, `counts` the number of octets of each,
    a term, and `places` where the words of each one's hash value are in memory, a function of the word's number.
    `hash_is_current` says whether they are there whenever the loop begins again, and `rewritten` has the memory whose
    constants the loop replaces.
    """

    def __init__(self, functions, text, messages, counts, places, hash_is_current, rewritten):
        self.functions, self.text = functions, text
        self.messages, self.counts, self.places = messages, counts, places
        self.rewritten = rewritten
        self.blocks = len(next(iter(messages.values())).hashes) - 1
        self.step = self.blocks * next(iter(messages.values())).block
        self.hash_is_current = hash_is_current
        self.offset = symbol(64, "offset")
        self.solver = z3.Solver()
        self.solver.set("rlimit", EFFORT)
        #: What the path at hand assumes where the loop begins. Paths are followed to their ends one after the other, so
        #: no other path sees it.
        self.invariant, self.kept, self.fixed, self.checked, self.lifetimes = [], [], set(), [], {}
        #: The size of memory on the stack.
        self.sizes = {}
        self.serial = itertools.count()
        self.cuts = {k: v for m in messages.values() for k, v in m.cuts.items()}
        self.definitions = {one.term.get_id(): definition.term for one, definition in self.cuts.values()}
        self.globals, self.constants = {}, {}
        #: The terms that were shown to be a cut point, by its name.
        self.shown = {}

    # Questions.

    def holds(self, path, condition):
        condition = z3.simplify(condition)
        if z3.is_true(condition) or z3.is_false(condition):
            return z3.is_true(condition)
        self.solver.push()
        self.solver.add(*path.conditions, z3.Not(condition))
        result = self.solver.check()
        self.solver.pop()
        return result == z3.unsat

    def must(self, path, condition, what):
        if not self.holds(path, condition):
            raise Refuted(what)

    def recognised(self, word):
        """The symbol of the cut point that a word is, or the word."""
        found = self.cuts.get((word.bits, word.samples)) if isinstance(word, Word) else None
        if found is None or found[0].term.eq(word.term):
            return word
        one, definition = found
        # What was shown for one message holds for another.
        message, _, name = str(one.term).partition(".")
        same = self.of_first_message(word.term, message)
        shown = self.shown.setdefault(name, [])
        if any(term.eq(same) for term in shown):
            return one
        # Each of three ways suffices. The word is the definition as it stands. Or it is the definition in which symbols
        # that the word lacks are replaced by their definitions: instructions compute up to four rounds. Or it follows
        # from the definitions nearby: words of the schedule can be sums of words long before them.
        term = z3.substitute(word.term, (one.term, definition.term))
        names = {v.get_id() for v in z3util.get_vars(term)}
        steps = 2 if ".W" in str(one.term) else 4
        if not (definition.term.eq(term)
                or refuted(self.expanded(definition.term, names, steps) != term, effort=EFFORT // 20)
                or refuted(word.term != one.term, *self.near(one.term, 2))):
            raise Refuted(f"{one.term} is computed in another way: {word.term}"[:400])
        shown.append(same)
        return one

    def of_first_message(self, term, message):
        """A term with the symbols of the first message in place of those of another, if it has those of no third."""
        symbols = [(v, str(v).partition(".")) for v in z3util.get_vars(term)]
        if any(owner.startswith("message") and owner != message for _, (owner, *_) in symbols):
            return term
        return z3.substitute(term, *[(v, z3.BitVec("message0." + rest, v.size())) for v, (owner, _, rest) in symbols
                                     if owner == message])

    def near(self, term, steps):
        """The equations that define the cut points in a term, and those in the definitions, some steps far."""
        found, level = {}, [term]
        for _ in range(steps):
            level = [v for one in level for v in z3util.get_vars(one) if v.get_id() in self.definitions]
            level = [self.definitions[v.get_id()] for v in level if v.get_id() not in found
                     and not found.update({v.get_id(): v == self.definitions[v.get_id()]})]
        return found.values()

    def expanded(self, term, names, steps):
        """A term with the definitions of the cut points in it that are not among some, and so on, some steps deep."""
        found = [v for v in z3util.get_vars(term) if v.get_id() in self.definitions and v.get_id() not in names]
        if not found or not steps:
            return term
        return self.expanded(z3.substitute(term, *[(v, self.definitions[v.get_id()]) for v in found]), names, steps - 1)

    # Values.

    def value(self, registers, operand):
        if operand.name is not None:
            return registers[operand.name]
        return self.literal(operand.type, operand.number if operand.number is not None else operand.constant)

    def literal(self, type, text):
        if type.startswith("<"):
            count, element = re.fullmatch(r"<(\d+) x (.+)>", type).groups()
            splat = re.fullmatch(r"splat \(i\d+ (-?\d+)\)", text)
            if splat:
                text = splat[1]
            if not text.startswith("<"):
                return [self.literal(element, "0" if text == "zeroinitializer" else text) for _ in range(int(count))]
            return [self.literal(*part.split(" ", 1)) for part in ir.parts(text[1:-1])]
        if type == "ptr":
            match = re.fullmatch(r'getelementptr inbounds(?: nuw)? \(i8, ptr (.+), i64 (\d+)\)', str(text))
            name, at = (match[1], int(match[2])) if match else (text, 0)
            return Pointer(self.global_(name), constant(64, at))
        if text in ("poison", "undef"):
            return symbol(int(type[1:]), f"undefined{next(self.serial)}")
        return constant(int(type[1:]), {"true": 1, "false": 0}.get(text) or int(text))

    def global_(self, name):
        """The memory of a constant, which holds numbers, and arrays and headers of zeros."""
        if name not in self.globals:
            match = re.search(rf"^{re.escape(name)} = .*? constant (.+)$", self.text, re.M)
            self.globals[name] = "global " + name
            text = match[1].partition(", align")[0] if match else "nothing"
            form = r"(%swift\.refcounted|\[\d+ x i\d+\]) zeroinitializer|\bi(8|16|32|64) (-?\d+)"
            cells, at = {}, 0
            if re.sub(form + r'|%[\w.$]+|%"[^"]+"|\[\d+ x [^\]]*\]|[\[\]<>{},\s]', "", text):
                raise Unsupported(f"the constant {name}")
            for zeros, bits, one in re.findall(form, text):
                count, bits = (2, 64) if "swift" in zeros else map(int, re.findall(r"\d+", zeros) or (1, bits))
                for _ in range(count):
                    at += -at % (bits // 8)
                    cells |= {at + n: (constant(bits, int(one or 0)), n) for n in range(bits // 8)}
                    at += bits // 8
            self.constants[self.globals[name]] = cells
        return self.globals[name]

    # Memory.

    def place(self, path, pointer, bits=None):
        """The offset of a pointer. From there, memory must have as many bits."""
        offset = z3.simplify(pointer.offset.term)
        if not z3.is_bv_value(offset):
            raise Unsupported(f"an unknown offset in {pointer.memory}")
        if bits is not None and offset.as_long() + bits // 8 > path.sizes.get(pointer.memory, 0):
            raise Refuted(f"{bits // 8} octets at {offset} lie outside {pointer.memory}")
        return offset.as_long()

    def load(self, path, pointer, bits):
        if pointer.memory in self.messages:
            start = z3.simplify(pointer.offset.term - self.offset.term)
            message = self.messages[pointer.memory]
            if not z3.is_bv_value(start) or start.as_long() + bits // 8 > self.step:
                raise Refuted(f"a load outside the block, at {start}")
            index = (start.as_long() + bits // 8 - 1) // message.block + 1
            self.must(path, self.counts[pointer.memory] - self.offset.term >= index * message.block,
                      "a load beyond the last whole block")
            at = start.as_long()
            return joined(message.octets[at:at + bits // 8])
        constants = self.constants.get(pointer.memory)
        at = self.place(path, pointer, bits) if constants is None else self.place(path, pointer)
        cells = path.memory.setdefault(pointer.memory, {}) if constants is None else constants
        found = [cells.get(at + n) for n in range(bits // 8)]
        if isinstance(found[0], Pointer):
            return found[0]
        if any(one is None for one in found):
            if constants is not None:
                raise Refuted(f"a load outside {pointer.memory}")
            return symbol(bits, f"unknown{next(self.serial)}")
        # Octets of one word, or of several, in their order.
        words = [one for one, octet in found if octet == 0]
        if sum(w.bits for w in words) == bits and all(o == n for (w, o), n in zip(
                found, itertools.chain(*[range(w.bits // 8) for w in words]))):
            return joined(words) if len(words) > 1 else words[0]
        return joined([w.extract(8 * o + 7, 8 * o) for w, o in found])

    def store(self, path, pointer, value):
        if pointer.memory in self.messages or pointer.memory in self.constants or pointer.memory == "addresses":
            raise Refuted(f"a store to {pointer.memory}")
        if pointer.memory in self.fixed:
            raise Rewritten(pointer.memory)
        words = lanes(value)
        if any(not isinstance(word, Word) or word.bits % 8 for word in words):
            raise Unsupported(f"a store of bits or of an address to {pointer.memory}")
        cells = path.memory.setdefault(pointer.memory, {})
        at = self.place(path, pointer, sum(word.bits for word in words))
        for word in words:
            for n in range(word.bits // 8):
                cells[at + n] = word, n
            at += word.bits // 8

    # Paths.

    def run(self, name, arguments, path, depth=0):
        """Yields the path and the result where the function returns."""
        function = self.functions[name]
        registers = dict(zip((p.name for p in function.parameters), arguments))
        header = max(loops_of(function), key=lambda h: len(loops_of(function)[h]), default=None)
        visits = collections.Counter()
        work = [(function.entry, 0, None, registers, path)]
        while work:
            block, index, previous, registers, path = work.pop()
            instructions = function.blocks[block]
            visits[block] += 1
            if visits[block] > MOST_VISITS:
                raise Unsupported(f"{name} goes round a loop without end")
            if index == 0:
                phis = [i for i in instructions if i.opcode == "phi"]
                values = [self.value(registers, i.operands[i.blocks.index(previous)]) for i in phis]
                if depth == 0 and block == header:
                    if path.met:
                        self.end_turn(values, path)
                        continue
                    values = self.begin_turn(function, phis, values, path)
                registers.update(zip((i.name for i in phis), values))
            for at in range(index, len(instructions)):
                i = instructions[at]
                if i.opcode == "phi":
                    continue
                if i.opcode == "ret":
                    yield path, self.value(registers, i.operands[0]) if i.operands else None
                    break
                if i.opcode == "select" or i.opcode == "br" and i.operands:
                    sides = self.sides(path, self.value(registers, i.operands[0]))
                    for side in sides:
                        other = path if len(sides) == 1 else path.copy()
                        other.conditions += sides[side]
                        if i.opcode == "br":
                            work.append((i.blocks[not side], 0, block, dict(registers), other))
                        else:
                            work.append((block, at + 1, previous,
                                         {**registers, i.name: self.value(registers, i.operands[2 - side])}, other))
                    break
                if i.opcode == "br":
                    work.append((i.blocks[0], 0, block, registers, path))
                    break
                if i.opcode == "call" and i.detail in self.functions:
                    arguments = [self.value(registers, o) for o in i.operands]
                    returns = list(self.run(i.detail, arguments, path, depth + 1))
                    if not returns:
                        raise Refuted(f"{i.detail} does not return")
                    work += [(block, at + 1, previous, {**registers, i.name: result}, after)
                             for after, result in returns]
                    break
                result = self.instruction(i, registers, path)
                if result is not None:
                    registers[i.name] = ([self.recognised(one) for one in result] if isinstance(result, list)
                                         else self.recognised(result))

    def sides(self, path, condition):
        """The sides of a branch that a path can take, each with what is known there."""
        if isinstance(condition, list) or any(str(v).startswith(UNKNOWN) for v in z3util.get_vars(condition.term)):
            raise Unsupported("a branch on what is not known")
        if z3.is_bv_value(condition.term):
            return {condition.term.as_long() == 1: []}
        is_true = condition.term == 1
        if self.holds(path, is_true):
            return {True: []}
        if self.holds(path, z3.Not(is_true)):
            return {False: []}
        return {True: [is_true], False: [z3.Not(is_true)]}

    def instruction(self, i, registers, path):
        op = i.opcode
        if op == "call":
            return self.call(i, registers, path)
        values = [self.value(registers, o) for o in i.operands]
        if op == "load":
            if values[0].memory in self.messages and not re.search(r"align 1(?=$|,)", i.text):
                raise Refuted("a message can have any address: " + i.text)
            if i.type == "ptr":
                return self.load(path, values[0], 64)
            count, element = (re.fullmatch(r"<(\d+) x i(\d+)>", i.type) or re.fullmatch(r"()i(\d+)", i.type)).groups()
            found = [self.load(path, Pointer(values[0].memory, values[0].offset + constant(64, n * int(element) // 8)),
                               int(element)) for n in range(int(count or 1))]
            return found if count else found[0]
        if op == "store":
            return self.store(path, values[1], values[0])
        if op == "alloca":
            memory = f"stack{next(self.serial)}"
            self.sizes[memory] = size_of(re.search(r"alloca (.+?), align", i.text)[1])
            return Pointer(memory, constant(64, 0))
        if op == "getelementptr":
            if len(values) != 2:
                raise Unsupported(i.text)
            distance = values[1].apply("mul", constant(64, size_of(i.detail)))
            return Pointer(values[0].memory, values[0].offset + distance)
        if op in ("inttoptr", "ptrtoint", "freeze"):
            return values[0]
        if op == "icmp":
            x, y = (v.term for v in values)
            if "samesign" in i.flags:
                self.must(path, (x < 0) == (y < 0), "poison: " + i.text)
            result = z3.If(COMPARISONS[i.detail](x, y), z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
            return Word(1, z3.simplify(result), (0,) * SAMPLES)
        if op == "extractelement":
            return values[0][values[1].term.as_long()]
        if op == "insertelement":
            at = values[2].term.as_long()
            return values[0][:at] + [values[1]] + values[0][at + 1:]
        if op == "shufflevector":
            mask = re.search(r", (<\d+ x i32>) (<[^>]*>|zeroinitializer|poison)(?=, !|$)", i.text)
            mask = self.literal(*mask.groups())
            both = values[0] + values[1]
            return [both[m.term.as_long()] if z3.is_bv_value(m.term)
                    else symbol(both[0].bits, f"undefined{next(self.serial)}") for m in mask]
        if op == "bitcast":
            return self.cast(values[0], i.type)
        if op in ("zext", "sext", "trunc"):
            word = values[0]
            width = int(i.type[1:])
            conditions, term = conversion(op, i.flags, word.term, width)
            for one in conditions:
                self.must(path, one, "poison: " + i.text)
            return Word(width, z3.simplify(term), tuple(x % (1 << width) for x in word.samples))
        if op in CONCRETE:
            pairs = list(zip(lanes(values[0]), lanes(values[1])))
            for x, y in pairs:
                for one in overflow(op, i.flags, x.term, y.term):
                    self.must(path, one, "poison: " + i.text)
            # Of numbers without a common bit, the sum is easier to work with.
            result = [x.apply("add" if "disjoint" in i.flags else op, y) for x, y in pairs]
            return result if isinstance(values[0], list) else result[0]
        raise Unsupported(i.text)

    def cast(self, value, type):
        """The same bits as numbers of other lengths."""
        words = value if isinstance(value, list) else [value]
        count, bits = (re.fullmatch(r"<(\d+) x i(\d+)>", type) or re.fullmatch(r"()i(\d+)", type)).groups()
        bits = int(bits)
        if words[0].bits < bits:
            each = bits // words[0].bits
            result = [joined(words[n:n + each]) for n in range(0, len(words), each)]
        else:
            result = [w.extract(at + bits - 1, at) for w in words for at in range(0, w.bits, bits)]
        return result if count else result[0]

    def call(self, i, registers, path):
        name, values = i.detail, [self.value(registers, o) for o in i.operands]
        kind = name.split(".")
        if kind[1] in ("experimental", "dbg"):
            return None
        if kind[1] == "lifetime":
            # Memory on the stack has a size from its start to its end, and no known octets at its start.
            memory = values[-1].memory
            path.memory[memory], path.sizes[memory] = {}, self.sizes[memory] if kind[2] == "start" else 0
            if path.met and kind[2] == "start" and memory in self.fixed:
                raise Rewritten(memory)
            return None
        if kind[1] == "assume":
            self.must(path, values[0].term == 1, "assumption: " + i.text)
            return None
        if kind[1] == "memset":
            for n in range(values[2].term.as_long()):
                self.store(path, Pointer(values[0].memory, values[0].offset + constant(64, n)), values[1])
            return None
        if kind[1] == "x86" and kind[2] in INSTRUCTIONS:
            return INSTRUCTIONS[kind[2]](*values)
        function = {"bswap": bswap, "fshl": funnel}.get(kind[1])
        if function is None:
            raise Unsupported(i.text)
        return ([function(*one) for one in zip(*values)] if isinstance(values[0], list) else function(*values))

    # The loop over blocks.

    def begin_turn(self, function, phis, values, path):
        """Begins any one way round the loop: replaces the values of the loop's variables, and what is in memory, by
        what they are at any offset. Returns the values."""
        before = {h.term.get_id(): (m, n) for m in self.messages.values() for n, h in enumerate(m.hashes[0])}
        self.invariant, result = [], []
        for i, value in zip(phis, values):
            kinds = []
            for lane in lanes(value):
                known = before.get(lane.term.get_id()) if isinstance(lane, Word) else None
                kinds.append(("hash", *known) if known else ("count", lane, self.steps_of(function, i)))
            self.invariant += kinds
            now = [one if kind == "hash" else self.moved(more, self.offset)
                   for one, (kind, *more) in zip(lanes(value), kinds)]
            result.append(now if isinstance(value, list) else now[0])
        # Where the loop begins, a message has a block left, or the loop finds out.
        self.checked = [n for n, m in self.messages.items() if self.holds(path, self.counts[n] >= m.block)]
        path.conditions += [self.condition(self.offset.term)]
        path.met = True
        # Of what the loop wrote to memory in earlier turns, only words of the hash value may be known.
        self.kept, self.fixed, self.lifetimes = [], set(), dict(path.sizes)
        for memory, cells in path.memory.items():
            if memory == "addresses":
                continue
            path.memory[memory] = {}
            for at, (word, octet) in cells.items():
                octets = range(at - octet, at - octet + word.bits // 8)
                if any(cells.get(o) != (word, n) for n, o in enumerate(octets)):
                    continue
                known = before.get(word.term.get_id())
                if memory.startswith("stack") and memory not in self.rewritten and z3.is_bv_value(word.term):
                    path.memory[memory][at] = word, octet
                    self.fixed.add(memory)
                if known and (self.hash_is_current or memory.startswith("stack")):
                    path.memory[memory][at] = word, octet
                    self.kept += [(Pointer(memory, constant(64, at)), *known)] if octet == 0 else []
        return result

    def end_turn(self, values, path):
        """Checks that the loop's variables and memory are, where the loop begins again, as `begin_turn` assumed."""
        for (kind, *more), value in zip(self.invariant, itertools.chain(*[lanes(v) for v in values])):
            offset = self.offset + constant(64, self.step)
            expected = more[0].hashes[-1][more[1]] if kind == "hash" else self.moved(more, offset)
            if memory_of(value) != memory_of(expected):
                raise Refuted(f"a variable at the end of the loop points into {memory_of(value)}")
            self.must(path, term_of(value) == term_of(expected), "a variable at the end of the loop")
        self.must(path, self.condition(self.offset.term + self.step), "the loop's condition")
        if path.sizes != self.lifetimes:
            raise Refuted("memory whose lifetime differs in the next turn")
        for pointer, message, n in self.kept:
            found = self.load(path, pointer, message.algorithm.bits)
            self.must(path, found.term == message.hashes[-1][n].term, f"word {n} of the hash value in memory")

    def left(self, name, offset, blocks):
        """Whether a message has some blocks left."""
        return self.counts[name] - offset >= blocks * self.messages[name].block

    def condition(self, offset):
        """What holds of the offset where the loop begins."""
        return z3.And(offset >= 0, offset & self.step - 1 == 0,
                      *[self.left(name, offset, name in self.checked) for name in self.messages])

    def steps_of(self, function, phi):
        """By how much a variable grows in one way round, if it is an offset."""
        made = {i.name: i for block in function.blocks.values() for i in block if i.name}
        for i in (made[o.name] for o in phi.operands if o.name in made):
            if i.opcode in ("add", "getelementptr") and i.operands[0].name == phi.name:
                return i.operands[1].number or 0
            # What is left of the message.
            if i.opcode == "sub" and i.operands[1].name in made and made[i.operands[1].name].opcode == "add":
                return -made[i.operands[1].name].operands[1].number
        return 0

    def moved(self, count, offset):
        """The value of a variable that grows by a number of octets with each block."""
        start, step = count
        if not step:
            return start
        grown = offset.apply("mul", constant(64, step // self.step))
        return Pointer(start.memory, start.offset + grown) if isinstance(start, Pointer) else start + grown

    def check_return(self, path):
        """Checks that the hash values are those after all whole blocks that every message has: those after some blocks,
        if fewer than one more are left. That there were so many was shown at the loads of their octets, on which the
        hash values depend."""
        start = self.offset.term if path.met else z3.BitVecVal(0, 64)
        for index in range(self.blocks + 1 if path.met else 1):
            if self.holds(path, z3.Not(z3.And(*[self.left(n, start, index + 1) for n in self.messages]))):
                for message in self.messages.values():
                    self.must_hold(path, message, index)
                return
        raise Refuted("a return while blocks are left")

    def must_hold(self, path, message, index):
        """Requires that the memory of a hash value holds the one after some blocks."""
        for n, word in enumerate(message.hashes[index]):
            found = self.load(path, self.places[message.name](n), word.bits)
            self.must(path, found.term == word.term, f"word {n} of the hash value in memory")
        # A hash value of SHA-1 has three words of zero after its five.
        for n in range(message.algorithm.size, 8):
            found = self.load(path, self.places[message.name](n), word.bits)
            self.must(path, found.term == 0, f"word {n} of the hash value, which is zero")


def lanes(value):
    return value if isinstance(value, list) else [value]


def term_of(value):
    return value.offset.term if isinstance(value, Pointer) else value.term


def memory_of(value):
    return value.memory if isinstance(value, Pointer) else None


def bswap(x):
    return joined([x.extract(at + 7, at) for at in range(0, x.bits, 8)][::-1])


def funnel(x, y, n):
    if not x.term.eq(y.term) or not z3.is_bv_value(n.term):
        raise Unsupported("a funnel shift of two words, or by an unknown number")
    return x.rotl(n.term.as_long() % x.bits)


# The claims.

#: Functions that take hash value, start and count of octets of each message: the module, the name, the algorithm, the
#: number of messages, and how many blocks one way round the loop takes.
WHOLE = [
    ("SHA", "specialized static SHA1.compress(_:_:)", SHA1, 1, 1),
    ("SHA", "specialized static SHA256.compress(_:_:)", SHA256, 1, 1),
    ("SHA", "specialized static SHA512.compress(_:_:)", SHA512, 1, 1),
    ("SHA", "specialized static SHA1.compressCompactly(_:_:)", SHA1, 1, 1),
    ("SHA", "specialized static SHA256.compressCompactly(_:_:)", SHA256, 1, 1),
    ("SHAExtensions", "compressSHA1(_:_:)", SHA1, 1, 1),
    ("SHAExtensions", "compressSHA256(_:_:)", SHA256, 1, 1),
    ("SHAExtensions", "compressSHA256(_:_:_:_:)", SHA256, 2, 1),
    ("AVX2", "compressSHA1(_:_:)", SHA1, 1, 2),
    ("AVX2", "compressSHA256(_:_:)", SHA256, 1, 2),
]
#: Functions for several messages of one length, in lanes: the module, the name, the algorithm, the number of lanes.
LANES = [
    ("AVX2", "compressSHA256(lanes:_:blockCount:)", SHA256, 8),
    ("AVX512VL", "compressSHA256(lanes:_:blockCount:)", SHA256, 16),
]
CLAIMS = {f"FIPS 180-4: {row[0]}.{row[1].removeprefix('specialized static ')}": row for row in WHOLE + LANES}
#: The claims whose proofs take half a minute or more.
LONG = [claim for claim, row in CLAIMS.items() if row[0].startswith("AVX") or row[3] > 1]
#: The source that chooses the compression functions, and the condition under which it chooses the compact ones.
CHOICE, COMPACT = "Sources/SHA/Compression.swift", "#if arch(wasm32) || (os(none) && (arch(arm) || arch(riscv32)))"


def sources(claim, folder, replaced):
    """The sources that the proof of a claim compiles in place of others. The machine of the proofs uses no compact
    function, so a claim about one is proved in a module that chooses it on every machine."""
    if "compressCompactly" not in claim:
        return replaced
    path, copy = os.path.join(ROOT, CHOICE), os.path.join(folder, "CompactChoice.swift")
    with open(replaced.get(path, path), encoding="utf-8") as file:
        text = file.read()
    if text.count(COMPACT) != 1:
        raise ValueError(f"{CHOICE} has the condition {text.count(COMPACT)} times: {COMPACT}")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace(COMPACT, "#if true"))
    return {**replaced, path: copy}


def whole(functions, text, symbol_name, algorithm, count, blocks):
    """Proves a function that takes hash value, start and count of octets of each message."""
    messages = {f"message{n}": Message(f"message{n}", algorithm, blocks) for n in range(count)}
    counts = {name: z3.BitVec(name + ".count", 64) for name in messages}
    places = {name: lambda n, name=name: Pointer("hash of " + name, constant(64, n * algorithm.bits // 8))
              for name in messages}
    path, arguments = Path(), []
    for name, message in messages.items():
        path.sizes["hash of " + name] = algorithm.bits
        words = message.hashes[0] + [constant(algorithm.bits, 0)] * (8 - algorithm.size)
        path.memory["hash of " + name] = {n * algorithm.bits // 8 + o: (w, o) for n, w in enumerate(words)
                                          for o in range(algorithm.bits // 8)}
        path.conditions += [counts[name] >= 0]
        arguments += [places[name](0), Pointer(name, constant(64, 0)), Word(64, counts[name], (0,) * SAMPLES)]
    return prove(functions, text, symbol_name, arguments, path, messages, counts, places)


def in_lanes(functions, text, symbol_name, algorithm, count):
    """Proves a function for several messages of equally many blocks, below 2^50. The words of their hash values
    alternate."""
    messages = {f"message{n}": Message(f"message{n}", algorithm, 1) for n in range(count)}
    blocks = z3.BitVec("blockCount", 64)
    counts = {name: blocks * 64 for name in messages}
    places = {f"message{lane}": lambda n, lane=lane: Pointer("hashes", constant(64, 4 * (n * count + lane)))
              for lane in range(count)}
    path = Path()
    path.conditions += [blocks >= 0, blocks < 1 << 50]
    path.memory["hashes"] = {places[name](n).offset.samples[0] + o: (word, o) for name, message in messages.items()
                             for n, word in enumerate(message.hashes[0]) for o in range(4)}
    path.sizes |= {"hashes": 32 * count, "addresses": 8 * count}
    path.memory["addresses"] = {8 * n: Pointer(name, constant(64, 0)) for n, name in enumerate(messages)}
    arguments = [Pointer("hashes", constant(64, 0)), Pointer("addresses", constant(64, 0)),
                 Word(64, blocks, (0,) * SAMPLES)]
    return prove(functions, text, symbol_name, arguments, path, messages, counts, places)


#: The beginning of a reason that says nothing about the function.
UNSUPPORTED = "no model of "


def prove(functions, text, symbol_name, arguments, path, messages, counts, places):
    """Returns why the function is not shown to be right, or None."""
    reasons, rewritten, modes = [], set(), [True, False]
    while modes:
        one = Execution(functions, text, messages, counts, places, modes[0], rewritten)
        try:
            returns = 0
            for after, _ in one.run(symbol_name, arguments, path.copy()):
                one.check_return(after)
                returns += 1
            return None if returns else "no path returns"
        except Rewritten as error:
            rewritten.add(str(error))
        except Refuted as error:
            reasons.append(str(error))
            del modes[0]
        except Unsupported as error:
            return f"{UNSUPPORTED}{error}"
    return "; ".join(dict.fromkeys(reasons))


def check(claim, path):
    """Proves one claim about a module whose IR is in a file. Returns why it fails, or None."""
    module, name, algorithm, *more = CLAIMS[claim]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = demangled(re.findall(r'^define [^@]*@"?([^"(]+)"?\(', text, re.M))
    functions = ir.read(path, [symbol for symbol in names if "compress" in names[symbol]])
    found = [symbol for symbol in functions if names[symbol] == name]
    if len(found) != 1:
        return f"{UNSUPPORTED}{len(found)} functions of this name"
    return (whole if len(more) == 2 else in_lanes)(functions, text, found[0], algorithm, *more)
