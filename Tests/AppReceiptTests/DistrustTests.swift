import AppReceiptMint
import Basics
import DER
import PKIX
import SHA
import TestSupport
import Testing

@testable import AppReceipt

@Suite("Distrusted certificates and keys of receipts")
struct DistrustTests {
    /// The digests of a certificate and of its key by all hash algorithms.
    private static func digests(_ der: [UInt8]) throws -> [Digest] {
        var reader = Reader(der.span)
        let certificate = try Certificate(&reader)
        return [certificate.range, certificate.subjectPublicKeyInfo].flatMap { range in
            HashAlgorithm.allCases.map { $0.digest(of: der[range].span) }
        }
    }

    private static func validator(
        _ distrusted: DistrustList,
        _ trust: TrustPolicy = Minted.fingerprints(Minted.mint.root)
    ) -> ReceiptValidator {
        ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: trust,
                distrusted: distrusted
            )
        )
    }

    private static let ber: [UInt8] = {
        var mint = Minted.mint
        mint.message.encoding = .ber(segmentByteCount: 100)
        return mint.receipt(bundleIdentifier: "com.example.app")
    }()

    @Test(
        "refuses a path with a listed certificate or key: leaf, intermediate and root, DER and BER",
        arguments: 0..<3
    )
    func refuses(_ index: Int) throws {
        for digest in try Self.digests(Minted.pki.certificates[index]) {
            let validator = Self.validator([digest])
            for receipt in [Minted.receipt, Self.ber] {
                let verdict = Verdict(validator, receipt)
                #expect(verdict.step == .distrust && verdict.code == .distrusted, "\(verdict)")
                let error = try #require(throws: ReceiptError.self) { try validator.validate(receipt) }
                #expect(error.certificateIndex == index)
                #expect(receipt[error.offset...].starts(with: Minted.pki.certificates[index]))
                #expect(error.nextStep == .refresh)
            }
        }
    }

    @Test("refuses an old key whatever date the receipt claims", arguments: [2000, 2012, 2024, 2049])
    func datedBack(_ year: Int) throws {
        let receipt = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.creationDate = Timestamp(year: year, month: 6, day: 1)
        }
        #expect(Verdict(Minted.validator, receipt).isAccepted)
        for digest in try Self.digests(Minted.pki.leaf.certificate) {
            #expect(Verdict(Self.validator([digest]), receipt).step == .distrust)
        }
    }

    @Test("refuses a listed key in another certificate, and not the other certificate of a listed one")
    func keyInAnotherCertificate() throws {
        let reissued = Minted.pki.reissued(.leaf) { $0.serialNumber = [9] }
        let receipt = ReceiptMint(reissued).receipt(bundleIdentifier: "com.example.app")
        let digests = try Self.digests(Minted.pki.leaf.certificate)
        for (position, digest) in digests.enumerated() {
            let verdict = Verdict(Self.validator([digest]), receipt)
            #expect(verdict.isAccepted == (position < digests.count / 2), "\(verdict)")
        }
    }

    @Test("refuses a listed root that is at hand, and that the receipt does not carry")
    func rootAtHand() throws {
        let receipt = Minted.receipt(
            carrying: [Minted.pki.leaf.certificate, Minted.pki.intermediate.certificate]
        )
        let trust = Minted.atHand(Minted.mint.root)
        for digest in try Self.digests(Minted.mint.root) {
            let verdict = Verdict(Self.validator([digest], trust), receipt)
            #expect(verdict.step == .distrust && verdict.code == .distrusted, "\(verdict)")
            let error = try #require(throws: ReceiptError.self) {
                try Self.validator([digest], trust).validate(receipt)
            }
            #expect(error.certificateIndex == 1)
        }
    }

    @Test("accepts a receipt whose path has no listed certificate or key")
    func others() throws {
        let foreign = try Minted.impostors.certificates.flatMap(Self.digests)
        let others =
            foreign + [
                HashAlgorithm.sha256.digest(of: Minted.receipt.span),
                HashAlgorithm.sha256.digest(of: [UInt8]().span),
            ]
        let receipt = Minted.receipt(
            carrying: Minted.pki.certificates + [Minted.impostors.intermediate.certificate]
        )
        for list in [.empty, [], DistrustList(others)] {
            let verdict = Verdict(Self.validator(list), receipt)
            #expect(verdict == Verdict(Minted.validator, receipt), "\(verdict)")
            #expect(verdict.isAccepted)
        }
    }

    @Test("refuses a root that is not trusted for its root first")
    func untrusted() throws {
        for certificate in Minted.pki.certificates {
            let validator = Self.validator(
                DistrustList(try Self.digests(certificate)),
                Minted.fingerprints(Minted.impostor.root)
            )
            #expect(Verdict(validator, Minted.receipt).step == .root)
        }
    }

    @Test("refuses receipts in batches as alone, before and after the path is remembered", arguments: 0..<3)
    func batches(_ index: Int) throws {
        let good = Self.validator([])
        for digest in try Self.digests(Minted.pki.certificates[index]) {
            let distrusting = Self.validator([digest])
            var cache = ValidationCache()
            for validators in [[distrusting, good], [good, good, distrusting, good, distrusting]] {
                var batch = ReceiptBatch()
                for validator in validators { batch.append(Minted.receipt, for: validator, cache: &cache) }
                let verdicts = batch.judge(cache: &cache).map { Verdict($0) }
                #expect(verdicts == validators.map { Verdict($0, Minted.receipt) })
                #expect(verdicts.map(\.isAccepted) == validators.map { $0.policy.distrusted == .empty })
            }
        }
    }

    @Test("a cache forgets its paths under another list, and keeps them under an equal one")
    func cache() throws {
        let foreign = try Minted.impostors.certificates.flatMap(Self.digests)
        for digest in try Minted.pki.certificates.flatMap(Self.digests) {
            var cache = ValidationCache()
            #expect(Verdict(Minted.validator, Minted.receipt, &cache).isAccepted)
            #expect(cache.paths.elements.count == 1)
            for _ in 1...2 {
                let verdict = Verdict(Self.validator([digest]), Minted.receipt, &cache)
                #expect(verdict.step == .distrust && cache.paths.elements.isEmpty)
            }
            #expect(Verdict(Self.validator(DistrustList(foreign)), Minted.receipt, &cache).isAccepted)
            cache.prepare(for: Self.validator(DistrustList(foreign)).cacheRules)
            #expect(cache.paths.elements.count == 1)
            cache.prepare(for: Self.validator(DistrustList(foreign.dropLast())).cacheRules)
            #expect(cache.paths.elements.isEmpty)
        }
    }

    @Test("takes fingerprints of 32 bytes, and no others")
    func fingerprints() throws {
        let root = Minted.mint.root
        let digest = HashAlgorithm.sha256.digest(of: root.span)
        #expect(DistrustList(sha256: [digest.bytes]) == [digest])
        #expect(DistrustList(sha256: []) == .empty && DistrustList([]) == .empty)
        #expect(DistrustList(sha256: [digest.bytes]) != .empty)
        for count in [0, 20, 31, 33, 64] {
            #expect(DistrustList(sha256: [digest.bytes, [UInt8](repeating: 0, count: count)]) == nil)
        }
        #expect(Set([DistrustList([digest]), [digest], [], .empty]).count == 2)
    }
}
