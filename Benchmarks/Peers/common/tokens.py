"""The command line of a peer in Python that verifies tokens."""

import argparse
import base64
import hashlib
from collections.abc import Callable
from pathlib import Path

from sampling import Operation, emit, records, round_and_round, sample

MEASURES = ["token-uncached"]


def payload_of(token: str) -> bytes:
    text = token.split(".")[1]
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Peer:
    """A peer: what it is, and the operation that verifies a token and the tokens inside it under a root."""

    def __init__(
        self,
        name: str,
        description: dict[str, str],
        operation_on: Callable[[str, bytes], Operation],
        failures: tuple[type[Exception], ...],
    ) -> None:
        self.name = name
        self.description = description
        self.operation_on = operation_on
        self.failures = failures

    def check(self, root: bytes, files: list[Path]) -> None:
        for file in files:
            token = file.read_text(encoding="ascii")
            try:
                self.operation_on(token, root)()
            except self.failures as refusal:
                emit(input=file.name, verdict="refused", reason=f"{type(refusal).__name__}: {refusal}")
            else:
                content = hashlib.sha256(payload_of(token)).hexdigest()
                emit(input=file.name, verdict="accepted", content_sha256=content)

    def prepare(self, root: bytes, path: Path) -> tuple[float, Operation]:
        """Returns the size of an input, and its operation."""
        contents = path.read_bytes()
        tokens = list(records(contents)) if path.suffix == ".lp" else [contents]
        turn = round_and_round([self.operation_on(token.decode("ascii"), root) for token in tokens])
        return sum(map(len, tokens)) / len(tokens), lambda: next(turn)()

    def time(self, arguments: argparse.Namespace) -> None:
        for path in arguments.inputs:
            size, operation = self.prepare(arguments.root.read_bytes(), path)
            length = arguments.milliseconds * 1e6 / arguments.samples
            operations, times = sample(operation, arguments.samples, length)
            emit(measure=arguments.measure, input=path.name, bytes=size, operations=operations, nanoseconds=times)

    def main(self) -> str | None:
        """Runs the command line. Returns what went wrong; None if nothing did."""
        parser = argparse.ArgumentParser(prog=self.name, description=f"Measures {self.description['peer']}.")
        commands = parser.add_subparsers(dest="command", required=True)
        commands.add_parser("describe")
        check_parser = commands.add_parser("check")
        check_parser.add_argument("--root", type=Path, required=True)
        check_parser.add_argument("files", type=Path, nargs="+")
        time_parser = commands.add_parser("time")
        time_parser.add_argument("--measure", choices=MEASURES, required=True)
        time_parser.add_argument("--root", type=Path, required=True)
        time_parser.add_argument("--samples", type=int, default=31)
        time_parser.add_argument("--milliseconds", type=int, default=300)
        time_parser.add_argument("inputs", type=Path, nargs="+")
        arguments = parser.parse_args()
        try:
            if arguments.command == "describe":
                emit(**self.description, measures=MEASURES)
            elif arguments.command == "check":
                self.check(arguments.root.read_bytes(), arguments.files)
            else:
                self.time(arguments)
        except self.failures as failure:
            return f"{type(failure).__name__}: {failure}"
        return None
