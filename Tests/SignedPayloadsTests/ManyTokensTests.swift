import Basics
import PKIX
import Processor
import SignedPayloads
import TestSupport
import Testing

@Suite(
    "Tokens that are validated together",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct ManyTokensTests {
    /// Genuine tokens of a kind, and for each of them copies with a changed header, payload or signature.
    ///
    /// They come often enough for tables of their signers.
    static func tokens(_ kind: String) -> [[UInt8]] {
        let genuine = GenuineToken.all.filter { $0.kind == kind }.map(\.token)
        return genuine.flatMap { token -> [[UInt8]] in
            let signature = (token.lastIndex(of: UInt8(ascii: ".")) ?? 0) + 1
            let changed = [10, signature - 20, signature, token.count - 40].map { index in
                var copy = token
                copy[index] = copy[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                return copy
            }
            let zero = token[..<signature] + [UInt8](repeating: UInt8(ascii: "A"), count: 86)
            let short = token.dropLast(4)
            return [[UInt8]](repeating: token, count: 20) + changed + [Array(zero), Array(short), []]
        }
    }

    static func text(_ object: PayloadObject) -> [String] {
        object.members.map { "\($0.name) \($0.json)" }
    }

    /// The members of valid tokens, and the errors of the others.
    typealias Verdicts = [Result<[String], SignedPayloadError>]

    /// Validates the tokens one by one, and together.
    static func verdicts(
        _ kind: String,
        _ tokens: [[UInt8]],
        _ acceleration: Acceleration
    ) -> (alone: Verdicts, together: Verdicts) {
        let validator = SignedPayloadValidator(
            SignedPayloadPolicy(
                environments: .only(.sandbox),
                bundleIdentifier: .any,
                acceleration: acceleration
            )
        )
        var (one, other) = (SignedPayloadCache(), SignedPayloadCache())
        func compare<Payload>(
            _ validate: ([UInt8], inout SignedPayloadCache) throws(SignedPayloadError) -> Payload,
            _ validateAll: ([[UInt8]], inout SignedPayloadCache) -> [Result<Payload, SignedPayloadError>],
            _ members: (Payload) -> [String]
        ) -> (Verdicts, Verdicts) {
            var alone: Verdicts = []
            for token in tokens {
                do throws(SignedPayloadError) {
                    alone.append(.success(members(try validate(token, &one))))
                } catch {
                    alone.append(.failure(error))
                }
            }
            // The first half fills the cache, so that the second half has tables.
            let half = tokens.count / 2
            let together = [tokens[..<half], tokens[half...]].flatMap { validateAll(Array($0), &other) }
            return (alone, together.map { $0.map(members) })
        }
        switch kind {
        case "transaction":
            return compare(
                { token, cache throws(SignedPayloadError) in
                    try validator.validate(transaction: token, cache: &cache)
                },
                { validator.validate(transactions: $0, cache: &$1) },
                { text($0.members) }
            )
        case "renewal-info":
            return compare(
                { token, cache throws(SignedPayloadError) in
                    try validator.validate(renewalInfo: token, cache: &cache)
                },
                { validator.validate(renewalInfos: $0, cache: &$1) },
                { text($0.members) }
            )
        case "app-transaction":
            return compare(
                { token, cache throws(SignedPayloadError) in
                    try validator.validate(appTransaction: token, cache: &cache)
                },
                { validator.validate(appTransactions: $0, cache: &$1) },
                { text($0.members) }
            )
        case "realtime-request":
            return compare(
                { token, cache throws(SignedPayloadError) in
                    try validator.validate(realtimeRequest: token, cache: &cache)
                },
                { validator.validate(realtimeRequests: $0, cache: &$1) },
                { text($0.members) }
            )
        default:
            return compare(
                { token, cache throws(SignedPayloadError) in
                    try validator.validate(notification: token, cache: &cache)
                },
                { validator.validate(notifications: $0, cache: &$1) },
                {
                    text($0.members) + ($0.transaction.map { text($0.members) } ?? [])
                        + ($0.renewalInfo.map { text($0.members) } ?? [])
                        + ($0.appTransaction.map { text($0.members) } ?? [])
                }
            )
        }
    }

    @Test(
        "get the verdicts that they get alone",
        arguments: ["transaction", "renewal-info", "notification", "app-transaction"]
    )
    func verdicts(_ kind: String) throws {
        let tokens = Self.tokens(kind)
        for acceleration in [.none] + accelerations {
            let (alone, together) = Self.verdicts(kind, tokens, acceleration)
            #expect(alone == together)
            #expect(alone.count == tokens.count)
            let steps = alone.compactMap { verdict -> SignedPayloadError.Step? in
                guard case .failure(let error) = verdict else { return nil }
                return error.step
            }
            #expect(Set(steps).isSuperset(of: [.form, .header, .signature]))
            #expect(alone.count - steps.count >= 20, "\(steps.count) refused")
        }
    }

    @Test("of other kinds are refused as they are alone")
    func otherKinds() throws {
        let tokens = ["transaction", "notification"].flatMap { Array(Self.tokens($0).prefix(45)) }
        let (alone, together) = Self.verdicts("realtime-request", tokens, acceleration)
        #expect(alone == together)
        #expect(alone.allSatisfy { (try? $0.get()) == nil })
        let good = try TokenVector.named("every member of a realtime request")
        var cache = SignedPayloadCache()
        let requests = SignedPayloadValidator(good.policy)
            .validate(realtimeRequests: [good.token, tokens[0], good.token], cache: &cache)
        #expect(requests.map { (try? $0.get())?.userLocale != nil } == [true, false, true])
    }

    @Test("of the table get their verdicts, with one cache for all policies")
    func table() {
        var cache = SignedPayloadCache()
        func check<Payload>(
            _ kind: String,
            _ validate: (SignedPayloadValidator, [[UInt8]], inout SignedPayloadCache) -> [Result<
                Payload, SignedPayloadError
            >]
        ) {
            for vector in TokenVector.all where vector.kind == kind {
                let validator = SignedPayloadValidator(vector.policy)
                for verdict in validate(validator, [vector.token, vector.token], &cache) {
                    guard case .failure(let error) = verdict else {
                        #expect(vector.step == nil, "\(vector.name)")
                        continue
                    }
                    #expect(error.step == vector.step && "\(error.code.name)" == vector.code, "\(error)")
                    let isNested = vector.name.contains("nested") && kind == "notification"
                    #expect(isNested == (error.nestedToken != nil), "\(vector.name)")
                }
            }
        }
        check("transaction") { $0.validate(transactions: $1, cache: &$2) }
        check("notification") { $0.validate(notifications: $1, cache: &$2) }
    }

    @Test("no tokens have no verdicts")
    func none() {
        #expect(Self.verdicts("notification", [], acceleration).together.isEmpty)
    }
}
