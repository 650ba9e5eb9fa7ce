"""Measures PyPI's cryptography."""

import argparse
import hashlib
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common"))

import cryptography
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, utils

from payload import REFUSALS
from remembered import RememberingValidator
from sampling import Operation, emit, records, round_and_round, sample
from validator import Validator

DIGESTS = {
    "sha1": hashes.SHA1(),
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}
KEY_SIZES = {"rsa2048": 2048, "rsa3072": 3072, "rsa4096": 4096}
MEASURES = ["uncached", "cached", *DIGESTS, *KEY_SIZES]

# The exceptions that an operation raises if it fails.
FAILURES = (*REFUSALS, OSError)


def describe() -> None:
    built = f"{backend.openssl_version_text()} in the wheel, Python {platform.python_version()}"
    emit(peer="cryptography", version=cryptography.__version__, built=built, measures=MEASURES)


def check(root: Path, files: list[Path]) -> None:
    validator = Validator(root.read_bytes())
    for file in files:
        try:
            content, _ = validator.validate(file.read_bytes())
        except REFUSALS as refusal:
            reason = f"{type(refusal).__name__}: {refusal}"
            emit(input=file.name, verdict="refused", reason=reason)
        else:
            emit(input=file.name, verdict="accepted", content_sha256=hashlib.sha256(content).hexdigest())


def prepare(measure: str, root: Path | None, given: str) -> tuple[str, float, Operation]:
    """Returns the name of an input, its size, and its operation."""
    if measure in DIGESTS:
        algorithm, buffer = DIGESTS[measure], bytes(int(given))
        return given, len(buffer), lambda: hashes.Hash.hash(algorithm, buffer)
    path = Path(given)
    if measure in KEY_SIZES:
        signature = (path / "signature.bin").read_bytes()
        return path.name, len(signature), rsa_operation(KEY_SIZES[measure], path, signature)
    validator = (Validator if measure == "uncached" else RememberingValidator)(root.read_bytes())
    if path.suffix != ".lp":
        receipt = path.read_bytes()
        return path.name, len(receipt), lambda: validator.validate(receipt)
    receipts = list(records(path.read_bytes()))
    turn = round_and_round(receipts)
    mean = sum(map(len, receipts)) / len(receipts)
    return path.name, mean, lambda: validator.validate(next(turn))


def rsa_operation(size: int, directory: Path, signature: bytes) -> Operation:
    key = serialization.load_der_public_key((directory / "key.der").read_bytes())
    if key.key_size != size:
        raise ValueError(f"the key has {key.key_size} bits, not {size}")
    digest = hashlib.sha256((directory / "message.bin").read_bytes()).digest()
    scheme, algorithm = padding.PKCS1v15(), utils.Prehashed(hashes.SHA256())
    return lambda: key.verify(signature, digest, scheme, algorithm)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python-cryptography", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("describe")
    check_parser = commands.add_parser("check")
    check_parser.add_argument("--root", type=Path, required=True)
    check_parser.add_argument("files", type=Path, nargs="+")
    time_parser = commands.add_parser("time")
    time_parser.add_argument("--measure", choices=MEASURES, required=True)
    time_parser.add_argument("--root", type=Path)
    time_parser.add_argument("--samples", type=int, default=31)
    time_parser.add_argument("--milliseconds", type=int, default=300)
    time_parser.add_argument("inputs", nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "describe":
        describe()
    elif arguments.command == "check":
        check(arguments.root, arguments.files)
    else:
        if arguments.measure in ("uncached", "cached") and arguments.root is None:
            parser.error("this measure needs --root")
        if arguments.samples < 1 or arguments.milliseconds < 1:
            parser.error("--samples and --milliseconds must be 1 or more")
        for given in arguments.inputs:
            name, size, operation = prepare(arguments.measure, arguments.root, given)
            length = arguments.milliseconds * 1e6 / arguments.samples
            operations, times = sample(operation, arguments.samples, length)
            emit(measure=arguments.measure, input=name, bytes=size, operations=operations, nanoseconds=times)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FAILURES as failure:
        print(f"{type(failure).__name__}: {failure}", file=sys.stderr)
        sys.exit(1)
