"""Where a piece of a source file is, told without line numbers: by file, declaration and text."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

#: The modules whose code decides about receipts, by which the tests are measured.
# As x86-64 has it: what is of Arm64 runs in an emulator (Tests/Embedded), which does not measure.
CORE = ["DER", "SHA", "SHAExtensions", "AVX512VL", "IFMA", "VBMI", "RSA", "PKIX", "CMS", "AppReceipt"]

_DECLARATION = re.compile(
    r"^(?P<indent> *)(?:@[\w.]+(?:\([^)]*\))? +)*(?:(?:public|package|private|fileprivate|internal|static"
    r"|mutating|borrowing|consuming|final|override|private\(set\)) +)*"
    r"(?P<kind>func|init|var|let|subscript|struct|enum|extension|protocol|class)\b(?P<rest>.*)$"
)


class Source:
    """A source file, as one looks it up."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            self.lines = file.read().split("\n")

    def declaration(self, line):
        """The names of the declarations around a line (from 1), outermost first: `Reader.read`."""
        names = []
        indent = None
        for index in range(line - 1, -1, -1):
            text = self.lines[index]
            # What closes a head of several lines is at the margin of the declaration, and no bound of it.
            if not text.strip() or text.lstrip().startswith(("//", "#", ")", "->", "{", "where ")):
                continue
            own = len(text) - len(text.lstrip())
            match = _DECLARATION.match(text)
            if match and (indent is None or own < indent) and self._encloses(index, line - 1, own):
                names.append(self._name(match))
            if indent is None or own < indent:
                indent = own
            if indent == 0 and match:
                break
        return ".".join(reversed(names))

    def _encloses(self, start, line, indent):
        """Whether what is declared at a line (from 0) goes on to another: no line between is at its margin,
        but those that close its head."""
        if start == line:
            return True
        for index in range(start + 1, line):
            text = self.lines[index]
            if text.strip() and len(text) - len(text.lstrip()) <= indent:
                if not text.strip().startswith((")", "->", "{", "#")):
                    return False
        return True

    @staticmethod
    def _name(match):
        kind, rest = match["kind"], match["rest"]
        if kind in ("init", "subscript"):
            labels = re.findall(r"(?:\(|, |^ +)(\w+)(?: \w+)?:", rest)
            return kind + ("(" + ",".join(labels) + ")" if labels else "")
        name = re.match(r" +`?([\w.]+|[^\s(<]+)", rest)
        return name[1] if name else kind

    def text(self, start_line, start_column, end_line, end_column):
        """The text between two places, lines and columns from 1, columns in octets, its white space as one."""
        lines = [text.encode() for text in self.lines[start_line - 1 : end_line]]
        lines[-1] = lines[-1][: end_column - 1]
        lines[0] = lines[0][start_column - 1 :]
        return one_line(b"\n".join(lines).decode("utf-8", "replace"))


def one_line(text):
    """Text with its white space made single spaces, and no longer than a line."""
    text = " ".join(text.split())
    return text if len(text) <= 90 else text[:89] + "…"


def read_table(path, columns):
    """The rows of a table of tab-separated values whose first line names the columns."""
    rows = []
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if lines[0].split("\t") != columns:
        sys.exit(f"{path}: the first line should be {' '.join(columns)}, parted by tabs")
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        row = line.split("\t")
        if len(row) != len(columns) or not all(row):
            sys.exit(f"{path}, line {number}: {len(columns)} fields are wanted, none of them empty")
        rows.append(row)
    return rows
