import AppReceipt
import Basics
import DER
import Foundation
import PKIX
import Processor
import SHA

/// Checks the whole validator. The verdict, its code and its offset are the same with a cache, with a cache
/// that knows other receipts, and with any instructions. An accepted receipt contains what its bytes say.
///
/// The roots are Apple's and the roots of `Vectors`, so that nearly good receipts reach many steps.
func fuzzValidator(_ input: [UInt8]) {
    for judge in Judges.all {
        let verdict = Verdict { () throws(ReceiptError) in try judge.portable.validate(input) }
        var learnt = judge.learnt
        var empty = ValidationCache()
        for _ in 0..<2 {
            let asLearnt = Verdict { () throws(ReceiptError) in
                try judge.accelerated.validate(input, cache: &learnt)
            }
            require(asLearnt == verdict, "\(asLearnt) with a learnt cache, \(verdict) without")
            let remembered = Verdict { () throws(ReceiptError) in
                try judge.portable.validate(input, cache: &empty)
            }
            require(remembered == verdict, "\(remembered) with a cache, \(verdict) without")
        }
        judge.checkBatch(input, verdict)
        switch verdict {
        case .refused(_, _, let offset, let index):
            require(offset >= 0 && offset <= input.count, "\(verdict) lies outside")
            require(index.map { $0 >= 0 && $0 < Judges.limits.message.certificates } ?? true, "\(verdict)")
        case .accepted(let receipt):
            let unverified = try? UnverifiedReceipt(unverified: input)
            require(unverified?.creationDate == receipt.creationDate, "the date in the bytes")
            require(
                unverified?.description == "unverified: \(receipt.description)",
                "the contents of the bytes"
            )
        }
    }
}

/// The validators for every input, each with a cache that a good receipt has filled.
private struct Judges {
    let portable: ReceiptValidator
    let accelerated: ReceiptValidator
    let learnt: ValidationCache
    /// A good receipt.
    private let good: [UInt8]

    /// Small limits, so that no input takes long, but large enough for every good receipt of `Vectors`.
    static let limits: Limits = {
        var limits = Limits.standard
        limits.inputBytes = 1 << 18
        limits.signatureChecks = 4
        limits.key.modulusBits = 4096
        return limits
    }()

    static let all: [Judges] = {
        let apple = [
            "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
            "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
        ]
        let xcode = ["ff0ba36e721d2db741d2aa11e6112ef78bf7131b46c7f035b00891d045c864fe"]
        return [
            Judges(
                .pinned(anchors(["root.der", "root-4096.der"], apple)),
                learningFrom: ["sandbox-sha256.der", "key-4096.der", "production-sha1.der"]
            ),
            Judges(.xcodeTesting(pinned: anchors(["storekit.der"], xcode)), learningFrom: ["xcode-like.der"]),
        ]
    }()

    private init(_ trust: TrustPolicy, learningFrom receipts: [String]) {
        func validator(_ acceleration: Acceleration) -> ReceiptValidator {
            ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: trust,
                    limits: Self.limits,
                    acceleration: acceleration
                )
            )
        }
        portable = validator(.none)
        accelerated = validator(acceleration)
        var cache = ValidationCache()
        for name in receipts {
            let receipt = try? accelerated.validate(Self.vector("receipts/\(name)"), cache: &cache)
            require(receipt != nil, "\(name) is good")
        }
        learnt = cache
        good = Self.vector("receipts/\(receipts[0])")
    }

    /// Checks that in a batch of good receipts every verdict equals the verdict alone.
    fileprivate func checkBatch(_ input: [UInt8], _ verdict: Verdict) {
        var cache = learnt
        var batch = ReceiptBatch(acceleration: accelerated.policy.acceleration)
        for index in 0..<8 {
            batch.append(index % 3 == 1 ? input : good, for: accelerated, cache: &cache)
        }
        for (index, outcome) in batch.judge(cache: &cache).enumerated() {
            let found = Verdict { () throws(ReceiptError) in try outcome.get() }
            if index % 3 == 1 {
                require(found == verdict, "\(found) in a batch, \(verdict) alone")
            } else if case .refused = found {
                require(false, "a good receipt is \(found) in a batch")
            }
        }
    }

    private static func anchors(_ certificates: [String], _ fingerprints: [String]) -> [TrustAnchor] {
        certificates.compactMap { try? TrustAnchor(certificate: vector("certificates/\($0)")) }
            + fingerprints.compactMap { digits in
                let bytes = digits.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
                let octets = stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] << 4 | bytes[$0 + 1] }
                return Digest(.sha256, bytes: octets.span).flatMap { TrustAnchor(fingerprint: $0) }
            }
    }

    private static func vector(_ path: String) -> [UInt8] {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
        guard let data = try? Data(contentsOf: package.appending(path: "Vectors/\(path)").standardized) else {
            fatalError("Vectors/\(path) is missing")
        }
        return [UInt8](data)
    }
}

/// The outcome for an input.
private enum Verdict: Equatable, CustomStringConvertible {
    case accepted(Receipt)
    case refused(ReceiptError.Step, Refusal.Code, offset: Int, certificateIndex: Int?)

    init(_ validate: () throws(ReceiptError) -> Receipt) {
        do throws(ReceiptError) {
            self = .accepted(try validate())
        } catch {
            self = .refused(
                error.step,
                error.code,
                offset: error.offset,
                certificateIndex: error.certificateIndex
            )
        }
    }

    static func == (one: Verdict, other: Verdict) -> Bool {
        switch (one, other) {
        case (.accepted(let receipt), .accepted(let another)):
            receipt.rootFingerprint == another.rootFingerprint
                && receipt.signingCertificate == another.signingCertificate
                && receipt.digestAlgorithm == another.digestAlgorithm
                && receipt.creationDate == another.creationDate && receipt.notChecked == another.notChecked
                && receipt.description == another.description
        case (.refused(let step, let code, let offset, let index), .refused(let s, let c, let o, let i)):
            step == s && code == c && offset == o && index == i
        default: false
        }
    }

    var description: String {
        switch self {
        case .accepted(let receipt): "accepted under \(receipt.rootFingerprint)"
        case .refused(let step, let code, let offset, let index):
            "\(step.rawValue): \(code.name) at \(offset), certificate \(index.map(String.init) ?? "none")"
        }
    }
}
