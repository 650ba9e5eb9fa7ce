import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import Processor
import RSA
import SHA
import TestSupport
import Testing

@testable import AppReceipt

@Suite("Receipts judged together")
struct ReceiptBatchTests {
    typealias Question = (validator: ReceiptValidator, bytes: [UInt8])

    /// The instruction sets of this processor, and portable code.
    private static let accelerations: [Acceleration] = TestSupport.accelerations + [.none]

    private static func verdicts(
        _ questions: some Sequence<Question>,
        _ acceleration: Acceleration,
        _ cache: inout ValidationCache
    ) -> [Verdict] {
        var batch = ReceiptBatch(acceleration: acceleration)
        for question in questions { batch.append(question.bytes, for: question.validator, cache: &cache) }
        let count = batch.count
        let outcomes = batch.judge(cache: &cache)
        #expect(outcomes.count == count && batch.count == 0)
        return outcomes.map { Verdict($0) }
    }

    private static let tampered: [UInt8] = {
        let signature = Minted.receiptSignature
        return Array(signature.dropLast()) + [signature[255] ^ 1]
    }()

    /// Receipts of one chain, signed or not.
    private static func receipt(
        _ bundleIdentifier: String = "com.example.app",
        isForged: Bool = false,
        _ change: (inout PayloadTemplate) -> Void = { _ in }
    ) -> [UInt8] {
        var mint = Minted.mint
        if isForged {
            mint.message.signers[0].forgery = { _, _ in tampered }
        }
        return mint.receipt(bundleIdentifier: bundleIdentifier, change)
    }

    /// A cache that has met the chain.
    private static func learnt(_ validator: ReceiptValidator) -> ValidationCache {
        var cache = ValidationCache()
        _ = Verdict(validator, receipt(), &cache)
        return cache
    }

    @Test("an empty batch gives no verdict")
    func none() {
        for acceleration in Self.accelerations {
            var cache = ValidationCache()
            #expect(Self.verdicts([], acceleration, &cache).isEmpty)
        }
    }

    @Test("good, forged and broken ones of eight chains, in batches of any size", arguments: 1...4)
    func mixed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let validator = ConcurrencyTests.validator
        let alone = ConcurrencyTests.receipts.map { Verdict(validator, $0) }
        for acceleration in Self.accelerations {
            var cache = ValidationCache()
            for size in 0..<20 {
                let indices = (0..<size).map { _ in Int(random.next() % UInt64(alone.count)) }
                let verdicts = Self.verdicts(
                    indices.map { (validator, ConcurrencyTests.receipts[$0]) },
                    acceleration,
                    &cache
                )
                #expect(verdicts == indices.map { alone[$0] })
            }
        }
    }

    @Test("refuses a forged receipt in any place, and no other", arguments: 0..<8)
    func forged(place: Int) {
        for acceleration in Self.accelerations {
            var cache = Self.learnt(Minted.validator)
            let questions = (0..<8).map { (Minted.validator, Self.receipt(isForged: $0 == place)) }
            let verdicts = Self.verdicts(questions, acceleration, &cache)
            for (index, verdict) in verdicts.enumerated() {
                #expect(verdict.isAccepted == (index != place))
                #expect(verdict.code == (index == place ? .signatureMismatch : nil))
                #expect(verdict.step == (index == place ? .signature : nil))
            }
        }
    }

    @Test("refuses a batch of forged receipts")
    func allForged() {
        let question = (Minted.validator, Self.receipt(isForged: true))
        for acceleration in Self.accelerations {
            var cache = Self.learnt(Minted.validator)
            let verdicts = Self.verdicts(repeatElement(question, count: 17), acceleration, &cache)
            #expect(verdicts.allSatisfy { $0.step == .signature && $0.code == .signatureMismatch })
        }
    }

    /// Each validator refuses the receipt at a step after the signature.
    private static let demanding: [(ReceiptError.Step, ReceiptValidator)] = [
        (
            .environment,
            ReceiptValidator(
                ReceiptPolicy(
                    environments: .only(.productionSandbox),
                    bundleIdentifier: .any,
                    trust: Minted.fingerprints(Minted.mint.root)
                )
            )
        ),
        (
            .bundleIdentifier,
            ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .exactly("com.example.other"),
                    trust: Minted.fingerprints(Minted.mint.root)
                )
            )
        ),
        (
            .appVersion,
            ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: Minted.fingerprints(Minted.mint.root),
                    appVersion: "0"
                )
            )
        ),
        (
            .deviceHash,
            ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: Minted.fingerprints(Minted.mint.root),
                    deviceIdentifiers: []
                )
            )
        ),
    ]

    @Test("reports steps after the signature only if the signature holds")
    func steps() {
        for acceleration in Self.accelerations {
            for (step, validator) in Self.demanding {
                var cache = Self.learnt(validator)
                let questions = (0..<12).map { (validator, Self.receipt(isForged: $0 % 3 == 0)) }
                let verdicts = Self.verdicts(questions, acceleration, &cache)
                for (index, verdict) in verdicts.enumerated() {
                    #expect(verdict.step == (index % 3 == 0 ? .signature : step), "\(index), \(step)")
                }
            }
        }
    }

    @Test("each receipt keeps its own contents, and is judged by its own validator")
    func contents() throws {
        for acceleration in Self.accelerations {
            var cache = Self.learnt(Minted.validator)
            var batch = ReceiptBatch(acceleration: acceleration)
            for index in 0..<30 {
                let validator = ReceiptValidator(
                    ReceiptPolicy(
                        environments: .any,
                        bundleIdentifier: .exactly("com.example.\(index % 5 == 0 ? -1 : index)"),
                        trust: Minted.fingerprints(Minted.mint.root)
                    )
                )
                let bytes = Self.receipt("com.example.\(index)", isForged: index % 7 == 0) {
                    $0.purchases = [PurchaseTemplate(productIdentifier: "product \(index)")]
                }
                batch.append(bytes, for: validator, cache: &cache)
            }
            for (index, outcome) in batch.judge(cache: &cache).enumerated() {
                guard case .success(let receipt) = outcome else {
                    let code = Verdict(outcome).code
                    #expect(code == (index % 7 == 0 ? .signatureMismatch : .bundleIdentifierMismatch))
                    #expect(index % 7 == 0 || index % 5 == 0)
                    continue
                }
                #expect(index % 7 != 0 && index % 5 != 0)
                #expect(receipt.bundleIdentifier == "com.example.\(index)")
                #expect(receipt.inAppPurchases.map(\.productIdentifier) == ["product \(index)"])
            }
        }
    }

    @Test("a batch that is used again forgets the receipts that it has judged")
    func again() throws {
        for acceleration in Self.accelerations {
            var cache = Self.learnt(Minted.validator)
            var batch = ReceiptBatch(acceleration: acceleration)
            for round in 0..<3 {
                let names = (0..<5).map { "com.example.\(round).\($0)" }
                for (index, name) in names.enumerated() {
                    let bytes = Self.receipt(name, isForged: index == round)
                    batch.append(bytes, for: Minted.validator, cache: &cache)
                }
                let judged = batch.judge(cache: &cache).map { try? $0.get().bundleIdentifier }
                #expect(judged == names.enumerated().map { $0 == round ? nil : $1 })
            }
            #expect(batch.judge(cache: &cache).isEmpty)
        }
    }

    /// A receipt whose hash, attributes or content differ by its index, and the code of its refusal if any.
    private static func otherHash(_ index: Int) -> (bytes: [UInt8], code: Refusal.Code?) {
        var mint = Minted.mint
        var code: Refusal.Code?
        var isChanged = false
        switch index % 7 {
        case 1: mint.message.signers[0].digest = .sha1
        case 2: mint.message.signers[0].digest = .sha384
        case 3: mint.message.signers[0].signedAttributes = .standard
        case 4:
            mint.message.signers[0].signedAttributes = [
                .contentType(), .messageDigest([UInt8](repeating: 0, count: 32)),
            ]
            code = .messageDigestMismatch
        case 5: (isChanged, code) = (true, .signatureMismatch)
        default: break
        }
        var bytes = mint.receipt(bundleIdentifier: "com.example.\(index)") {
            $0.purchases = [PurchaseTemplate(productIdentifier: String(repeating: "p", count: 97 * index))]
        }
        if isChanged, let place = bytes.firstRange(of: "com.example.".utf8)?.lowerBound { bytes[place] ^= 1 }
        return (bytes, code)
    }

    @Test("changed content is refused at its place in a batch of several hashes and lengths")
    func hashes() {
        let receipts = (0..<28).map(Self.otherHash)
        let alone = receipts.map { Verdict(Minted.validator, $0.bytes) }
        #expect(alone.map(\.code) == receipts.map(\.code))
        for acceleration in Self.accelerations {
            for size in [3, 8, 28] {
                var cache = Self.learnt(Minted.validator)
                for start in stride(from: 0, to: receipts.count, by: size) {
                    let indices = start..<min(start + size, receipts.count)
                    let questions = indices.map { (Minted.validator, receipts[$0].bytes) }
                    #expect(Self.verdicts(questions, acceleration, &cache) == Array(alone[indices]))
                }
            }
        }
    }

    @Test(
        "a signature stays pending only under certificates that came before, and verifies one way or the other"
    )
    func pending() throws {
        let (empty, learnt) = (ValidationCache(), Self.learnt(Minted.validator))
        for isForged in [false, true] {
            let bytes = Self.receipt(isForged: isForged)
            var first = Validation(Minted.validator)
            let message = try first.open(bytes)
            #expect(first.acceptRememberedCertificates(of: message, empty) == nil)
            let signature = try #require(first.acceptRememberedCertificates(of: message, learnt))
            #expect(signature.newPath == nil)
            #expect(((try? signature.verify(acceleration: .none)) != nil) == !isForged)
            for acceleration in Self.accelerations {
                var batch = SigningKeyBatch(acceleration: acceleration)
                let verified = PendingSignature.verify([signature], with: &batch)
                #expect(verified.map { $0 != nil } == [!isForged])
            }
            for var cache in [empty, learnt] {
                var second = Validation(Minted.validator)
                let message = try second.open(bytes)
                let content = try? second.authenticate(message, &cache)
                #expect((content == nil) == isForged)
            }
        }
    }

    /// If a receipt were judged again, the cache would remember its own date.
    @Test("a valid receipt is not judged again, with any hash")
    func notAgain() throws {
        let first = Minted.validator
        for acceleration in Self.accelerations {
            var cache = Self.learnt(first)
            var questions: [Question] = []
            for (index, hash) in [HashAlgorithm.sha1, .sha256, .sha384, .sha256, .sha1].enumerated() {
                var mint = Minted.mint
                mint.message.signers[0].digest = hash
                let bytes = mint.receipt(bundleIdentifier: "com.example.app") {
                    $0.creationDate = Timestamp(year: 2010 + index, month: 1, day: 1)
                }
                questions.append((first, bytes))
            }
            #expect(Self.verdicts(questions, acceleration, &cache).allSatisfy { $0.isAccepted })
            #expect(cache.paths.elements.map(\.found.time) == [Minted.creationDate])
            let forged = Self.receipt(isForged: true)
            let neighbours = questions.flatMap { [(first, forged), $0] }
            let verdicts = Self.verdicts(neighbours, acceleration, &cache)
            #expect(verdicts.map(\.isAccepted) == neighbours.indices.map { $0 % 2 == 1 })
            #expect(cache.paths.elements.map(\.found.time) == [Minted.creationDate])
        }
    }

    @Test("nothing is remembered of a chain under which no signature was right")
    func nothingLearnt() {
        for acceleration in Self.accelerations {
            var cache = ValidationCache()
            let question = (Minted.validator, Self.receipt(isForged: true))
            let verdicts = Self.verdicts(repeatElement(question, count: 9), acceleration, &cache)
            #expect(verdicts.allSatisfy { $0.code == .signatureMismatch })
            #expect(cache.paths.elements.isEmpty)
        }
    }

    @Test(
        "a cache that was filled before changes no verdict of a batch",
        arguments: Recollection.policies + Recollection.messages
    )
    func recollection(_ recollection: Recollection) {
        let (learnt, asked) = (recollection.learnt, recollection.asked)
        let questions: [Question] = [(learnt.validator, learnt.bytes()), (asked.validator, asked.bytes())]
        let alone = questions.map { Verdict($0.validator, $0.bytes) }
        for acceleration in Self.accelerations {
            var cache = ValidationCache()
            // In the first order the batch itself learns the chains; in the second the cache knows them
            // already.
            for order in [[0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 0]] {
                let verdicts = Self.verdicts(order.map { questions[$0] }, acceleration, &cache)
                #expect(verdicts == order.map { alone[$0] })
            }
        }
    }

    @Test(
        "each of the vectors gets its verdict, at its step, among others like it",
        arguments: VectorTests.rows
    )
    func vectors(_ row: Row) throws {
        let validator = try VectorTests.validator(for: row)
        let input = try vector("receipts/\(row["file"])")
        guard let bytes = try? ReceiptInput.decode(input) else {
            #expect(row["step"] == "input")
            return
        }
        // The cache learns the certificates first, so that forged receipts have known certificates.
        let learning = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: validator.policy.trust)
        )
        let good = try ["sandbox-sha256.der", "production-sha1.der"].map { try vector("receipts/\($0)") }
        for acceleration in Self.accelerations {
            var cache = ValidationCache()
            for bytes in good { _ = Verdict(learning, bytes, &cache) }
            let verdicts = Self.verdicts(
                repeatElement((validator, bytes), count: 10),
                acceleration,
                &cache
            )
            for verdict in verdicts {
                #expect(verdict.isAccepted == (row["verdict"] == "accept"), "\(row["why"])")
                #expect(verdict.step.map(\.rawValue) ?? "" == row["step"], "\(verdict)")
            }
        }
    }
}
