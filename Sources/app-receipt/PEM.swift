import AppReceipt

/// The textual encoding of RFC 7468, as far as this tool meets it: what stands between a line that begins and a
/// line that ends.
enum PEM {
    /// The certificates in a text; nil where it has no line that begins anything, and may be DER.
    ///
    /// One whose base64 is broken is given as no bytes, for the decoder to refuse.
    static func certificates(_ text: [UInt8]) -> [[UInt8]]? {
        blocks(text).map { blocks in
            blocks.filter { ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"].contains($0.label) }
                .map(\.bytes)
        }
    }

    /// What each block is labelled with, and its bytes; nil where there is none.
    static func blocks(_ text: [UInt8]) -> [(label: String, bytes: [UInt8])]? {
        var blocks: [(label: String, bytes: [UInt8])] = []
        var label: String?
        var body: [UInt8] = []
        for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let trimmed = String(decoding: line, as: UTF8.self).trimmingSpaces
            if let name = trimmed.between("-----BEGIN ", "-----") {
                label = name
                body = []
            } else if let current = label, trimmed.between("-----END ", "-----") != nil {
                // Whatever begins with a SEQUENCE is decoded alike, a certificate as a receipt.
                blocks.append((current, (try? ReceiptInput.decode(body)) ?? []))
                label = nil
            } else if label != nil {
                body += line
                body.append(UInt8(ascii: "\n"))
            }
        }
        return blocks.isEmpty ? nil : blocks
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    fileprivate func between(_ prefix: String, _ suffix: String) -> String? {
        guard hasPrefix(prefix), hasSuffix(suffix), utf8.count > prefix.utf8.count + suffix.utf8.count else {
            return nil
        }
        return String(dropFirst(prefix.count).dropLast(suffix.count))
    }
}
