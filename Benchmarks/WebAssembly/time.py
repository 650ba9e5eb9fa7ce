"""python3 time.py MODULE RECEIPT ROOT: the time of a validation in wasmtime (`pip install wasmtime`)."""

import pathlib
import sys
import time
from importlib.metadata import version

import wasmtime

file, receipt, root = (pathlib.Path(path).read_bytes() for path in sys.argv[1:])
store = wasmtime.Store()
exports = wasmtime.Instance(store, wasmtime.Module(store.engine, file), []).exports(store)


def place(data):
    address = exports["allocate"](store, len(data))
    exports["memory"].write(store, data, address)
    return address


assert exports["prepare"](store, place(receipt), len(receipt), place(root), len(root)) == 1
for name, function in [("three signatures", "validate"), ("one signature", "validateAgain")]:
    times = []
    for _ in range(500):
        start = time.perf_counter_ns()
        assert exports[function](store) == 1
        times.append((time.perf_counter_ns() - start) / 1e6)
    times.sort()
    print(f"wasmtime {version('wasmtime')}, {name}: median {times[250]:.3f} ms, minimum {times[0]:.3f} ms")
