// Asks the generated code about receipts that a patched validator accepts. The code was generated for the
// bundle identifier com.example.app, version 2.10.1, Production, and a root with the fingerprint 00 01 … 1f.

import AppReceipt

var failures = 0

/// The receipt marker's identifier in DER, between other bytes. The slice does not begin at 0.
let certificate: ArraySlice<UInt8> =
    [1, 2, 3, 4, 5, 6, 0x06, 0x0A, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x06, 0x0B, 0x01, 7, 8][3...]

func expect(
    _ claim: String,
    accepts: Bool,
    now: Timestamp? = nil,
    _ change: (inout Receipt) -> Void = { _ in },
    others: ReceiptError.Step? = .signature
) {
    let container = [0x30] + [UInt8](1...99)
    var receipt = Receipt(
        "com.example.app",
        "2.10.1",
        .production,
        root: [UInt8](0..<32),
        notChecked: now == nil ? 3 : 2,
        hash: container[40..<60],
        certificate: certificate
    )
    change(&receipt)
    Patched.receipt = receipt
    Patched.container = container
    Patched.onOtherBytes = others
    let verdict = (try? guardedReceipt(container, now: now)) ?? nil
    if (verdict != nil) == accepts { return }
    print("wrong: \(claim)")
    failures += 1
}

expect("accepts what it should", accepts: true)
expect("accepts a receipt whose hash is not in the container", accepts: true, { $0.sha1Hash = [1, 2, 3] })
expect("notices another bundle identifier", accepts: false, { $0.bundleIdentifier = "com.example.apq" })
expect("notices a longer bundle identifier", accepts: false, { $0.bundleIdentifier = "com.example.app\0" })
expect("notices a shorter bundle identifier", accepts: false, { $0.bundleIdentifier = "com.example.ap" })
expect("notices a missing bundle identifier", accepts: false, { $0.bundleIdentifier = nil })
expect("notices another version", accepts: false, { $0.appVersion = "2.10.2" })
expect("notices a missing version", accepts: false, { $0.appVersion = nil })
expect("notices another environment", accepts: false, { $0.environment = .productionSandbox })
expect("notices a missing environment", accepts: false, { $0.environment = nil })
for index in 0..<32 {
    expect(
        "notices another byte \(index) of the root",
        accepts: false,
        { $0.rootFingerprint.bytes[index] ^= 1 }
    )
}
expect("notices a root of no bytes", accepts: false, { $0.rootFingerprint.bytes = [] })
expect("notices a check that was left out", accepts: false, { $0.notChecked = [0, 0, 0, 0] })
for index in 6..<18 {
    expect(
        "notices another byte \(index - 6) of the marker",
        accepts: false,
        { $0.signingCertificate[index] ^= 1 }
    )
}
expect("notices a marker that is cut off", accepts: false, { $0.signingCertificate = certificate[..<17] })
expect("notices a certificate of no bytes", accepts: false, { $0.signingCertificate = [] })
expect("finds a marker at the end", accepts: true, { $0.signingCertificate = certificate[..<18] })
expect("finds a marker at the start", accepts: true, { $0.signingCertificate = certificate[6...] })
let soon = Timestamp(1000)
expect("accepts a receipt without expiration date", accepts: true, now: soon)
expect("accepts the last moment", accepts: true, now: soon, { $0.expirationDate = Timestamp(1000) })
expect("notices an expired receipt", accepts: false, now: soon, { $0.expirationDate = Timestamp(999) })
expect(
    "notices a receipt that had expired when it was made, whatever the clock says",
    accepts: false,
    now: soon,
    { ($0.expirationDate, $0.creationDate) = (Timestamp(2000), Timestamp(2001)) }
)
expect(
    "accepts a receipt that was made after the clock's time",
    accepts: true,
    now: soon,
    { ($0.expirationDate, $0.creationDate) = (Timestamp(2000), Timestamp(2000)) }
)
expect("asks for no expiration without a time", accepts: true, { $0.expirationDate = Timestamp(999) })
expect("notices that a damaged copy is accepted", accepts: false, others: .none)
expect("notices that a damaged copy is refused for another reason", accepts: false, others: .container)
if failures > 0 { fatalError("\(failures) claims are wrong") }
print("the generated code notices a validator that accepts everything")
