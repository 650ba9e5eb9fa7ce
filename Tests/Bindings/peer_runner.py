"""peer_runner.py ROOT TIMED FILE...: times TIMED with apple-purchase-receipt-verifier, for Tests/Bindings/table.

The package knows Apple's roots only, so TIMED is a receipt of Apple's and the other files are not judged.
"""

import base64
import os
import pathlib
import statistics
import sys
import time

os.environ["APRV_WASM_CACHE_DIR"] = ""
from apple_purchase_receipt_verifier import Config, Verifier  # noqa: E402

text = base64.b64encode(pathlib.Path(sys.argv[2]).read_bytes()).decode()


def milliseconds(body):
    start = time.perf_counter()
    body()
    return 1000 * (time.perf_counter() - start)


verifier = Verifier(Config())
if verifier.verify_receipt(text).failure:
    raise SystemExit("the peer refuses the receipt")
if len(sys.argv) > 3:
    print("new", statistics.median(milliseconds(lambda: verifier.verify_receipt(text)) for _ in range(301)), sep="\t")
