import AppReceipt
import AppReceiptMint
import DER
import PKIX
import RSA
import TestSupport
import Testing

@Suite("Concurrency")
struct ConcurrencyTests {
    @Test("one validator serves many tasks, each with a cache of its own, and every verdict is right")
    func tasks() async {
        var ber = Minted.mint
        ber.message.encoding = .ber(segmentByteCount: 64)
        var forged = Minted.mint
        forged.message.signers[0].forgery = { _, _ in [UInt8](repeating: 1, count: 256) }
        let receipts: [(bytes: [UInt8], code: Refusal.Code?)] = [
            (Minted.receipt, nil),
            (ber.receipt(bundleIdentifier: "com.example.app"), nil),
            (Minted.impostor.receipt(bundleIdentifier: "com.example.app"), .untrustedRoot),
            (forged.receipt(bundleIdentifier: "com.example.app"), .signatureMismatch),
            (Minted.mint.receipt(bundleIdentifier: "com.example.other"), .bundleIdentifierMismatch),
            (Array(Minted.receipt.dropLast()), .truncated),
        ]
        let validator = ReceiptValidator(
            environments: .only(.production),
            bundleIdentifier: .exactly("com.example.app"),
            trust: Minted.fingerprints(Minted.mint.root)
        )
        await withTaskGroup(of: [(Int, Verdict)].self) { group in
            for task in 0..<8 {
                group.addTask {
                    var cache = ValidationCache()
                    // Each begins elsewhere.
                    return (0..<(3 * receipts.count)).map { round in
                        let index = (task + round) % receipts.count
                        return (index, Verdict(validator, receipts[index].bytes, &cache))
                    }
                }
            }
            var count = 0
            for await verdicts in group {
                for (index, verdict) in verdicts {
                    #expect(verdict.code == receipts[index].code, "\(index): \(verdict)")
                    count += 1
                }
            }
            #expect(count == 8 * 3 * receipts.count)
        }
    }
}
