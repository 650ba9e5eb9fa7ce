#!/usr/bin/env python3
"""Prints modules in the order of Package.swift, which has the only list of modules. Scripts ask here.

    .ci/modules.py TARGET…                     the targets and all modules below them, without kernels
    .ci/modules.py TARGET… --kernels x86_64    with the kernels of an architecture, or of `all`
    .ci/modules.py --products                  the targets of the library products

A module is named by its folder in Sources: one name on each line.
"""
import argparse
import functools
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@functools.cache
def package():
    command = ["swift", "package", "--ignore-lock", "--package-path", ROOT, "dump-package"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def products():
    """The targets of the library products."""
    return [name for product in package()["products"] if "library" in product["type"] for name in product["targets"]]


def modules(*names, kernels=None):
    """The targets and all modules below them, each after those that it imports, and last the kernels."""
    targets = {target["name"]: target for target in package()["targets"]}
    found = {}

    def visit(name):
        target = targets[name]
        folder = os.path.relpath(target.get("path", f"Sources/{name}"), "Sources")
        if folder.startswith("Kernels/"):
            # Each kernel for x86-64 has options for its instructions.
            architecture = "x86_64" if "-Xarch_x86_64" in json.dumps(target["settings"]) else "aarch64"
            wanted = kernels in (architecture, "all")
        else:
            # The header of the library for C lies in Bindings.
            wanted = not folder.startswith("..")
        if wanted and folder not in found:
            found[folder] = list(targets).index(name)
            for dependency in target["dependencies"]:
                visit(next(iter(dependency.values()))[0])

    for name in names:
        visit(name)
    return sorted(found, key=found.get)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--kernels", choices=["x86_64", "aarch64", "all"])
    parser.add_argument("--products", action="store_true")
    arguments = parser.parse_args()
    found = products() if arguments.products else modules(*arguments.targets, kernels=arguments.kernels)
    print(*found, sep="\n")
