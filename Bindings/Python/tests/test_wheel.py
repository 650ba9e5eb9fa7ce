"""The wheel: where it runs, and that it needs no compiler."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import VECTORS


@pytest.fixture(scope="session")
def wheel(pytestconfig: pytest.Config) -> Path:
    given: Path | None = pytestconfig.getoption("--wheel")
    if given is None:
        pytest.skip("--wheel is not given")
    return given.resolve()


def test_the_name_of_the_wheel_is_what_auditwheel_finds(wheel: Path) -> None:
    tag = re.fullmatch(r"swift_app_receipt-[0-9.]+-py3-none-(manylinux_2_[0-9]+_[a-z0-9_]+)\.whl", wheel.name)
    assert tag is not None
    done = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", wheel], stdout=subprocess.PIPE, text=True, check=True
    )
    found = re.search(r'"(manylinux_2_[0-9]+_[a-z0-9_]+)"', done.stdout)
    assert found is not None, done.stdout

    def glibc(name: str) -> int:
        return int(name.split("_")[2])

    # The wheel may promise less than auditwheel finds, but never more.
    assert glibc(tag[1]) >= glibc(found[1]), done.stdout


def test_the_wheel_holds_the_library_and_the_types(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"swift_app_receipt/libapp_receipt.so", "swift_app_receipt/py.typed"} <= set(names)
    assert not [name for name in names if "test" in name]


def test_an_empty_environment_without_a_compiler_installs_the_wheel_and_runs(
    wheel: Path, tmp_path: Path
) -> None:
    place = tmp_path / "environment"
    venv.create(place, with_pip=True)
    environment = {"PATH": os.fspath(place / "bin"), "HOME": os.fspath(tmp_path)}
    subprocess.run(
        [
            place / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-index",
            "--disable-pip-version-check",
            wheel,
        ],
        check=True,
        env=environment,
        cwd=tmp_path,
    )
    program = (
        "import json, pathlib, sys, swift_app_receipt as receipts\n"
        "root, receipt = (pathlib.Path(name).read_bytes() for name in sys.argv[1:])\n"
        "anything = receipts.ANY\n"
        "policy = receipts.Policy(environments=anything, bundle_identifiers=anything, roots=[root])\n"
        "import swift_app_receipt.asgi, swift_app_receipt.wsgi\n"
        "print(json.dumps(receipts.validate(receipt, policy).bundle_identifier))\n"
    )
    done = subprocess.run(
        [
            place / "bin" / "python",
            "-c",
            program,
            VECTORS / "certificates" / "root.der",
            VECTORS / "receipts" / "sandbox-sha256.der",
        ],
        check=True,
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
    )
    assert json.loads(done.stdout) == "com.example.receipts"
