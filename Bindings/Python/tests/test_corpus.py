"""Minted receipts, one in five of them bad, and mutants."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import VECTORS
from judging import receipt_members

from swift_app_receipt import ANY, Policy, Receipt, ReceiptError, validate_column, validate_many

COUNT = 2000

#: The policy, the receipts in base64, and the results of the command line.
Corpus = tuple[Policy, list[str], list[Any]]


@pytest.fixture(scope="module")
def corpus(app_receipt: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    command = str(app_receipt)
    place = tmp_path_factory.mktemp("corpus")
    records, root = place / "records", place / "root"
    mint = [command, "mint-corpus", "--format", "ndjson", "--count", str(COUNT), "--bad", "0.2"]
    subprocess.run(
        [*mint, "--out", str(records), "--root-out", str(root)], check=True, stderr=subprocess.DEVNULL
    )
    judge = [command, "corpus", "verify", "--quiet", "--format", "ndjson", "--fields", "all"]
    judged = subprocess.run(
        [*judge, "--root", str(root), "--environment", "Production", "--bundle-id", "any", str(records)],
        check=True,
        stdout=subprocess.PIPE,
    )
    policy = Policy(environments="Production", bundle_identifiers=ANY, roots=[root.read_bytes()])
    receipts = [json.loads(line)["receipt"] for line in records.read_text().splitlines()]
    return policy, receipts, [json.loads(line) for line in judged.stdout.splitlines()]


def test_every_value_is_that_of_the_command_line(corpus: Corpus) -> None:
    policy, receipts, expected = corpus
    assert len(receipts) == COUNT
    for found, line in zip(validate_many(receipts, policy), expected, strict=True):
        if isinstance(found, Receipt):
            assert line["status"] == "valid"
            assert receipt_members(found) == line["receipt"]
            assert (found.sha256.hex(), list(found.not_checked)) == (line["sha256"], line["not_checked"])
        else:
            assert (found.kind, found.step, found.code) == (line["status"], line["step"], line["code"])
            assert found.offset == line["error"]["offset"]


def test_every_row_is_that_of_the_command_line(corpus: Corpus) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    policy, receipts, expected = corpus
    rows = validate_column(pyarrow.array(receipts), policy).to_pylist()
    for row, line in zip(rows, expected, strict=True):
        assert (row["status"], row["step"], row["code"]) == (line["status"], line["step"], line["code"])
        if line["status"] == "valid":
            receipt = line["receipt"]
            assert (row["environment"], row["bundle_id"]) == (receipt["receipt_type"], receipt["bundle_id"])
            assert row["product_ids"] == [purchase["product_id"] for purchase in receipt["in_app"]]


def test_a_mutant_is_refused_or_valid_and_nothing_else() -> None:
    source = random.Random(1)
    root = (VECTORS / "certificates" / "root.der").read_bytes()
    originals = [path.read_bytes() for path in sorted((VECTORS / "receipts").glob("*.?er"))]
    mutants = []
    for _ in range(3000):
        octets = bytearray(source.choice(originals))
        for _ in range(source.randint(1, 3)):
            if octets:
                octets[source.randrange(len(octets))] = source.randrange(256)
        mutants.append(octets[: source.choice([len(octets), source.randint(0, len(octets))])])
    policy = Policy(environments=ANY, bundle_identifiers=ANY, roots=[root])
    found = list(validate_many(mutants, policy))
    assert len(found) == len(mutants)
    assert all(isinstance(one, (Receipt, ReceiptError)) for one in found)
    assert sum(isinstance(one, ReceiptError) for one in found) > 2000
