"""Finds the places where a module's code can be mutated, in the compiler's syntax tree."""

import collections
import json
import os
import re
import subprocess
import sys

from anchors import ROOT, Source, module_directory, swift_files

#: Each operator and its replacement. Both operands have one integer type; of a shift, only the left one counts.
ARITHMETIC = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&+": "&-", "&-": "&+", "&*": "&+",
    "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "&<<": "&>>", "&>>": "&<<",
}
COMPARISON = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
INTEGERS = {
    "$sSiD": "Int", "$sSuD": "UInt", "$ss5UInt8VD": "UInt8", "$ss6UInt16VD": "UInt16",
    "$ss6UInt32VD": "UInt32", "$ss6UInt64VD": "UInt64", "$ss5Int32VD": "Int32", "$ss5Int64VD": "Int64",
}
BOOL = "$sSbD"
VOID = "$sytD"

#: A place in a file, in octets: its kind, its mutations, and for an operator, the operator's own place.
Point = collections.namedtuple("Point", "path start end kind mutations detail")


def detail_of(value):
    """A point's detail, with the lists that JSON made turned back into tuples."""
    return tuple(detail_of(item) for item in value) if isinstance(value, list) else value


def points_of(module, modules_path, package):
    """All points of a module, in order. A table that a script made has none: .ci/stages/vectors makes it again."""
    paths = swift_files(module_directory(module))
    points = []
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            if file.readline().startswith("// Made by "):
                continue
        tree = _tree(path, paths, module, modules_path, package)
        finder = _Finder(path)
        finder.visit(tree)
        points += sorted(set(finder.points), key=lambda point: (point.start, -point.end, point.kind))
    return points


def _tree(path, paths, module, modules_path, package):
    command = ["swiftc", "-frontend", "-dump-ast", "-dump-ast-format", "json", "-swift-version", "6"]
    command += ["-strict-memory-safety", "-enable-experimental-feature", "Lifetimes"]
    command += ["-enable-upcoming-feature", "ExistentialAny"]
    command += ["-enable-upcoming-feature", "MemberImportVisibility"]
    if "/Kernels/" in path:
        command += ["-enable-experimental-feature", "BuiltinModule"]
    command += ["-D", "Accelerated", "-module-name", module.replace("-", "_"), "-package-name", package]
    command += ["-parse-as-library", "-I", modules_path, "-I", os.path.join("Bindings", "C", "include")]
    for other in paths:
        command += ["-primary-file", other] if other == path else [other]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        sys.exit(result.stderr.decode("utf-8", "replace") + f"{path}: the compiler returned no syntax tree")
    return json.loads(result.stdout)


class _Finder:
    """Walks the tree of one file."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), "rb") as file:
            self.text = file.read()
        self.points = []

    def visit(self, node, in_initializer=False):
        if isinstance(node, list):
            for item in node:
                self.visit(item, in_initializer)
            return
        if not isinstance(node, dict):
            return
        kind = node.get("_kind")
        # Declarations that the compiler made, such as ==. Implicit expressions may contain written ones.
        if node.get("implicit") and kind in ("func_decl", "constructor_decl", "accessor_decl", "enum_decl"):
            return
        if kind in ("enum_element_decl", "default_argument_expr"):
            return
        if kind == "constructor_decl":
            in_initializer = True
        elif kind in ("func_decl", "closure_expr"):
            in_initializer = False
        self._look(node, kind, in_initializer)
        for key, value in node.items():
            # A parameter's default value belongs to the parameter.
            if key not in ("decl", "attrs", "substitutions"):
                self.visit(value, in_initializer)

    def _look(self, node, kind, in_initializer):
        if kind in ("if_stmt", "guard_stmt", "while_stmt"):
            self._conditions(node["conditions"])
        elif kind in ("ternary_expr", "repeat_while_stmt"):
            self._condition(node.get("cond_expr") or node.get("cond"))
        elif kind == "return_stmt":
            self._condition(node.get("result"))
        elif kind == "assign_expr":
            self._condition(node.get("src"))
        elif kind in ("for_each_stmt", "case_label_item"):
            self._condition(node.get("where") or node.get("where_expr"))
        elif kind == "pattern_entry":
            self._condition(node.get("init") or node.get("original_init"))
        elif kind == "brace_stmt":
            for element in node.get("elements", []):
                self._statement(element, in_initializer)
        elif kind == "boolean_literal_expr":
            self._add(node, "not", ["not"])
        elif kind == "integer_literal_expr" and node.get("type") in INTEGERS:
            self._add(node, "constant", ["+1", "-1"], INTEGERS[node["type"]])
        elif kind == "binary_expr":
            self._operator(node)

    def _conditions(self, conditions):
        for condition in conditions:
            self._condition(condition)
        if any(condition["_kind"] == "pattern" for condition in conditions):
            last = conditions[-1]
            self._add(last.get("initializer", last), "never", ["never"])

    def _condition(self, node):
        if isinstance(node, dict) and node.get("type") == BOOL and "literal" not in node["_kind"]:
            self._add(node, "condition", ["not", "true", "false"])

    def _statement(self, node, in_initializer):
        if node.get("type") != VOID or node["_kind"] in ("rebind_self_in_constructor_expr", "tuple_expr"):
            return
        inner = node
        while inner["_kind"] in ("try_expr", "unsafe_expr") and "sub_expr" in inner:
            inner = inner["sub_expr"]
        if inner["_kind"] == "rebind_self_in_constructor_expr":
            return
        if inner["_kind"] == "assign_expr" and in_initializer and self._is_of_self(inner.get("dest", {})):
            return
        self._add(node, "statement", ["dropped"])

    @classmethod
    def _is_of_self(cls, node):
        """Whether the assignment sets a property, alone or in a tuple, which an initialiser must do."""
        if node.get("_kind") == "tuple_expr":
            return any(cls._is_of_self(element) for element in node["elements"])
        while "base" in node and node["base"].get("_kind") == "member_ref_expr":
            node = node["base"]
        base = node.get("base") or node
        return base.get("decl", {}).get("base_name") == "self"

    def _operator(self, node):
        function = node["fn"]
        while function["_kind"] not in ("declref_expr", "overloaded_decl_ref_expr"):
            inner = function.get("fn") or function.get("sub_expr")
            if inner is None:
                return
            function = inner
        name = function.get("decl", {}).get("base_name")
        arguments = [argument["expr"] for argument in node["args"]["args"]]
        if name in ("&&", "||"):
            for argument in arguments:
                # The right operand is a closure that the compiler made.
                self._condition(argument.get("single_expr_body", argument))
        if node.get("implicit") or len(arguments) != 2 or "range" not in function:
            return
        types = [argument.get("type") for argument in arguments]
        place = function["range"]["start"]
        names = tuple(INTEGERS.get(type) for type in types)
        if name in COMPARISON and (types[0] == types[1] or all(names)):
            self._add(node, "comparison", [f"{COMPARISON[name]} for {name}"], (name, place, names))
        elif name in ARITHMETIC and node.get("type") in INTEGERS and all(names):
            self._add(node, "arithmetic", [f"{ARITHMETIC[name]} for {name}"], (name, place, names))

    def _add(self, node, kind, mutations, detail=None):
        if node.get("implicit") and kind not in ("condition", "never") or "range" not in node:
            return
        start, last = node["range"]["start"], node["range"]["end"]
        self.points.append(Point(self.path, start, self._token_end(last), kind, tuple(mutations), detail))

    _TOKEN = re.compile(
        rb"`\w+`|\$?[A-Za-z_]\w*|\$\d+|0[xX][\da-fA-F_]+|0[ob][\d_]+|\d[\d_]*(?:\.\d[\d_]*)?|[)\]}?!.]"
        rb"|[-+*/%&|^<>=~]+"
    )

    def _token_end(self, start):
        """The end of the token that begins at an offset."""
        if self.text[start : start + 1] == b'"':
            return self._string_end(start)
        match = self._TOKEN.match(self.text, start)
        if not match:
            sys.exit(f"{self.path}: no token at offset {start}: {self.text[start:start + 20]}")
        return match.end()

    def _string_end(self, start):
        depth, index = 0, start + 1
        while True:
            octet = self.text[index : index + 1]
            if octet == b"\\":
                depth += self.text[index + 1 : index + 2] == b"("
                index += 1
            elif depth and octet == b")":
                depth -= 1
            elif not depth and octet == b'"':
                return index + 1
            index += 1


def anchors_of(points):
    """The anchor of each mutation: file, declaration, line with the point in marks, and the mutation.

    If two anchors are equal, the second gets a number.
    """
    sources, seen, anchors = {}, collections.Counter(), []
    for point in points:
        source = sources.setdefault(point.path, Source(point.path))
        text = "\n".join(source.lines).encode()
        before = text.rfind(b"\n", 0, point.start) + 1
        after = text.find(b"\n", point.end)
        parts = text[before : point.start], text[point.start : point.end], text[point.end : after]
        left, middle, right = (" ".join(part.decode().split(" ")) for part in parts)
        line = " ".join(f"{left}⟦{middle}⟧{right}".split())
        declaration = source.declaration(text.count(b"\n", 0, point.start) + 1)
        for mutation in point.mutations:
            anchor = (point.path, declaration or "-", line, mutation)
            seen[anchor] += 1
            if seen[anchor] > 1:
                anchor = anchor[:3] + (f"{mutation} #{seen[anchor]}",)
            anchors.append(anchor)
    return anchors
