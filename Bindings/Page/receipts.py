"""The receipts that the tests of the page judge."""
import base64
import datetime
import hashlib
import json
import pathlib
import subprocess

vectors = pathlib.Path(__file__).resolve().parents[2] / "Vectors"


def der(tag, *contents):
    body = b"".join(contents)
    size = len(body)
    if size < 128:
        return bytes([tag, size]) + body
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + body


def integer(value):
    return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def attribute(kind, value):
    return der(0x30, integer(kind), integer(1), der(4, value))


def text(value):
    return der(0x0C, value.encode())


def date(value):
    return der(0x16, value.encode())


def purchase(number, product, bought, expires="", kind=3, original=None, trial=0, offer=0, cancelled=""):
    return der(0x31, *[attribute(kind, value) for kind, value in [
        (1701, integer(1)), (1702, text(product)), (1703, text(f"{number}")), (1704, date(bought)),
        (1705, text(f"{original or number}")), (1706, date(bought)), (1707, integer(kind)), (1708, date(expires)),
        (1711, integer(700000000000000000 + number)), (1712, date(cancelled)), (1713, integer(trial)), (1719, integer(offer)),
    ]])


def contents(value):
    """Returns the contents of an element, and what follows the element."""
    count = value[1] & 0x7F if value[1] & 0x80 else 0
    start = 2 + count
    size = int.from_bytes(value[2:start], "big") if count else value[1]
    return value[start:start + size], value[start + size:]


def with_certificate(container, certificate):
    """Adds a certificate to the bag of a container. The bag is not signed."""
    content_info, _ = contents(container)
    kind = content_info[:2 + content_info[1]]
    signed_data, _ = contents(contents(content_info[len(kind):])[0])
    parts, rest = [], signed_data
    while rest:
        body, after = contents(rest)
        # [0] certificates
        parts.append(der(0xA0, certificate, body) if rest[0] == 0xA0 else rest[:len(rest) - len(after)])
        rest = after
    return der(0x30, kind, der(0xA0, der(0x30, *parts)))


def months(product, first, count, start, **more):
    """Renewals from month to month."""
    found = []
    for index in range(count):
        month = start + index
        ends = month + 1
        found.append(purchase(first + index, product, f"{month // 12}-{month % 12 + 1:02}-14T09:30:00Z",
                              f"{ends // 12}-{ends % 12 + 1:02}-14T09:30:00Z", original=first,
                              trial=1 if index == 0 else 0, offer=1 if index in (1, 2) else 0, **more))
    return found


def payload(purchases):
    return der(0x31, *[attribute(kind, value) for kind, value in [
        (0, text("Production")), (1, integer(1234567890)), (2, text("com.example.app")), (3, text("7.2.1")),
        (4, bytes(range(16))), (5, hashlib.sha1(b"device").digest()), (8, date("2023-01-05T10:00:00Z")), (10, date("4+")),
        (11, integer(123456)), (12, date("2024-06-01T12:00:00Z")), (15, integer(500000000000000001)),
        (16, integer(812345678)), (18, date("2022-12-30T18:12:00Z")), (19, text("6.0")), (25, integer(3)),
    ]], *[attribute(17, value) for value in purchases])


def receipts(command, work):
    """Mints receipts with the program `command` into the folder `work`. Returns the paths of all receipts by name."""

    def run(*arguments):
        made = subprocess.run([str(command), *map(str, arguments)], capture_output=True, text=True)
        assert made.returncode == 0, made.stderr

    def mint(name, purchases):
        (work / f"{name}.payload").write_bytes(payload(purchases))
        run("mint", "--payload", work / f"{name}.payload", "--out", work / f"{name}.der", "--root-out", work / "mint-root.der")
        return work / f"{name}.der"

    rich = mint("rich", [
        *months("com.example.news.monthly", 1000000000000100, 16, 2023 * 12 + 1),
        purchase(1000000000000200, "com.example.maps.yearly", "2022-12-30T18:20:00Z", "2023-12-30T18:20:00Z"),
        purchase(1000000000000201, "com.example.maps.yearly", "2023-12-30T18:20:00Z", "2024-12-30T18:20:00Z",
                 original=1000000000000200, cancelled="2024-02-10T08:00:00Z"),
        purchase(1000000000000300, "com.example.season.pass", "2023-05-01T00:00:00Z", "2023-11-01T00:00:00Z", kind=2),
        purchase(1000000000000400, "com.example.pro", "2023-01-05T10:03:00Z", kind=0),
        purchase(1000000000000401, "com.example.coins.500", "2024-03-17T21:44:10Z", kind=1),
        purchase(1000000000000402, "=HYPERLINK(\"x\");=1", "2024-03-18T21:44:10Z", kind=1),
        purchase(1000000000000403, "com.example.\u202eevil<img src=x onerror=alert(1)>", "2024-03-19T21:44:10Z", kind=1),
    ])
    large = mint("large", [purchase(2000000000000000 + index, f"com.example.product.{index}", "2024-03-17T21:44:10Z",
                                    "2024-04-17T21:44:10Z") for index in range(27000)])
    day = lambda index: f"{datetime.date(2001, 1, 1) + datetime.timedelta(index)}T00:00:00Z"
    # One subscription of many periods. Two of its products are numbers, and one is none.
    periods = mint("periods", [purchase(3000000000000000 + index, ("10", "9", "1a")[index % 3], day(index), day(index + 1),
                                        original=3000000000000000) for index in range(2000)])
    (work / "empty").write_bytes(b"")
    (work / "large.json").write_text(json.dumps({"receipt-data": base64.b64encode(large.read_bytes()).decode()}))
    pem = work / "rich.pem"
    lines = base64.encodebytes(rich.read_bytes()).decode()
    pem.write_text(f"-----BEGIN PKCS7-----\n{lines}-----END PKCS7-----\n")
    encoded = base64.b64encode(rich.read_bytes()).decode()
    request = work / "request.json"
    request.write_text(json.dumps({"receipt-data": encoded, "password": "not for this page", "exclude-old-transactions": True}))
    for name, text in (("quoted", f'"{encoded}"\n'), ("latest-receipt", json.dumps({"status": 0, "receipt": {}, "latest_receipt": encoded}))):
        (work / name).write_text(text)
    # What PowerShell's ">" writes: UTF-16 with a byte order mark.
    (work / "utf-16").write_bytes(f"{encoded}\r\n".encode("utf-16"))
    (work / "other.json").write_text('{"bundle_id": "com.example.app"}')
    # Texts on which a search that starts anew at each character would take minutes.
    (work / "slow-list").write_text("{" + "a" * (1 << 20))
    (work / "slow-list-of-spaces").write_text("{ a" + " " * (1 << 20) + "= a")
    (work / "slow-quotes").write_text('"' * (1 << 20))
    (work / "slow-pem").write_text("-----BEGIN A-----\n" * 60000)
    run("mint-transaction", "--signature-version", "4", "--out", work / "transaction", "--root-out", work / "transaction-root.der",
        "--issuer-out", work / "transaction-issuer.der", "--expires", "2015-07-01T12:00:00Z")
    (work / "nonsense.txt").write_text("This is no receipt.")
    (work / "cut.der").write_bytes(rich.read_bytes()[:3000])
    return {"rich": rich, "large": large, "large-json": work / "large.json", "pem": pem, "json": request, "transaction": work / "transaction",
            "forged": vectors / "receipts/tampered-signature.der", "payload": vectors / "receipts/tampered-payload.der",
            "sandbox": vectors / "receipts/sandbox-sha256.b64", "xcode": vectors / "receipts/xcode-like.ber",
            **{name: work / name for name in ("quoted", "latest-receipt", "utf-16", "slow-list", "slow-list-of-spaces", "slow-pem",
                                                  "slow-quotes")},
            "other-json": work / "other.json", "periods": periods, "empty": work / "empty", "nonsense": work / "nonsense.txt", "cut": work / "cut.der"}
