"""The inputs of the measurements: receipts of the repository, genuine ones if available, corpora, and the inputs of
primitives."""
import base64
import csv
import glob
import hashlib
import json
import os
import subprocess

from . import machine, places, tokens
from .trouble import Trouble

WHOLE = ["uncached", "uncached-decoded", "cached", "cached-walk", "cached-decoded", "answer", "cached-answer"]
STAGES = [
    "base64", "container", "path", "content-digest", "rsa-key", "rsa", "payload-walk", "payload-decode",
]
# The stages that read every byte of their input.
READING_STAGES = ["base64", "content-digest", "payload-walk", "payload-decode"]
DIGESTS = ["sha1", "sha256", "sha256-two", "sha256-sixteen", "sha384", "sha512"]
# The number of verifications in one operation, by measure.
SIGNATURES = {"rsa2048": 1, "rsa3072": 1, "rsa4096": 1, "rsa2048-eight": 8}
CURVES = ["p256", "p384"]
PRIMITIVES = [*DIGESTS, *SIGNATURES, *CURVES]
MEASURES = [*WHOLE, "never-hits", *tokens.MEASURES, *STAGES, *PRIMITIVES]
# The measures that are taken on minted corpora.
ON_CORPORA = [*WHOLE, "never-hits"]

# The measures of our program without the processor's special instructions: the work that they speed up, and whole
# validations.
PORTABLE_MEASURES = [*WHOLE, *tokens.MEASURES, "sha1", "sha256", *CURVES]

# The approximate size of a minted receipt, in bytes.
MEAN_RECEIPT = 7000
# A twentieth more than 10,000, because never-hits leaves some receipts out.
CORPUS_COUNT = 10_500
# The numbers of chains of the corpora. A cache holds 64 paths. The last corpus is the one for never-hits.
CHAINS = [1, 8, 64, 10_000]
SHORT_COUNT, SHORT_CHAINS = 300, [1, 150]


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def receipt(path, root, label, genuine):
    return {
        "id": os.path.basename(path).rsplit(".", 1)[0],
        "kind": "receipt",
        "label": label,
        "genuine": genuine,
        "argument": path,
        "root": root,
        "bytes": os.path.getsize(path),
        "sha256": digest_of(path),
    }


def imitations():
    """Returns the two receipts of Vectors that imitate genuine ones."""
    root = os.path.join(places.VECTORS, "certificates", "root.der")
    return [
        receipt(os.path.join(places.VECTORS, "receipts", name), root, label, False)
        for name, label in [
            ("sandbox-sha256.der", "5.6 KB, 2 purchases"),
            ("many-purchases.der", "81 KB, 187 purchases"),
        ]
    ]


def genuine_facts():
    """Returns the facts about each genuine receipt and its path. Empty if the genuine receipts are not available."""
    found = []
    for path in sorted(glob.glob(os.path.join(places.SHARED, "receipts", "*.json"))):
        with open(path, encoding="utf-8") as file:
            found.append((json.load(file), path[: -len("json")] + "der"))
    return found


def apple_root():
    return os.path.join(places.SHARED, "roots", "AppleIncRootCertificate.cer")


def genuine():
    """Returns two genuine receipts: the one with SHA-256 whose size is nearest to the small imitation's, and the
    largest."""
    accepted = [(facts, path) for facts, path in genuine_facts() if facts["verdict_against_apple_root"] == "accept"]
    if not accepted or not os.path.exists(apple_root()):
        return []
    small = min(
        (entry for entry in accepted if entry[0]["digest"] == "sha256"),
        key=lambda entry: abs(entry[0]["size"] - 5612),
    )
    large = max(accepted, key=lambda entry: entry[0]["size"])
    return [
        receipt(path, apple_root(), f"genuine, {facts['size'] / 1000:.{digits}f} KB, {facts['digest']}", True)
        for (facts, path), digits in [(small, 1), (large, 0)]
    ]


def base64_line(line):
    return line


def length_prefixed(line):
    octets = base64.b64decode(line)
    return len(octets).to_bytes(4, "big") + octets


def mint(app_receipt, path, count, chains, form, bad=(), options=()):
    """Mints a corpus and its root unless the corpus exists. A tenth of the receipts is of each kind in `bad`. The
    function `form` makes a record from a line with the base64 of a receipt. The command gets the `options` as well.

    Returns the path of the root certificate.
    """
    root = path + ".root.der"
    if not os.path.exists(path):
        command = [
            app_receipt.path, "mint-corpus", "--count", str(count), "--chains", str(chains), "--root-out", root,
            *options,
        ]
        if bad:
            command += ["--bad", f"0.{len(bad)}", "--kinds", ",".join(bad)]
        with open(path + ".new", "wb") as file, subprocess.Popen(command, stdout=subprocess.PIPE) as minting:
            for line in minting.stdout:
                file.write(form(line))
        if minting.returncode != 0:
            raise Trouble(f"{' '.join(command)} failed")
        os.rename(path + ".new", path)
    return root


def corpora(app_receipt, short):
    """Mints corpora of distinct receipts that are together larger than the last level of cache."""
    count = SHORT_COUNT if short else max(CORPUS_COUNT, 2 * machine.last_level_cache() // MEAN_RECEIPT)
    made = []
    for chains in SHORT_CHAINS if short else CHAINS:
        path = os.path.join(places.work_place("corpora"), f"{count}-receipts-{chains}-chains.lp")
        root = mint(app_receipt, path, count, chains, length_prefixed)
        made.append({
            "id": f"corpus-{chains}-chains",
            "kind": "corpus",
            "label": f"{count:,} distinct, {chains:,} chain{'s' if chains > 1 else ''}",
            "genuine": False,
            "argument": path,
            "root": root,
            "receipts": count,
            "chains": chains,
            "bytes": (os.path.getsize(path) - 4 * count) / count,
            "sha256": digest_of(path),
        })
    return made


def digests(short):
    sizes = [64, 1024] if short else [64, 1024, 16384, 1 << 20]
    return [
        {"id": str(size), "kind": "digest", "label": f"{size:,} B", "argument": str(size), "bytes": size}
        for size in sizes
    ]


def signature(name, kind, label, contents, count=1):
    """Writes a key, a message and a signature into files, and returns them as an input."""
    place = places.work_place(kind, name)
    for part, octets in contents.items():
        with open(os.path.join(place, part), "wb") as file:
            file.write(octets)
    return {
        "id": name, "kind": kind, "label": label, "argument": place, "bytes": count * len(contents["signature.bin"]),
    }


def curve_signatures():
    """Returns the signatures of a token of the vectors as inputs: its own on P-256, and its signer's certificate's on
    P-384."""
    parts = tokens.signatures()
    return [signature(name, "ecdsa", f"P-{name[1:]}", parts[name]) for name in CURVES]


def signatures():
    """Writes the keys, messages and signatures that openssl made into files, and returns them as inputs."""
    with open(os.path.join(places.VECTORS, "rsa", "signatures.tsv"), encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file, delimiter="\t")}
    made = []
    for name, count in SIGNATURES.items():
        bits = name[3:7]
        row = rows[f"rsa-{bits}-sha256"]
        with open(os.path.join(places.VECTORS, "rsa", "keys", row["key"]), "rb") as file:
            key = file.read()
        contents = {
            "key.der": key,
            "message.bin": bytes.fromhex(row["message_hex"]),
            "signature.bin": bytes.fromhex(row["signature_hex"]),
        }
        label = f"RSA-{bits}" + (", of eight at once" if count == 8 else "")
        made.append(signature(name, "rsa", label, contents, count))
    return made


def for_measure(measure, sources):
    """Returns the inputs that a measure is taken on."""
    if measure in WHOLE:
        return [source for source in sources if source["kind"] in ("receipt", "corpus")]
    if measure == "never-hits":
        return [source for source in sources if source["kind"] == "corpus"][-1:]
    if measure in STAGES:
        return [source for source in sources if source["kind"] == "receipt"]
    if measure in DIGESTS:
        return [source for source in sources if source["kind"] == "digest"]
    if measure in tokens.MEASURES:
        return [source for source in sources if source["kind"] == "token"]
    return [source for source in sources if source["kind"] in ("rsa", "ecdsa") and source["id"] == measure]


def known_verdicts():
    """Returns the receipts on which every sound verification agrees, as (root, receipt, verdict).

    They are the genuine receipts, and the vectors on which `openssl` and a receipt validator agree. The verdicts on
    the other vectors depend on rules that only a receipt validator applies. Vectors in which the root's own
    certificate forbids the path are left out, because RFC 5280 §6.1.1 leaves open whether it may do so.
    """
    cases = []
    with open(os.path.join(places.VECTORS, "receipts.tsv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            skipped = row["at_fault"] == "expectation" or row["now"] or row["root"] in (
                "storekit.der", "root-path-length.der"
            )
            if row["file"].endswith(".der") and not skipped and row["verdict"] == row["openssl"]:
                cases.append((
                    os.path.join(places.VECTORS, "certificates", row["root"]),
                    os.path.join(places.VECTORS, "receipts", row["file"]),
                    row["verdict"],
                ))
    for facts, path in genuine_facts():
        if facts["encoding"] == "DER":
            cases.append((apple_root(), path, facts["verdict_against_apple_root"]))
    return list(dict.fromkeys(cases))
