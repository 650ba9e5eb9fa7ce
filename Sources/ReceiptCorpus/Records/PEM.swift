import AppReceipt
import Bytes
import DER

/// A reader of the textual encoding of RFC 7468: blocks of base64 between a BEGIN and an END line.
package enum PEM {
    /// The certificates in a text, or nil if the text has no block and may be DER.
    ///
    /// Skips blocks whose label does not name a certificate. A block with malformed base64 becomes an empty
    /// array, which the certificate's decoder refuses.
    package static func certificates(_ text: ArraySlice<UInt8>) -> [[UInt8]]? {
        blocks(text).map { blocks in
            blocks.filter { ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"].contains($0.label) }
                .map(\.bytes)
        }
    }

    /// The label of the BEGIN line and the decoded bytes of each block; nil if there is no whole block.
    ///
    /// The bytes are empty if `ReceiptInput` refuses the block's text, for example because it is not base64
    /// of a SEQUENCE. A block without an END line is left out. The label of the END line is not compared.
    package static func blocks(_ text: ArraySlice<UInt8>) -> [(label: String, bytes: [UInt8])]? {
        // Every BEGIN line contains a space.
        guard text.borrowedSpan.firstIndex(of: UInt8(ascii: " "), in: 0..<text.count) != nil else {
            return nil
        }
        var blocks: [(label: String, bytes: [UInt8])] = []
        var label: String?
        var body: [UInt8] = []
        var rest = text
        while !rest.isEmpty {
            // The lines are not collected: a text of 16 MiB may have as many.
            let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            rest = rest.dropFirst(line.count + 1)
            guard !line.isEmpty else { continue }
            if let name = line.label(after: "-----BEGIN ") {
                label = name
                body = []
            } else if let current = label, line.label(after: "-----END ") != nil {
                // The decoder accepts any SEQUENCE, so it decodes certificates as well as receipts.
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
    /// The text between `beginning` and five dashes on this line. White space may follow the dashes (§2).
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
