import Foundation

/// Bytes from base64 (RFC 4648 §4); none where it is not.
public func base64(_ text: some StringProtocol) -> [UInt8] {
    [UInt8](Data(base64Encoded: String(text)) ?? Data())
}
