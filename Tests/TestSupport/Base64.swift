import Foundation

/// Decodes base64 (RFC 4648 §4). Returns no bytes if the text is not base64.
public func base64(_ text: some StringProtocol) -> [UInt8] {
    [UInt8](Data(base64Encoded: String(text)) ?? Data())
}
