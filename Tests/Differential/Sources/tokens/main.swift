// Judges tokens for Tests/Differential/tokens. Each line of the input has the kind, the SHA-256 digest of the
// trusted root and the token's bytes, both in hexadecimal. Each line of the output is `accept`, or the step
// and the code of the refusal.

import PKIX
import SignedPayloads

/// The octets of an even number of hexadecimal digits.
func octets(_ digits: some StringProtocol) -> [UInt8] {
    func value(_ digit: UInt8) -> UInt8 { digit < 0x40 ? digit - 0x30 : digit - 0x57 }
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
}

func verdict(
    _ kind: some StringProtocol,
    _ token: [UInt8],
    _ validator: SignedPayloadValidator,
    _ cache: inout SignedPayloadCache
) -> String {
    do throws(SignedPayloadError) {
        switch kind {
        case "transaction": _ = try validator.validate(transaction: token, cache: &cache)
        case "renewal-info": _ = try validator.validate(renewalInfo: token, cache: &cache)
        case "app-transaction": _ = try validator.validate(appTransaction: token, cache: &cache)
        case "realtime-request": _ = try validator.validate(realtimeRequest: token, cache: &cache)
        default: _ = try validator.validate(notification: token, cache: &cache)
        }
        return "accept"
    } catch {
        return "\(error.step) \(error.code.name)"
    }
}

/// One cache for all tokens, as a server has it.
var shared = SignedPayloadCache()
while let line = readLine() {
    let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
    let validator = SignedPayloadValidator(
        SignedPayloadPolicy(
            environments: .only(.production, .sandbox),
            bundleIdentifier: .exactly("com.example.app"),
            trust: .pinned([TrustAnchor(sha256: octets(columns[1]))].compactMap { $0 }),
            appAppleIdentifier: 1_234_567_890
        )
    )
    let token = octets(columns[2])
    var empty = SignedPayloadCache()
    let alone = verdict(columns[0], token, validator, &empty)
    let remembered = verdict(columns[0], token, validator, &shared)
    print(alone == remembered ? alone : "the cache changes the verdict: \(alone), \(remembered)")
}
