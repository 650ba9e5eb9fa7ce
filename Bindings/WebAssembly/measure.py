"""measure.py RECEIPT [MODULE]: measures the module in wasmtime, and apple-purchase-receipt-verifier."""

import base64
import os
import statistics
import sys
import time

import wasmtime

from host import Module, Validator

with open(sys.argv[1], "rb") as file:
    receipt = file.read()
os.environ["APRV_WASM_CACHE_DIR"] = ""


def median(count, body):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        body()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def row(name, value):
    print(f"{name:58} {value:10.3f}", flush=True)


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../JavaScript/app-receipt.wasm")
row("app-receipt: compile", median(5, lambda: Module(path)))
module = Module(path)
compiled = module.module.serialize()
row("app-receipt: load the compiled code", median(99, lambda: wasmtime.Module.deserialize(module.engine, compiled)))


def make(module=module):
    return Validator(module, "ProductionSandbox", BUNDLE, cached=True)


def validate(validator):
    if validator.status(receipt) != 0:
        raise SystemExit("the receipt is not valid")


BUNDLE = Validator(module, "ProductionSandbox", "any").judge(receipt)["error"]["found"]
row("app-receipt: instantiate, make a validator", median(99, make))


def validations(module, note=""):
    fresh = [make(module) for _ in range(200)]
    row("app-receipt: first validation of a validator" + note, median(200, lambda: validate(fresh.pop())))
    validator = make(module)
    row("app-receipt: with the remembered path" + note, median(2000, lambda: validate(validator)))


validations(module)
row("app-receipt: compile quickly", median(5, lambda: Module(path, quickly=True)))
validations(Module(path, quickly=True), ", so compiled")

if len(sys.argv) > 2 and sys.argv[2]:
    from apple_purchase_receipt_verifier import Config, Verifier

    start = time.perf_counter()
    verifier = Verifier(Config())
    row("the peer: compile, instantiate, once", 1000 * (time.perf_counter() - start))
    row("the peer: a further verifier", median(21, lambda: Verifier(Config())))
    text = base64.b64encode(receipt).decode()
    if verifier.verify_receipt(text).failure:
        print("the peer refuses the receipt", verifier.verify_receipt(text).failure)
    row("the peer: validation", median(500, lambda: verifier.verify_receipt(text)))
