import AppReceiptMint
import Basics
import ECDSA
import ReceiptResults
import SHA
import SignedPayloads

/// The description of a corpus of tokens, with the certificates that sign the tokens. Equal descriptions make
/// equal tokens.
struct TokenCorpus: Sendable {
    /// The root's certificate in DER, for a validator to pin.
    let root: [UInt8]
    private let seed: UInt64
    /// The certificates and keys of each signer.
    private let chains: [TokenPKI]
    /// The mint of each signer's valid tokens.
    private let mints: [TokenMint]
    /// The payload that all tokens are made from.
    private let template: TokenTemplate
    /// The share of bad tokens, in millionths of all tokens. ``line(_:)`` rounds it down to a multiple of
    /// the number of flaws.
    private let bad: Int
    /// The flaws of the bad tokens. All elements of the array are equally frequent.
    private let flaws: [TokenFlaw]
    private let format: MintedFormat

    private static let maximumIntermediates = 4
    private static let maximumLeafKeys = 64

    /// Makes the certificates of a number of signers under one root.
    ///
    /// The signers share up to 64 keys and up to 4 intermediates. Each signer has a leaf certificate of its
    /// own.
    init(
        _ template: TokenTemplate,
        seed: UInt64,
        chains count: Int,
        bad: Int,
        flaws: [TokenFlaw],
        format: MintedFormat
    ) {
        var seeds = SeededGenerator(seed: seed)
        let rootKey = ECPrivateKey(.p384, seed: seeds.next())
        let intermediateKeys = (0..<min(count, Self.maximumIntermediates)).map { _ in
            ECPrivateKey(.p384, seed: seeds.next())
        }
        let families = (0..<min(count, Self.maximumLeafKeys)).map { index in
            let generation = index % intermediateKeys.count
            return TokenPKI(
                TokenPKI.Keys(
                    root: rootKey,
                    intermediate: intermediateKeys[generation],
                    leaf: ECPrivateKey(seed: seeds.next())
                )
            ).reissued(.intermediate) { $0.serialNumber = [0x02, UInt8(generation)] }
        }
        chains = (0..<count).map { index in
            families[index % families.count].reissued(.leaf) { $0.serialNumber = Self.serialNumber(index) }
        }
        mints = chains.map { TokenMint($0) }
        root = families[0].root.certificate
        (self.template, self.seed, self.bad) = (template, seed, bad)
        (self.flaws, self.format) = (flaws, format)
    }

    /// The serial number of a signer's certificate: 16 octets, as many as Apple's have.
    private static func serialNumber(_ chain: Int) -> [UInt8] {
        [0x4D, 0x69, 0x6E, 0x74, 0, 0, 0, 0]
            + (0..<8).map { UInt8(truncatingIfNeeded: chain >> (8 * (7 - $0))) }
    }

    /// Makes the line of the record with a number, from 1, with its line feed.
    func line(_ number: Int) -> [UInt8] {
        var random = RecordRandom(seed: seed, record: number)
        let flaw = random.index(among: flaws.map { _ in bad / flaws.count }).map { flaws[$0] }
        let bundleIdentifier = "com.example.app\(random.number(in: 1...3))"
        let chain = random.number(in: 0...(chains.count - 1))
        let mint = flaw.map { TokenMint(chains[chain], flaw: $0) } ?? mints[chain]
        let token = mint.token(payload(bundleIdentifier, &random))
        guard format == .ndjson else { return token + [UInt8(ascii: "\n")] }
        let digest = HashAlgorithm.sha256.digest(of: token.borrowedSpan)
        // No value holds a character that JSON would escape.
        let head =
            "{\"id\":\(number),\"bundle_id\":\"\(bundleIdentifier)\",\"kind\":\"\(flaw?.rawValue ?? "good")\","
            + "\"status\":\"\(flaw?.code.kind.name ?? "valid")\",\"step\":\"\(flaw?.step.rawValue ?? "")\","
            + "\"code\":\"\(flaw.map { "\($0.code.name)" } ?? "")\",\"sha256\":\"\(digest)\",\"token\":\""
        return [UInt8](head.utf8) + token + [UInt8]("\"}\n".utf8)
    }

    /// Makes a payload for the given app, and draws its dates, identifiers, product and price.
    private func payload(_ bundleIdentifier: String, _ random: inout RecordRandom) -> TokenTemplate {
        var template = template
        template.bundleIdentifier = bundleIdentifier
        let signed = CorpusPlan.date(CorpusPlan.sha256Dates, &random)
        template.signedDate = signed
        let identifier = "2000000\(random.number(in: 100_000_000...999_999_999))"
        let bought = signed - .seconds(random.number(in: 0...100_000))
        let price: Int64 = 1000 * random.number(in: 1...50) - 10
        let product = "\(bundleIdentifier).product\(random.number(in: 1...5))"
        func vary(_ template: inout TokenTemplate) {
            let values: [ObjectTemplate.Member] = [
                ("transactionId", .text(identifier)), ("originalTransactionId", .text(identifier)),
                ("productId", .text(product)), ("purchaseDate", .date(bought)),
                ("originalPurchaseDate", .date(bought)), ("expiresDate", .date(bought + .days(30))),
                ("renewalDate", .date(bought + .days(30))), ("price", .integer(price)),
                ("renewalPrice", .integer(price)), ("requestDate", .date(signed)),
            ]
            for (name, value) in values where template.payload[name] != nil { template.payload[name] = value }
        }
        vary(&template)
        template.changeNested(.transaction, vary)
        template.changeNested(.renewalInfo, vary)
        return template
    }
}
