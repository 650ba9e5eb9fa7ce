import AppReceiptMint
import Basics
import DER
import PKIX
import RSA
import SHA
import TestSupport
import Testing

@testable import AppReceipt

@Suite("Paths that are remembered")
struct CacheTests {
    @Test(
        "a cache that was filled before changes neither a verdict nor its error",
        arguments: Recollection.policies + Recollection.messages
    )
    func recollection(_ recollection: Recollection) {
        let (learnt, asked) = (recollection.learnt, recollection.asked)
        let (learntBytes, askedBytes) = (learnt.bytes(), asked.bytes())
        let learntVerdict = Verdict(learnt.validator, learntBytes)
        let verdict = Verdict(asked.validator, askedBytes)
        #expect(learntVerdict.isAccepted, "\(learntVerdict)")
        #expect(verdict.step == recollection.step && verdict.code == recollection.code, "\(verdict)")

        var cache = ValidationCache()
        for _ in 0..<2 {
            #expect(Verdict(learnt.validator, learntBytes, &cache) == learntVerdict)
            #expect(Verdict(asked.validator, askedBytes, &cache) == verdict)
            #expect(Verdict(asked.validator, askedBytes, &cache) == verdict)
        }
    }

    @Test(
        "a receipt that is refused for its path, markers or signature is not remembered",
        arguments: (Recollection.policies + Recollection.messages).filter { $0.step != nil }
    )
    func refused(_ recollection: Recollection) {
        var cache = ValidationCache()
        _ = Verdict(recollection.asked.validator, recollection.asked.bytes(), &cache)
        #expect(cache.paths.elements.isEmpty)
    }

    @Test(
        "what was accepted last is remembered, and each set of certificates once",
        arguments: (Recollection.policies + Recollection.messages).filter { $0.step == nil }
    )
    func last(_ recollection: Recollection) throws {
        let (learnt, asked) = (recollection.learnt, recollection.asked)
        var cache = ValidationCache()
        for question in [learnt, asked, learnt, asked] {
            let bytes = question.bytes()
            #expect(Verdict(question.validator, bytes, &cache).isAccepted)
            var validation = Validation(question.validator)
            let message = try validation.open(bytes)
            #expect(validation.acceptRememberedCertificates(of: message, cache) != nil)
            #expect(Set(cache.paths.elements.map(\.encoding)).count == cache.paths.elements.count)
        }
    }

    @Test("a path is remembered that held, though the app expected another receipt")
    func unexpected() {
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .only(.productionSandbox),
                bundleIdentifier: .any,
                trust: Minted.fingerprints(Minted.mint.root)
            )
        )
        var cache = ValidationCache()
        for _ in 0..<2 {
            #expect(Verdict(validator, Minted.receipt, &cache).code == .environmentMismatch)
            #expect(cache.paths.elements.count == 1)
        }
    }

    /// A receipt whose set of certificates has one more member, which no path needs. The signer's signature
    /// is given.
    private static func receipt(_ extra: [UInt8], signature: [UInt8]) -> [UInt8] {
        var mint = Minted.mint
        mint.message.certificates.append(Minted.otherFormat(extra))
        mint.message.signers[0].forgery = { _, _ in signature }
        return mint.receipt(bundleIdentifier: "com.example.app")
    }

    private static let signature = Minted.receiptSignature
    private static let tampered = Array(signature.dropLast()) + [signature[255] ^ 1]

    @Test("more chains than the cache holds are all judged right, again and again")
    func capacity() {
        var cache = ValidationCache()
        for round in 1...2 {
            for chain in 0..<(ValidationCache.capacity + 6) {
                let isGood = (chain + round) % 4 != 0
                let bytes = Self.receipt(
                    [UInt8(chain)],
                    signature: isGood ? Self.signature : Self.tampered
                )
                #expect(Verdict(Minted.validator, bytes, &cache).isAccepted == isGood, "\(chain), \(round)")
                #expect(cache.paths.elements.count <= ValidationCache.capacity)
            }
        }
        #expect(cache.paths.elements.count == ValidationCache.capacity)
    }

    @Test("the path that gives way is the oldest one, and then the next")
    func oldest() {
        var cache = ValidationCache()
        var bags: [[UInt8]] = []
        for chain in 0..<(ValidationCache.capacity + 3) {
            let bytes = Self.receipt([UInt8(chain)], signature: Self.signature)
            #expect(Verdict(Minted.validator, bytes, &cache).isAccepted)
            if let last = cache.paths.elements.first(where: { !bags.contains($0.encoding) }) {
                bags.append(last.encoding)
            }
        }
        #expect(bags.count == ValidationCache.capacity + 3)
        for (number, bag) in bags.enumerated() {
            #expect(cache.paths.elements.contains { $0.encoding == bag } == (number >= 3), "\(number)")
        }
    }

    @Test("certificates of 16 KiB are remembered, and one byte more only judged", arguments: [0, 1])
    func size(_ excess: Int) throws {
        // Twelve octets of headers and an identifier stand before the contents that fill the rest of 16 KiB.
        let rest = (16 << 10) - Minted.pki.certificates.reduce(0) { $0 + $1.count } - 12
        let extra = [UInt8](repeating: 0, count: rest + excess)
        let good = Self.receipt(extra, signature: Self.signature)
        let bad = Self.receipt(extra, signature: Self.tampered)
        var cache = ValidationCache()
        for _ in 0..<2 {
            #expect(Verdict(Minted.validator, good, &cache).isAccepted)
            #expect(Verdict(Minted.validator, bad, &cache).code == .signatureMismatch)
            #expect(cache.paths.elements.count == 1 - excess)
        }
    }

    @Test("two validators may share a cache, turn by turn")
    func alternately() {
        let validators = [
            Minted.validator,
            ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: Minted.fingerprints(Minted.impostor.root)
                )
            ),
        ]
        let receipts = [Minted.receipt, Minted.impostor.receipt(bundleIdentifier: "com.example.app")]
        var cache = ValidationCache()
        for _ in 0..<3 {
            for (index, validator) in validators.enumerated() {
                for (other, receipt) in receipts.enumerated() {
                    #expect(Verdict(validator, receipt, &cache).isAccepted == (index == other))
                }
            }
        }
    }

    @Test("a cache forgets its paths and keys under other limits, another digest or another trust policy")
    func forgets() {
        func validator(
            _ trust: TrustPolicy = Minted.fingerprints(Minted.mint.root),
            _ digest: HashAlgorithm = .sha1,
            _ change: (inout Limits) -> Void = { _ in }
        ) -> ReceiptValidator {
            var limits = Limits.standard
            change(&limits)
            return ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: trust,
                    minimumDigest: digest,
                    limits: limits
                )
            )
        }
        let others = [
            validator { $0.message.certificate.purposes = 63 },
            validator { $0.message.certificate.extensions = 63 },
            validator { $0.message.certificates = 15 }, validator { $0.signatureChecks = 15 },
            validator { $0.attributes = 100 }, validator { $0.message.encoding.depth = 63 },
            validator { $0.key.modulusBits = 4095 }, validator { $0.key.exponentBits = 31 },
            validator(Minted.atHand(Minted.mint.root)),
            validator(Minted.fingerprints(Minted.mint.root, requiresMarkers: false)),
            validator(Minted.fingerprints(Minted.mint.root), .sha256),
        ]
        for other in others {
            var cache = ValidationCache()
            #expect(Verdict(validator(), Minted.receipt, &cache).isAccepted)
            #expect(cache.paths.elements.count == 1)
            cache.prepare(for: validator().cacheRules)
            #expect(cache.paths.elements.count == 1)
            cache.prepare(for: other.cacheRules)
            #expect(cache.paths.elements.isEmpty)
            #expect(cache.keys.requirements.limits == other.policy.limits.key)
        }
    }

    @Test("a copy of a cache learns by itself")
    func copy() {
        var cache = ValidationCache()
        #expect(Verdict(Minted.validator, Minted.receipt, &cache).isAccepted)
        var copy = cache
        #expect(Verdict(Minted.validator, Self.receipt([1], signature: Self.signature), &copy).isAccepted)
        #expect(cache.paths.elements.count == 1 && copy.paths.elements.count == 2)
    }
}
