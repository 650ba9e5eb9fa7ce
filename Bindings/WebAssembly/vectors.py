"""Judges the app receipts of Vectors/ in wasmtime and compares the verdicts with the table."""

import csv
import datetime
import os
import sys

from host import Module, Validator

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def read(*path):
    with open(os.path.join(root, *path), "rb") as file:
        return file.read()


module = Module(os.path.join(root, "Bindings/JavaScript/app-receipt.wasm"))
count = mistakes = 0
with open(os.path.join(root, "Vectors/receipts.tsv"), newline="") as table:
    for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
        now = row["now"] and datetime.datetime.fromisoformat(row["now"].replace("Z", "+00:00")).timestamp()
        validator = Validator(
            module, row["environment"], row["bundle_identifier"], read("Vectors/certificates", row["root"]),
            app_version=row["app_version"], device=bytes.fromhex(row["device_identifier"]),
            now=round(1000 * now) if now else None, xcode_testing=row["root"] == "storekit.der")
        verdict = validator.judge(read("Vectors/receipts", row["file"]))
        found = "accept" if verdict["status"] == "valid" else "reject"
        count += 1
        if found != row["verdict"] or (verdict["step"] or "") != row["step"] and "transaction" not in row["file"]:
            mistakes += 1
            print(f"{row['file']}: {verdict}")
print(f"wasmtime: {count} vectors judged, {mistakes} of them not as in the table")
sys.exit(count < 70 or mistakes > 0)
