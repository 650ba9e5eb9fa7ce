"""Contracts of functions: the conditions under which a function may be called, and those that hold after it.

A contract names the parameters in the order of the IR, in which one value can be several parameters. Each kind of
parameter has an invariant:

  span     two words: the start of a buffer, and its count, from 0 to below 2^62
  range    two words: the lower bound is not above the upper
  string   three words of a StaticString: a pointer that is not null, a length, and flags without the lowest bit
  text     a string whose bytes are read. Its length is the number of bytes that are there
  reader   the address of a Reader. Its span is as above, and 0 <= position <= end <= count. A method leaves all but
           the position as it was, and the position does not decrease
  made     the address where the function writes a Reader, which has the invariant of a reader afterwards
  array    the address of an array's object, whose elements have one byte. `words` is one whose elements have eight
  closure  two words: a function from a byte to a byte, and its context. A call returns any byte and writes nothing
           that the caller reads
  error    the address of the thrown error: null before the call, and null after it unless an error is thrown
  out      the address of memory that the function may write

A kind of LAYOUTS is the address of such a struct, which is only read. With `made-` before it, the function writes the
struct; with `changed-`, it reads and writes it. Any other name is one word of any value. `kind:name` names a second
parameter of a kind.
"""

from dataclasses import dataclass, field

import z3

from execute import COUNT, Region, State, Value, bit_width, fresh, number

#: No buffer has 2^62 bytes.
ROOM = 1 << 62


def buffer_value(state):
    """The words of a Span<UInt8>: its start, which may be null if it is empty, and its count."""
    region = Region("buffer", fresh(64, "count"))
    start = fresh(64, "start")
    state.conditions += [region.size >= 0, region.size < ROOM, start == region.base,
                         z3.Or(region.base != 0, region.size == 0),
                         z3.BVAddNoOverflow(region.base, region.size, False)]
    return [Value(region.base, region), Value(region.size)]


READER = {"start": 0, "count": 8, "position": 16, "end": 24, "depth": 32}


class Array:
    """The number of elements of an array, which fit in memory: their bytes are fewer than 2^62."""

    def __init__(self, state, pointer, machine):
        region, offset = machine.place(state, pointer, "self")
        self.count, self.stride = state.read(region, offset.as_long() + COUNT, 64).bits, region.stride

    def invariant(self):
        return [self.count >= 0, self.count < ROOM // self.stride]


#: The sizes of the elements of arrays.
STRIDES = {"array": 1, "words": 8}


class Reader:
    """The fields of a reader in memory, at one time."""

    def __init__(self, state, pointer, machine):
        region, offset = machine.place(state, pointer, "self")
        at = offset.as_long()
        for name, place in READER.items():
            setattr(self, name, state.read(region, at + place, 64).bits)
        self.region, self.at = region, at
        self.first = state.read(region, at, 64)
        self.buffer = self.first.region

    def invariant(self):
        return [self.position >= 0, self.position <= self.end, self.end <= self.count, self.count < ROOM]


def is_buffer(start, count):
    """The condition that the words of a span are those of a buffer, or of a part of one."""
    buffer = start.region
    if buffer is None or buffer.size is None:
        return count == 0
    offset = z3.simplify(start.bits - buffer.base)
    return z3.And(z3.ULE(offset, buffer.size), z3.ULE(count, buffer.size - offset))


def same(one, other):
    """What no method of a reader changes."""
    return [getattr(one, n) == getattr(other, n) for n in ("start", "count", "end", "depth")]


@dataclass
class Layout:
    """The places of the parts of a struct, and its size, in octets.

    `span` is the place of a span, if there is one. A range is two words. An optional range has octets beside it, which
    are 0 if there is a range. `invariant` returns conditions on a `Struct`.
    """

    size: int
    words: dict = field(default_factory=dict)
    octets: dict = field(default_factory=dict)
    ranges: dict = field(default_factory=dict)
    #: The place of the range, and those of the octets.
    optional: dict = field(default_factory=dict)
    span: int = None
    invariant: object = lambda struct: []

    def places(self):
        """The places of all ranges."""
        return [*self.ranges.values(), *[place for place, *_ in self.optional.values()]]

    def all_words(self):
        """The places of all words."""
        span = [] if self.span is None else [self.span, self.span + 8]
        return [*span, *self.words.values(), *[place + n for place in self.places() for n in (0, 8)]]

    def flags(self):
        """The places of the octets beside optional ranges."""
        return sorted({place for _, *places in self.optional.values() for place in places})


#: The structs that can be parameters, by kind. The tables of contracts add theirs.
LAYOUTS = {}


def layout(kind):
    """The layout of a kind of parameter, or None."""
    return LAYOUTS.get(kind.removeprefix("made-").removeprefix("changed-"))


class Struct:
    """The parts of a struct in memory, at one time: numbers, and ranges as two numbers each."""

    def __init__(self, layout, state, pointer, machine):
        self.region, offset = machine.place(state, pointer, "struct")
        self.layout, self.at = layout, offset.as_long()

        def word(place, bits=64):
            return state.read(self.region, self.at + place, bits)

        if layout.span is not None:
            self.first, self.count = word(layout.span), word(layout.span + 8).bits
            self.buffer = self.first.region
        for name, place in layout.words.items():
            setattr(self, name, word(place).bits)
        for name, place in layout.octets.items():
            setattr(self, name, word(place, 8).bits)
        self.parts, self.there, self.flags = [], {}, [word(place, 8).bits for place in layout.flags()]
        for name, (place, *flags) in [*((n, (p,)) for n, p in layout.ranges.items()), *layout.optional.items()]:
            setattr(self, name, [word(place).bits, word(place + 8).bits])
            self.there[name] = z3.And(*[word(flag, 8).bits == 0 for flag in flags])
            self.parts.append((self.there[name], getattr(self, name)))

    def inside(self, lower, upper):
        """Each range that is there is ordered, and inside other bounds."""
        return [z3.ULE(flag, 1) for flag in self.flags] + [
            z3.Implies(there, z3.And(lower <= start, start <= end, end <= upper)) for there, (start, end) in self.parts]

    def owed(self):
        """The invariant of the struct, and that of its span."""
        span = [self.count >= 0, self.count < ROOM] if self.layout.span is not None else []
        return span + self.layout.invariant(self)


@dataclass
class Contract:
    """The contract of a function.

    `requires` returns conditions on the parameters, by their names. `ensures` returns conditions on the parameters
    before and after a call that throws nothing, and on the result.
    """

    parameters: str
    requires: object = lambda v: []
    ensures: object = lambda old, new, result: []
    #: The forms of input that are accepted, for the parameters: the condition, the words of the result, and where the
    #: reader is afterwards. A call throws nothing exactly if one of the conditions holds.
    forms: object = None
    #: Whether the proof follows each form that a called function accepts, as it does if there are `forms`.
    exact: bool = False
    #: Whether the function itself checks `requires`, and traps if it does not hold. Then the proof also shows that a
    #: call which returns met the conditions.
    checked: bool = False
    #: Whether the position of a reader stays.
    keeps: bool = False
    #: Whether the proof takes long. Then only `run --all` makes it, or its part about the forms if there are forms. A
    #: proof without forms is also made by a run for its name.
    long: bool = False
    #: Whether compare.py runs the function. It has no closures, no arrays, and no IR of modules that are not in USES.
    compared: bool = True
    #: How often a loop's header is met at most, if loops are unrolled instead of getting an invariant.
    unroll: int = 0
    #: Relations of two numbers, each of which may be part of the invariant of a loop.
    hints: tuple = ()
    name: str = ""

    @property
    def kinds(self):
        """The kind and the name of each parameter."""
        return [(kind, name or kind.removeprefix("made-").removeprefix("changed-"))
                for kind, _, name in (p.partition(":") for p in self.parameters.split())]

    def named(self, machine, state, values):
        """The parameters by their names."""
        found, values = {}, list(values)
        for kind, name in self.kinds:
            if kind == "reader":
                found[name] = Reader(state, values.pop(0), machine)
            elif kind in ("string", "text"):
                found[name] = [values.pop(0).bits for _ in range(3)]
            elif kind in STRIDES:
                found[name] = Array(state, values.pop(0), machine)
            elif kind == "closure":
                found[name] = [values.pop(0) for _ in range(2)]
            elif kind in ("span", "range"):
                found[name + ".first"], found[name + ".buffer"] = values[0], values[0].region
                found[name] = [values.pop(0).bits for _ in range(2)]
            elif kind in ("error", "out", "made"):
                found[name] = values.pop(0)
            elif layout(kind):
                found[name] = Struct(layout(kind), state, values.pop(0), machine)
            else:
                found[name] = values.pop(0).bits
        if values:
            raise ValueError(f"{self.name}: {len(values)} parameters have no name")
        return found

    def owed(self, named):
        """The invariants of the parameters."""
        conditions = []
        for kind, name in self.kinds:
            value = named[name]
            if kind == "reader" or kind in STRIDES:
                conditions += value.invariant()
            elif kind in ("string", "text"):
                conditions += [value[0] != 0, value[2] & 1 == 0]
                conditions += [value[1] >= 0, value[1] < ROOM] if kind == "text" else []
            elif kind == "range":
                conditions += [value[0] <= value[1]]
            elif kind == "span":
                conditions += [value[1] >= 0, value[1] < ROOM]
            elif layout(kind) and not kind.startswith("made-"):
                conditions += value.owed()
        return conditions

    def buffers(self, named):
        """The conditions that spans, and those of readers and structs, are those of buffers."""
        conditions = []
        for kind, name in self.kinds:
            value = named[name]
            if kind == "span":
                conditions.append(is_buffer(named[name + ".first"], value[1]))
            elif kind == "reader" or layout(kind) and layout(kind).span is not None and not kind.startswith("made-"):
                conditions.append(is_buffer(value.first, value.count))
        return conditions

    @property
    def is_left_out(self):
        """Whether only `run --all` makes the proof."""
        return self.long and not self.forms

    # Proof of the function itself.

    def prove(self, machine, function, all=True):
        """Runs the function for all inputs that the contract allows, and returns the number of paths. Raises what the
        machine raises. Without `all`, a proof that takes minutes leaves out the forms."""
        machine.hints, machine.unroll = self.hints, self.unroll
        machine.exact = self.exact or self.forms is not None and (all or not self.long)
        state, values, old = self.start(machine, function)
        paths = 0
        if self.checked:
            machine.may_trap = True
            for after, _ in machine.run(function.name, values, state.copy()):
                for condition in self.requires(old):
                    machine.must(after, condition, f"what a call that returned required: {condition}")
            machine.may_trap = False
        state.conditions += self.requires(old)
        for after, result in machine.run(function.name, values, state):
            paths += 1
            self.check_after(machine, after, old, values, result)
        return paths

    def start(self, machine, function):
        """The state in which a function begins, without `requires`; its arguments; and the parameters by name."""
        state, values = State(), []
        for kind, name in self.kinds:
            if kind == "reader":
                start, count = buffer_value(state)
                region = Region("self")
                for name, place in READER.items():
                    state.write(region, place, {"start": start, "count": count}.get(name) or Value(fresh(64, name)))
                values.append(Value(region.base, region))
            elif kind == "span":
                values += buffer_value(state)
            elif kind == "closure":
                closure = Region(kind)
                values += [Value(closure.base, closure), Value(fresh(64, "context"))]
            elif kind == "text":
                text, flags = Region(kind, fresh(64, "length")), function.parameters[len(values) + 2]
                values += [Value(text.base, text), Value(text.size), Value(fresh(bit_width(flags.type), "flags"))]
            elif kind in ("error", "out", "made", *STRIDES):
                region = Region(kind, stride=STRIDES.get(kind))
                if kind == "error":
                    state.write(region, 0, Value(number(0)))
                state.conditions.append(region.base != 0)
                values.append(Value(region.base, region))
            elif layout(kind):
                region = Region(name, is_known=layout(kind) is not LAYOUTS.get(kind))
                state.conditions.append(region.base != 0)
                if layout(kind).span is not None:
                    for place, word in zip((0, 8), buffer_value(state)):
                        state.write(region, layout(kind).span + place, word)
                values.append(Value(region.base, region))
            else:
                for _ in range({"string": 3, "range": 2}.get(kind, 1)):
                    values.append(Value(fresh(bit_width(function.parameters[len(values)].type), name)))
        old = self.named(machine, state, values)
        state.conditions += self.owed(old)
        return state, values, old

    def check_after(self, machine, after, old, values, result):
        """Checks what must hold where the function returns."""
        new = self.named(machine, after, values)
        thrown = self.thrown(machine, after, new)
        if self.forms and machine.exact:
            self.check_forms(machine, after, old, new, result, thrown)
        for kind, name in self.kinds:
            if kind == "reader":
                reader, before = new[name], old[name]
                moved = reader.position == before.position if self.keeps else reader.position >= before.position
                machine.must_all(after, reader.invariant() + same(reader, before) + [moved], "the reader's invariant")
        if thrown is not None:
            if not machine.possible(after, thrown == 0):
                return
            machine.must(after, thrown == 0, "an error is thrown or not")
        for kind, name in self.kinds:
            made = (Reader(after, new[name], machine).invariant() if kind == "made"
                    else new[name].owed() if layout(kind) else [])
            if layout(kind) and layout(kind).span is not None:
                made.append(is_buffer(new[name].first, new[name].count))
            machine.must_all(after, made, f"the invariant of {name}, which is made")
        machine.must_all(after, self.ensures(old, new, bits_of(result)), "the result")

    def check_forms(self, machine, after, old, new, result, thrown):
        """Checks that the forms are what is accepted, each with its result."""
        forms = self.forms(old)
        accepted = z3.Or(*[condition for condition, *_ in forms])
        if not machine.possible(after, thrown == 0):
            machine.must(after, z3.Not(accepted), "what is refused")
            return
        machine.must(after, thrown == 0, "an error is thrown or not")
        machine.must(after, accepted, "what is accepted")
        after.conditions.append(accepted)
        given = [v.bits for v in (result if isinstance(result, list) else [result])]
        for condition, words, position in forms:
            if machine.possible(after, condition):
                expected = [one == other for one, other in zip(given, words)]
                if "reader" in new:
                    expected.append(new["reader"].position == position)
                machine.must(after, z3.Implies(condition, z3.And(*expected)), "the result of a form")

    def thrown(self, machine, state, named):
        if "error" not in named:
            return None
        region, offset = machine.place(state, named["error"], "error")
        return state.read(region, offset.as_long(), 64).bits

    # Use of the contract by callers.

    def call(self, machine, state, values, i):
        """The states and results after a call."""
        old = self.named(machine, state, values)
        owed = self.buffers(old) + self.owed(old) + self.requires(old)
        machine.must_all(state, owed, f"the caller of {self.name} owes")
        forms = self.forms(old) if self.forms and machine.exact else []
        returns = [(form, False) for form in forms or [None]]
        for form, thrown in returns + ([(None, True)] if "error" in old else []):
            after = state.copy()
            after.conditions += [form[0]] if form else [z3.Not(condition) for condition, *_ in forms]
            for kind, name in self.kinds:
                value = old[name]
                if kind == "reader" and not self.keeps:
                    machine.writable(value.region, name)
                    position = z3.simplify(form[2]) if form else fresh(64, "position")
                    after.write(value.region, value.at + READER["position"], Value(position))
                if kind in ("out", "made"):
                    after.forget(machine.place_to_write(after, value, name)[0], 0, None)
                if layout(kind) and layout(kind) is not LAYOUTS.get(kind):
                    machine.writable(value.region, name)
                    after.forget(value.region, value.at, layout(kind).size)
                if kind == "error":
                    region, offset = machine.place_to_write(after, value, name)
                    after.write(region, offset.as_long(), Value(number(int(thrown))))
            new = self.named(machine, after, values)
            for name, value in new.items():
                if isinstance(value, Reader):
                    after.conditions += value.invariant() + [value.position >= old[name].position]
                if isinstance(value, Struct) and not thrown:
                    after.conditions += value.owed()
            result = machine.unknown(i.type)
            if form:
                words = [Value(z3.simplify(word)) for word in form[1]]
                result = words if isinstance(result, list) else words[0]
            if not thrown:
                after.conditions += self.ensures(old, new, bits_of(result))
            if machine.possible(after):
                yield after, result


def bits_of(result):
    if isinstance(result, list):
        return [bits_of(r) for r in result]
    return result.bits if result is not None else None
