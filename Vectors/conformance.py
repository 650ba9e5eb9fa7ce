#!/usr/bin/env python3
"""Runs a program over cases.json and compares what it says.

Vectors/conformance.py PROGRAM [ARGUMENT…]

Calls PROGRAM once for each case, with the given arguments and the options of `app-receipt verify`: --root FILE,
--environment NAME, --bundle-id ID and, where the case has them, --issuer FILE, --app-version TEXT, --device-id
HEXADECIMAL, --now DATE and --xcode-testing. The receipt's file comes last. PROGRAM writes one JSON object; its exit status does not count.
Fails if a member of `expected` differs. README.md describes the format.

Tests in Python import `cases`, `VECTORS` and `differences`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).resolve().parent


def cases() -> list[dict[str, Any]]:
    """The cases, in the order of the file."""
    found: list[dict[str, Any]] = json.loads((VECTORS / "cases.json").read_text(encoding="utf-8"))["cases"]
    return found


def differences(expected: object, found: object, place: str = "") -> Iterator[str]:
    """What is not as expected. Members of objects that are not expected do not count."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name, value in expected.items():
            yield from differences(value, found.get(name, "nothing"), f"{place}.{name}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(one, other, f"{place}.{index}")
    # True is no 1 in JSON.
    elif expected != found or isinstance(expected, bool) != isinstance(found, bool):
        yield f"{place.removeprefix('.')}: {json.dumps(found)}, not {json.dumps(expected)}"


def options(policy: dict[str, Any]) -> list[str]:
    """The options of `app-receipt verify`."""
    result = ["--root", str(VECTORS / policy["root"])]
    if "issuer" in policy:
        result += ["--issuer", str(VECTORS / policy["issuer"])]
    names = {
        "environment": "--environment",
        "bundle_identifier": "--bundle-id",
        "app_version": "--app-version",
        "device_identifier": "--device-id",
        "now": "--now",
    }
    for member, option in names.items():
        if member in policy:
            result += [option, policy[member]]
    return [*result, *(["--xcode-testing"] if policy.get("xcode_testing") else [])]


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    mistakes = 0
    for case in cases():
        line = [*sys.argv[1:], *options(case["policy"]), str(VECTORS / case["receipt"])]
        found = json.loads(subprocess.run(line, stdout=subprocess.PIPE, check=False).stdout)
        for difference in differences(case["expected"], found):
            mistakes += 1
            print(f"{case['name']}: {difference}", file=sys.stderr)
    print(f"{len(cases())} cases, {mistakes} differences")
    sys.exit(mistakes > 0)


if __name__ == "__main__":
    main()
