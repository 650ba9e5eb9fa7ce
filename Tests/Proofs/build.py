"""Emits the LLVM IR of modules, as the release build compiles them."""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def command(module):
    """The arguments with which the release build compiles a module."""
    with open(os.path.join(ROOT, ".build/release.yaml"), encoding="utf-8") as manifest:
        text = manifest.read()
    found = re.search(rf'"C\.{module}-[^"]*release\.module":\n(?:    .*\n)*?    args: (.*)\n', text)
    if not found:
        sys.exit(f"{module} is not in .build/release.yaml. Run `swift build -c release` first.")
    return json.loads(found[1])


def emit(module, folder, replaced=None, optimised=True):
    """Emits the IR of a module. `replaced` has paths of sources, each with the path to compile in its place."""
    arguments, result, skip = command(module), [], False
    for index, one in enumerate(arguments):
        if skip:
            skip = False
        elif one in ("-c", "-emit-module", "-parseable-output", "-emit-objc-header", "-emit-dependencies"):
            pass
        elif one in ("-output-file-map", "-emit-module-path", "-emit-objc-header-path", "-o", "-num-threads"):
            skip = True
        elif one.startswith("@"):
            with open(one[1:], encoding="utf-8") as sources:
                result += [line.strip().strip("'\"") for line in sources if line.strip()]
        elif one == "-g" and not optimised and result[-1] != "-Xcc":
            pass  # llvmlite does not read the debug information of such code.
        elif one == "-O" and not optimised:
            result.append("-Onone")
        elif not re.fullmatch(r"-j\d+", one):
            result.append(one)
    result = [(replaced or {}).get(one, one) for one in result]
    path = os.path.join(tempfile.mkdtemp(dir=folder), module + ".ll")
    done = subprocess.run([*result, "-emit-ir", "-o", path], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"swiftc does not emit the IR of {module}:\n{done.stderr[-2000:]}")
    return path


def demangled(names, full=False):
    """The names of functions as Swift writes them, in short or with types."""
    tool = ["swift", "demangle", "--compact", *([] if full else ["--simplified"])]
    done = subprocess.run(tool, input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.split("\n")))
