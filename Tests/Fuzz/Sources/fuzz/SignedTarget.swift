import AppReceipt
import AppReceiptMint
import Basics
import CMS
import DER
import PKIX
import SHA

/// Checks a payload in a message that signs it. The validator's verdict equals the result of decoding the
/// payload alone, for any message. So fuzzing reaches the steps after a right signature.
///
/// The first byte chooses the form of the message; the rest is the payload.
func fuzzSigned(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    let payload = Array(input.dropFirst())
    let alone = outcome { () throws(ReceiptError) in try UnverifiedReceipt(unverifiedPayload: payload) }
    var message = Signing.mint.message
    let hasAttributes = kind & 1 != 0
    if hasAttributes { message.signers[0].signedAttributes = .standard }
    message.signers[0].digest = HashAlgorithm.allCases[Int(kind >> 1 & 3)]
    if kind & 8 != 0 { message.encoding = .ber(segmentByteCount: Int(kind >> 4) * 64 + 1) }
    let bytes = message.signed(payload: payload)
    do throws(ReceiptError) {
        let receipt = try Signing.validator.validate(bytes)
        guard case .success(let unverified) = alone else {
            return require(false, "a payload that is refused alone is refused in a message")
        }
        require(unverified.description == "unverified: \(receipt.description)", "the same receipt")
        require(unverified.creationDate == receipt.creationDate, "the same date")
        require(receipt.digestAlgorithm == message.signers[0].digest, "the digest algorithm of the signature")
        require(
            receipt.attributes.elementsEqual(unverified.attributes) { $0.value.elementsEqual($1.value) },
            "the same attributes"
        )
        require(
            Array(receipt.inAppPurchases).count == Array(unverified.unverifiedInAppPurchases).count
                && receipt.malformedInAppPurchases.count == unverified.malformedInAppPurchases.count,
            "the same purchases"
        )
    } catch {
        require(error.offset >= 0 && error.offset <= bytes.count, "\(error) lies outside")
        switch error.step {
        case .creationDate:
            require(
                alone.value?.creationDate == nil,
                "a date found alone is also found in the message: \(error)"
            )
        case .certificatePath:
            let time = alone.value?.creationDate
            require(
                alone.value == nil || time.map { !Signing.isValid(at: $0) } ?? true,
                "only its time can make a path fail: \(error)"
            )
        case .signature:
            require(
                error.code == .contentIsSignedAttributes && !hasAttributes,
                "only its hash can make a signature fail: \(error)"
            )
        case .payload:
            require(alone.refusal?.code == error.code, "the refusal of the payload alone: \(error)")
        default: require(false, "a step that does not depend on the payload: \(error)")
        }
    }
}

/// The signers and the validators.
private enum Signing {
    static let mint = ReceiptMint(seed: 1)

    static let validator = ReceiptValidator(
        ReceiptPolicy(
            environments: .any,
            bundleIdentifier: .any,
            trust: .pinned([try? TrustAnchor(certificate: mint.root)].compactMap { $0 })
        )
    )

    /// Whether all certificates of the mint are valid.
    static func isValid(at time: Timestamp) -> Bool {
        mint.message.certificates.allSatisfy { bytes in
            var reader = Reader(bytes.span)
            guard let validity = try? Certificate(&reader).validity else { return false }
            return validity.notBefore <= time && time <= validity.notAfter
        }
    }
}
