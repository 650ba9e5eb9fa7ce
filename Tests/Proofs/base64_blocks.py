"""Shows that the base64 kernels of x86-64 decode what RFC 4648 §4 says: for every text, table of values, start and
size of the output that the documentation of `decodeBase64(_:_:_:at:)` allows.

A character has a value if it is below 128 and its entry in the table is below 64. Block k is the 64 characters from
64·k on. It can be decoded if it lies inside the text, all its characters have values, and 64 octets from start + 48·k
on lie inside the output. The claim is that the function decodes the blocks before the first that cannot be decoded, and
returns their number.

A function is executed as LLVM IR. Its loop is proved by induction over k, the number of blocks that are decoded. One
turn of the loop is executed with a symbol for k, and symbols for the characters of block k and the 128 entries of the
table. The invariant says that each variable of the loop is its first value plus k times its step, that 64·k characters
lie inside the text, and that 48·k octets and 16 more lie inside the output if k is not 0. Each turn either

- goes on with k + 1: then block k can be decoded, and its octets were stored; or
- returns k: then block k cannot be decoded, and nothing was stored; or
- returns k + 1: then block k was decoded as above, and block k + 1 lacks characters or room.

So the counter moves by one, and the loop ends: k never exceeds the length of the text divided by 64. The stores of a
turn begin at start + 48·k. They cover the 48 octets of the block and at most as many more as the documentation says, so
they change no octets of earlier blocks.

No question to z3 is about more than a few lanes: a condition on all lanes is taken apart, and each part is proved for
the characters in it. Questions that differ only in the numbers of the characters are asked once.

Every load and store must lie inside its memory. Every flag (nsw, nuw, exact, disjoint, nneg, samesign, inbounds), every
assumption and every range of a loaded number must be shown to be right. An instruction without a model here makes the
proof fail. That the alphabet is in the table is not part of the claim: the caller makes the table.
"""

import ctypes
import functools
import random
import re

import llvmlite.binding as llvm
import z3

import ir
from build import demangled
from execute import ARITHMETIC, COMPARISONS, Refuted, Unsupported, conversion, loops_of, overflow, size_of
from fips180 import CONCRETE, compiled
from sha import UNSUPPORTED, Pointer, lanes, memory_of, refuted

NAME = "decodeBase64(_:_:_:at:)"
#: The module of each kernel, how many octets after those of a block it may overwrite, and the features of a processor
#: that has its instructions.
CLAIMS = {
    f"RFC 4648: AVX2.{NAME}": ("AVX2", 8, "avx2"),
    f"RFC 4648: VBMI.{NAME}": ("VBMI", 16, "avx512f,avx512bw,avx512vbmi"),
}
#: The claims whose proofs take long, with the comparison of the instructions.
LONG = list(CLAIMS)

#: What z3 may do for one question about lengths, in its own unit.
EFFORT = 30_000_000

ZERO, K, START = z3.BitVecVal(0, 64), z3.BitVec("k", 64), z3.BitVec("start", 64)
#: 48·k. It has a symbol, because z3 is slow with products.
K48 = z3.BitVec("k48", 64)
TEXT, ROOM = z3.BitVec("text.count", 64), z3.BitVec("room", 64)
#: The functions subtract `start` from the length of the output. Here z3 sees the difference.
OUTPUT = START + ROOM
CHARACTERS = [z3.BitVec(f"character{n}", 8) for n in range(64)]
VALUES = [z3.BitVec(f"value{n}", 8) for n in range(128)]
#: The size of each memory in octets. A table can be longer; the function must not use more of it. `span` is the
#: address and the length of the output.
SIZES = {"text": TEXT, "values": z3.BitVecVal(128, 64), "output": OUTPUT, "span": z3.BitVecVal(16, 64)}
#: What holds when the function is called. No memory has 2^63 - 1 octets.
CALLED = [START >= 0, TEXT >= 0, OUTPUT >= 0, OUTPUT < (1 << 63) - 1]
RANGE = "!{i64 0, i64 9223372036854775807}"
#: What the documentation of a kernel requires of the table.
TABLE = {"AVX2": [z3.ULT(v, 128) for v in VALUES] + [z3.UGE(v, 64) for v in VALUES[:32]], "VBMI": []}


# RFC 4648.

def value(character):
    """The entry of a character in the table."""
    return pick(VALUES, character)


def has_value(character):
    return z3.And(z3.ULT(character, 128), z3.ULT(value(character), 64))


def decoded(characters):
    """§4: the octets of characters. The groups of six bits are concatenated, the first one highest."""
    bits = z3.Concat(*[z3.Extract(5, 0, value(c)) for c in characters])
    return [z3.Extract(end - 1, end - 8, bits) for end in range(bits.size(), 0, -8)]


# Sums can overflow. So the conditions subtract only what was compared before.

def in_text(k):
    """Whether block k is inside the text. No text has 2^57 blocks."""
    return z3.And(k >= 0, k < 1 << 57, TEXT - k * 64 >= 64)


def octets_of(k):
    """48·k, for 0, K or K + 1."""
    return named(z3.simplify(k * 48))


def named(term):
    """A term with the symbol for 48·k."""
    return z3.substitute(term, (z3.simplify(K * 48), K48))


def has_room(k, octets=64):
    """Whether the output has some octets from start + 48·k on."""
    return z3.And(ROOM >= 0, octets_of(k) <= ROOM, ROOM - octets_of(k) >= octets)


# The instructions, on lists of lanes. The first lane is the lowest (Intel 64 and IA-32 Architectures Software
# Developer's Manual, volume 2; LLVM Language Reference Manual).

def pick(options, index):
    """The option whose number is in the lower bits of an index."""
    bits = len(options).bit_length() - 1
    if z3.is_bv_value(index):
        return options[index.as_long() % len(options)]
    for bit in range(bits):
        is_set = z3.Extract(bit, bit, index) == 1
        options = [z3.If(is_set, y, x) for x, y in zip(options[::2], options[1::2])]
    return options[0]


def shuffle_octets(octets, indices):
    """VPSHUFB: in each 16 octets. The result is 0 where the highest bit of the index is set."""
    return [z3.If(z3.Extract(7, 7, index) == 1, z3.BitVecVal(0, 8), pick(octets[n & ~15:(n & ~15) + 16], index))
            for n, index in enumerate(indices)]


def permute(elements, indices):
    """VPERMD, VPERMB."""
    return [pick(elements, index) for index in indices]


def permute_two(lower, indices, upper):
    """VPERMI2B."""
    return [pick(lower + upper, index) for index in indices]


def multiply_octets(x, y):
    """VPMADDUBSW: sums of two products, of a number without a sign and one with a sign, saturated to 16 bits."""
    products = [z3.ZeroExt(16, a) * z3.SignExt(16, b) for a, b in zip(x, y)]
    sums = [a + b for a, b in zip(products[::2], products[1::2])]
    return [z3.Extract(15, 0, z3.If(s > 32767, 32767, z3.If(s < -32768, -32768, s))) for s in sums]


def multiply_words(x, y):
    """VPMADDWD: sums of two products of numbers with a sign, modulo 2^32."""
    products = [z3.SignExt(16, a) * z3.SignExt(16, b) for a, b in zip(x, y)]
    return [a + b for a, b in zip(products[::2], products[1::2])]


def add_saturated(x, y):
    """The sum of numbers without a sign, or the greatest number of as many bits."""
    return [z3.If(z3.BVAddNoOverflow(a, b, False), a + b, z3.BitVecVal(-1, a.size())) for a, b in zip(x, y)]


#: The model, the types of the operands, and the type of the result.
AVX2 = {
    "uadd.sat.v32i8": (add_saturated, ["<32 x i8>"] * 2, "<32 x i8>"),
    "x86.avx2.pshuf.b": (shuffle_octets, ["<32 x i8>"] * 2, "<32 x i8>"),
    "x86.avx2.pmadd.ub.sw": (multiply_octets, ["<32 x i8>"] * 2, "<16 x i16>"),
    "x86.avx2.pmadd.wd": (multiply_words, ["<16 x i16>"] * 2, "<8 x i32>"),
    "x86.avx2.permd": (permute, ["<8 x i32>"] * 2, "<8 x i32>"),
}
VBMI = {
    "x86.avx512.vpermi2var.qi.512": (permute_two, ["<64 x i8>"] * 3, "<64 x i8>"),
    "x86.avx512.pmaddubs.w.512": (multiply_octets, ["<64 x i8>"] * 2, "<32 x i16>"),
    "x86.avx512.pmaddw.d.512": (multiply_words, ["<32 x i16>"] * 2, "<16 x i32>"),
    "x86.avx512.permvar.qi.512": (permute, ["<64 x i8>"] * 2, "<64 x i8>"),
}
#: The instructions by the features of a processor that has them.
FEATURES = {"avx2": AVX2, "avx512f,avx512bw,avx512vbmi": VBMI}


def wrong_instructions(features, rounds=1000):
    """The instructions whose results on this processor, for random lanes, are not those of their models. None if the
    processor does not have them."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if not all(llvm.get_host_cpu_features().get(feature) for feature in features.split(",")):
        return None
    random_, wrong, number = random.Random(4648), [], functools.cache(z3.BitVecVal)
    for name, (model, types, result) in FEATURES[features].items():
        call = compiled(name, types, result, features="+" + features.replace(",", ",+"))
        shapes = [shape(type) for type in types + [result]]
        arrays = [getattr(ctypes, f"c_uint{bits}") * count for count, bits in shapes]
        for _ in range(rounds):
            vectors = [[random_.choice((0, 1 << bits - 1, random_.getrandbits(bits), random_.getrandbits(bits)))
                        for _ in range(count)] for count, bits in shapes[:-1]]
            found = arrays[-1]()
            call(*[array(*vector) for array, vector in zip(arrays, vectors)], found)
            expected = model(*[[number(n, bits) for n in v] for v, (_, bits) in zip(vectors, shapes)])
            if z3.simplify(z3.Concat(*expected[::-1])).as_long() != int.from_bytes(bytes(found), "little"):
                wrong.append(name)
                break
    return wrong


def shape(type):
    """The number of lanes of a type, 0 if it is no vector, and their bits."""
    found = re.fullmatch(r"<(\d+) x i(\d+)>|i(\d+)", type)
    if not found:
        raise Unsupported("the type " + type)
    return int(found[1] or 0), int(found[2] or found[3])


# Execution.

class Path:
    """What is known of the lengths and of the characters, and what was stored: the offset and the octets."""

    def __init__(self, conditions):
        self.conditions, self.data, self.stores = list(conditions), [], []

    def copy(self):
        other = Path(self.conditions)
        other.data, other.stores = list(self.data), list(self.stores)
        return other

    def holds(self, condition):
        return all(refuted(*self.conditions, z3.Not(part), effort=EFFORT) for part in conjuncts(condition))

    def must(self, condition, what):
        if not self.holds(condition):
            raise Refuted(what)

    def number(self, term, what):
        """The number that a term is on this path."""
        number = z3.simplify(z3.substitute(term, *[(one, ZERO) for one in (K, K48, START, TEXT, ROOM)]))
        if not z3.is_bv_value(number):
            raise Refuted(what)
        self.must(term == number, what)
        return number.as_signed_long()


#: What `characters_in` found, by the number of the term.
NUMBERS = {}


def characters_in(term):
    """The numbers of the characters in a term."""
    work = [term]
    while work:
        one = work[-1]
        parts = one.children()
        missing = [part for part in parts if part.get_id() not in NUMBERS]
        work += missing
        if not missing:
            name = one.decl().name() if not parts else ""
            own = [int(name[9:])] if name.startswith("character") else []
            # The term is kept, or another could get its number.
            NUMBERS[one.get_id()] = frozenset(own).union(*(NUMBERS[part.get_id()][0] for part in parts)), one
            work.pop()
    return NUMBERS[term.get_id()][0]


class Execution:
    """The execution of one function. `k` is the number of blocks that are decoded where the turn begins."""

    def __init__(self, function, k=K):
        self.function, self.k = function, k

    def run(self, block, registers, path, header):
        """Yields each path that returns, with the result and None, and each that comes to the header of the loop, with
        the values of the loop's variables and the registers. `registers` has the variables of the first block."""
        work = [(block, registers, path, {block})]
        while work:
            block, registers, path, seen = work.pop()
            for i in self.function.blocks[block]:
                if i.opcode == "phi":
                    continue
                if i.opcode == "ret":
                    yield path, clean(self.value(registers, i.operands[0]), i), None
                    break
                if i.opcode != "br":
                    result = self.instruction(i, [self.value(registers, o) for o in i.operands], path)
                    if i.name:
                        registers[i.name] = result
                    continue
                for target, other in self.sides(i, registers, path):
                    phis = [p for p in self.function.blocks[target] if p.opcode == "phi"]
                    values = [self.value(registers, p.operands[p.blocks.index(block)]) for p in phis]
                    if target == header:
                        yield other, values, registers
                    elif target in seen:
                        raise Unsupported("a loop in the loop")
                    else:
                        work.append((target, {**registers, **dict(zip((p.name for p in phis), values))}, other,
                                     {*seen, target}))
                break

    def sides(self, i, registers, path):
        """The blocks that a branch can go to, each with its path."""
        if not i.operands:
            return [(i.blocks[0], path)]
        condition = z3.simplify(clean(self.value(registers, i.operands[0]), i) == 1)
        found = []
        for target, one in zip(i.blocks, (condition, z3.simplify(z3.Not(condition)))):
            other = path.copy()
            if characters_in(one):
                other.data.append(one)
            elif path.holds(z3.Not(one)):
                continue
            else:
                other.conditions.append(one)
            found.append((target, other))
        return found

    def value(self, registers, operand):
        return registers[operand.name] if operand.name is not None else literal(
            operand.type, operand.constant if operand.number is None else str(operand.number))

    def instruction(self, i, values, path):
        op = i.opcode
        if set(re.findall(r", !([\w.]+)", i.text)) - {"dbg", "range"}:
            raise Unsupported(i.text)
        if op == "call":
            return self.call(i, values, path)
        if op in ("load", "store", "getelementptr", "inttoptr") and not isinstance(values[op == "store"], Pointer):
            raise Unsupported(i.text)
        if op == "unreachable":
            raise Refuted("a trap, or the end of code that must not be reached")
        if op == "load":
            return self.load(i, values[0], path)
        if op == "store":
            return self.store(i, values[0], values[1], path)
        if op == "getelementptr" and len(values) == 2:
            pointer, distance = values[0], clean(values[1], i) * size_of(i.detail)
            if i.flags:
                # A distance that is not negative, and does not lead out of the memory, is right for all flags.
                if size_of(i.detail) != 1:
                    raise Unsupported(i.text)
                path.must(z3.And(distance >= 0, inside(pointer, distance)), "poison: " + i.text)
            return Pointer(pointer.memory, z3.simplify(pointer.offset + distance))
        if op == "inttoptr":
            return values[0]
        if op == "extractelement" and z3.is_bv_value(values[1]):
            return values[0][values[1].as_long()]
        if op == "insertelement" and z3.is_bv_value(values[2]):
            at = values[2].as_long()
            return values[0][:at] + [values[1]] + values[0][at + 1:]
        if op == "shufflevector":
            mask = re.search(r", (<\d+ x i32>) (<[^>]*>|splat \(.*?\)|zeroinitializer|poison)(?=, !|$)", i.text)
            return [None if at is None else (values[0] + values[1])[at.as_long()] for at in literal(*mask.groups())]
        if op == "bitcast":
            return self.cast(clean(values[0], i), i.type)
        if any(isinstance(v, Pointer) for v in values):
            raise Unsupported(i.text)
        rows = list(zip(*[clean(lanes(v), i) for v in values]))
        if op == "icmp":
            conditions = [(x < 0) == (y < 0) for x, y in rows if "samesign" in i.flags]
            result = [z3.If(COMPARISONS[i.detail](x, y), z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) for x, y in rows]
        elif op in ("zext", "sext", "trunc"):
            converted = [conversion(op, i.flags, x, shape(i.type)[1]) for x, in rows]
            conditions, result = [c for some, _ in converted for c in some], [term for _, term in converted]
        elif op in CONCRETE or op == "ashr":
            conditions = [c for x, y in rows for c in overflow(op, i.flags, x, y)]
            result = [ARITHMETIC[op](x, y) for x, y in rows]
        else:
            raise Unsupported(i.text)
        for one in conditions:
            path.must(one, "poison: " + i.text)
        result = [named(z3.simplify(one)) for one in result]
        return result if isinstance(values[0], list) else result[0]

    def cast(self, value, type):
        """The same bits as lanes of another length. The first lane is the lowest."""
        count, bits = shape(type)
        words = lanes(value)
        each = bits // words[0].size()
        if each > 1:
            result = [z3.simplify(z3.Concat(*words[n:n + each][::-1])) for n in range(0, len(words), each)]
        else:
            result = [z3.simplify(z3.Extract(at + bits - 1, at, w)) for w in words for at in range(0, w.size(), bits)]
        return result if count else result[0]

    def access(self, i, pointer, octets, path):
        """Requires that octets at a pointer are inside its memory, which can have any address."""
        if pointer.memory != "span" and not re.search(r" align 1(?=$|,)", i.text) or "volatile" in i.text:
            raise Refuted("memory can have any address: " + i.text)
        path.must(inside(pointer, octets), f"outside {pointer.memory}: {i.text}")

    def load(self, i, pointer, path):
        count, bits = (0, 64) if i.type == "ptr" else shape(i.type)
        size = (count or 1) * bits // 8
        self.access(i, pointer, size, path)
        if pointer.memory == "span":
            at = path.number(pointer.offset, "an unknown place in the span")
            if (count, bits) != (0, 64) or at not in (0, 8) or at == 0 and "!range" in i.text:
                raise Unsupported(i.text)
            return OUTPUT if at == 8 else Pointer("output", ZERO)
        if pointer.memory == "output" or bits % 8 or "!range" in i.text:
            raise Unsupported(i.text)
        memory, origin = (CHARACTERS, self.k * 64) if pointer.memory == "text" else (VALUES, ZERO)
        at = path.number(pointer.offset - origin, "a load from an unknown place: " + i.text)
        if at < 0 or at + size > len(memory):
            raise Refuted("a load outside the block: " + i.text)
        return self.cast(memory[at:at + size], i.type)

    def store(self, i, value, pointer, path):
        if pointer.memory != "output":
            raise Refuted(f"a store to {pointer.memory}: {i.text}")
        words = lanes(value)
        if any(not z3.is_bv(word) or word.size() % 8 for word in words):
            raise Unsupported(i.text)
        octets = [z3.simplify(z3.Extract(at + 7, at, word)) for word in words for at in range(0, word.size(), 8)]
        self.access(i, pointer, len(octets), path)
        path.stores.append((pointer.offset, octets))

    def call(self, i, values, path):
        name = (i.detail or "").removeprefix("llvm.")
        if name == "assume" and " [" not in i.text:
            return path.must(clean(values[0], i) == 1, "a wrong assumption: " + i.text)
        if name == "trap":
            raise Refuted("a trap is reached")
        model, *_ = (AVX2 | VBMI).get(name, (None,))
        if model is None or "range(" in i.text:
            raise Unsupported(i.text)
        return [z3.simplify(one) for one in model(*[clean(v, i) for v in values])]


def inside(pointer, octets):
    """Whether some octets from a pointer on, not less than 0, are inside its memory."""
    size = SIZES[pointer.memory]
    return z3.And(pointer.offset >= 0, pointer.offset <= size, size - pointer.offset >= octets)


def clean(value, i):
    """A value that is neither poison nor an address."""
    if any(not z3.is_bv(one) for one in lanes(value)):
        raise Unsupported("poison or an address in " + i.text)
    return value


def literal(type, text):
    """A constant. Lanes that are poison or undefined are None."""
    count, bits = shape(type)
    if not count:
        numbers = {"true": 1, "false": 0, "zeroinitializer": 0}
        return None if text in ("poison", "undef") else z3.BitVecVal(numbers.get(text, text), bits)
    splat = re.fullmatch(r"splat \(i\d+ (.+)\)", text)
    if text.startswith("<"):
        return [literal(*part.split(" ", 1)) for part in ir.parts(text[1:-1])]
    return [literal(f"i{bits}", splat[1] if splat else text)] * count


# The proof.

def conjuncts(term):
    """The conditions that hold exactly if all of them do."""
    term = z3.simplify(term)
    if z3.is_and(term):
        return [part for one in term.children() for part in conjuncts(one)]
    if z3.is_not(term) and z3.is_or(term.arg(0)):
        return [part for one in term.arg(0).children() for part in conjuncts(z3.Not(one))]
    return [term]


def have_values(term):
    """That the characters in a term have values."""
    return [has_value(CHARACTERS[n]) for n in characters_in(term)]


class Proof:
    """The proof of one function, which may overwrite some more octets after those of a block."""

    def __init__(self, function, table, more):
        self.function, self.table, self.more, self.asked = function, table, more, {}

    def follows(self, premises, conclusion):
        """Whether a conclusion about characters follows from premises, for all tables."""
        term = z3.And(*premises, z3.Not(conclusion))
        term = z3.substitute(term, *[(CHARACTERS[c], z3.BitVec(f"some{n}", 8))
                                   for n, c in enumerate(sorted(characters_in(term)))])
        if term not in self.asked:
            self.asked[term] = refuted(*self.table, term)
        return self.asked[term]

    def prove(self):
        headers = list(loops_of(self.function))
        if [p.type for p in self.function.parameters] != ["i64"] * 4 + ["ptr", "i64"] or len(headers) != 1:
            raise Unsupported(f"a function with other parameters, or with {len(headers)} loops")
        # The definition uses `pick`, as the models do. It gives the option of each number.
        for n, entry in enumerate(VALUES):
            found = z3.substitute(value(CHARACTERS[0]), (CHARACTERS[0], z3.BitVecVal(n, 8)))
            if not z3.simplify(found).eq(entry):
                raise Refuted(f"entry {n} of the table")
        arguments = [Pointer("text", ZERO), TEXT, Pointer("values", ZERO), z3.BitVec("values.count", 64),
                     Pointer("span", ZERO), START]
        registers = {p.name: argument for p, argument in zip(self.function.parameters, arguments)}
        for path, result, after in Execution(self.function, ZERO).run(
                self.function.entry, registers, Path(CALLED), headers[0]):
            if after is None:
                self.check_return(path, ZERO, result)
            else:
                self.check_loop(headers[0], path, result, after)

    def check_loop(self, header, path, first, registers):
        """Proves the loop. `first` has the values of its variables where it begins first."""
        known = [term_of(one) for value in [*registers.values(), *first] for one in lanes(value) if one is not None]
        if path.stores or path.data or any(characters_in(one) for one in known):
            # The characters of the first block would be taken for those of block k.
            raise Unsupported("characters that are read, or octets that are stored, before the loop")
        if any(isinstance(value, list) for value in first):
            raise Unsupported("vectors that change in the loop")
        names = [i.name for i in self.function.blocks[header] if i.opcode == "phi"]

        def turn(k, values, path):
            return Execution(self.function, k).run(header, registers | dict(zip(names, values)), path, header)

        # The steps are seen in the first turn, and proved for any turn.
        second = next((values for _, values, after in turn(ZERO, first, path.copy()) if after is not None), None)
        if second is None:
            raise Unsupported("a loop that has no second turn")
        steps = [path.number(term_of(y) - term_of(x), "the step of a variable") for x, y in zip(first, second)]

        def variables(k):
            grown = [term_of(value) + named(z3.simplify(k * step)) for value, step in zip(first, steps)]
            return [Pointer(value.memory, term) if isinstance(value, Pointer) else term
                    for value, term in zip(first, grown)]

        has_block = path.holds(in_text(ZERO))

        def invariant(k):
            return [in_text(k) if has_block else z3.And(k >= 0, k <= 1 << 57, TEXT - k * 64 >= 0),
                    z3.Or(k == 0, has_room(k, 16))]

        for one in invariant(ZERO):
            path.must(one, "the invariant before the first turn")
        path.conditions += invariant(K)
        bounds = z3.And(K48 >= 0, K48 <= 3 << 61, z3.Implies(K == 0, K48 == 0))
        if not refuted(K >= 0, K <= 1 << 57, K48 == K * 48, z3.Not(bounds), effort=EFFORT):
            raise Refuted("48·k overflows")
        path.conditions.append(bounds)
        for path, result, after in turn(K, variables(K), path):
            if after is None:
                self.check_return(path, K, result)
                continue
            self.check_block(path, K)
            for one in invariant(K + 1):
                path.must(one, "the invariant after a turn")
            for value, expected in zip(result, variables(K + 1)):
                if isinstance(value, list) or memory_of(value) != memory_of(expected):
                    raise Refuted("a variable of the loop points elsewhere after a turn")
                path.must(term_of(value) == term_of(expected), "a variable of the loop after a turn")

    def check_block(self, path, k):
        """Checks that block k can be decoded, and that the path has stored its octets in their place."""
        path.must(in_text(k), "a block is decoded that is not inside the text")
        path.must(has_room(k), "a block is decoded for which there is no room")
        parts = [part for one in path.data for part in conjuncts(one)]
        for n, character in enumerate(CHARACTERS):
            if not self.follows([part for part in parts if n in characters_in(part)], has_value(character)):
                raise Refuted(f"{character} of a block that is decoded can be without a value")
        octets = {}
        for offset, stored in path.stores:
            at = path.number(offset - START - octets_of(k), "octets are stored at an unknown place")
            octets |= {at + n: one for n, one in enumerate(stored)}
        if not octets or min(octets) < 0 or max(octets) >= 48 + self.more:
            raise Refuted("octets are stored before those of the block, or too far after them, or not at all")
        for n, expected in enumerate(decoded(CHARACTERS)):
            equal = octets.get(n, ~expected) == z3.simplify(expected)
            if not self.follows(have_values(equal), equal):
                raise Refuted(f"octet {n} of a block")

    def check_return(self, path, k, result):
        """Checks that the result is the number of blocks before the first that cannot be decoded."""
        if path.stores:
            self.check_block(path, k)
        following = k + 1 if path.stores else k
        path.must(result == following, "the result is not the number of blocks that were decoded")
        if path.holds(z3.Not(z3.And(in_text(following), has_room(following)))):
            return
        # Each part of a condition holds if the characters in it have values. The path has the opposite.
        if path.stores or not any(all(self.follows(have_values(part), part) for part in conjuncts(z3.Not(one)))
                                  for one in path.data):
            raise Refuted("the function returns while a block can be decoded")


def term_of(value):
    return value.offset if isinstance(value, Pointer) else value


def check(claim, path):
    """Proves one claim about a module whose IR is in a file. Returns why it fails, or None."""
    module, more, _ = CLAIMS[claim]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = demangled(re.findall(r'^define [^@]*@"?([^"(]+)"?\(', text, re.M))
    found = [symbol for symbol in names if names[symbol] == NAME]
    if len(found) != 1:
        return f"{UNSUPPORTED}{len(found)} functions of this name"
    body = re.search(rf'^define [^@]*@"?{re.escape(found[0])}"?\(.*?^}}', text, re.M | re.S)[0]
    for number in re.findall(r"!range !(\d+)", body):
        if not re.search(rf"^!{number} = {re.escape(RANGE)}$", text, re.M):
            return f"{UNSUPPORTED}another range of a number"
    try:
        return Proof(ir.read(path, found)[found[0]], TABLE[module], more).prove()
    except Refuted as error:
        return str(error)
    except Unsupported as error:
        return f"{UNSUPPORTED}{error}"
