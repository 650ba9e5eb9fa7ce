"""Runs the portable arithmetic of RSA with limbs of a few bits, for all small moduli, and compares it with integers.

The shipped sources are copied, and the texts of REPLACED are changed: a limb has 2, 4 or 6 bits in place of 64, and an
octet is half a limb. Each text must be there exactly as often as the table says, so a change of the sources that needs
another copy fails. None of the numbers 24, 31, 32 and 64 may be left. All other code is the shipped code, compiled with
-O. small_limbs.swift has the type of such a limb, and first compares all its operations with those of integers, for all
operands.

A modulus must have more than three limbs. So limbs of 2 bits take moduli of 7 bits or more, and limbs of 4 bits those
of 13 bits or more. For each odd modulus of up to 16 bits that the code accepts, the following is run:

  - The constants n, M and -1/n. Even moduli and shorter ones must be refused.
  - For numbers near 0, n/2, R/2, R, powers of B, and multiples of n up to 8n: the products of all pairs and all squares
    with their reductions, `shiftUp` with each lowest limb, and powers with the exponent 65537. The reductions of the
    four largest numbers below R².
  - For one modulus in 127: each step of the powers of all numbers below n with the exponent 65537. These are `shiftUp`
    of all numbers below n, the squares of all numbers below R and 8n with their reductions, and the last product.
    With --all: for all moduli with limbs of 4 bits; with limbs of 2 bits, for all below 2^12 and one in 7 above.
  - For one modulus in 4001, or in 499 with --all: `withPower` for all numbers below n with the exponent 65537.
  - For two moduli, and eight or nine more with --all: `withPower` for all numbers below n with the odd exponents below
    40 and five of 32 to 64 bits. The portable code treats no exponent apart.
  - For the moduli of 7 and 8 bits with limbs of 2 bits: the products of all pairs below R, and all reductions below R².

The constants and the numbers of the second entry are also run for one odd modulus in 4099, or in 509 with --all, of 17
to 24 bits with limbs of 2 bits, and of 19 to 24 bits with limbs of 6 bits. So 4, 8 and 12 limbs of 2 bits are run, and
4 of 4 and of 6 bits. `Reciprocal` divides all dividends by all divisors. Limbs of 6 bits are there for it: its last
correction needs 5 bits or more. Limbs of 4 bits are also run with the products of halves of machines with 32 bits.

A reduction of T must give a number r below R with r·R = T modulo n and r <= T/R + 2n. Other results must be those of
integers.
"""

import os
import re
import shutil
import subprocess
import tempfile

from build import ROOT
from execute import Unsupported
from sha import UNSUPPORTED

#: The module of each claim, the bits of a limb, and what is given to the compiler and to the program.
CLAIMS = {
    "RSA: small limbs of 2 bits": ("RSA", 2, [], []),
    "RSA: small limbs of 4 bits": ("RSA", 4, [], []),
    "RSA: small limbs of 6 bits": ("RSA", 6, [], []),
    "RSA: small limbs of 4 bits, in halves": ("RSA", 4, ["-D", "HalfLimbs"], []),
    "RSA: small limbs of 2 bits, all numbers": ("RSA", 2, [], ["all"]),
    "RSA: small limbs of 4 bits, all numbers": ("RSA", 4, [], ["all"]),
}
#: The claims are not proved but tried.
VERDICT = "tried  "
LONG = [claim for claim in CLAIMS if claim.endswith("all numbers")]

#: For each source: a text, how often it occurs outside of comments, and what stands there instead. In this order.
REPLACED = {
    "Sources/Basics/LimbArithmetic.swift": [
        ("UInt64", 17, "Limb"),
        ("@inlinable @_transparent\npackage ", 5, "@_transparent\n"),
        ("0xFFFF_FFFF", 1, "Limb.max &>> (bits / 2)"),
        ("&>> 32", 7, "&>> (bits / 2)"),
        ("&<< 32", 1, "&<< (bits / 2)"),
    ],
    "Sources/RSA/HalfLimbs.swift": [
        ("UInt64", 23, "Limb"),
        ("0xFFFF_FFFF", 1, "(Limb.max &>> (bits / 2))"),
        ("&>> 32", 1, "&>> (bits / 2)"),
        ("&<< 32", 1, "&<< (bits / 2)"),
    ],
    "Sources/RSA/Limbs.swift": [
        ("import Basics\n", 1, ""),
        ("octets.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self)", 1,
         "(Limb(octets[start]) &<< octetBits | Limb(octets[start + 1]))"),
        ("\n                .bigEndian", 1, ""),
        ("UInt64", 20, "Limb"),
        ("end - 8", 1, "end - 2"),
        ("end - start == 8", 1, "end - start == 2"),
        ("limb &<< 8", 1, "limb &<< octetBits"),
        ("&>> 63", 2, "&>> (bits - 1)"),
    ],
    "Sources/RSA/Montgomery.swift": [
        ("import Basics\nimport Processor\nimport SHA\n", 1, ""),
        ("package ", 5, ""),
        ("UInt64", 13, "Limb"),
        ("exponent: Limb", 1, "exponent: UInt64"),
        ("Limb(63 ", 1, "UInt64(63 "),
        ("octets.count - start > 24", 1, "octets.count - start > 6"),
        ("octets[start].leadingZeroBitCount", 1, "(octets[start].leadingZeroBitCount - 8 + octetBits)"),
        ("- start) * 8", 1, "- start) * octetBits"),
        ("+ 31) / 32 * 4", 1, "+ 7) / 8 * 4"),
        ("/ 64", 3, "/ bits"),
        ("% 64", 1, "% bits"),
        ("&* 64", 1, "&* bits"),
        ("64 - vacant", 2, "bits - vacant"),
        ("64 &- vacant", 3, "bits &- vacant"),
    ],
    "Sources/RSA/Reciprocal.swift": [
        ("import Basics\n", 1, ""),
        ("UInt64", 7, "Limb"),
    ],
}
#: The program, which is compiled with the copies.
PROGRAM = "Tests/Proofs/small_limbs.swift"
#: After so many seconds, the program is stopped.
LIMIT = 3600


def emit(module, folder, replaced):
    """Copies the sources of the claims to a folder, which takes the place of the IR of the module."""
    made = tempfile.mkdtemp(dir=folder)
    for name in [PROGRAM, *REPLACED]:
        path = os.path.join(ROOT, name)
        shutil.copy(replaced.get(path, path), os.path.join(made, os.path.basename(name)))
    return made


def small(name, folder):
    """A shipped source for limbs of a few bits, without comments."""
    with open(os.path.join(folder, os.path.basename(name)), encoding="utf-8") as file:
        text = re.sub(r" *//.*", "", file.read())
    for old, count, new in REPLACED[name]:
        if text.count(old) != count:
            raise Unsupported(f"{name}: {old}: the text is there {text.count(old)} times")
        text = text.replace(old, new)
    if left := re.search(r".*\b(24|31|32|64)\b.*", text):
        raise Unsupported(f"{name}: {left[0].strip()}: a number for limbs of 64 bits")
    return text


def check(claim, path):
    """Runs one claim on the sources in a folder. Returns why it fails, or None."""
    _, bits, options, arguments = CLAIMS[claim]
    with tempfile.TemporaryDirectory() as folder:
        try:
            texts = {os.path.basename(name): small(name, path) for name in REPLACED}
        except Unsupported as error:
            return f"{UNSUPPORTED}{error}"
        with open(os.path.join(path, os.path.basename(PROGRAM)), encoding="utf-8") as file:
            texts["main.swift"] = file.read()
        texts["Bits.swift"] = f"let bits = {bits}\n"
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        command = ["swiftc", "-O", "-wmo", "-swift-version", "6", "-suppress-warnings", *options]
        done = subprocess.run([*command, *texts, "-o", "program"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return f"{UNSUPPORTED}swiftc does not compile the copies:\n{done.stderr[:2000]}"
        try:
            done = subprocess.run([os.path.join(folder, "program"), *arguments], capture_output=True, text=True,
                                  env={"SWIFT_BACKTRACE": "enable=no"}, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return "the program does not end"
    if done.returncode or done.stdout != f"{bits} bits: right\n":
        return f"the program stops: {done.stderr.strip() or done.returncode}"
    return None
