import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import Processor
import Revocation
import SignedPayloads

/// An attack that is ready to run, so that only the cost of the library is counted.
struct AttackWork {
    /// The bytes at the end of the certificates. Changing their last byte makes another path for the cache.
    static let marker = [UInt8]("the end:0".utf8)

    private let work: () -> String

    init(_ attack: Attack, _ bytes: [UInt8], _ trust: TrustPolicy, _ acceleration: Acceleration) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: .only(.production),
                bundleIdentifier: .exactly("com.example.app"),
                trust: trust,
                deviceIdentifiers: [.server],
                now: Timestamp(year: 2030, month: 1, day: 1),
                acceleration: acceleration
            )
        )
        switch attack.work {
        case .validate:
            work = { Self.outcome { () throws(ReceiptError) in _ = try validator.validate(bytes) } }
        case .validateAmongOthers:
            let cache = try Self.cache(validator, bytes)
            work = {
                var cache = cache
                return Self.outcome { () throws(ReceiptError) in
                    _ = try validator.validate(bytes, cache: &cache)
                }
            }
        case .decode:
            work = { Self.outcome { () throws(ReceiptError) in _ = try ReceiptInput.decode(bytes) } }
        case .query:
            let receipt = try validator.validate(bytes)
            work = {
                Self.query(receipt)
                return "accepted"
            }
        case .token(let kind, let limit):
            var policy = try Self.tokenPolicy(acceleration)
            if let limit { policy.limits.tokenBytes = limit }
            let validator = SignedPayloadValidator(policy)
            // Sets up what is set up once.
            try Self.read(Token(TokenMint().token(.transaction), .transaction), validator)
            let token = Token(bytes, kind)
            work = { Self.outcome { () throws(SignedPayloadError) in try Self.read(token, validator) } }
        case .response: work = try Self.judgement(responses: [bytes], lists: [], acceleration)
        case .list: work = try Self.judgement(responses: [], lists: [bytes], acceleration)
        case .tokenAfterList:
            let evidence = try RevocationEvidence(revocationLists: [bytes])
            var policy = try Self.tokenPolicy(acceleration)
            policy.revocation = .ifPresent(evidence, now: AttackMint.now)
            let validator = SignedPayloadValidator(policy)
            var mint = TokenMint()
            var cache = SignedPayloadCache()
            _ = try validator.validate(transaction: mint.token(.transaction), cache: &cache)
            mint.signature.header["x"] = "changed"
            let (token, filled) = (mint.token(.transaction), cache)
            work = {
                var cache = filled
                return Self.outcome { () throws(SignedPayloadError) in
                    _ = try validator.validate(transaction: token, cache: &cache)
                }
            }
        }
    }

    private static func tokenPolicy(_ acceleration: Acceleration) throws -> SignedPayloadPolicy {
        SignedPayloadPolicy(
            environments: .only(.production),
            bundleIdentifier: .exactly("com.example.app"),
            trust: .pinned([try TrustAnchor(certificate: TokenMint().root)]),
            acceleration: acceleration
        )
    }

    /// Validates a token and decodes every documented member.
    private static func read(_ token: Token, _ validator: SignedPayloadValidator) throws(SignedPayloadError) {
        var cache = SignedPayloadCache()
        consume(try token.judge(validator, &cache))
    }

    /// Parses evidence, and asks for the status of the certificate that signs tokens.
    private static func judgement(
        responses: [[UInt8]],
        lists: [[UInt8]],
        _ acceleration: Acceleration
    ) throws -> () -> String {
        let pki = TokenPKI(seed: 1)
        let (signer, issuer) = (pki.leaf.certificate, pki.intermediate.certificate)
        var (one, other) = (Reader(signer.span), Reader(issuer.span))
        let (signerFields, issuerFields) = (try Certificate(&one), try Certificate(&other))
        return {
            do throws(RevocationEvidenceError) {
                let evidence = try RevocationEvidence(ocspResponses: responses, revocationLists: lists)
                var keys = KeyCache<ECDSASignatureKey>(ECDSASignatureKey.Requirements())
                let status = evidence.status(
                    of: signerFields.view(in: signer.span),
                    issuedBy: issuerFields.view(in: issuer.span),
                    now: AttackMint.now,
                    keys: &keys,
                    acceleration: acceleration
                )
                switch status {
                case .good: return "accepted"
                case .revoked: return "revocation.revoked"
                case .unknown(let error): throw error
                }
            } catch {
                return "\(error.refusal.code.name)"
            }
        }
    }

    /// Runs the work. `.ci/cost` finds this function by its name and starts counting instructions when it is
    /// called.
    @inline(never)
    func enterCounting() -> String { leaveCounting() }

    /// Runs the work again, for timing.
    func uncounted() -> String { work() }

    /// Runs the work. `.ci/cost` finds this function by its name and stops counting when it returns.
    @inline(never)
    private func leaveCounting() -> String { work() }

    private static func outcome(_ body: () throws(ReceiptError) -> Void) -> String {
        do throws(ReceiptError) {
            try body()
            return "accepted"
        } catch {
            return "\(error.code.name)"
        }
    }

    private static func outcome(_ body: () throws(SignedPayloadError) -> Void) -> String {
        do throws(SignedPayloadError) {
            try body()
            return "accepted"
        } catch {
            return "\(error.code.name)"
        }
    }

    /// Returns a cache filled with 64 paths, as many as it holds. Their certificates differ from the given
    /// receipt's only in the last octet.
    private static func cache(_ validator: ReceiptValidator, _ bytes: [UInt8]) throws -> ValidationCache {
        let last = firstIndex(of: marker, in: bytes) + marker.count - 1
        var cache = ValidationCache()
        for index in 1...64 {
            var other = bytes
            other[last] ^= UInt8(index)
            _ = try validator.validate(other, cache: &cache)
        }
        return cache
    }

    /// Asks every question that a receipt answers, once each.
    private static func query(_ receipt: Receipt) {
        let product = "com.example.none"
        var count = receipt.purchases(ofProduct: "a").count + receipt.malformedInAppPurchases.count
        count += receipt.attributes.count + receipt.malformedAttributeCount
        if receipt.contains(product: product) { count += 1 }
        if receipt.purchase(transaction: product) != nil { count += 1 }
        if receipt.activeSubscription(toProduct: product, at: receipt.creationDate) != nil { count += 1 }
        if receipt.isEligibleForIntroductoryOffer(inProducts: [product]) { count += 1 }
        for purchase in receipt.inAppPurchases { count += purchase.productIdentifier.utf8.count }
        consume(count)
    }
}
