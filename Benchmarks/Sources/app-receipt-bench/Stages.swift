import AppReceipt
import Basics
import CMS
import DER
import PKIX
import RSA
import SHA

/// One stage of a validation, run on the results of the stages before it.
struct Stage: Workload {
    /// The stages, in the order of a validation.
    enum Name: String, CaseIterable {
        case base64, container, path
        case contentDigest = "content-digest"
        case rsaKey = "rsa-key"
        case rsa
        case payloadWalk = "payload-walk"
        case payloadDecode = "payload-decode"
    }

    private let name: Name
    private let receipt: DissectedReceipt
    private let text: [UInt8]
    private let publicKey: PublicKey
    private let acceleration: Acceleration
    private let policy = PathPolicy(
        certificateCount: 3...3,
        purpose: .permitted(ObjectIdentifier(2, 5, 29, 37, 0))
    )

    init(_ name: Name, _ receipt: DissectedReceipt, _ acceleration: Acceleration) throws {
        self.name = name
        self.receipt = receipt
        self.acceleration = acceleration
        text = encodeBase64(receipt.bytes)
        publicKey = try PublicKey(subjectPublicKeyInfo: receipt.key.span)
    }

    /// The number of bytes that the stage reads.
    var byteCount: Double {
        switch name {
        case .base64: Double(text.count)
        case .container: Double(receipt.bytes.count)
        case .path: Double(receipt.message.certificates.count)
        case .contentDigest, .payloadWalk, .payloadDecode: Double(receipt.content.count)
        case .rsaKey: Double(receipt.key.count)
        case .rsa: Double(receipt.signature.count)
        }
    }

    func run(_ operations: Int) -> Int {
        switch name {
        case .base64:
            repeated(operations) { () throws in
                try ReceiptInput.decode(text, acceleration: acceleration).count
            }
        case .container:
            repeated(operations) { () throws in try Envelope(receipt.bytes.span).signedData.content.count }
        case .path: repeated(operations, findPath)
        case .contentDigest:
            repeated(operations) { () throws in
                receipt.contentHash.digest(of: receipt.content.span, acceleration: acceleration).count
            }
        case .rsaKey:
            repeated(operations) { () throws in
                try PublicKey(subjectPublicKeyInfo: receipt.key.span).modulusBitCount
            }
        case .rsa:
            repeated(operations) { () throws in
                try publicKey.verify(
                    receipt.signature.span,
                    digest: receipt.contentDigest,
                    acceleration: acceleration
                )
                return 1
            }
        case .payloadWalk:
            repeated(operations) { () throws in
                walk(try UnverifiedReceipt(unverifiedPayload: receipt.content))
            }
        case .payloadDecode:
            repeated(operations) { () throws in
                let payload = try UnverifiedReceipt(unverifiedPayload: receipt.content)
                return decode(payload, payload.unverifiedInAppPurchases)
            }
        }
    }

    /// Decodes the certificates, selects the signer's, and builds its path to the root, which verifies two
    /// signatures.
    private func findPath() throws -> Int {
        let bytes = receipt.bytes.span
        let certificates = CertificateList(
            try SignedData.decodeCertificates(bytes, in: receipt.message.certificates),
            in: bytes
        )
        let signer = try receipt.message.view(in: bytes).signerIndex(among: certificates)
        var keys = KeyCache<SigningKey>(SigningKey.Requirements())
        return try CertificationPath.find(
            from: signer,
            among: certificates,
            at: receipt.creationDate,
            to: receipt.anchors,
            policy: policy,
            keys: &keys,
            acceleration: acceleration
        ).indices.count
    }
}

/// Calls `work` the given number of times.
///
/// - Returns: how many of the calls did not throw.
@inline(__always)
func repeated(_ operations: Int, _ work: () throws -> Int) -> Int {
    var succeeded = 0
    var sum = 0
    for _ in 0..<operations {
        guard let value = try? work() else { continue }
        succeeded += 1
        sum &+= value
    }
    consume(sum)
    return succeeded
}

/// Encodes bytes in base64 (RFC 4648 §4), without line breaks.
func encodeBase64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for place in 0..<4 {
            text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
        }
    }
    return text
}
