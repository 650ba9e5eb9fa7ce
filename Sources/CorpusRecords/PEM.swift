import AppReceipt
import DER

/// The textual encoding of RFC 7468, as far as corpora and people use it: what stands between a line that
/// begins and a line that ends.
package enum PEM {
    /// The certificates in a text; nil where it has no line that begins anything, and may be DER.
    ///
    /// One whose base64 is broken is given as no bytes, for the decoder to refuse.
    package static func certificates(_ text: ArraySlice<UInt8>) -> [[UInt8]]? {
        blocks(text).map { blocks in
            blocks.filter { ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"].contains($0.label) }
                .map(\.bytes)
        }
    }

    /// What each block is labelled with, and its bytes; nil where there is none.
    package static func blocks(_ text: ArraySlice<UInt8>) -> [(label: String, bytes: [UInt8])]? {
        // There is a space in the line that begins one.
        guard text.span.firstIndex(of: UInt8(ascii: " "), in: 0..<text.count) != nil else { return nil }
        var blocks: [(label: String, bytes: [UInt8])] = []
        var label: String?
        var body: [UInt8] = []
        for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if let name = line.label(after: "-----BEGIN ") {
                label = name
                body = []
            } else if let current = label, line.label(after: "-----END ") != nil {
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

extension ArraySlice<UInt8> {
    /// What stands on this line between such a beginning and five dashes; white space may follow (§2).
    fileprivate func label(after beginning: String) -> String? {
        guard starts(with: beginning.utf8) else { return nil }
        var rest = dropFirst(beginning.utf8.count)
        while let last = rest.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") {
            rest.removeLast()
        }
        guard rest.count >= 5, rest.suffix(5).allSatisfy({ $0 == UInt8(ascii: "-") }) else { return nil }
        return String(decoding: rest.dropLast(5), as: UTF8.self)
    }
}
