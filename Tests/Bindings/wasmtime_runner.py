"""wasmtime_runner.py ROOT TIMED FILE...: judges the files in wasmtime, and times TIMED, for Tests/Bindings/table."""

import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Bindings/WebAssembly"))
from host import Module, Validator  # noqa: E402

root, timed, *files = sys.argv[1:]
root = pathlib.Path(root).read_bytes()
receipt = pathlib.Path(timed).read_bytes()
module = Module(str(pathlib.Path(__file__).resolve().parents[2] / "Bindings/JavaScript/app-receipt.wasm"))


class Open(Validator):
    """A validator that accepts any environment and any app."""

    def text(self, name, policy, data):
        if name == "policy_accept_environment":
            self.call("policy_accept_any_environment", policy)
        elif name == "policy_accept_bundle_identifier":
            self.call("policy_accept_any_bundle_identifier", policy)
        else:
            super().text(name, policy, data)


def milliseconds(body):
    start = time.perf_counter()
    body()
    return 1000 * (time.perf_counter() - start)


def make():
    return Open(module, "", "", root)


validator = make()
if validator.status(receipt) != 0:
    raise SystemExit("the timed receipt is not valid")
if files:
    fresh = [make() for _ in range(101)]
    print("new", statistics.median(milliseconds(lambda: one.status(receipt)) for one in fresh), sep="\t")
    print("remembered", statistics.median(milliseconds(lambda: validator.status(receipt)) for _ in range(301)), sep="\t")
for file in files:
    result = validator.judge(pathlib.Path(file).read_bytes())
    print("verdict", result["status"], result["step"] or "", result["code"] or "", sep="\t")
