"""What the peers in Python share: the command line, corpora, samples and output."""

import argparse
import base64
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

# An operation performs the measured work once, and raises an exception if it fails.
Operation = Callable[[], object]
T = TypeVar("T")


class Expected(NamedTuple):
    """What an app expects of a token: the kind of its payload, and the app's identifiers."""

    kind: str
    bundle_identifier: str
    apple_identifier: int


class Peer:
    """A peer with the commands `describe`, `check` and `time`. A subclass calls the library."""

    name: str
    # The output of `describe`: the members `peer`, `version` and `built`.
    description: dict[str, str]
    measures: list[str]
    # The measures whose inputs are receipts or tokens, and need a root.
    rooted: list[str]
    # The exceptions that mean a refusal. Any other exception ends the program.
    refusals: tuple[type[Exception], ...]

    def content(self, root: bytes, octets: bytes, expected: Expected | None) -> bytes:
        """Verifies a receipt or a token under a root, and returns its content."""
        raise NotImplementedError

    def prepare(self, measure: str, root: bytes, given: str) -> tuple[str, float, Operation]:
        """Returns the name of an input, its size, and its operation."""
        raise NotImplementedError

    def check(self, arguments: argparse.Namespace) -> None:
        expectation = (arguments.kind, arguments.bundle_identifier, arguments.apple_identifier)
        expected = None if None in expectation else Expected(*expectation)
        root = arguments.root.read_bytes()
        for file in arguments.files:
            octets = file.read_bytes()
            try:
                content = self.content(root, octets, expected)
            except self.refusals as refusal:
                emit(input=file.name, verdict="refused", reason=f"{type(refusal).__name__}: {refusal}")
            else:
                emit(input=file.name, verdict="accepted", content_sha256=hashlib.sha256(content).hexdigest())

    def time(self, arguments: argparse.Namespace) -> None:
        root = arguments.root.read_bytes() if arguments.root else b""
        for given in arguments.inputs:
            name, size, operation = self.prepare(arguments.measure, root, given)
            length = arguments.milliseconds * 1e6 / arguments.samples
            operations, times = sample(operation, arguments.samples, length)
            emit(measure=arguments.measure, input=name, bytes=size, operations=operations, nanoseconds=times)

    def main(self) -> str | None:
        """Runs the command line. Returns what went wrong; None if nothing did."""
        parser = argparse.ArgumentParser(prog=self.name, description=f"Measures {self.description['peer']}.")
        commands = parser.add_subparsers(dest="command", required=True)
        commands.add_parser("describe")
        check_parser = commands.add_parser("check")
        check_parser.add_argument("--root", type=Path, required=True)
        # A program that must be told what the app expects takes it from the token if these options are missing.
        check_parser.add_argument("--kind")
        check_parser.add_argument("--bundle-identifier")
        check_parser.add_argument("--apple-identifier", type=int)
        check_parser.add_argument("files", type=Path, nargs="+")
        time_parser = commands.add_parser("time")
        time_parser.add_argument("--measure", choices=self.measures, required=True)
        time_parser.add_argument("--root", type=Path)
        time_parser.add_argument("--samples", type=int, default=31)
        time_parser.add_argument("--milliseconds", type=int, default=300)
        time_parser.add_argument("inputs", nargs="+")
        arguments = parser.parse_args()
        if arguments.command == "time":
            if arguments.measure in self.rooted and arguments.root is None:
                parser.error("this measure needs --root")
            if arguments.samples < 1 or arguments.milliseconds < 1:
                parser.error("--samples and --milliseconds must be 1 or more")
        try:
            if arguments.command == "describe":
                emit(**self.description, measures=self.measures)
            elif arguments.command == "check":
                self.check(arguments)
            else:
                self.time(arguments)
        except (*self.refusals, OSError) as failure:
            return f"{type(failure).__name__}: {failure}"
        return None


class TokenPeer(Peer):
    """A peer that verifies tokens."""

    measures = rooted = ["token-uncached"]

    def operation_on(self, token: str, root: bytes, expected: Expected | None) -> Operation:
        """Returns the operation that verifies a token and the tokens inside it under a root."""
        raise NotImplementedError

    def content(self, root: bytes, octets: bytes, expected: Expected | None) -> bytes:
        token = octets.decode()
        self.operation_on(token, root, expected)()
        payload = token.split(".")[1]
        return base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))

    def prepare(self, measure: str, root: bytes, given: str) -> tuple[str, float, Operation]:
        name, size, tokens = inputs(given)
        turn = round_and_round([self.operation_on(token.decode(), root, None) for token in tokens])
        return name, size, lambda: next(turn)()


def inputs(given: str) -> tuple[str, float, list[bytes]]:
    """Reads a file of one receipt or token, or a corpus. Returns its name, the mean size, and what it contains."""
    path = Path(given)
    contents = path.read_bytes()
    found = list(records(contents)) if path.suffix == ".lp" else [contents]
    if not found:
        raise ValueError("no record")
    return path.name, sum(map(len, found)) / len(found), found


def records(corpus: bytes) -> Iterator[bytes]:
    """Yields the records of a corpus. The length of each record precedes it in four octets."""
    at = 0
    while at < len(corpus):
        start = at + 4
        at = start + int.from_bytes(corpus[at:start], "big")
        if at > len(corpus):
            raise ValueError("the last record is incomplete")
        yield corpus[start:at]


def round_and_round(elements: list[T]) -> Iterator[T]:
    while True:
        yield from elements


def sample(operation: Operation, samples: int, length: float) -> tuple[int, list[float]]:
    """Times runs that take about `length` nanoseconds, after a warm-up of about one such run.

    A failed operation raises an exception, so all operations of a completed run have succeeded.
    """

    def run(operations: int) -> int:
        # The time does not grow while another process has the processor.
        start = time.process_time_ns()
        for _ in range(operations):
            operation()
        return time.process_time_ns() - start

    operations = 1
    while (elapsed := run(operations)) < length:
        operations *= 2
    operations = max(1, int(operations * length / elapsed))
    return operations, [run(operations) / operations for _ in range(samples)]


def emit(**members: object) -> None:
    print(json.dumps(members), flush=True)
