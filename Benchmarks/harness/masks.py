"""Leaving instructions out by name, to measure a processor as an older one: ours by an option, and those of the peers
that are made with libcrypto by its environment variable."""
from . import programs
from .trouble import Trouble

# The bit of each instruction set in CPUID leaf 7, subleaf 0: EBX, and from 32 on ECX (Intel 64 and IA-32 Architectures
# Software Developer's Manual, volume 2). The names are as in Linux's /proc/cpuinfo.
BITS = {
    "bmi1": 3, "avx2": 5, "bmi2": 8, "avx512f": 16, "avx512dq": 17, "adx": 19, "avx512ifma": 21, "avx512cd": 28,
    "sha_ni": 29, "avx512bw": 30, "avx512vl": 31, "avx512vbmi": 33, "vaes": 41, "vpclmulqdq": 42,
}
# The sets that our programs know. Our set avx2 includes bmi1 and bmi2.
OURS = ("sha_ni", "avx2", "avx512vl", "avx512ifma", "avx512vbmi")
# The sets that processors of a kind lack. Haswell stands for all with AVX2 alone, Skylake-SP for all with AVX-512 F,
# BW, DQ and VL alone, such as Cascade Lake.
KINDS = {
    "haswell": [name for name in BITS if name.startswith("avx512")] + ["sha_ni", "adx", "vaes", "vpclmulqdq"],
    "skylake-sp": ["sha_ni", "avx512ifma", "avx512vbmi", "vaes", "vpclmulqdq"],
}
# The peers that read the variable.
MASKED = (
    "openssl-3.0", "openssl-current", "aws-lc", "python-cryptography", "end-to-end-aws-lc", "end-to-end-openssl-3.0",
)


def names(text):
    """Returns the instruction sets that --without names: their names, or the name of a kind of processor."""
    chosen = []
    for word in text.split(",") if text is not None else []:
        if word not in BITS and word not in KINDS:
            raise Trouble(f"unknown instructions {word}: --without takes {', '.join([*KINDS, *BITS])}")
        chosen += [name for name in KINDS.get(word, [word]) if name not in chosen]
    if "avx512f" in chosen:
        chosen += [name for name in BITS if name.startswith("avx512") and name not in chosen]
    return chosen


def variable(chosen):
    """Returns the value of OPENSSL_ia32cap that leaves the sets out. Its second word is leaf 7."""
    return f":~0x{sum(1 << BITS[name] for name in chosen):x}"


def apply(program, chosen):
    """Makes a program do without the sets. Returns whether that is possible."""
    if not chosen:
        return True
    if program.name in (programs.OURS, programs.COMMAND):
        ours = [name for name in chosen if name in OURS]
        program.options = [*program.options, *(["--without", ",".join(ours)] if ours else [])]
    elif program.name in MASKED:
        program.environment["OPENSSL_ia32cap"] = variable(chosen)
    else:
        return False
    return True
