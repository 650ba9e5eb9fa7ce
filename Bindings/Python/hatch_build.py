"""Puts the C library into the wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: The glibc of the oldest systems for which wheels are made today (manylinux2014).
OLDEST = 17

#: The number of a processor in an ELF file's header (e_machine), and its name in a platform tag.
MACHINES = {62: "x86_64", 183: "aarch64"}


class LibraryHook(BuildHookInterface):  # type: ignore[type-arg, unused-ignore, misc]
    """Takes the library from APP_RECEIPT_LIBRARY, or builds it, which needs Swift."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        given = os.environ.get("APP_RECEIPT_LIBRARY")
        library = Path(given) if given else build(Path(self.root).parents[1])
        if not library.is_file():
            raise FileNotFoundError(f"no library at {library}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{system(library)}"
        if version == "editable":
            # The package is imported from its sources, so the library lies beside them.
            shutil.copy(library, Path(self.root, "src", "swift_app_receipt", "libapp_receipt.so"))
        else:
            build_data["force_include"][os.fspath(library)] = "swift_app_receipt/libapp_receipt.so"


def build(repository: Path) -> Path:
    """Builds the library, and returns its path."""
    script = repository / "Bindings" / "C" / "build"
    if not script.is_file():
        raise FileNotFoundError(
            f"{script} is missing: install from a checkout, or name a library by APP_RECEIPT_LIBRARY"
        )
    subprocess.run([script], check=True)
    return repository / ".build" / "c" / "libapp_receipt.so"


def system(library: Path) -> str:
    """The platform tag: the oldest libc that has every function that the library calls.

    The library names the version of glibc that introduced each function, such as GLIBC_2.34 (PEP 600). Names
    of musl have no versions. The library was tried with musl 1.2, so its tag says that (PEP 656).
    """
    octets = library.read_bytes()
    machine = MACHINES[int.from_bytes(octets[18:20], "little")]
    if b"\0libc.musl-" in octets:
        return f"musllinux_1_2_{machine}"
    versions = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)", octets)]
    if not versions:
        raise ValueError(f"{library} is linked neither with glibc nor with musl")
    return f"manylinux_2_{max(OLDEST, *versions)}_{machine}"
