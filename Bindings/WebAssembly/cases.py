"""Judges the cases of Vectors/cases.json in wasmtime."""

import datetime
import os
import sys

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(root, "Vectors"))
from conformance import VECTORS, cases, differences  # noqa: E402
from host import Module, Validator  # noqa: E402

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
print(f"wasmtime: {len(cases())} cases, {mistakes} differences")
sys.exit(mistakes > 0)
