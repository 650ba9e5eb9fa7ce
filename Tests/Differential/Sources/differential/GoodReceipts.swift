import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import SHA

/// Makes good receipts of every shape.
struct GoodReceipts {
    /// The mints, each with another hash for its certificates.
    private let authorities: [PrivatePKI]
    private let xcodeLike = ReceiptMint.xcodeLike(PrivateKey(seed: 4))

    init() {
        let keys = PrivatePKI.Keys(seed: 1)
        authorities = HashAlgorithm.allCases.map { hash in
            var options = PrivatePKI.Options()
            options.hash = hash
            return PrivatePKI(keys, options: options)
        }
    }

    /// The roots of such receipts, and whether the policy for Xcode applies.
    var roots: [(certificate: [UInt8], isXcode: Bool)] {
        authorities.map { ($0.root.certificate, false) } + [(xcodeLike.root, true)]
    }

    /// The mint of a receipt like Xcode's, and the index of its root.
    func xcodeReceipt(_ random: inout Mutator) -> (octets: [UInt8], root: Int, time: Timestamp) {
        var payload = Self.payload(&random)
        // The policy for Xcode accepts no other environment.
        payload.environment = ReceiptEnvironment.xcode.name
        return (xcodeLike.receipt(payload), authorities.count, payload.creationDate ?? Self.earliest)
    }

    /// A receipt and its creation date.
    ///
    /// - Parameter isSimple: whether the receipt is DER, with a signer and with certificates in the usual
    ///   order.
    func receipt(_ random: inout Mutator, isSimple: Bool) -> (octets: [UInt8], time: Timestamp) {
        let (octets, _, time) = receipt(&random, isSimple)
        return (octets, time)
    }

    /// A receipt, the index of its root, and its creation date.
    func anyReceipt(_ random: inout Mutator) -> (octets: [UInt8], root: Int, time: Timestamp) {
        random.oneIn(8) ? xcodeReceipt(&random) : receipt(&random, false)
    }

    private func receipt(_ random: inout Mutator, _ isSimple: Bool) -> (
        octets: [UInt8], root: Int, time: Timestamp
    ) {
        let payload = Self.payload(&random)
        let time = payload.creationDate ?? Self.earliest
        let root = random.below(authorities.count)
        var authority = authorities[root]
        if random.oneIn(2) {
            let serial =
                [UInt8(1 + random.below(127))] + (0..<random.below(20)).map { _ in UInt8(random.below(256)) }
            let margins = (Int64(random.below(90)), Int64(1 + random.below(90)))
            authority = authority.reissued(.leaf) { template in
                template.serialNumber = serial
                template.notBefore = Timestamp(millisecondsSince1970: 1000 * (time.seconds - margins.0))
                template.notAfter = Timestamp(millisecondsSince1970: 1000 * (time.seconds + margins.1))
            }
        }
        let hash = random.choice(HashAlgorithm.allCases)
        var mint = ReceiptMint(authority, digest: hash)
        Self.vary(&mint.message.signers[0], authority, hash, &random)
        if !isSimple {
            if random.oneIn(3) { mint.message.certificates.swapAt(random.below(3), random.below(3)) }
            if random.oneIn(6) { mint.message.certificates.removeAll { $0 == authority.root.certificate } }
            if random.oneIn(3) { mint.message.encoding = .ber(segmentByteCount: 1 + random.below(1500)) }
        }
        return (mint.receipt(payload), root, time)
    }

    private static func vary(
        _ signer: inout SignerTemplate,
        _ authority: PrivatePKI,
        _ hash: HashAlgorithm,
        _ random: inout Mutator
    ) {
        if random.oneIn(2) { signer.signatureAlgorithm = .rsaSignature(hash) }
        if random.oneIn(4) {
            signer.digestAlgorithm = AlgorithmTemplate(
                AlgorithmTemplate.digest(hash).identifier,
                parameters: []
            )
        }
        if random.oneIn(4) { signer.identifier = .subjectKeyIdentifier(authority.leaf.key.keyIdentifier) }
        guard random.oneIn(2) else { return }
        var attributes = [SignedAttribute].standard
        if random.oneIn(2) {
            attributes.append(.signingTime(Timestamp(millisecondsSince1970: 1_700_000_000_000)))
        }
        if random.oneIn(3) {
            let type = ObjectIdentifier(1, 2, 840, 113635, 100, 999, UInt32(random.below(9)))
            attributes.append(.attribute(type, values: [[0x05, 0x00], [0x0C, 0x02, 0x68, 0x69]]))
        }
        signer.signedAttributes = attributes
    }

    /// 2012-01-01.
    private static var earliest: Timestamp { Timestamp(millisecondsSince1970: 1_325_376_000_000) }

    private static func payload(_ random: inout Mutator) -> PayloadTemplate {
        var payload = PayloadTemplate(bundleIdentifier: "com.example.app\(random.below(1000))")
        let seconds = Int64(random.below(400_000_000))
        let fraction = random.oneIn(3) ? Int64(random.below(1000)) : 0
        payload.creationDate = Timestamp(
            millisecondsSince1970: earliest.millisecondsSince1970 + 1000 * seconds + fraction
        )
        payload.environment = random.choice(ReceiptEnvironment.allCases).name
        payload.isSorted = !random.oneIn(3)
        if random.oneIn(2) { payload.originalPurchaseDate = earliest }
        if random.oneIn(4) { payload.appVersion = nil }
        payload.purchases = (0..<random.below(4)).map { number in
            var purchase = PurchaseTemplate(productIdentifier: "com.example.product\(number)")
            if random.oneIn(2) { purchase.productType = Int64(random.below(4)) }
            if random.oneIn(2) { purchase.isTrialPeriod = random.oneIn(2) }
            return purchase
        }
        if random.oneIn(2) {
            let octets = (0..<random.below(100)).map { _ in UInt8(random.below(256)) }
            payload.rawAttributes = [AttributeTemplate(Int64(6 + random.below(2)), value: octets)]
        }
        return payload
    }

    /// The certificates of a message.
    static func certificates(in octets: [UInt8]) throws(Refusal) -> [[UInt8]] {
        let envelope = try Envelope(octets.span)
        let bytes = envelope.der ?? octets
        return try SignedData.decodeCertificates(bytes.span, in: envelope.signedData.certificates)
            .map { [UInt8](bytes[$0.range]) }
    }
}
