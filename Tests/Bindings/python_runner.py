"""python_runner.py ROOT TIMED FILE...: judges the files with the package, and times TIMED, for Tests/Bindings/table."""

import pathlib
import statistics
import sys
import time

from swift_app_receipt import ANY, Policy, ReceiptError, Validator

root, timed, *files = sys.argv[1:]
policy = Policy(environments=ANY, bundle_identifiers=ANY, roots=[pathlib.Path(root).read_bytes()])
receipt = pathlib.Path(timed).read_bytes()


def milliseconds(body):
    start = time.perf_counter()
    body()
    return 1000 * (time.perf_counter() - start)


validator = Validator(policy)
validator.validate(receipt)
if files:
    fresh = [Validator(policy) for _ in range(101)]
    print("new", statistics.median(milliseconds(lambda: one.validate(receipt)) for one in fresh), sep="\t")
    print("remembered", statistics.median(milliseconds(lambda: validator.validate(receipt)) for _ in range(301)), sep="\t")
for file in files:
    try:
        validator.validate(pathlib.Path(file).read_bytes())
        print("verdict\tvalid\t\t")
    except ReceiptError as error:
        print("verdict", error.kind, error.step, error.code, sep="\t")
