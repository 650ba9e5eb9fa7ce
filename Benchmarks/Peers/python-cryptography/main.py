"""Measures PyPI's cryptography."""

import functools
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
from peer import Expected, Operation, Peer, inputs, round_and_round
from remembered import RememberingValidator
from validator import Validator

DIGESTS = {
    "sha1": hashes.SHA1(),
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}
KEY_SIZES = {"rsa2048": 2048, "rsa3072": 3072, "rsa4096": 4096}


def rsa_operation(size: int, directory: Path, signature: bytes) -> Operation:
    key = serialization.load_der_public_key((directory / "key.der").read_bytes())
    if key.key_size != size:
        raise ValueError(f"the key has {key.key_size} bits, not {size}")
    digest = hashlib.sha256((directory / "message.bin").read_bytes()).digest()
    scheme, algorithm = padding.PKCS1v15(), utils.Prehashed(hashes.SHA256())
    return lambda: key.verify(signature, digest, scheme, algorithm)


@functools.cache
def validator_of(root: bytes) -> Validator:
    return Validator(root)


class Cryptography(Peer):
    name = "python-cryptography"
    description = {
        "peer": "cryptography",
        "version": cryptography.__version__,
        "built": f"{backend.openssl_version_text()} in the wheel, Python {platform.python_version()}",
    }
    rooted = ["uncached", "cached"]
    measures = [*rooted, *DIGESTS, *KEY_SIZES]
    refusals = REFUSALS

    def content(self, root: bytes, octets: bytes, expected: Expected | None) -> bytes:
        return validator_of(root).validate(octets)[0]

    def prepare(self, measure: str, root: bytes, given: str) -> tuple[str, float, Operation]:
        if measure in DIGESTS:
            algorithm, buffer = DIGESTS[measure], bytes(int(given))
            return given, len(buffer), lambda: hashes.Hash.hash(algorithm, buffer)
        if measure in KEY_SIZES:
            path = Path(given)
            signature = (path / "signature.bin").read_bytes()
            return path.name, len(signature), rsa_operation(KEY_SIZES[measure], path, signature)
        validator = (Validator if measure == "uncached" else RememberingValidator)(root)
        name, size, receipts = inputs(given)
        turn = round_and_round(receipts)
        return name, size, lambda: validator.validate(next(turn))


if __name__ == "__main__":
    sys.exit(Cryptography().main())
