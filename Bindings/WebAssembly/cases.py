"""Judges the cases of Vectors/cases.json and the tokens of Vectors/tokens/tokens.tsv in wasmtime, and verifies the
signatures of ../shared/vectors/ecdsa and jws with the module that `build --vectors` makes."""

import base64
import datetime
import json
import os
import sys

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(root, "Vectors"))
from conformance import VECTORS, cases, differences  # noqa: E402
from host import KINDS, Module, Signatures, TokenValidator, Validator  # noqa: E402

module = Module(os.path.join(root, "Bindings/JavaScript/app-receipt.wasm"))
mistakes = 0
for case in cases():
    policy = case["policy"]
    now = "now" in policy and datetime.datetime.fromisoformat(policy["now"].replace("Z", "+00:00")).timestamp()
    validator = Validator(
        module, policy["environment"], policy["bundle_identifier"], (VECTORS / policy["root"]).read_bytes(),
        app_version=policy.get("app_version", ""), device=bytes.fromhex(policy.get("device_identifier", "")),
        now=round(1000 * now) if now else None, xcode_testing=policy.get("xcode_testing", False),
        issuer=(VECTORS / policy["issuer"]).read_bytes() if "issuer" in policy else None)
    for difference in differences(case["expected"], validator.judge((VECTORS / case["receipt"]).read_bytes())):
        mistakes += 1
        print(f"{case['name']}: {difference}")
folder = VECTORS / "tokens"
header = (folder / "header.txt").read_text().strip()
rows = [line.split("\t") for line in (folder / "tokens.tsv").read_text().splitlines()[1:]]
# The other rows have expectations of their own. tokens.test.js judges them, too.
rows = [row for row in rows if row[2:6] == ["pinned", "", "", ""] and "root" not in row[0]]
validator = TokenValidator(
    module, ["Production", "Sandbox"], "com.example.app", (folder / "root.der").read_bytes(), app_apple_identifier=1234567890)
for name, kind, _, _, _, _, step, code, token in rows:
    found = validator.judge(KINDS.index(kind) + 1, token.replace("~", header).encode())
    if (found["step"] or "accept", found["code"] or "") != (step, code):
        mistakes += 1
        print(f"{name}: {found['step']}, {found['code']}")
print(f"wasmtime: {len(cases())} cases, {len(rows)} tokens, {mistakes} differences")


def table(path):
    """The rows of a table by the names of its columns."""
    names, *lines = [line.split("\t") for line in path.read_text().splitlines()]
    return [dict(zip([name.removeprefix("#") for name in names], line)) for line in lines]


def verify_suites(signatures, vectors):
    """Verifies the signatures of the public suites. Returns the number of differences."""
    differences = 0
    for name, count in (("nist-ecdsa-sigver-186-3", 120), ("wycheproof-ecdsa", 3748)):
        keys = {row["key"]: row for row in table(vectors / "ecdsa" / f"{name}.keys.tsv")}
        suite = table(vectors / "ecdsa" / f"{name}.tsv")
        accepted = 0
        for row in suite:
            key = keys[row["key"]]
            found = signatures.verify(
                int(key["curve"][2:]), row["hash"], row["sigenc"] == "p1363", *map(bytes.fromhex, (
                    key["point_hex_uncompressed"], row["msg_hex"], row["sig_hex"])))
            accepted += found == 1
            if found != {"accept": 1, "reject": 0}[row["strict"]]:
                differences += 1
                print(f"{row['id']}: {found}, not {row['strict']}")
        differences += len(suite) != count
        print(f"wasmtime: {len(suite)} signatures of {name}, {accepted} accepted")
    accepted = judged = 0
    for group in json.loads((vectors / "jws/json_web_signature_test.json").read_text())["testGroups"]:
        key = group.get("public") or group.get("private") or {}
        octets = [base64.urlsafe_b64decode(key.get(name, "") + "==") for name in "xy"]
        point = b"\4" + b"".join(octets) if key.get("crv") == "P-256" else b""
        for test in group["tests"]:
            # A key on P-256 without `alg` is about members of a JWK, which are not read.
            if point and key.get("alg") != "ES256":
                continue
            token = test["jws"] if isinstance(test["jws"], str) else "{}"
            found = signatures.verify_token(token.encode(), point)
            judged += 1
            accepted += found
            if found != (key.get("alg") == "ES256" and test["result"] == "valid"):
                differences += 1
                print(f"JWS {test['tcId']} {test['comment']}: {found}")
    print(f"wasmtime: {judged} tokens of Wycheproof, {accepted} accepted")
    return differences + (accepted == 0)


vectors = VECTORS.parent.parent / "shared/vectors"
suites = os.path.join(root, ".build/wasm/vectors.wasm")
if os.environ.get("CI") or (vectors.exists() and os.path.exists(suites)):
    mistakes += verify_suites(Signatures(Module(suites)), vectors)
else:
    print("skipped: ../shared or .build/wasm/vectors.wasm is missing; see Bindings/WebAssembly/build --vectors")
sys.exit(mistakes > 0)
