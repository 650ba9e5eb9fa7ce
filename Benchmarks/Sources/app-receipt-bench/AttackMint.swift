import AppReceiptMint
import Basics
import DER
import SHA

/// Builds the parts of attacks. The attacker has a valid receipt of their own, and keys that no validator
/// trusts.
struct AttackMint {
    let mint: ReceiptMint
    let pki: PrivatePKI
    /// The attacker's key, of 2048 bits. It signs the certificates that lead the validator to the expensive
    /// ones.
    let key: PrivateKey
    let tokenPKI: TokenPKI
    let tokens: TokenMint

    init() {
        pki = PrivatePKI(seed: 1)
        mint = ReceiptMint(pki)
        key = PrivateKey(seed: 2)
        tokenPKI = TokenPKI(seed: 1)
        tokens = TokenMint(tokenPKI)
    }

    /// Returns a valid token.
    func token(_ template: TokenTemplate) -> [UInt8] { tokens.token(template) }

    /// Returns a token with a valid signature over a payload.
    func token(payload: [UInt8]) -> [UInt8] { tokens.signature.signed(payload: payload) }

    /// Returns a valid receipt after the given changes to its message and its payload.
    func receipt(
        _ change: (inout MessageTemplate) -> Void = { _ in },
        payload: (inout PayloadTemplate) -> Void = { _ in }
    ) -> [UInt8] {
        var mint = mint
        change(&mint.message)
        return mint.receipt(bundleIdentifier: "com.example.app") {
            // Sorting a hundred thousand attributes would take longer than everything else.
            $0.isSorted = false
            payload(&$0)
        }
    }

    /// Returns a valid receipt in BER with the content in one segment, and `filler` before that segment.
    func receipt(beforeSegment filler: [UInt8]) -> [UInt8] {
        let whole = receipt { $0.encoding = .ber(segmentByteCount: 1 << 20) }
        let start = firstIndex(of: [0x24, 0x80], in: whole) + 2
        return whole[..<start] + filler + whole[start...]
    }

    /// Returns a valid receipt that carries more certificates before its own. No path needs them.
    func receipt(carrying certificates: [[UInt8]]) -> [UInt8] {
        receipt { $0.certificates = certificates + $0.certificates }
    }

    /// Returns a receipt whose certificates are all made by the attacker.
    ///
    /// - Parameter signature: the length of a wrong signature on the signer's certificate, or nil for a
    ///   correct signature.
    func receipt(signer: AttackCertificate, signature: Int? = nil, others: [[UInt8]]) -> [UInt8] {
        var signer = signer
        signer.serialNumber = 1
        let first = signature.map { signer.unsigned($0) } ?? signer.signed(by: key)
        let certificates = [first] + others
        return receipt {
            $0.certificates = certificates
            $0.signers[0].identifier = .issuerAndSerialNumber(signer.issuerTemplate, serialNumber: [1])
        }
    }
}

/// A certificate made by the attacker. Any field may have any length.
struct AttackCertificate {
    var issuerTemplate: NameTemplate
    var issuer: [UInt8]
    /// The serial number, which distinguishes certificates of one issuer.
    var serialNumber: Int64 = 2
    var subject: [UInt8]
    var key: [UInt8]
    /// The encoded extensions, concatenated.
    var extensions: [UInt8] = []

    init(issuer: String, subject: String, key: [UInt8]) {
        issuerTemplate = NameTemplate(commonName: issuer)
        self.issuer = issuerTemplate.encoded()
        self.subject = NameTemplate(commonName: subject).encoded()
        self.key = key
    }

    /// Returns a certificate that may issue certificates.
    static func authority(_ subject: String, issuer: String, key: [UInt8]) -> Self {
        var certificate = Self(issuer: issuer, subject: subject, key: key)
        certificate.extensions = ExtensionTemplate.basicConstraints(isCertificateAuthority: true).encoded()
        return certificate
    }

    private var algorithm: [UInt8] { AlgorithmTemplate.rsaSignature(.sha256).encoded() }

    private var tbsCertificate: [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { tbs in
            tbs.nest(.constructed(0)) { $0.writeInteger(2) }
            tbs.writeInteger(serialNumber)
            tbs.writeEncoded(algorithm)
            tbs.writeEncoded(issuer)
            tbs.nest(.sequence) { validity in
                validity.writeTime(Timestamp(year: 2000, month: 1, day: 1) ?? .epoch)
                validity.writeTime(Timestamp(year: 2049, month: 1, day: 1) ?? .epoch)
            }
            tbs.writeEncoded(subject)
            tbs.writeEncoded(key)
            guard !extensions.isEmpty else { return }
            tbs.nest(.constructed(3)) { $0.write(.sequence, extensions) }
        }
        return writer.bytes
    }

    /// Returns the encoded certificate with a wrong signature of the given length.
    func unsigned(_ signatureByteCount: Int = 256) -> [UInt8] {
        certificate(tbsCertificate, [UInt8](repeating: 0x55, count: signatureByteCount))
    }

    func signed(by key: PrivateKey) -> [UInt8] {
        let tbsCertificate = tbsCertificate
        return certificate(tbsCertificate, key.sign(HashAlgorithm.sha256.digest(of: tbsCertificate.span)))
    }

    private func certificate(_ tbsCertificate: [UInt8], _ signature: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { certificate in
            certificate.writeEncoded(tbsCertificate)
            certificate.writeEncoded(algorithm)
            certificate.writeBitString(signature)
        }
        return writer.bytes
    }
}

extension Timestamp {
    fileprivate static var epoch: Timestamp { Timestamp(millisecondsSince1970: 0) }
}

/// Returns one encoded DER element.
func element(_ tag: Tag, _ contents: [UInt8]) -> [UInt8] {
    var writer = Writer()
    writer.write(tag, contents)
    return writer.bytes
}

/// Returns `unit` repeated, up to `byteCount` bytes and at least once.
func filled(_ byteCount: Int, with unit: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    for _ in 0..<max(1, byteCount / unit.count) { bytes += unit }
    return bytes
}

/// Returns the index where `part` first occurs in `bytes`, or `bytes.count` if it does not occur.
func firstIndex(of part: [UInt8], in bytes: [UInt8]) -> Int {
    var index = 0
    while index + part.count <= bytes.count {
        if bytes[index] == part[0], bytes[index...].starts(with: part) { return index }
        index += 1
    }
    return bytes.count
}
