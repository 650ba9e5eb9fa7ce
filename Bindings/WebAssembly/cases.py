"""Judges the cases of Vectors/cases.json, and the tokens of Vectors/tokens/tokens.tsv, in wasmtime."""

import datetime
import os
import sys

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(root, "Vectors"))
from conformance import VECTORS, cases, differences  # noqa: E402
from host import KINDS, Module, TokenValidator, Validator  # noqa: E402

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
sys.exit(mistakes > 0)
