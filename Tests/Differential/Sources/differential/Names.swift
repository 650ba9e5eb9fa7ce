import Basics
import CMS
import DER
import PKIX

/// Whether two names in a message, or its root's, have different octets but are equal after preparation (RFC
/// 5280 §7.1). A name in BER counts as another spelling, too.
func hasNamesInTwoSpellings(_ octets: [UInt8], _ root: [UInt8]) -> Bool {
    var spellings: [[String]: [UInt8]] = [:]
    for name in names(octets, root) {
        guard let prepared = prepared(name) else { return true }
        if let other = spellings[prepared], other != name { return true }
        spellings[prepared] = name
    }
    return false
}

private func names(_ octets: [UInt8], _ root: [UInt8]) -> [[UInt8]] {
    var names: [[UInt8]] = []
    if let identifier = signerIdentifier(octets), identifier.tag == 0x30 {
        names.append(identifier.children[0].encoded)
    }
    for bytes in certificates(octets, root) {
        var reader = Reader(bytes.span)
        guard let certificate = try? Certificate(&reader) else { continue }
        names += [certificate.issuer.range, certificate.subject.range].map { [UInt8](bytes[$0]) }
        // The directoryName [4] among authorityCertIssuer [1] of the authority key identifier.
        let view = certificate.view(in: bytes.span)
        guard let found = view.extensions.first(where: { $0.identifier == ObjectIdentifier(2, 5, 29, 35) }),
            let identifier = Node.decode([UInt8](bytes[found.value]))?.first,
            let issuers = identifier.children.first(where: { $0.tag == 0xA1 }),
            let issuer = issuers.children.first(where: { $0.tag == 0xA4 })
        else { continue }
        names.append(issuer.encodedContents)
    }
    return names
}

/// Types and values as text in lower case, without outer spaces and with single inner spaces. Like libcrypto,
/// this prepares ASCII only. Nil for a name that is not DER.
private func prepared(_ name: [UInt8]) -> [String]? {
    guard let sequence = Node.decode(name)?.first, !sequence.hasSegments else { return nil }
    return sequence.children.flatMap { relative in
        relative.children.map { attribute in
            guard attribute.children.count == 2 else { return "" }
            return "\(attribute.children[0].encodedContents) \(text(attribute.children[1]))"
        }.sorted() + ["next"]
    }
}

extension Node {
    /// Whether an element other than a SEQUENCE or SET contains elements, or one of these contains none.
    fileprivate var hasSegments: Bool {
        isNested && tag != 0x30 && tag != 0x31 || tag == 0x10 || tag == 0x11
            || children.contains(where: \.hasSegments)
    }
}

private func text(_ value: Node) -> String {
    let octets = value.encodedContents
    let text =
        switch value.tag {
        case 0x1C: wide(octets, 4)
        case 0x1E: wide(octets, 2)
        // Latin-1, as in libcrypto.
        case 0x14: octets.map { String(UnicodeScalar($0)) }.joined()
        default: String(decoding: octets, as: UTF8.self)
        }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let isUpper = ("A"..."Z").contains(scalar)
        scalars.append(isUpper ? UnicodeScalar(UInt8(scalar.value) | 0x20) : scalar)
    }
    return String(scalars).split { $0.isASCII && $0.isWhitespace }.joined(separator: " ")
}

/// Characters with a fixed number of octets each.
private func wide(_ octets: [UInt8], _ count: Int) -> String {
    stride(from: 0, to: octets.count - octets.count % count, by: count).map { start in
        let value = octets[start..<(start + count)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return UnicodeScalar(value).map { String($0) } ?? "?"
    }.joined()
}
