"""RFC 8017: RSASSA-PKCS1-v1_5, verified by comparison with the expected encoding."""
import hashlib

from x690 import require

#: The DER of DigestInfo before the digest (§9.2, note 1).
DIGEST_INFO = {
    "sha1": "3021300906052b0e03021a05000414",
    "sha256": "3031300d060960864801650304020105000420",
    "sha384": "3041300d060960864801650304020205000430",
    "sha512": "3051300d060960864801650304020305000440",
}


def check_key(modulus, exponent):
    """The numbers of a public key (§3.1), and the sizes that AUDIT.md states under "Limits"."""
    require(2048 <= modulus.bit_length() <= 8192, "AUDIT.md, Limits", "a modulus has 2048 to 8192 bits")
    require(modulus & 1, "RFC 8017 §3.1", "the modulus is a product of odd primes")
    require(exponent >= 3 and exponent & 1, "RFC 8017 §3.1", "the exponent is odd and at least 3")
    require(exponent.bit_length() <= 33, "AUDIT.md, Limits", "an exponent has at most 33 bits")


def encoded_message(message, name, size):
    """EMSA-PKCS1-v1_5-ENCODE (§9.2)."""
    info = bytes.fromhex(DIGEST_INFO[name]) + hashlib.new(name, message).digest()
    require(size >= len(info) + 11, "RFC 8017 §9.2, step 3", "the message fits the modulus")
    return b"\0\1" + b"\xFF" * (size - len(info) - 3) + b"\0" + info


def check_signature(key, message, signature, name):
    """RSASSA-PKCS1-V1_5-VERIFY (§8.2.2) for a message and the name of a hash function."""
    modulus, exponent = key
    size = (modulus.bit_length() + 7) // 8
    require(len(signature) == size, "RFC 8017 §8.2.2, step 1", "the signature is as long as the modulus")
    number = int.from_bytes(signature, "big")
    require(number < modulus, "RFC 8017 §5.2.2, step 1", "the signature is below the modulus")
    made = pow(number, exponent, modulus).to_bytes(size, "big")
    require(made == encoded_message(message, name, size), "RFC 8017 §8.2.2, step 4", "the encoded messages are equal")
