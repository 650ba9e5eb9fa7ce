import Basics
import DER

/// The fields of a certificate, read element by element into separate values (RFC 5280 §4.1).
struct PlainCertificate {
    struct Extension {
        /// The contents octets of the identifier.
        let identifier: [UInt8]
        let isCritical: Bool
        let value: [UInt8]
    }

    let serialNumber: [UInt8]
    /// The encodings.
    let signature: [UInt8]
    let issuer: [UInt8]
    let subject: [UInt8]
    let subjectPublicKeyInfo: Range<Int>
    /// The time in the form 20240601120000.
    let notBefore: String
    let notAfter: String
    let extensions: [Extension]

    /// Decodes a TBSCertificate. Nil if its elements are others.
    init?(tbsCertificate bytes: [UInt8]) {
        guard let whole = elements(bytes), whole.count == 1, whole[0].tag == .sequence,
            var fields = elements(bytes, in: whole[0].contents)?[...]
        else { return nil }
        if fields.first?.tag == .constructed(0) { fields.removeFirst() }
        guard fields.count >= 6 else { return nil }
        let start = fields.startIndex
        let validity = elements(bytes, in: fields[start + 3].contents) ?? []
        guard validity.count == 2, let notBefore = plainTime(bytes, validity[0]),
            let notAfter = plainTime(bytes, validity[1])
        else { return nil }
        (self.notBefore, self.notAfter) = (notBefore, notAfter)
        serialNumber = Array(bytes[fields[start].contents])
        signature = Array(bytes[fields[start + 1].range])
        issuer = Array(bytes[fields[start + 2].range])
        subject = Array(bytes[fields[start + 4].range])
        subjectPublicKeyInfo = fields[start + 5].range
        var extensions: [Extension] = []
        if let explicit = fields.first(where: { $0.tag == .constructed(3) }) {
            guard let sequence = elements(bytes, in: explicit.contents)?.first,
                let all = elements(bytes, in: sequence.contents)
            else { return nil }
            for next in all {
                guard let parts = elements(bytes, in: next.contents), (2...3).contains(parts.count),
                    let value = parts.last
                else { return nil }
                extensions.append(
                    Extension(
                        identifier: Array(bytes[parts[0].contents]),
                        isCritical: parts.count == 3 && bytes[parts[1].contents].contains { $0 != 0 },
                        value: Array(bytes[value.contents])
                    )
                )
            }
        }
        self.extensions = extensions
    }

    /// The value of the extension whose identifier has these contents octets.
    func value(_ identifier: [UInt8]) -> [UInt8]? { extensions.first { $0.identifier == identifier }?.value }

    var isSelfIssued: Bool { issuer == subject }

    /// The reason why the certificate may not issue others, or nil (RFC 5280 §6.1.4 k to n).
    ///
    /// - Parameter below: the number of intermediates between this certificate and the signer's.
    func problemAsIssuer(below: Int) -> String? {
        guard let basic = value(.basicConstraints), let sequence = elements(basic)?.first,
            let parts = elements(basic, in: sequence.contents), parts.first?.tag == .boolean,
            basic[parts[0].contents] == [0xFF]
        else { return "is no authority" }
        if parts.count > 1 {
            let length = basic[parts[1].contents].reduce(0) { min($0 << 8 | Int($1), 1 << 20) }
            if length < below { return "permits no intermediates" }
        }
        return isPermitted(bit: 5) ? nil : "signs no certificates"
    }

    /// Whether the key usage is absent or contains a bit (§4.2.1.3).
    func isPermitted(bit: Int) -> Bool {
        guard let usage = value(.keyUsage) else { return true }
        guard let string = elements(usage)?.first else { return false }
        let octets = usage[string.contents].dropFirst()
        return octets.first.map { $0 >> (7 - bit) & 1 == 1 } ?? false
    }

    /// Whether the extended key usage is absent, or names one of these purposes (§4.2.1.12).
    func isPermitted(purposes: [[UInt8]]) -> Bool {
        guard let usage = value(.extendedKeyUsage) else { return true }
        guard let sequence = elements(usage)?.first, let named = elements(usage, in: sequence.contents) else {
            return false
        }
        return named.contains { purposes.contains(Array(usage[$0.contents])) }
    }

    /// Whether its authority key identifier matches a certificate (§4.2.1.1).
    func mayBeIssued(by other: PlainCertificate) -> Bool {
        guard issuer == other.subject else { return false }
        guard let authority = value(.authorityKeyIdentifier) else { return true }
        guard let sequence = elements(authority)?.first,
            let parts = elements(authority, in: sequence.contents)
        else { return false }
        for part in parts {
            switch part.tag {
            case .primitive(0):
                guard
                    let key = other.value(.subjectKeyIdentifier).flatMap({ value in
                        elements(value)?.first.map { Array(value[$0.contents]) }
                    })
                else { continue }
                if key != Array(authority[part.contents]) { return false }
            case .constructed(1):
                let names = elements(authority, in: part.contents) ?? []
                guard let name = names.first(where: { $0.tag == .constructed(4) }) else { continue }
                if Array(authority[name.contents]) != other.issuer { return false }
            case .primitive(2): if Array(authority[part.contents]) != other.serialNumber { return false }
            default: return false
            }
        }
        return true
    }
}

/// The elements that fill a range. Nil if the range holds anything else.
func elements(_ bytes: [UInt8], in range: Range<Int>? = nil) -> [Element]? {
    var reader = Reader(bytes.span, in: range ?? bytes.indices)
    var all: [Element] = []
    while !reader.isAtEnd {
        guard let next = try? reader.readElement("element") else { return nil }
        all.append(next)
    }
    return all
}

/// The digits of a time, with four digits for the year (RFC 5280 §4.1.2.5).
private func plainTime(_ bytes: [UInt8], _ element: Element) -> String? {
    let text = String(decoding: bytes[element.contents], as: UTF8.self)
    guard text.last == "Z", text.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
    }
    switch (element.tag, text.utf8.count) {
    case (.utcTime, 13): return (text < "50" ? "20" : "19") + text.dropLast()
    case (.generalizedTime, 15): return String(text.dropLast())
    default: return nil
    }
}

/// Identifiers of extensions, as their contents octets.
extension [UInt8] {
    static var subjectKeyIdentifier: Self { [0x55, 0x1D, 14] }
    static var keyUsage: Self { [0x55, 0x1D, 15] }
    static var basicConstraints: Self { [0x55, 0x1D, 19] }
    static var authorityKeyIdentifier: Self { [0x55, 0x1D, 35] }
    static var certificatePolicies: Self { [0x55, 0x1D, 32] }
    static var extendedKeyUsage: Self { [0x55, 0x1D, 37] }
    static var anyExtendedKeyUsage: Self { extendedKeyUsage + [0] }
    static var codeSigning: Self { [0x2B, 6, 1, 5, 5, 7, 3, 3] }
    /// 1.2.840.113635.100.6
    private static var apple: Self { [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 6] }
    static var intermediateMarker: Self { apple + [2, 1] }
    static var leafMarker: Self { apple + [11, 1] }
}
