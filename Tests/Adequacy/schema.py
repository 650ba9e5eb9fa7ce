"""Makes a copy of the package that contains every mutation. An environment variable switches one on at run time."""

import bisect
import os
import re
import shutil
import subprocess
import sys

from anchors import ROOT
from points import ARITHMETIC, COMPARISON

SWITCH_HEADER = """\
#include <stdint.h>
extern int32_t mutant_active;
extern unsigned char mutant_reached[];
/* The number of the active mutant minus the number of the point: 0 for the point's first mutation. */
static inline int32_t mutant_at(int32_t point) {
    mutant_reached[point] = 1;
    return mutant_active - point;
}
"""

SWITCH_SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "MutantSwitch.h"
int32_t mutant_active = -1000000;
unsigned char mutant_reached[COUNT];
__attribute__((constructor)) static void mutant_begin(void) {
    const char *text = getenv("MUTANT");
    if (text) mutant_active = atoi(text);
}
__attribute__((destructor)) static void mutant_end(void) {
    char path[4096];
    const char *directory = getenv("MUTANT_REACHED");
    if (!directory) return;
    snprintf(path, sizeof path, "%s/%d", directory, (int)getpid());
    FILE *file = fopen(path, "wb");
    if (!file) return;
    fwrite(mutant_reached, 1, COUNT, file);
    fclose(file);
}
"""

HOOKS = """\
import MutantSwitch

@inlinable @inline(__always) public func mutantCondition(_ point: Int32, _ value: Bool) -> Bool {
    switch mutant_at(point) {
    case 0: !value
    case 1: true
    case 2: false
    default: value
    }
}
@inlinable @inline(__always) public func mutantNot(_ point: Int32, _ value: Bool) -> Bool {
    mutant_at(point) == 0 ? !value : value
}
@inlinable @inline(__always) public func mutantOn(_ point: Int32) -> Bool { mutant_at(point) != 0 }
"""

MANIFEST = """
let executables = Set(package.targets.filter { $0.type == .executable }.map(\\.name)).subtracting(EXECUTABLES)
let chosenTests: Set<String> = TESTS
package.targets.removeAll { $0.type == .test && !chosenTests.isEmpty && !chosenTests.contains($0.name) }
let plugins = Set(package.targets.filter { $0.type == .plugin }.map(\\.name))
package.products.removeAll { executables.contains($0.name) || plugins.contains($0.name) }
package.targets.removeAll { target in
    executables.contains(target.name) || plugins.contains(target.name) || target.dependencies.contains { dependency in
        switch dependency {
        case .byNameItem(let name, _): executables.contains(name)
        case .targetItem(let name, _): executables.contains(name)
        default: false
        }
    }
}
for target in package.targets where target.type == .regular {
    target.dependencies.append("MutantSwitch")
    // The hooks are in DER, which needs Basics alone.
    let needsHooks = !["Basics", "CAppReceipt", "DER"].contains(target.name)
    let hasHooks = target.dependencies.contains { if case .byNameItem("DER", _) = $0 { true } else { false } }
    if needsHooks && !hasHooks { target.dependencies.append("DER") }
}
package.targets.append(.target(name: "MutantSwitch"))
"""

_OPERATOR_NAMES = {
    "+": "Add", "-": "Subtract", "*": "Multiply", "/": "Divide", "%": "Remainder", "&+": "WrappingAdd",
    "&-": "WrappingSubtract", "&*": "WrappingMultiply", "&": "And", "|": "Or", "^": "Xor", "<<": "ShiftUp",
    ">>": "ShiftDown", "&<<": "MaskingShiftUp", "&>>": "MaskingShiftDown",
    "<": "Below", "<=": "AtMost", ">": "Above", ">=": "AtLeast",
}


def hooks(points):
    """The functions that replace conditions, constants and operators. There is one for each type, because generic
    functions make the compiler give up on long conditions."""
    texts = {}
    for point in points:
        if point.kind == "constant":
            texts[f"mutantConstant{point.detail}"] = f"""\
@inlinable @inline(__always) public func mutantConstant{point.detail}(_ point: Int32, _ value: {point.detail})
    -> {point.detail}
{{
    switch mutant_at(point) {{
    case 0: value &+ 1
    case 1: value &- 1
    default: value
    }}
}}
"""
        elif point.kind in ("comparison", "arithmetic"):
            operator, _, (one, other) = point.detail
            name = _operator_hook(point)
            mutated = (COMPARISON if point.kind == "comparison" else ARITHMETIC)[operator]
            result = "Bool" if point.kind == "comparison" else one
            if one is None:
                name, one, other = name + "<T: Comparable>", "T", "T"
            texts[name] = f"""\
@inlinable @inline(__always) public func {name}(_ point: Int32, _ one: {one}, _ other: {other}) -> {result} {{
    mutant_at(point) == 0 ? one {mutated} other : one {operator} other
}}
"""
    return HOOKS + "".join(texts[name] for name in sorted(texts))


def _operator_hook(point):
    operator, _, (one, other) = point.detail
    return f"mutant{_OPERATOR_NAMES[operator]}{one or 'Any'}{other if other != one else ''}"


class Schema:
    """The copy, in `directory`/package, with a link to `shared` beside it."""

    def __init__(self, directory, executables=(), tests=()):
        """The copy contains these executables, and these test targets; by default none and all."""
        self.executables, self.tests = executables, tests
        self.root = os.path.join(directory, "package")
        os.makedirs(self.root, exist_ok=True)
        shared = os.path.join(directory, "shared")
        original = os.path.join(os.path.dirname(ROOT), "shared")
        if os.path.isdir(original) and not os.path.islink(shared):
            os.symlink(original, shared)

    def copy(self):
        """Copies the files that git tracks or would add. Writes only changes, so that little is built again."""
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "Package.swift", "Sources",
             "Tests", "Vectors", "Bindings/C"],
            cwd=ROOT, stdout=subprocess.PIPE, check=True,
        )
        wanted = {path for path in listing.stdout.decode().split("\0") if os.path.isfile(os.path.join(ROOT, path))}
        for path in wanted:
            if path.endswith(".swift") and path.startswith("Sources/") or path == "Package.swift":
                continue
            with open(os.path.join(ROOT, path), "rb") as file:
                self.write(path, file.read())
        for directory, _, names in os.walk(os.path.join(self.root, "Tests")):
            for name in names:
                path = os.path.relpath(os.path.join(directory, name), self.root)
                if path not in wanted:
                    os.remove(os.path.join(self.root, path))
        self._manifest()
        return [path for path in wanted if path.endswith(".swift") and path.startswith("Sources/")]

    def _manifest(self):
        """Copies Package.swift and appends statements that change the package.

        The copy leaves out the other executables and the targets that use them, because their tests take long.
        Every other target gets the switch.
        """
        with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
            text = file.read()
        manifest = MANIFEST
        for name, values in (("EXECUTABLES", self.executables), ("TESTS", self.tests)):
            manifest = manifest.replace(name, "[" + ", ".join(f'"{value}"' for value in values) + "]")
        self.write("Package.swift", (text + manifest).encode())

    def write(self, path, data):
        path = os.path.join(self.root, path)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read() == data:
                    return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        original = os.path.join(ROOT, os.path.relpath(path, self.root))
        if os.path.exists(original):
            shutil.copymode(original, path)

    def build(self, points, refused):
        """Writes the sources with all points except the refused ones, and builds. If the compiler refuses a point,
        builds the rest again. Returns the points' numbers and the refused points."""
        sources = self.copy()
        first = {}
        number = 0
        for point in points:
            first[point] = number
            number += len(point.mutations)
        self.write("Sources/MutantSwitch/include/MutantSwitch.h", SWITCH_HEADER.encode())
        self.write("Sources/MutantSwitch/MutantSwitch.c", SWITCH_SOURCE.replace("COUNT", str(number + 1)).encode())
        self.write("Sources/DER/MutantHooks.swift", hooks(points).encode())
        dropped = set(refused)
        for _ in range(40):
            maps = {}
            for path in sources:
                kept = [point for point in points if point.path == path and point not in dropped]
                with open(os.path.join(ROOT, path), "rb") as file:
                    text, maps[path] = rewritten(file.read(), kept, first)
                self.write(path, text)
            errors = self._errors()
            if errors is None:
                return first, dropped
            found = set()
            for error in errors:
                found |= self._culprits(error, maps, points, dropped)
            if not found:
                sys.exit("\n".join(":".join(error) for error in errors)
                         + "\nthe copy does not compile, and no mutation causes it")
            print(f"the compiler refuses {len(found)}", file=sys.stderr, flush=True)
            dropped |= found
        sys.exit("the copy does not compile")

    def _errors(self):
        command = ["swift", "build", "--build-tests", "-Xswiftc", "-O"]
        result = subprocess.run(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = result.stdout.decode("utf-8", "replace")
        if result.returncode == 0:
            return None
        found = set(re.findall(r"^(\S+\.swift):(\d+):(\d+): error: (.*)", output, re.MULTILINE))
        if not found:
            sys.exit(output[-4000:])
        return sorted((path.replace(self.root + os.sep, ""), *rest) for path, *rest in found)

    def _culprits(self, error, maps, points, dropped):
        path, line, column, message = error[0], int(error[1]), int(error[2]), error[3]
        if path not in maps:
            return set()
        with open(os.path.join(self.root, path), "rb") as file:
            text = file.read()
        offset = sum(len(part) + 1 for part in text.split(b"\n")[: line - 1]) + column - 1
        place = maps[path].original(offset)
        candidates = [point for point in points if point.path == path and point not in dropped]
        with open(os.path.join(ROOT, path), "rb") as file:
            original = file.read()
        unset = re.match(r"(?:variable|constant) '(\w+)' (?:used|captured|passed).* before being initialized", message)
        if unset:
            # An earlier statement sets the variable, and must stay.
            pattern = re.compile(rb"[^=]*\b%s\b[^=]*=" % unset[1].encode())
            setting = [
                point for point in candidates
                if point.kind == "statement" and point.start < place
                and pattern.match(original[point.start : point.end])
            ]
            if setting:
                return {max(setting, key=lambda point: point.start)}
        around = [point for point in candidates if point.start <= place < point.end]
        if around:
            size = min(point.end - point.start for point in around)
            return {point for point in around if point.end - point.start == size}
        start = original.rfind(b"\n", 0, place) + 1
        end = original.find(b"\n", place)
        # The compiler names a long expression by its beginning, or by the beginning of its function.
        for _ in range(4):
            near = {point for point in candidates if start <= point.start <= end}
            if near:
                return near
            end = original.find(b"\n", end + 1)
        return set()


class _Map:
    """Maps offsets in a rewritten file to offsets in the original."""

    def __init__(self):
        self.written, self.originals = [0], [0]

    def note(self, written, original):
        self.written.append(written)
        self.originals.append(original)

    def original(self, offset):
        index = bisect.bisect_right(self.written, offset) - 1
        return self.originals[index] + max(0, offset - self.written[index])


def rewritten(text, points, first):
    """The text of a file with hooks around the points, and the map back to the original."""
    edits = []
    for point in points:
        size, number = point.end - point.start, first[point]
        # At one place, the hook of a statement is outermost, then the hook of a condition.
        rank = ["statement", "never", "condition", "comparison", "arithmetic", "not", "constant"].index(point.kind)
        opening, closing = _hook(point, number)
        if opening:
            edits.append((point.start, 2, -size, rank, 0, opening))
        edits.append((point.end, 0, size, -rank, 0, closing))
        if point.kind in ("comparison", "arithmetic"):
            name, place, _ = point.detail
            edits.append((place, 1, 0, 0, len(name), b","))
    edits.sort(key=lambda edit: edit[:4])
    output, place, map_ = bytearray(), 0, _Map()
    if points and b"import DER" not in text:
        output += b"import DER; "
    map_.note(len(output), 0)
    for start, _, _, _, length, new in edits:
        output += text[place:start]
        map_.note(len(output), start)
        output += new
        place = start + length
        map_.note(len(output), place)
    return bytes(output + text[place:]), map_


def _hook(point, number):
    if point.kind == "condition":
        return b"mutantCondition(%d, " % number, b")"
    if point.kind == "not":
        return b"mutantNot(%d, " % number, b")"
    if point.kind == "never":
        return b"", b", mutantOn(%d)" % number
    if point.kind == "statement":
        return b"if mutantOn(%d) { " % number, b" }"
    if point.kind == "constant":
        return b"mutantConstant%s(%d, " % (point.detail.encode(), number), b")"
    return b"%s(%d, " % (_operator_hook(point).encode(), number), b")"
