"""Compares execute.py with real execution: both run the functions that have contracts on the same inputs.

clang compiles the IR that execute.py reads, and the functions run in a process of their own. execute.py runs them with
numbers in place of symbols, without contracts: every called function is executed in place, and every loop round by
round. Compared are the words of the result, whether an error was thrown, the fields of the reader, and what was
written to memory. The inputs are random, and meet the conditions of the function's contract.
"""

import ctypes
import glob
import json
import os
import random
import re
import subprocess
import sys

import z3

from build import ROOT
from contract import READER, layout
from execute import Machine, Refuted, Region, State, Unsupported, Value, bit_width, number
from ir import parts

sys.path.insert(0, os.path.join(ROOT, ".ci"))

from modules import modules  # noqa: E402

#: The elements that the names of functions speak of, each with random contents.
SAMPLES = {
    "Boolean": lambda r: element(1, r.choice([b"\0", b"\xff", b"\x01", b"", b"\xff\xff"])),
    "Integer": lambda r: element(2, r.choice([b"", b"\0", b"\xff"]) + r.randbytes(r.randrange(10))),
    "BitString": lambda r: element(3, bytes([r.choice([0, r.randrange(10)])]) + r.randbytes(r.randrange(3)) + b"\0"),
    "Null": lambda r: element(5, r.choice([b"", b"\0"])),
    "ObjectIdentifier": lambda r: element(6, bytes(r.choice([0x2A, 0x80, 0x86, 1, 0xFF]) for _ in range(r.randrange(9)))),
    "IA5String": lambda r: element(22, bytes(r.choice([0x41, 0x7F, 0x80]) if r.random() < 0.1 else 0x61 for _ in range(4))),
    "UTCTime": lambda r: element(23, time(r, 2)),
    "GeneralizedTime": lambda r: element(24, time(r, 4)),
    "HighTag": lambda r: bytes([r.choice([0x1F, 0x7F, 0xBF])]) + r.choice(
        [b"\x1f", b"\x1e", b"\x80", b"\x81\x00", b"\x87\xff\xff\xff\x7f", b"\x8f\xff\xff\xff\x7f"]) + b"\x01\xaa",
    "length": lambda r: bytes([0x30]) + r.choice(
        [b"\x80", b"\x81\x05", b"\x81\x80", b"\x82\x00\x90", b"\x84\x7f\xff\xff\xff", b"\x85\1\1\1\1\1"]) + r.randbytes(6),
    "firstI": lambda r: bytes([0x61]) * r.randrange(300) + r.choice(
        [b"", b"\xc3\xa4", b"\xe2\x82\xac", b"\x80", b"\xf0\x9f"]),
    "holds": lambda r: bytes(r.randrange(100)),
    "hasBytes": lambda r: bytes(r.randrange(100)),
    "any": lambda r: r.randbytes(r.randrange(12)),
    "AlgorithmIdentifier": lambda r: algorithm(r),
    "readTime": lambda r: element(*r.choice([(23, time(r, 2)), (24, time(r, 4))])),
    "checkSigningTime": lambda r: element(*r.choice([(23, time(r, 2)), (24, time(r, 4))])),
    "skipUnsignedAttributes": lambda r: unsigned(r),
    "skipRevocationInfo": lambda r: element(0xA1, r.choice([b"", signed(r), other(r), signed(r) + other(r)])),
    "SignerInfo.init": lambda r: signer(r),
    "SignedData.init": lambda r: message(r),
}
#: How many inputs each function gets in a whole run, and otherwise.
INPUTS, FEW_INPUTS = 1000, 30
#: How many octets of memory a parameter that is an address gets.
SPACE = 512
#: How often a loop may go round.
ROUNDS = 200


class Different(Exception):
    """The two executions differ, or one of them fails."""


def element(tag, contents):
    size = len(contents)
    length = [size] if size < 0x80 else [0x81, size] if size < 0x100 else [0x82, size >> 8, size & 0xFF]
    return bytes([tag, *length]) + contents


def algorithm(r):
    return element(0x30, element(6, b"\x2a\x86" + r.randbytes(1)) + r.choice([b"", b"\5\0", b"\4\1\0", b"\5\1\0"]))


def unsigned(r):
    """Attributes that are not signed."""
    values = element(0x31, r.choice([b"", b"\5\0", b"\5\0\2\1\1", b"\2"]))
    identifier = r.choice([b"\x2a\x03", bytes.fromhex("2a864886f70d010905")])
    return element(0xA1, r.choice([0, 1, 1, 2]) * element(0x30, element(6, identifier) + values))


def signed(r):
    """A value of a signed type."""
    return element(0x30, element(r.choice([0x30, 0x30, 0x31]), b"\5\0") + algorithm(r) + element(3, b"\0\xaa"))


def other(r):
    """A value of another format."""
    return element(0xA1, element(6, b"\x2a\x03") + r.choice([b"\5\0", b"\x30\3\2\1\1", b""]))


def signer(r, digest=None):
    names = element(0x30, element(0x30, b"\x31\0") + element(2, b"\5"))
    version, identifier = r.choice([(1, names), (3, element(0x80, b"key")), (1, names), (1, element(0x80, b"key"))])
    attributes = r.choice([b"", element(0xA0, b"\x30\0")])
    return element(0x30, element(2, bytes([version])) + identifier + (digest or algorithm(r)) + attributes
                   + algorithm(r) + element(4, b"signature") + r.choice([b"", b"", unsigned(r)]))


def message(r):
    digest = element(0x30, element(6, b"\x2a\x03") + b"\5\0")
    parts = [element(2, bytes([r.choice([1, 1, 3, 2])])), element(0x31, r.choice([digest, digest, algorithm(r), b""])),
             element(0x30, element(6, b"\x2a\x05") + r.choice([element(0xA0, element(4, b"content"))] * 3 + [b""])),
             r.choice([b"", element(0xA0, b"\5\0")]), r.choice([b"", b"", element(0xA1, signed(r))]),
             element(0x31, r.choice([1, 1, 1, 0, 2]) * signer(r, digest))]
    return element(0x30, element(6, bytes.fromhex("2a864886f70d010702")) + element(0xA0, element(0x30, b"".join(parts))))


def time(r, digits):
    """A time, most often one that exists."""
    text = f"{r.randrange(10 ** digits):0{digits}}{r.choice([1, 2, 12, r.randrange(14)]):02}" + "".join(
        f"{r.choice([1, 9, most, r.randrange(most + 2)]):02}" for most in (28, 23, 59, 59))
    text += r.choice(["Z", "Z", "Z", "", "+0100"] + ([".5Z", ".12Z", ".9999Z", ".120Z"] if digits == 4 else []))
    return text.encode()


class Octets(Region):
    """A buffer of known octets."""

    def __init__(self, octets):
        super().__init__("buffer", number(len(octets)))
        self.known = octets

    def octet(self, offset):
        at = z3.simplify(offset).as_long()
        return number(self.known[at] if at < len(self.known) else 0, 8)


class Input:
    """Memory and arguments for one call, the same for both executions."""

    def __init__(self, contract, function, r):
        of_name = [make for name, make in SAMPLES.items() if name in contract.name]
        self.octets = bytearray()
        for _ in range(r.randrange(1, 4)):
            make = r.choice(of_name if of_name and r.random() < 0.7 else list(SAMPLES.values()))
            self.octets += make(r)
        for _ in range(r.choice([0, 0, 0, 1, 2])):
            if self.octets:
                self.octets[r.randrange(len(self.octets))] ^= 1 << r.randrange(8)
        if r.random() < 0.2:
            del self.octets[r.randrange(len(self.octets) + 1):]
        size = len(self.octets)
        self.buffer = ctypes.create_string_buffer(bytes(self.octets), max(size, 1))
        self.text = ctypes.create_string_buffer(b"text")
        self.memory, self.words = {}, []
        lead = self.octets[0] if size else 0x30
        for kind, name in contract.kinds:
            if kind == "reader":
                position = r.choice([0, 0, 0, 0, r.randrange(size + 1)])
                end = r.choice([size, size, size, r.randrange(position, size + 1)])
                fields = [ctypes.addressof(self.buffer), size, position, end, r.randrange(5)]
                self.words.append(self.keep(name, b"".join(f.to_bytes(8, "little") for f in fields)))
            elif kind == "span":
                self.words += [ctypes.addressof(self.buffer), size]
            elif kind in ("error", "out", "made") or kind.startswith("made-"):
                self.words.append(self.keep(name, bytes(SPACE)))
            elif layout(kind):
                self.words.append(self.keep(name, self.struct(layout(kind), r)))
            elif kind in ("string", "text"):
                self.words += [ctypes.addressof(self.text), 4, 2]
            elif kind == "range":
                lower = r.randrange(size + 1)
                upper = r.randrange(lower, size + 1)
                if name == "other" and r.random() < 0.7:
                    upper = lower + self.words[1] - self.words[0]
                self.words += [lower, upper]
            elif name == "tag":
                tag = r.choice([lead, lead, 0x02, 0x30, 0x17, 0xA0])
                self.words.append((tag & 0x1F) << 8 | tag & 0xE0)
            elif name == "start" and "flags" in contract.parameters:
                self.words.append(ctypes.addressof(self.text))
            elif name == "flags":
                self.words.append(2)
            elif name in ("start", "end"):
                self.words.append(r.choice([0, 0, 1] if name == "start" else [size, size, size - 1]) if size else 0)
            else:
                self.words.append(r.choice([0, 1, 2, 3, 4, size, r.randrange(size + 1), r.randrange(10000), -1]))
        widths = [bit_width(p.type) for p in function.parameters]
        self.words = [word % (1 << bits) for word, bits in zip(self.words, widths)]

    def struct(self, layout, r):
        """The octets of a struct. Its ranges lie in the buffer, and its words are small numbers or times."""
        octets, size = bytearray(SPACE), len(self.octets)
        for place in layout.flags():
            octets[place] = r.randrange(2)
        for place in layout.octets.values():
            octets[place] = r.randrange(20)
        words = {place: r.choice([0, 1, size, r.randrange(1 << 41)]) for place in layout.words.values()}
        for place in layout.places():
            words[place] = r.randrange(size + 1)
            words[place + 8] = r.randrange(words[place], size + 1)
        if layout.span is not None:
            words |= {layout.span: ctypes.addressof(self.buffer), layout.span + 8: size}
        for place, word in words.items():
            octets[place:place + 8] = word.to_bytes(8, "little")
        return bytes(octets)

    def keep(self, name, contents):
        self.memory[name] = ctypes.create_string_buffer(contents, SPACE)
        return ctypes.addressof(self.memory[name])

    def arguments(self, contract, function):
        """The state and the arguments for execute.py."""
        state, values = State(), []
        regions = {ctypes.addressof(memory): Region(name) for name, memory in self.memory.items()}
        buffer = Octets(self.octets)
        regions[ctypes.addressof(self.buffer)] = buffer
        regions[ctypes.addressof(self.text)] = Octets(b"text")
        for address, region in regions.items():
            region.base = number(address)
        for word, parameter in zip(self.words, function.parameters):
            values.append(Value(number(word, bit_width(parameter.type)), regions.get(word)))
        self.regions = {name: regions[ctypes.addressof(memory)] for name, memory in self.memory.items()}
        for kind, name in contract.kinds:
            if kind == "error":
                state.write(self.regions[name], 0, Value(number(0)))
            if kind == "reader":
                for place in READER.values():
                    word = int.from_bytes(self.memory[name].raw[place:place + 8], "little")
                    state.write(self.regions[name], place, Value(number(word), regions.get(word)))
            if layout(kind):
                octets, words = self.memory[name].raw, layout(kind).all_words()
                state.cells[self.regions[name]] = {n: Value(number(octet, 8)) for n, octet in enumerate(octets)}
                for place in words:
                    word = int.from_bytes(octets[place:place + 8], "little")
                    state.write(self.regions[name], place, Value(number(word), regions.get(word)))
        return state, values


class Concrete(Machine):
    """A machine whose inputs are numbers: one path, and no contracts."""

    def __init__(self, functions):
        super().__init__(functions, {})
        self.unroll = ROUNDS

    def possible(self, state, *more):
        more = [z3.simplify(one) for one in more]
        if not all(z3.is_true(one) or z3.is_false(one) for one in more):
            raise Unsupported(f"a condition that no input decides: {more}")
        return all(z3.is_true(one) for one in more)

    def global_(self, text):
        value = super().global_(text)
        if value.region and not z3.is_bv_value(value.region.base):
            value.region.base = number(0x10000 * len(self.regions))
            return Value(value.region.base, value.region)
        return value

    def load(self, state, pointer, type, what):
        # The cache of a witness table, which the runtime fills before an error is first thrown.
        if re.search(r'@"?\$\w+WL"?, ', what):
            return Value(number(1))
        return super().load(state, pointer, type, what)

    def call(self, i, frame, state, depth):
        if i.detail in self.functions and not i.detail.endswith("Wl"):
            return self.run(i.detail, [self.value(frame, o) for o in i.operands], state, depth + 1)
        return super().call(i, frame, state, depth)


def interpreted(functions, symbol, contract, one):
    """What execute.py computes: the words of the result, and the octets of the memory. Left out are those that are not
    numbers there, and the addresses of globals."""
    state, values = one.arguments(contract, functions[symbol])
    machine = Concrete(functions)
    paths = list(machine.run(symbol, values, state))
    if len(paths) != 1:
        raise Different(f"{len(paths)} paths return")
    after, result = paths[0]
    result = [] if result is None else result if isinstance(result, list) else [result]
    globals_ = set(map(id, machine.regions.values()))

    def is_known(value):
        return z3.is_bv_value(value.bits) and id(value.region) not in globals_

    memory = {}
    for name, region in one.regions.items():
        memory[name] = {}
        for offset, value in after.cells.get(region, {}).items():
            if is_known(value):
                octets = value.bits.as_long().to_bytes(value.bits.size() // 8, "little")
                memory[name].update({offset + n: octet for n, octet in enumerate(octets)})
    return [value.bits.as_long() if is_known(value) else None for value in result], memory


# Real execution.

def caller(index, symbol, line, function):
    """The IR of a function in C's convention that loads the arguments, makes the call and stores the result."""
    attributes = r"(?:noundef |zeroext |signext |nonnull |range\([^)]*\) )*"
    result, declared = re.match(rf"define .*?swiftcc {attributes}(.+?) @[^(]+\((.*)\)", line).groups()
    loads, given, after = [], [], []
    for n, (text, parameter) in enumerate(zip(parts(declared), function.parameters)):
        attributes = " ".join(re.findall(r"swiftself|swifterror|sret\([^)]*\)", text))
        loads.append(f"%p{n} = getelementptr i64, ptr %words, i64 {n}")
        loads.append(f"%w{n} = load {parameter.type}, ptr %p{n}")
        value = f"%w{n}"
        if attributes == "swifterror":
            loads += ["%error = alloca swifterror ptr", "store ptr null, ptr %error"]
            after += ["%thrown = load ptr, ptr %error", f"store ptr %thrown, ptr %w{n}"]
            value = "%error"
        given.append(f"{parameter.type} {attributes} {value}")
    types = parts(result[1:-1]) if result.startswith("{") else [] if result == "void" else [result]
    for n, type in enumerate(types):
        value = "%result" if len(types) == 1 and not result.startswith("{") else f"%e{n}"
        if value != "%result":
            after.append(f"%e{n} = extractvalue {result} %result, {n}")
        after += [f"%q{n} = getelementptr i64, ptr %results, i64 {n}", f"store {type} {value}, ptr %q{n}"]
    call = f'call swiftcc {result} @"{symbol}"({", ".join(given)})'
    body = loads + [call if result == "void" else "%result = " + call] + after + ["ret void"]
    return f'define void @"compare.{index}"(ptr %words, ptr %results) {{\n  ' + "\n  ".join(body) + "\n}\n"


def library(module, path, functions, symbols, folder):
    """Compiles the IR of a module, with a caller for each function, to a library with the modules below."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = {re.search(r'@"?([^"(]+)"?\(', line)[1]: line for line in text.split("\n") if line.startswith("define ")}
    text += "\n" + "\n".join(caller(n, s, lines[s], functions[s]) for n, s in enumerate(symbols))
    source, made = os.path.join(folder, "compare.ll"), os.path.join(folder, "compare.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    found = json.loads(subprocess.run(["swift", "-print-target-info"], capture_output=True, check=True).stdout)
    runtime = found["paths"]["runtimeLibraryPaths"][0]
    objects = [one for below in modules(module, kernels="all") if below != module for one in glob.glob(
        os.path.join(ROOT, f".build/release/{os.path.basename(below)}.build/*.o"))]
    subprocess.run(
        ["clang", "-shared", "-fPIC", "-w", "-O1", "-x", "ir", source, "-x", "none", *sorted(objects), "-o", made,
         "-L", runtime, "-lswiftCore", "-Wl,-rpath," + runtime, "-Wl,--unresolved-symbols=ignore-all"], check=True)
    return made


def executed(path, index, some):
    """What the processor computes for each input: the words of the result, and the memory. A process of its own, which
    inherits the inputs' memory, makes the calls."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        function = ctypes.CDLL(path)[f"compare.{index}"]
        with os.fdopen(sending, "w") as out:
            for one in some:
                results = (ctypes.c_uint64 * 8)()
                function((ctypes.c_uint64 * len(one.words))(*one.words), results)
                memory = {name: memory.raw.hex() for name, memory in one.memory.items()}
                print(json.dumps([list(results), memory]), file=out, flush=True)
        os._exit(0)
    os.close(sending)
    with os.fdopen(receiving) as lines:
        found = [json.loads(line) for line in lines]
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 0:
        raise Different(f"input {len(found)}, {bytes(some[len(found)].octets).hex()}: the process ended with {status}")
    return [(words, {name: bytes.fromhex(octets) for name, octets in memory.items()}) for words, memory in found]


def difference(mine, real):
    """What differs, or None. Where an error was thrown, the result has no meaning."""
    (result, memory), (words, octets) = mine, real
    for name, known in memory.items():
        wrong = [offset for offset, octet in known.items() if octets[name][offset] != octet]
        if name == "error":
            # Not the address: that something was thrown.
            thrown = any(known.get(n, 0) for n in range(8)), any(octets[name][:8])
            if thrown[0] != thrown[1]:
                return f"thrown: {thrown}"
        elif wrong:
            return f"memory of {name} at {wrong[0]}: {known[wrong[0]]}, not {octets[name][wrong[0]]}"
    if any(octets.get("error", bytes(8))[:8]):
        return None
    for n, word in enumerate(result):
        if word is not None and word != words[n]:
            return f"word {n} of the result: {word}, not {words[n]}"
    return None


def inputs(contract, function, count):
    """Random inputs that meet the conditions of a contract."""
    r, found = random.Random(contract.name), []
    for _ in range(200 * count):
        one = Input(contract, function, r)
        machine = Concrete({})
        state, values = one.arguments(contract, function)
        named = contract.named(machine, state, values)
        conditions = [z3.simplify(c) for c in contract.owed(named) + contract.requires(named)]
        if all(z3.is_true(c) for c in conditions):
            found.append(one)
            if len(found) == count:
                return found
    raise Different(f"only {len(found)} of {200 * count} inputs meet the conditions")


def compare(functions, symbol, contract, path, index, count):
    """Compares the executions of one function, the caller `index` of a library. Returns its name, a failure or None, and
    how many inputs the function accepted."""
    try:
        some, accepted = inputs(contract, functions[symbol], count), 0
        for one, real in zip(some, executed(path, index, some)):
            wrong = difference(interpreted(functions, symbol, contract, one), real)
            if wrong:
                raise Different(f"{bytes(one.octets).hex()}, {one.words}: {wrong}")
            accepted += not any(real[1].get("error", bytes(8))[:8])
    except (Different, Refuted, Unsupported) as error:
        return contract.name, f"{type(error).__name__}: {error}", 0
    return contract.name, None, accepted
