import AppReceipt
import Basics

/// The name of a file, byte for byte. The name `-` is standard input.
package struct FileName: Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The name as text. Ill-formed UTF-8 is replaced by U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The name for a message: `standard input` for `-`, else the text with control characters, line and
    /// paragraph separators, byte order marks, and characters that change the writing direction as `\u{…}`.
    package var printable: String { isStandardInput ? "standard input" : text.printable }
    package var isStandardInput: Bool { bytes == [UInt8(ascii: "-")] }

    private static let marker = "not UTF-8: "

    /// The name as text, whose UTF-8 bytes differ for different names.
    ///
    /// If the name is UTF-8 and does not begin with `not UTF-8: `, the text is the name. Otherwise the text
    /// is `not UTF-8: ` and the name's bytes in hexadecimal.
    package var exactText: String {
        let text = text
        let isPlain = text.utf8.elementsEqual(bytes) && !bytes.starts(with: Self.marker.utf8)
        return isPlain ? text : Self.marker + Hexadecimal.digits(of: bytes.borrowedSpan)
    }
}
