"""Shows that the portable base64 decoder decodes what RFC 4648 §4 and §5 say, and how it hands text to the kernels.

The specification reads a text character by character:

- A table gives each of 256 characters a number: below 64 its value (RFC 4648, tables 1 and 2), 64 if it is skipped, 65
  for padding, 66 if it is refused. `table` makes it from the alphabets and from the documentation of
  `decode(_:in:space:isStrict:acceleration:)`.
- The state is the number of octets that are decoded, and the values since the last group of four. A value joins these
  values. Four values are three octets (`octets`). A skipped character changes nothing. A refused one is a fault there.
- The end or the first padding ends this part. After it, each character must be padding, skipped, or a space that the
  table accepts. The padding must fill the group with at most two characters, or be missing.
- Two or three values at the end are one or two octets. The bits after the last octet must be zero (§3.5), or the
  decoder is strict and drops them. One value alone is a fault.

The claims are, for every text, range, treatment of spaces, strictness and processor:

- `decode(_:in:…)`: all 256 entries of its table are those of `table`. The function returns the octets of the
  specification, or refuses where the specification does, with the right words. It calls the next two functions as they
  require.
- `decode(_:atLeast:…)`: each turn of its loop is one step of the specification. The function returns at the end of the
  text, at padding, or after a whole group.
- `decodePortableBlocks`: it decodes a number of blocks of 64 characters that all have values, returns the number, and
  changes no octets before. So does a kernel (base64_blocks.py).
- `decodeBlocks`: it calls a kernel or `decodePortableBlocks`, with the text, the table and the output, and returns what
  this call returns. The tables are such as base64_blocks.py requires.

A function is executed as LLVM IR from each point where a loop begins to the next such point or to the end, for every
state that the invariant of the loop allows. So each turn of a loop leads from a state of the specification to a state
of the specification. The number of blocks or characters that one call decodes does not matter to the result.

Assumed are: a range lies inside its text, as the function requires; no memory has 2^58 octets; and Swift's functions of
arrays do what they say. A new array has room for its elements and overlaps nothing, a copy of a shared array has the
same elements, and `removeLast` keeps the first elements. Not shown are: that the loops end, the kernels of Arm64, and
what callers check before and after.
"""

import functools
import re

import z3

import base64_blocks
from base64_blocks import shape
from base64_execution import (COUNT, EFFORT, MOST, NO_ADDRESS, OUTPUT, TABLE, Execution, Module, Path, begin, character,
                              check_writes, end, entry, joined, number, phis_of, refute_unless, refuted, same,
                              symbols_of)
from execute import ARITHMETIC, Refuted, Unsupported, loops_of
from sha import UNSUPPORTED, Pointer

SKIPPED, PADDING, INVALID = 64, 65, 66
#: The cases of `Base64.Space`, in the order of their declaration.
SPACES = ["nothing", "plus", "refused"]
#: The code of `.notBase64` with its kind, and the constants that say what was read.
CODE, TEXT_FAULT, PADDING_FAULT = (501, 2), "@base64", "@base64 padding"


# RFC 4648.

#: Tables 1 and 2: the alphabets, by value.
LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
STANDARD, FOR_URLS = LETTERS_AND_DIGITS + "+/", LETTERS_AND_DIGITS + "-_"


def table(space, is_strict):
    """The number of each of 256 characters."""
    numbers = [INVALID] * 256
    for alphabet in [STANDARD] if is_strict else [STANDARD, FOR_URLS]:
        for value, character in enumerate(alphabet):
            numbers[ord(character)] = value
    numbers[ord("=")] = PADDING
    if not is_strict:
        for character in "\t\n\r":
            numbers[ord(character)] = SKIPPED
        numbers[ord(" ")] = {"nothing": SKIPPED, "plus": STANDARD.index("+"), "refused": INVALID}[space]
    return numbers


def value_in(character, accepts_urls):
    """The value of a character in the standard alphabet or, if it is accepted, the alphabet for URLs; 255 if it has
    none."""
    result = number(255, 8)
    for value, one in enumerate(STANDARD):
        other = z3.And(accepts_urls, character == ord(FOR_URLS[value])) if FOR_URLS[value] != one else False
        result = z3.If(z3.Or(character == ord(one), other), number(value, 8), result)
    return result


def octets(values):
    """§4: the whole octets of some values of six bits, the first one highest."""
    bits = z3.Concat(*values, number(0, 6))
    return [z3.simplify(z3.Extract(high - 1, high - 8, bits))
            for high in range(bits.size(), bits.size() - 6 * len(values) // 8 * 8, -8)]


def wrong_tables():
    """Returns a condition of the kernels that a table does not meet, or None."""
    for space in SPACES:
        for is_strict in (False, True):
            values = list(zip(base64_blocks.VALUES, map(functools.partial(number, bits=8), table(space, is_strict))))
            for condition in base64_blocks.TABLE["AVX2"]:
                if not z3.is_true(z3.simplify(z3.substitute(condition, *values))):
                    return f"a table does not meet {condition}"
    return None


# The states of the specification.

#: The bounds of the range in the text: four times QUARTER characters and REST more.
UPPER, QUARTER, REST = z3.BitVecs("upper quarter rest", 64)
LOWER = UPPER - 4 * QUARTER - REST
RANGE = [LOWER >= 0, UPPER >= LOWER, QUARTER >= 0, QUARTER < MOST, REST >= 0, REST < 4, UPPER <= COUNT, COUNT >= 0,
         COUNT < MOST, z3.Implies(NO_ADDRESS, COUNT == 0)]


class State:
    """A state of the specification: the place in the text and how many characters are left, how many octets are decoded
    and for how many more groups, and octets of groups, the output has room, and the values after the last group."""

    def __init__(self, place, left, done, spare, free, values):
        self.place, self.left, self.done, self.spare, self.free = place, left, done, spare, free
        self.values = values

    def conditions(self, end):
        """What holds of every state of a text that ends at a place."""
        return [self.place >= 0, self.left >= 0, self.left < 8 * MOST, self.place + self.left == end,
                self.spare >= 0, self.spare < MOST, self.free == 3 * self.spare, self.free >= 0, self.free < 4 * MOST,
                z3.Implies(self.spare > 0, self.free >= 3), self.done >= 0, self.done < 4 * MOST,
                self.done + self.free + 3 == OUTPUT, self.left + len(self.values) <= 4 * self.spare + 3]

    def after(self, characters, groups, values):
        """The state after some characters, which complete some groups."""
        moved = (self.place + characters, self.left - characters, self.done + 3 * groups, self.spare - groups,
                 self.free - 3 * groups)
        return State(*map(z3.simplify, moved), values)


def states(execution, path, end, more=lambda state: []):
    """A path for each number of values after the last group, with any state of a text that ends at a place. `more`
    gives what else holds of the state."""
    for count in range(4):
        other = path.copy()
        numbers = [other.fresh(64, name) for name in ("place", "left", "done", "spare", "free")]
        other.ghost = State(*numbers, [other.fresh(6, "value") for _ in range(count)])
        other.conditions += [*other.ghost.conditions(end), *more(other.ghost)]
        other.named.append((z3.simplify(end - other.ghost.place), other.ghost.left))
        set_state(execution, other)
        yield other


def set_state(execution, path):
    """Sets the memory of the group and the number of octets to the state of the specification. The bits above those of
    the values may be any."""
    state, group = path.ghost, execution.group
    bits = joined([path.fresh(32 - 6 * len(state.values), "older"), *state.values])
    path.set(group, {0: z3.simplify(bits), 8: number(len(state.values))})
    path.set(execution.count, {0: z3.simplify(state.done)})


def check_state(execution, path, state, end):
    """Checks that memory has a state of the specification, of a text that ends at a place."""
    path.must(path.read(execution.group, 8) == len(state.values), "the number of characters since the last group")
    path.must(path.read(execution.count, 0) == state.done, "the number of octets")
    for condition in state.conditions(end):
        path.must(condition, "a state of the specification")
    if state.values:
        path.must(z3.Extract(6 * len(state.values) - 1, 0, path.read(execution.group, 0, 4)) == joined(state.values),
                  "the bits of the characters since the last group")


def stepped(path):
    """The state of the specification after the character at the place of the path's state, and the octets that it
    completes. None if the specification stops there."""
    state, found = path.ghost, entry(path.ghost.place)
    if path.holds(found == SKIPPED):
        return state.after(1, 0, state.values), []
    if not path.holds(z3.ULT(found, SKIPPED)):
        return None
    values = state.values + [z3.Extract(5, 0, found)]
    if len(values) < 4:
        return state.after(1, 0, values), []
    return state.after(1, 1, []), octets(values)


def check_refusal(path, memory, place, reading):
    """Checks the code, the place and the words of a refusal."""
    code, kind, words = path.read(memory, 0, 2), path.read(memory, 2, 1), path.read(memory, 32)
    if not z3.is_bv(code) or (code.as_long(), kind.as_long()) != CODE or words.memory != reading:
        raise Refuted(f"another refusal: {code}, {kind}, {words.memory}")
    path.must(path.read(memory, 24) == place, "the place of a refusal")


def is_thrown(path):
    return isinstance(path.read("thrown", 0), Pointer)


def search(execution, block, registers, values, path):
    """A loop whose only variable goes from 0 to at most a bound, which the loop's first comparison names."""
    if len(values) != 1:
        raise Unsupported("a search with other variables")
    body = execution.function.blocks[block]
    compared = next(i for i in body if i.opcode == "icmp")
    if compared.operands[0].name != body[0].name or compared.detail != "eq":
        raise Unsupported("a search with another bound")
    bound = execution.value(registers, compared.operands[1])
    path.must(z3.And(values[0] >= 0, values[0] <= bound), "the bound of a search")
    if path.writes:
        raise Unsupported("octets are written before a search or in it")
    if block in path.met:
        end(path, block)
        return []
    position = path.fresh(64, "position")
    path.conditions += [position >= 0, position <= bound]
    return [([position], begin(path, block))]


# `decode(_:atLeast:…)`.

#: The length of the part, the number of characters after which a group ends it, and its offset.
PART, MINIMUM, OFFSET = (z3.BitVec(name, 64) for name in ("part", "minimum", "offset"))


class Part:
    """The claim about `decode(_:atLeast:…)`."""

    conditions = [PART >= 0, PART < MOST, MINIMUM >= 1, OFFSET >= 0, OFFSET < MOST, z3.Implies(NO_ADDRESS, PART == 0),
                  OUTPUT >= 3, OUTPUT < 4 * MOST]

    @classmethod
    def prove(cls, function, module):
        loop, = loops_of(function)
        one = Execution(function, module, {loop: cls.turn}, {})
        one.group, one.count = "group", "count"
        path = Path(cls.conditions, {"text": PART, "table": number(288), "group": number(16), "span": number(16),
                                     "count": number(8), "output": OUTPUT, "thrown": number(8), "refusal": number(40)})
        path.has_table = True
        path.set("span", {0: Pointer("output", number(0)), 8: OUTPUT})
        path.set("thrown", {0: number(0)})
        arguments = [Pointer("text", number(0)), PART, MINIMUM, Pointer("table", number(32)), number(256),
                     *[Pointer(name, number(0)) for name in ("group", "span", "count")], OFFSET,
                     Pointer("thrown", number(0)), Pointer("refusal", number(0))]
        for start in states(one, path, PART, lambda state: [state.place == 0]):
            for after, result in one.run(arguments, start):
                cls.check(one, after, result)

    @staticmethod
    def turn(one, block, registers, values, path):
        if len(values) != 1:
            raise Unsupported("a loop with other variables")
        if block in path.met:
            after = stepped(path)
            if after is None:
                raise Refuted("the loop goes on after a character that ends it")
            path.must(values[0] == after[0].place, "the place after a character")
            path.must(after[0].left > 0, "the loop goes on after the end")
            check_state(one, path, after[0], PART)
            check_writes(path, path.ghost.done, after[1])
            end(path, block)
            return []
        path.must(values[0] == 0, "the first place")
        path.must(PART > 0, "a loop over no characters")
        return [([other.ghost.place], begin(other, block, ("group", "count")))
                for other in states(one, path, PART, lambda state: [state.left > 0])]

    @staticmethod
    def check(one, path, result):
        state = path.ghost
        if not path.met:
            # The part is empty.
            path.must(z3.And(PART == 0, result == 0), "the result for an empty text")
            check_state(one, path, state, PART)
            check_writes(path, state.place, [])
            return
        found, after = entry(state.place), stepped(path)
        if is_thrown(path):
            path.must(z3.UGT(found, PADDING), "a character is refused")
            check_refusal(path, "refusal", OFFSET + state.place, TEXT_FAULT)
            return
        if after is None:
            path.must(found == PADDING, "a character ends the text")
            after = state, []
        else:
            path.must(z3.Or(after[0].left == 0, z3.BoolVal(not after[0].values)), "the part ends in a group")
        path.must(result == after[0].place, "the number of characters")
        check_state(one, path, after[0], PART)
        check_writes(path, state.done, after[1])


# `decodePortableBlocks`.

ACCEPTS = z3.BitVec("accepts", 1)
#: The start and the length of a range of the text, and the number of octets in the output before it is decoded.
FROM, LENGTH, AT = (z3.BitVec(name, 64) for name in ("from", "length", "at"))
#: The number of whole fours of characters in the range, and three times as many.
FOURS, THREES = z3.BitVecs("fours threes", 64)
#: What holds when blocks of a range are decoded. The output has room for three octets for four characters, and two
#: more.
BLOCKWISE = [FROM >= 0, FROM < MOST, LENGTH >= 0, LENGTH < MOST, FROM + LENGTH <= COUNT, COUNT >= 0, COUNT < MOST,
             z3.Implies(NO_ADDRESS, COUNT == 0), AT >= 0, AT < 4 * MOST, OUTPUT >= 0, OUTPUT < 4 * MOST,
             FOURS == LENGTH >> 2, THREES == 3 * FOURS, THREES >= 0, THREES < 4 * MOST, AT + THREES + 2 <= OUTPUT]


#: The values of the characters of a block.
VALUES = [z3.BitVec(f"value{n}", 8) for n in range(64)]
#: The function that copies an array that is shared.
COPY = "specialized _ContiguousArrayBuffer._consumeAndCreateNew()"


class Blocks:
    """The claim about `decodePortableBlocks`."""

    @classmethod
    def prove(cls, function, module):
        loops = loops_of(function)
        outer = max(loops, key=lambda header: len(loops[header]))
        scalar = [h for h in loops if h != outer and any(i.type == "i8" for i in phis_of(function, h))]
        writing = [h for h in loops if h != outer and [i.type for i in phis_of(function, h)] == ["i64"]]
        if len(scalar) != 1 or len(writing) != 1:
            raise Unsupported("other loops")
        one = Execution(function, module, {outer: cls.turn, scalar[0]: cls.values, writing[0]: cls.writing}, {
            "swift_isUniquelyReferenced_nonNull_native": lambda one, i, v, path: [(path.fresh(1, "unique"), path)],
            COPY: lambda one, i, v, path: [(v[0], path)]})
        one.arrays = ["values"]
        path = Path(BLOCKWISE, {"text": COUNT, "span": number(16), "output": OUTPUT})
        path.set("span", {0: Pointer("output", number(0)), 8: OUTPUT})
        arguments = [Pointer("text", number(0)), COUNT, FROM, z3.simplify(FROM + LENGTH), ACCEPTS,
                     Pointer("span", number(0)), AT]
        for after, result in one.run(arguments, path):
            if after.ghost is None:
                after.must(result == 0, "the number of blocks")
                check_writes(after, AT, [])
                continue
            cls.check_block(after) if after.writes else None
            after.must(result == after.ghost + (1 if after.writes else 0), "the number of blocks")

    @classmethod
    def turn(cls, one, block, registers, values, path):
        # The variables: the number of blocks, that of their characters, and the array of values.
        blocks, characters, array = values
        if not isinstance(array, Pointer) or array.memory != "values" or not array.offset.eq(number(0)):
            raise Refuted("another array")
        path.must(path.read("values", 16) == 64, "the size of the array")
        path.must(characters == 64 * blocks, "the number of characters")
        path.must(LENGTH - 64 * blocks >= 64, "a block lies in the range")
        if block in path.met:
            cls.check_block(path)
            path.must(blocks == path.ghost + 1, "the number of blocks")
            end(path, block)
            return []
        path.must(blocks == 0, "the first block")
        number_ = path.fresh(64, "blocks")
        start, taken, made, end_, rest, room = (path.fresh(64, name) for name in (
            "start", "taken", "made", "end", "rest", "room"))
        facts = [number_ >= 0, number_ < MOST / 64, LENGTH - 64 * number_ >= 64, taken == 64 * number_,
                 start == FROM + taken, made == 48 * number_, end_ == AT + made,
                 COUNT == start + rest, OUTPUT == end_ + room]
        # Each of these follows from those before it, and z3 sees it sooner from few of them.
        for fact, premises in (
            (z3.And(taken >= 0, taken <= LENGTH - 64), (LENGTH,)), (start >= 0, (FROM, LENGTH, taken)),
            (start < 2 * MOST, (FROM, LENGTH, taken)),
            (z3.And(rest >= 64, rest < MOST), (FROM, LENGTH, COUNT, taken, start)), (made >= 0, ()), (made < MOST, ()),
            (z3.And(FOURS >= 0, FOURS < MOST), (LENGTH,)), (16 * number_ + 16 <= FOURS, (LENGTH, FOURS)),
            (made + 48 <= THREES, (FOURS, THREES)),
            (end_ >= 0, (AT, made)), (end_ < 8 * MOST, (AT, made)),
            (z3.And(room >= 50, room < 4 * MOST), (THREES, AT, OUTPUT, made, end_)),
        ):
            symbols = symbols_of(z3.And(fact, *[one == 0 for one in premises])) | {str(number_)}
            known = [one for one in BLOCKWISE + facts if symbols_of(one) <= symbols]
            refute_unless(z3.Implies(z3.And(*known), fact), "a bound of a block", 5 * EFFORT)
            facts.append(fact)
        path.conditions += facts
        path.named += [(z3.simplify(FROM + 64 * number_), start), (z3.simplify(AT + 48 * number_), end_)]
        path.ghost, path.called = number_, (start, end_)
        # The function subtracts offsets from the size of the output. So z3 sees the difference.
        path.sizes["output"] = end_ + room
        path.set("span", {0: Pointer("output", number(0)), 8: path.sizes["output"]})
        begin(path, block, ("values",))
        path.set("values", {16: number(64)})
        return [([number_, 64 * number_, array], path)]

    @staticmethod
    def value(path, n):
        return value_in(character(path.called[0] + n), ACCEPTS == 1)

    @classmethod
    def values(cls, one, block, registers, values, path):
        """The loop that gives the value of one character in each turn: the values so far are stored, and the first
        variable has all their bits. The values before the last have symbols."""
        if len(values) != 2 or values[0].size() != 8:
            raise Unsupported("a loop with other variables")
        if block in path.met:
            at, all_ = path.padding
            if len(path.writes) != 1:
                raise Refuted("the value of one character is not stored once")
            (memory, offset, value), = path.writes
            path.must(z3.And(memory == "values", offset == 32 + at), "the place of a value")
            path.must(value == cls.value(path, at), "a value")
            path.must(values[0] == all_ | value, "the bits of all values")
            path.must(values[1] == at + 1, "the next character")
            end(path, block)
            return []
        path.must(z3.And(*[v == 0 for v in values]), "the first character")
        if path.writes:
            raise Refuted("octets are written before a block is read")
        last, at, all_ = path.copy(), path.fresh(64, "character"), path.fresh(8, "all")
        path.conditions += [at >= 0, at < 63]
        path.padding = at, all_
        begin(path, block)
        for n in range(63):
            last.write("values", 32 + n, VALUES[n])
        begin(last, block, ("values",))
        last.padding = number(63), number(0, 8)
        return [([all_, at], path), ([functools.reduce(ARITHMETIC["or"], VALUES[:63]), number(63)], last)]

    @classmethod
    def writing(cls, one, block, registers, values, path):
        """The loop that writes octets. Before its first turn, the values are shown to be right and below 64. Symbols
        take their place then."""
        if block in path.met:
            return [(values, path)]
        path.met[block] = {}, {}
        if path.writes:
            raise Refuted("octets are written before a block is read")
        for n, symbol in enumerate(VALUES):
            value = path.read("values", 32 + n, 1)
            if not value.eq(symbol) and not refuted(value != cls.value(path, n)):
                path.must(value == cls.value(path, n), "a value")
            path.must(z3.ULT(value, 64), "a character without a value")
            path.write("values", 32 + n, symbol)
        # What is known of the characters is not needed any more.
        path.conditions = [one for one in path.conditions if "text" not in symbols_of(one)]
        path.conditions += [z3.ULT(value, 64) for value in VALUES]
        return [(values, path)]

    @classmethod
    def check_block(cls, path):
        values = [z3.Extract(5, 0, value) for value in VALUES]
        expected = [one for n in range(0, 64, 4) for one in octets(values[n:n + 4])]
        check_writes(path, path.called[1], expected, 2)


# `decodeBlocks`.

class Choice:
    """The claim about `decodeBlocks`."""

    @classmethod
    def prove(cls, function, module):
        processor = ["static InstructionSets.avx512VBMI.getter", "static InstructionSets.avx2.getter",
                     "Acceleration.allows(_:)"]
        one = Execution(function, module, {}, {KERNEL: cls.kernel, BLOCKS: cls.portable,
                                               **dict.fromkeys(processor, cls.processor)})
        path = Path(BLOCKWISE, {"text": COUNT, "span": number(16), "output": OUTPUT, "table": number(288)})
        path.has_table = True
        path.set("span", {0: Pointer("output", number(0)), 8: OUTPUT})
        arguments = [Pointer("text", number(0)), COUNT, FROM, z3.simplify(FROM + LENGTH), Pointer("table", number(32)),
                     number(256), Pointer("span", number(0)), AT, z3.BitVec("acceleration", 8)]
        for after, result in one.run(arguments, path):
            if after.called is None or not z3.is_bv(result) or not result.eq(after.called):
                raise Refuted("the result is not that of one call")

    @staticmethod
    def processor(one, i, values, path):
        """What the processor has. It does not matter to the result."""
        return [(path.fresh(shape(i.type)[1], "processor"), path)]

    @staticmethod
    def output(one, i, pointer, at, path):
        """Checks that the output is handed on."""
        span = [path.read(pointer.memory, pointer.offset.as_long() + n) for n in (0, 8)]
        if not same(span[0], Pointer("output", number(0))):
            raise Refuted("another output")
        path.must(z3.And(span[1] == OUTPUT, at == AT), "the output and the number of octets in it")

    @classmethod
    def result(cls, one, path):
        if path.called is not None:
            raise Refuted("two calls decode blocks")
        path.called = path.fresh(64, "blocks")
        return [(path.called, path)]

    @classmethod
    def kernel(cls, one, i, values, path):
        text, count, table, entries, span, at = values
        if not same(table, Pointer("table", number(32))):
            raise Refuted("another table")
        if isinstance(text, Pointer) and text.memory == "text":
            path.must(z3.And(text.offset == FROM, count == LENGTH), "the text")
        else:
            # A text without an address.
            path.must(z3.And(LENGTH == 0, count == 0), "no text")
        path.must(entries >= 128, "the table")
        cls.output(one, i, span, at, path)
        return cls.result(one, path)

    @classmethod
    def portable(cls, one, i, values, path):
        text, count, lower, upper, accepts, span, at = values
        if not same(text, Pointer("text", number(0))):
            raise Refuted("another text")
        path.must(z3.And(count == COUNT, lower == FROM, upper == FROM + LENGTH), "the range of the text")
        path.must((accepts == 1) == z3.ULT(z3.Select(TABLE, number(ord("-"), 8)), 64), "the alphabet")
        cls.output(one, i, span, at, path)
        return cls.result(one, path)


# `decode(_:in:…)`.

class Text:
    """The claim about `decode(_:in:…)`, for one treatment of spaces, strict or not."""

    def __init__(self, function, module, space, is_strict):
        self.function, self.module, self.space, self.is_strict = function, module, space, is_strict

    @classmethod
    def prove(cls, function, module):
        for space in SPACES:
            for is_strict in (False, True):
                cls(function, module, space, is_strict).prove_one()

    def prove_one(self):
        loops = loops_of(self.function)
        calling = [h for h, blocks in loops.items() if self.calls_of(CHOICE, blocks)]
        if len(calling) != 1:
            raise Unsupported("other loops")
        inner = [h for h in loops if h != calling[0] and h in loops[calling[0]]]
        after = [h for h in loops if h not in loops[calling[0]]]
        one = Execution(self.function, self.module, {calling[0]: self.turn, **dict.fromkeys(inner, search),
                                                    **dict.fromkeys(after, self.in_padding)},
                        {CHOICE: self.decode_blocks, PART_OF: self.decode_part, REMOVE: self.remove})
        one.arrays = ["table", "output"]
        one.names = [("sdiv", QUARTER, QUARTER), ("add", 3 * QUARTER + 3, OUTPUT)]
        call, = self.calls_of(PART_OF, self.function.blocks)
        one.group, one.count = (f"stack.{call.operands[n].name}" for n in (5, 7))
        size = OUTPUT == 3 * QUARTER + 3
        path = Path([*RANGE, size, OUTPUT >= 3, OUTPUT < 4 * MOST], {
            "text": COUNT, "thrown": number(8), "refusal": number(40)})
        refute_unless(z3.Implies(z3.And(*RANGE, size), z3.And(*path.conditions[-2:])), "the size of the output")
        path.set("thrown", {0: number(0)})
        path.ghost = State(LOWER, 4 * QUARTER + REST, number(0), QUARTER, 3 * QUARTER, [])
        arguments = [Pointer("text", number(0)), COUNT, LOWER, UPPER, number(SPACES.index(self.space), 8),
                     number(self.is_strict, 1), z3.BitVec("acceleration", 8), Pointer("self", number(0)),
                     Pointer("thrown", number(0)), Pointer("refusal", number(0))]
        for after, result in one.run(arguments, path):
            self.check(after, result)

    def calls_of(self, name, blocks):
        """The calls of a function in some blocks."""
        return [i for block in blocks for i in self.function.blocks[block]
                if i.opcode == "call" and self.module.names.get(i.detail) == name]

    def check_table(self, path):
        """Checks all entries of the table."""
        for n, expected in enumerate(table(self.space, self.is_strict)):
            found = path.read("table", 32 + n, 1)
            if not z3.is_bv_value(found) or found.as_long() != expected:
                raise Refuted(f"character {n} has another entry in the table: {found}, not {expected}")
            del path.memory["table"][32 + n]
        path.has_table = True

    @staticmethod
    def move(path, place):
        """Moves the state of the specification to a place: it is there, or the next character is skipped."""
        state = path.ghost
        if not path.holds(place == state.place):
            path.must(z3.And(place == state.place + 1, state.left > 0, entry(state.place) == SKIPPED),
                      "a character is left out")
            path.ghost = state.after(1, 0, state.values)

    def turn(self, one, block, registers, values, path):
        if len(values) != 1:
            raise Unsupported("a loop with other variables")
        if block in path.met:
            self.move(path, values[0])
            self.check_place(one, path, path.ghost)
            path.must(path.ghost.left > 0, "a turn after the end")
            end(path, block)
            return []
        path.must(values[0] == LOWER, "the first place")
        path.must(LOWER < UPPER, "a turn for no characters")
        self.check_table(path)
        self.check_place(one, path, path.ghost)
        return [([other.ghost.place], begin(other, block, (one.group, one.count)))
                for other in states(one, path, UPPER, lambda state: [state.left > 0, self.is_between(state)])]

    @staticmethod
    def is_between(state):
        """Whether a group is complete, or the text ends here or with padding. This holds where a turn begins."""
        return z3.Or(not state.values, state.left == 0, entry(state.place) == PADDING)

    def check_place(self, one, path, state):
        check_state(one, path, state, UPPER)
        check_writes(path, state.done, [])
        path.must(self.is_between(state), "the state at the end of a turn")

    def check_call(self, one, i, text, count, table, entries, span, path):
        """Checks that a function gets the table and the output, and characters that lie in the text."""
        if not isinstance(text, Pointer) or text.memory != "text" or not same(table, Pointer("table", number(32))):
            raise Refuted("another text or table: " + i.text)
        path.must(z3.And(text.offset >= 0, count >= 0, text.offset + count <= COUNT, entries == 256), i.text)
        if not same(path.read(span.memory, 0), Pointer("output", number(32))):
            raise Refuted("another output: " + i.text)
        path.must(path.read(span.memory, 8) == OUTPUT, "the size of the output")
        path.must(path.sizes["output"] == OUTPUT + 32, "the size of the output")

    def decode_blocks(self, one, i, values, path):
        """What `decodeBlocks` does: it moves the state by some blocks of characters with values."""
        text, count, lower, upper, table, entries, span, at, _ = values
        state = path.ghost
        self.check_call(one, i, text, count, table, entries, span, path)
        check_writes(path, state.done, [])
        path.must(z3.And(text.offset == 0, count == COUNT, upper == UPPER, lower == state.place), i.text)
        # There is room for three octets for four characters of the range, and two more.
        path.must((state.left >> 2) <= state.spare, "the room for blocks")
        path.must(z3.And(at == state.done, number(len(state.values)) == 0), "blocks in a group")
        blocks = path.fresh(64, "blocks")
        path.conditions += [blocks >= 0, blocks < MOST / 64, 64 * blocks <= state.left]
        after, numbers = state.after(64 * blocks, 16 * blocks, []), [
            path.fresh(64, name) for name in ("place", "left", "done", "spare", "free")]
        for condition in after.conditions(UPPER):
            path.must(condition, "the state after some blocks")
        path.ghost = State(*numbers, [])
        terms = after.place, after.left, after.done, after.spare, after.free
        path.conditions += [*path.ghost.conditions(UPPER), *[x == y for x, y in zip(numbers, terms)]]
        path.named += [(z3.simplify(state.place + (blocks << 6)), path.ghost.place), (after.done, path.ghost.done),
                       (z3.simplify(UPPER - path.ghost.place), path.ghost.left)]
        return [(blocks, path)]

    def decode_part(self, one, i, values, path):
        """What `decode(_:atLeast:…)` does: it moves the state by some characters, or refuses one."""
        text, count, minimum, table, entries, group, span, octets_, offset, thrown, refusal = values
        state = path.ghost
        self.check_call(one, i, text, count, table, entries, span, path)
        check_state(one, path, state, UPPER)
        check_writes(path, state.done, [])
        path.must(z3.And(text.offset == state.place, count == state.left, minimum >= 1, offset == state.place), i.text)
        if (group.memory, octets_.memory, thrown.memory) != (one.group, one.count, "thrown"):
            raise Refuted("another group: " + i.text)
        refused = path.copy()
        results = [(z3.simplify(other.ghost.place - state.place), other) for other in
                   states(one, path, UPPER, lambda after: [after.left <= state.left, self.is_between(after)])]
        refused.fault = path.fresh(64, "fault")
        refused.set("thrown", {0: Pointer("error", number(0))})
        refused.set(refusal.memory, {
            0: number(CODE[0], 16), 2: number(CODE[1], 8), 8: Pointer("@code", number(0)),
            16: Pointer("@sentence", number(0)), 24: refused.fault, 32: Pointer(TEXT_FAULT, number(0))})
        return results + [(number(0), refused)]

    def remove(self, one, i, values, path):
        """What `removeLast` does: it leaves fewer elements."""
        count, array = values
        if not same(path.read(array.memory, 0), Pointer("output", number(0))):
            raise Refuted("another array: " + i.text)
        path.must(z3.And(count >= 0, count <= OUTPUT), "more elements are removed than there are")
        path.called = z3.simplify(OUTPUT - count)
        return [(None, path)]

    @staticmethod
    def is_allowed(place):
        """Whether a character can be in the padding."""
        return z3.Or(entry(place) == PADDING, entry(place) == SKIPPED,
                     z3.And(character(place) == ord(" "), entry(place) != INVALID))

    def in_padding(self, one, block, registers, values, path):
        """The loop over the padding. Its variables are a place, and the number of characters that fill the group."""
        if len(values) != 2:
            raise Unsupported("a loop with other variables")
        if path.padding is None:
            self.move(path, values[1])
            path.must(z3.And(values[0] == 0, values[1] < UPPER, values[1] >= 0), "the start of the padding")
            path.must(entry(values[1]) == PADDING, "the text ends before padding and before the end")
            check_state(one, path, path.ghost, UPPER)
            check_writes(path, path.ghost.done, [])
            count, place = path.fresh(64, "paddings"), path.fresh(64, "place")
            path.conditions += [count >= 0, place >= 0, place >= values[1], place < UPPER, count <= place - values[1]]
            path.padding = count, place
            return [([count, place], begin(path, block))]
        count, place = path.padding
        path.must(self.is_allowed(place), "a character is not refused in the padding")
        path.must(z3.And(values[0] == self.filled(path), values[1] == place + 1, values[1] < UPPER), "the padding")
        check_writes(path, path.ghost.place, [])
        end(path, block)
        return []

    @staticmethod
    def filled(path):
        """The number of characters that fill the group, with the one at the place in the padding."""
        count, place = path.padding
        return z3.If(entry(place) == PADDING, count + 1, count)

    def check(self, path, result):
        """Checks a result by what the specification says."""
        if path.fault is not None:
            if not is_thrown(path):
                raise Refuted("a fault is not thrown")
            return check_refusal(path, "refusal", path.fault, TEXT_FAULT)
        if path.padding is None:
            # The text has no padding.
            self.move(path, UPPER)
            is_allowed, paddings, is_end = z3.BoolVal(True), number(0), z3.BoolVal(True)
        else:
            place = path.padding[1]
            is_allowed, paddings, is_end = self.is_allowed(place), self.filled(path), place + 1 == UPPER
        state, values = path.ghost, path.ghost.values
        fills = z3.Or(paddings == 0, z3.And(paddings + len(values) & 3 == 0, paddings <= 2))
        # Of two values four bits are left over, and of three two.
        unused = z3.Extract(7 - 2 * len(values), 0, values[-1]) if len(values) > 1 else number(0, 1)
        is_whole = z3.And(number(len(values)) != 1, z3.Or(self.is_strict, unused == 0))
        if is_thrown(path):
            reading = path.read("refusal", 32).memory
            if reading == PADDING_FAULT and path.padding and path.holds(z3.Not(is_allowed)):
                return check_refusal(path, "refusal", path.padding[1], PADDING_FAULT)
            path.must(z3.And(is_allowed, is_end), "a refusal before the end of the padding")
            if path.holds(z3.Not(fills)):
                return check_refusal(path, "refusal", state.place, PADDING_FAULT)
            path.must(z3.And(fills, z3.Not(is_whole)), "a refusal of a text without a fault")
            return check_refusal(path, "refusal", state.place, TEXT_FAULT)
        path.must(z3.And(is_allowed, is_end, fills, is_whole), "a text with a fault is decoded")
        if not same(result, Pointer("output", number(0))) or path.called is None:
            raise Refuted("another array is returned")
        expected = octets(values) if values else []
        path.must(path.called == state.done + len(expected), "the number of octets")
        check_writes(path, 32 + state.done, expected)


class Tables(Text):
    """The claim about the tables alone: each is right where the first loop over the text begins."""

    def prove_one(self):
        self.is_checked = False
        super().prove_one()
        if not self.is_checked:
            raise Refuted("no path uses the table")

    def turn(self, one, block, registers, values, path):
        self.check_table(path)
        self.is_checked = True
        return []

    def check(self, path, result):
        if path.has_table:
            raise Unsupported("a path that goes on after the table is checked")


# The claims.

REMOVE, KERNEL = "specialized RangeReplaceableCollection<>.removeLast(_:)", "decodeBase64(_:_:_:at:)"
CHOICE = "static Base64.decodeBlocks(_:in:_:_:after:_:)"
BLOCKS = "static Base64.decodePortableBlocks(_:in:acceptsURLs:_:after:)"
PART_OF = "static Base64.decode(_:atLeast:_:_:_:_:at:)"
WHOLE = "static Base64.decode(_:in:space:isStrict:acceleration:)"
#: The module, the function and the proof of each claim.
CLAIMS = {"RFC 4648: AppReceipt.Base64: the tables": ("AppReceipt", WHOLE, Tables)} | {
    f"RFC 4648: AppReceipt.{name.removeprefix('static ')}": ("AppReceipt", name, proof)
    for name, proof in ((CHOICE, Choice), (PART_OF, Part), (BLOCKS, Blocks), (WHOLE, Text))}
#: The claims whose proofs take minutes.
LONG = [claim for claim, (_, name, proof) in CLAIMS.items() if proof in (Blocks, Text)]


def check(claim, path):
    """Proves one claim about a module whose IR is in a file. Returns why it fails, or None."""
    _, name, proof = CLAIMS[claim]
    module = Module(path, name)
    found = [symbol for symbol in module.functions if module.names[symbol] == name]
    if len(found) != 1:
        return f"{UNSUPPORTED}{len(found)} functions of this name"
    for mark in re.findall(r"!range !(\d+)", module.body(found[0])):
        if not re.search(rf"^!{mark} = {re.escape(base64_blocks.RANGE)}$", module.text, re.M):
            return f"{UNSUPPORTED}another range of a number"
    try:
        return wrong_tables() or proof.prove(module.functions[found[0]], module)
    except Refuted as error:
        return str(error)
    except Unsupported as error:
        return f"{UNSUPPORTED}{error}"
