"""Names a place in a source file by file, declaration and text, without a line number."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

sys.path.insert(0, os.path.join(ROOT, ".ci"))

from modules import modules  # noqa: E402

#: The modules that decide about receipts, tokens and evidence of revocation. The tests are measured on them. The kernels
#: of Arm64 run in an emulator (Tests/Embedded), which measures nothing.
CORE = [
    os.path.basename(folder) for folder in modules("AppReceipt", "SignedPayloads", "Revocation", kernels="x86_64")
    if folder != "Kernels/XSAVE"
]


def module_directory(module):
    """The directory of a module, relative to the package."""
    kernel = os.path.join("Sources", "Kernels", module)
    return kernel if os.path.isdir(os.path.join(ROOT, kernel)) else os.path.join("Sources", module)


def module_of(path):
    """The module of a source file, whose path is relative to the package."""
    parts = path.split("/")
    return parts[2] if parts[1] == "Kernels" else parts[1]


def swift_files(directory):
    """The Swift files in a directory and its folders, relative to the package, in order."""
    return sorted(
        os.path.relpath(os.path.join(folder, name), ROOT)
        for folder, _, names in os.walk(os.path.join(ROOT, directory))
        for name in names
        if name.endswith(".swift")
    )


_DECLARATION = re.compile(
    r"^(?P<indent> *)(?:@[\w.]+(?:\([^)]*\))? +)*(?:(?:public|package|private|fileprivate|internal|static"
    r"|mutating|borrowing|consuming|final|override|private\(set\)) +)*"
    r"(?P<kind>func|init|var|let|subscript|struct|enum|extension|protocol|class)\b(?P<rest>.*)$"
)


class Source:
    """A source file, for looking up declarations and text."""

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
            # The end of a head of several lines stands at the margin of its declaration, and does not end it.
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
        """Whether the declaration that begins at a line (from 0) still lasts at another line. Between them, only
        lines that close its head may stand at its margin."""
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
        """The text between two places, with white space made single spaces. Lines and columns count from 1; a
        column is an octet."""
        lines = [text.encode() for text in self.lines[start_line - 1 : end_line]]
        lines[-1] = lines[-1][: end_column - 1]
        lines[0] = lines[0][start_column - 1 :]
        return one_line(b"\n".join(lines).decode("utf-8", "replace"))


def one_line(text):
    """The text with white space made single spaces, cut to 90 characters."""
    text = " ".join(text.split())
    return text if len(text) <= 90 else text[:89] + "…"


def read_table(path, columns):
    """The rows of a file of tab-separated values whose first line names the columns."""
    rows = []
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if lines[0].split("\t") != columns:
        sys.exit(f"{path}: the first line must name the columns {' '.join(columns)}, separated by tabs")
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        row = line.split("\t")
        if len(row) != len(columns) or not all(row):
            sys.exit(f"{path}, line {number}: expected {len(columns)} fields, none of them empty")
        rows.append(row)
    return rows
