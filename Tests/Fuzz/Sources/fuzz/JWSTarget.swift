import AppReceipt
import Basics
import Foundation
import PKIX
import SHA
import SignedPayloads

/// Checks the validator of tokens. The first byte chooses the kind, the policy, and what the rest is.
///
/// - A token. It is accepted only if its signing input is that of a token of `Vectors`, because only
///   `Vectors` signs with those keys.
/// - A payload, which this function signs with the private key of `Vectors`. It is accepted only if it is an
///   object with what the policy expects.
///
/// The verdict, its code and its offset are the same with an empty cache, with a cache that knows a signer,
/// and with any instructions.
func fuzzJWS(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let rest = Array(input.dropFirst())
    let signs = choice & 0x80 != 0
    let token = signs ? Tokens.sign(rest) : rest
    switch choice & 0x0F % 5 {
    case 0:
        judge(token, choice) { validator, cache throws(SignedPayloadError) in
            try validator.validate(transaction: token, cache: &cache)
        }
    case 1:
        judge(token, choice) { validator, cache throws(SignedPayloadError) in
            try validator.validate(renewalInfo: token, cache: &cache)
        }
    case 2:
        judge(token, choice) { validator, cache throws(SignedPayloadError) in
            try validator.validate(appTransaction: token, cache: &cache)
        }
    case 3:
        judge(token, choice) { validator, cache throws(SignedPayloadError) in
            try validator.validate(realtimeRequest: token, cache: &cache)
        }
    default:
        judge(token, choice) { validator, cache throws(SignedPayloadError) in
            try validator.validate(notification: token, cache: &cache)
        }
    }
}

private func judge<Kind: PayloadKind>(
    _ token: [UInt8],
    _ choice: UInt8,
    _ validate: (SignedPayloadValidator, inout SignedPayloadCache) throws(SignedPayloadError) -> Verified<
        Kind
    >
) {
    var policy = Tokens.policies[Int(choice >> 4 & 1)]
    func verdict(_ cache: inout SignedPayloadCache) -> Result<Verified<Kind>, SignedPayloadError> {
        let validator = SignedPayloadValidator(policy)
        return outcome { () throws(SignedPayloadError) in try validate(validator, &cache) }
    }
    var cache = SignedPayloadCache()
    let first = verdict(&cache)
    let again = verdict(&cache)
    var warm = Tokens.warm
    let learnt = verdict(&warm)
    policy.acceleration = acceleration
    var empty = SignedPayloadCache()
    for other in [again, learnt, verdict(&empty)] {
        require(other.refusal == first.refusal, "\(other) and \(first)")
        require(
            other.value?.members.members.map(\.json) == first.value?.members.members.map(\.json),
            "the same members"
        )
        require(other.value?.notChecked == first.value?.notChecked, "the same checks")
    }
    let unverified = outcome { () throws(SignedPayloadError) in try Unverified<Kind>(unverified: token) }
    switch first {
    case .failure(let error):
        if error.nestedToken == nil {
            require(error.offset >= 0 && error.offset <= token.count, "\(error) lies outside")
        }
        require(error.step == .form || isCompact(token), "three segments in base64url: \(error)")
        if unverified.refusal?.step == .form { require(error.step == .form, "\(error)") }
    case .success(let payload):
        require(isCompact(token), "three segments in base64url")
        require(unverified.value != nil, "what is verified can be read unverified")
        let isKnown = Tokens.signingInputs.contains(signingInput(token))
        require(isKnown || choice & 0x80 != 0, "a token that nobody signed")
        if choice & 0x80 != 0 { checkExpectations(payload, policy) }
        walk(payload.members, Array(payload.members.members.map(\.name)))
    }
}

/// Requires what the policies of ``Tokens`` expect, by plain rules.
private func checkExpectations<Kind: PayloadKind>(_ payload: Verified<Kind>, _ policy: SignedPayloadPolicy) {
    let names = payload.members.members.map(\.name)
    require(Set(names).count == names.count, "no member occurs twice")
    var claims = payload.members
    for name in ["data", "summary", "appData", "externalPurchaseToken"]
    where Kind.self == NotificationKind.self {
        claims = payload.members.object(name) ?? claims
    }
    let environment = claims.text(Kind.self == AppTransactionKind.self ? "receiptType" : "environment")
    let isExternal = claims.text("externalPurchaseId") != nil
    require(isExternal || environment == "Production" || environment == "Sandbox", "the environment")
    if Kind.self != RenewalInfoKind.self && Kind.self != RealtimeRequestKind.self {
        require(claims.text("bundleId") == "com.example.app", "the bundle identifier")
    }
    if Kind.self != TransactionKind.self && Kind.self != RenewalInfoKind.self {
        let identifier = claims.integer("appAppleId")
        require(
            identifier.map { $0 == 1_234_567_890 } ?? (isExternal || environment != "Production"),
            "the Apple ID"
        )
    }
    guard let date = payload.signedDate else { return require(false, "a date") }
    // The certificates are valid from 2020 to the first second of 2030.
    require(
        date.millisecondsSince1970 >= 1_577_836_800_000 && date.millisecondsSince1970 < 1_893_456_001_000,
        "\(date)"
    )
}

/// The characters before the second full stop.
private func signingInput(_ token: [UInt8]) -> [UInt8] {
    Array(token.prefix((token.lastIndex(of: UInt8(ascii: ".")) ?? 0)))
}

/// Whether a text is three segments, and the last two are base64url whose encoding is unique.
private func isCompact(_ token: [UInt8]) -> Bool {
    let segments = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return segments.count == 3
        && segments.dropFirst().allSatisfy { segment in
            let text = String(decoding: segment, as: UTF8.self)
            let standard = text.replacing("-", with: "+").replacing("_", with: "/")
            guard segment.count % 4 != 1, !text.contains("+"), !text.contains("/"),
                let data = Data(base64Encoded: standard + String(repeating: "=", count: -segment.count & 3))
            else { return false }
            return Tokens.base64URL([UInt8](data)) == text
        }
}

/// The tokens of `Vectors`, and what their tests expect.
enum Tokens {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../Vectors/tokens")

    private static func contents(_ name: String) -> [UInt8] {
        [UInt8](FileManager.default.contents(atPath: folder.appendingPathComponent(name).path) ?? Data())
    }

    static let header = Array(contents("header.txt").dropLast())

    /// The signing inputs of all tokens.
    static let signingInputs: Set<[UInt8]> = {
        let header = String(decoding: Tokens.header, as: UTF8.self)
        let rows = String(decoding: contents("tokens.tsv"), as: UTF8.self).split(separator: "\n").dropFirst()
        let tokens = rows.compactMap { row -> [UInt8]? in
            let columns = row.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count == 9 else { return nil }
            return Array(columns[8].replacing("~", with: header).utf8)
        }
        require(tokens.count > 200, "Vectors/tokens is there")
        return Set(tokens.map(signingInput))
    }()

    static let policies: [SignedPayloadPolicy] = {
        let root = HashAlgorithm.sha256.digest(of: contents("root.der").span)
        let anchors = [TrustAnchor(sha256: root.bytes)].compactMap { $0 }
        return [TokenTrust.pinned(anchors), .anySelfSignedProvingIntegrityOnly].enumerated().map {
            SignedPayloadPolicy(
                environments: $0 == 0 ? .only(.production, .sandbox) : .any,
                bundleIdentifier: .exactly("com.example.app"),
                trust: $1,
                appAppleIdentifier: 1_234_567_890
            )
        }
    }()

    /// A cache that knows the signer of ``header``.
    static let warm: SignedPayloadCache = {
        var cache = SignedPayloadCache()
        let payload = #"{"signedDate":1750000000000,"bundleId":"com.example.app","environment":"Sandbox"}"#
        let token = sign(Array(payload.utf8))
        let made = outcome { () throws(SignedPayloadError) in
            try SignedPayloadValidator(policies[0]).validate(transaction: token, cache: &cache)
        }
        require(made.value != nil, "a token signed by plain arithmetic is good: \(made)")
        return cache
    }()

    /// Signs a payload with the key of the signer in `Vectors/tokens/make`. The number k is one: R is G.
    static func sign(_ payload: [UInt8]) -> [UInt8] {
        let (curve, key) = (PlainCurve.p256, 1005)
        let input = header + [UInt8(ascii: ".")] + Array(base64URL(payload).utf8)
        let n = curve.n
        let r = n.residue(curve.p.octets(curve.base.x))
        let e = n.residue(HashAlgorithm.sha256.digest(of: input.span).bytes)
        let s = n.sum(e, n.product(r, n.residue(key)))
        return input + [UInt8(ascii: ".")] + Array(base64URL(n.octets(r) + n.octets(s)).utf8)
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
