"""Where the tests find receipts and programs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
VECTORS = REPOSITORY / "Vectors"
SHARED = REPOSITORY.parent / "shared"

#: Runs `app-receipt verify --json` and returns the result.
Verify = Callable[..., dict[str, Any]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--app-receipt", type=Path, help="the command app-receipt; without it, the tests build it"
    )
    parser.addoption("--wheel", type=Path, help="the wheel; without it, its tests are skipped")


@pytest.fixture(scope="session")
def app_receipt(pytestconfig: pytest.Config) -> Path:
    """The command line, whose verdicts are right by definition."""
    given: Path | None = pytestconfig.getoption("--app-receipt")
    if given is not None:
        return given.resolve()
    build = ["swift", "build", "-c", "release", "--package-path", os.fspath(REPOSITORY)]
    subprocess.run([*build, "--product", "app-receipt"], check=True, stdout=subprocess.DEVNULL)
    place = subprocess.run(
        [*build, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    return Path(place) / "app-receipt"


@pytest.fixture(scope="session")
def verify(app_receipt: Path) -> Verify:
    def run(*arguments: str | Path) -> dict[str, Any]:
        done = subprocess.run([app_receipt, "verify", "--json", *arguments], capture_output=True)
        assert done.returncode in (0, 1, 3), done.stderr.decode()
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return run


def shared_files(directory: str, *suffixes: str) -> list[Any]:
    """Arguments for a test of each file in ../shared.

    If ../shared is missing, the test is skipped, or fails in CI.
    """
    files = sorted(path for suffix in suffixes for path in (SHARED / directory).glob(f"*{suffix}"))
    if files:
        return [pytest.param(path, id=path.name) for path in files]
    if os.environ.get("CI"):
        return [pytest.param(SHARED / directory / "missing", id="missing")]
    return [
        pytest.param(
            None, marks=pytest.mark.skip(reason=f"../shared/{directory} is not beside this checkout")
        )
    ]


@pytest.fixture(scope="session")
def sandbox_receipt() -> bytes:
    return (VECTORS / "receipts" / "sandbox-sha256.der").read_bytes()


@pytest.fixture(scope="session")
def root() -> bytes:
    return (VECTORS / "certificates" / "root.der").read_bytes()
