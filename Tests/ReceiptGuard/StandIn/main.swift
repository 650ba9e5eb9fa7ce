// Asks the generated code about receipts that a patched validator accepts. The code was generated for the
// bundle identifier com.example.app, version 2.10.1, Production, and a root with the fingerprint 00 01 … 1f.

import AppReceipt

var failures = 0

func expect(
    _ claim: String,
    accepts: Bool,
    _ change: (inout Receipt) -> Void = { _ in },
    others: ReceiptError.Step? = .signature
) {
    let container = [0x30] + [UInt8](1...99)
    var receipt = Receipt(
        "com.example.app",
        "2.10.1",
        .production,
        root: [UInt8](0..<32),
        notChecked: 2,
        hash: container[40..<60]
    )
    change(&receipt)
    Patched.receipt = receipt
    Patched.container = container
    Patched.onOtherBytes = others
    let verdict = (try? guardedReceipt(container)) ?? nil
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
expect("notices a check that was left out", accepts: false, { $0.notChecked = [0, 0, 0] })
expect("notices that a damaged copy is accepted", accepts: false, others: .none)
expect("notices that a damaged copy is refused for another reason", accepts: false, others: .container)
if failures > 0 { fatalError("\(failures) claims are wrong") }
print("the generated code notices a validator that accepts everything")
