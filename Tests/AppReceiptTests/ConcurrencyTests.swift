import AppReceipt
import AppReceiptMint
import Foundation
import PKIX
import TestSupport
import Testing

@Suite("Concurrency")
struct ConcurrencyTests {
    /// How many receipts each task judges. A debug build is slow, and a sanitizer is slower.
    private static let receiptsOfEach = ProcessInfo.processInfo.environment["STRESS"] == nil ? 50 : 300

    /// Two roots are trusted, and everything is checked.
    static let validator = ReceiptValidator(
        ReceiptPolicy(
            environments: .only(.production),
            bundleIdentifier: .exactly("com.example.app"),
            trust: Minted.fingerprints(Minted.mint.root, Minted.impostor.root),
            appVersion: "1",
            deviceIdentifiers: [.server],
            now: Minted.creationDate
        )
    )

    /// Receipts of eight chains under the two roots, five of each, and some broken ones.
    static let receipts: [[UInt8]] = {
        var receipts: [[UInt8]] = [[], Array("eyJ4NWMi".utf8), [0x30, 0x80, 0x00, 0x00]]
        for pki in [Minted.pki, Minted.impostors] {
            for serialNumber in 10..<14 {
                let mint = ReceiptMint(pki.reissued(.leaf) { $0.serialNumber = [UInt8(serialNumber)] })
                receipts += kinds(of: mint)
            }
            receipts.append(
                ReceiptMint(pki.reissued(.leaf) { $0.notAfter = $0.notBefore }).receipt(
                    bundleIdentifier: "com.example.app"
                )
            )
        }
        return receipts
    }()

    private static func kinds(of mint: ReceiptMint) -> [[UInt8]] {
        let good = mint.receipt(bundleIdentifier: "com.example.app") {
            $0.purchases = [PurchaseTemplate(productIdentifier: "com.example.pro")]
        }
        var ber = mint
        ber.message.encoding = .ber(segmentByteCount: 64)
        var forged = mint
        forged.message.signers[0].forgery = { _, _ in [UInt8](repeating: 1, count: 256) }
        return [
            good,
            ber.receipt(bundleIdentifier: "com.example.app"),
            forged.receipt(bundleIdentifier: "com.example.app"),
            mint.receipt(bundleIdentifier: "com.example.other"),
            good.dropLast(),
        ]
    }

    @Test("one validator serves sixteen tasks, each with a cache of its own, as it serves one receipt alone")
    func tasks() async throws {
        let alone = Self.receipts.map { Verdict(Self.validator, $0) }
        // Eight good receipts are accepted, each in DER and in BER, and no others.
        #expect(alone.count { $0.isAccepted } == 16)
        #expect(Set(alone.compactMap { $0.code?.name.description }).count == 6)
        var snapshot = ValidationCache()
        for bytes in Self.receipts { _ = Verdict(Self.validator, bytes, &snapshot) }

        await withTaskGroup(of: [(Int, Verdict)].self) { [snapshot] group in
            for task in 0..<16 {
                group.addTask {
                    // Every other task begins with a cache that was filled before.
                    var cache = task % 2 == 0 ? ValidationCache() : snapshot
                    var generator = SeededGenerator(seed: UInt64(task))
                    return (0..<Self.receiptsOfEach).map { _ in
                        let index = Int.random(in: Self.receipts.indices, using: &generator)
                        return (index, Verdict(Self.validator, Self.receipts[index], &cache))
                    }
                }
            }
            var count = 0
            for await verdicts in group {
                for (index, verdict) in verdicts {
                    #expect(verdict == alone[index], "\(index)")
                    count += 1
                }
            }
            #expect(count == 16 * Self.receiptsOfEach)
        }
    }

    @Test("one receipt answers many tasks at once, each as if it were the only task")
    func questions() async throws {
        let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.purchases = (0..<50).map { PurchaseTemplate(productIdentifier: "com.example.\($0 % 10)") }
            $0.rawAttributes = [AttributeTemplate(17, value: [])]
        }
        let receipt = try Minted.validator.validate(bytes)
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<16 {
                group.addTask {
                    let product = "com.example.\(task % 10)"
                    return receipt.contains(product: product)
                        && receipt.purchases(ofProduct: product).count == 5
                        && Set(receipt.inAppPurchases.map(\.transactionIdentifier)).count == 50
                        && receipt.malformedInAppPurchases.count == 1
                        && receipt.bundleIdentifier == "com.example.app"
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
