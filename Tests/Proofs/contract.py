"""Contracts of functions: the conditions under which a function may be called, and those that hold after it.

A contract names the parameters in the order of the IR, in which one value can be several parameters. Each kind of
parameter has an invariant:

  span     two words: the start of a buffer, and its count, from 0 to below 2^62
  range    two words: the lower bound is not above the upper
  string   three words of a StaticString: a pointer that is not null, a length, and flags without the lowest bit
  reader   the address of a Reader. Its span is as above, and 0 <= position <= end <= count. A method leaves all but
           the position as it was, and the position does not decrease
  made     the address where the function writes a Reader, which has the invariant of a reader afterwards
  error    the address of the thrown error: null before the call, and null after it unless an error is thrown
  out      the address of memory that the function may write

Any other name is one word of any value. `kind:name` names a second parameter of a kind.
"""

from dataclasses import dataclass

import z3

from execute import Region, State, Value, bit_width, fresh, number

#: No buffer has 2^62 bytes.
ROOM = 1 << 62


def buffer_value(state, optional=False):
    """The words of a Span<UInt8>: its start, which may be null if it is empty, and its count."""
    region = Region("buffer", fresh(64, "count"))
    start = fresh(64, "start")
    state.conditions += [region.size >= 0, region.size < ROOM, region.base != 0, start == region.base,
                         z3.BVAddNoOverflow(region.base, region.size, False)]
    return [Value(region.base, region), Value(region.size)]


READER = {"start": 0, "count": 8, "position": 16, "end": 24, "depth": 32}


class Reader:
    """The fields of a reader in memory, at one time."""

    def __init__(self, state, pointer, machine):
        region, offset = machine.place(state, pointer, "self")
        at = offset.as_long()
        for name, place in READER.items():
            setattr(self, name, state.read(region, at + place, 64).bits)
        self.region, self.at = region, at
        self.buffer = state.read(region, at, 64).region

    def invariant(self):
        return [self.position >= 0, self.position <= self.end, self.end <= self.count, self.count < ROOM]


def same(one, other):
    """What no method of a reader changes."""
    return [getattr(one, n) == getattr(other, n) for n in ("start", "count", "end", "depth")]


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
    #: Whether the proof of the forms takes minutes. Then only `run --all` makes it.
    long: bool = False
    #: How often a loop's header is met at most, if loops are unrolled instead of getting an invariant.
    unroll: int = 0
    #: Relations of two numbers, each of which may be part of the invariant of a loop.
    hints: tuple = ()
    name: str = ""

    @property
    def kinds(self):
        """The kind and the name of each parameter."""
        return [(kind, name or kind) for kind, _, name in (p.partition(":") for p in self.parameters.split())]

    def named(self, machine, state, values):
        """The parameters by their names."""
        found, values = {}, list(values)
        for kind, name in self.kinds:
            if kind == "reader":
                found[name] = Reader(state, values.pop(0), machine)
            elif kind == "string":
                found[name] = [values.pop(0).bits for _ in range(3)]
            elif kind in ("span", "range"):
                found[name + ".buffer"] = values[0].region
                found[name] = [values.pop(0).bits for _ in range(2)]
            elif kind in ("error", "out", "made"):
                found[name] = values.pop(0)
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
            if kind == "reader":
                conditions += value.invariant()
            elif kind == "string":
                conditions += [value[0] != 0, value[2] & 1 == 0]
            elif kind == "range":
                conditions += [value[0] <= value[1]]
            elif kind == "span":
                conditions += [value[1] >= 0, value[1] < ROOM]
        return conditions

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
            elif kind in ("error", "out", "made"):
                region = Region(kind)
                if kind == "error":
                    state.write(region, 0, Value(number(0)))
                state.conditions.append(region.base != 0)
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
                for condition in reader.invariant() + same(reader, before):
                    machine.must(after, condition, f"the reader's invariant: {condition}")
                machine.must(after, reader.position == before.position if self.keeps
                             else reader.position >= before.position, "the reader's position")
        if thrown is not None:
            if not machine.possible(after, thrown == 0):
                return
            machine.must(after, thrown == 0, "an error is thrown or not")
        for kind, name in self.kinds:
            if kind == "made":
                for condition in Reader(after, new[name], machine).invariant():
                    machine.must(after, condition, f"the invariant of the reader that is made: {condition}")
        for condition in self.ensures(old, new, bits_of(result)):
            machine.must(after, condition, f"the result: {condition}")

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
        for condition in self.owed(old) + self.requires(old):
            machine.must(state, condition, f"the caller of {self.name} owes: {condition}")
        forms = self.forms(old) if self.forms and machine.exact else []
        returns = [(form, False) for form in forms or [None]]
        for form, thrown in returns + ([(None, True)] if "error" in old else []):
            after = state.copy()
            after.conditions += [form[0]] if form else [z3.Not(condition) for condition, *_ in forms]
            for kind, name in self.kinds:
                value = old[name]
                if kind == "reader" and not self.keeps:
                    position = z3.simplify(form[2]) if form else fresh(64, "position")
                    after.write(value.region, value.at + READER["position"], Value(position))
                if kind in ("out", "made"):
                    after.cells[machine.place(after, value, name)[0]] = {}
                if kind == "error":
                    region, offset = machine.place(after, value, name)
                    after.write(region, offset.as_long(), Value(number(int(thrown))))
            new = self.named(machine, after, values)
            for name, value in new.items():
                if isinstance(value, Reader):
                    after.conditions += value.invariant() + [value.position >= old[name].position]
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
