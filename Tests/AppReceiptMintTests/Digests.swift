import SHA

// `#expect` expands its operands and cannot hold a span. These functions take an array and borrow its span
// outside of the macro.

func sha256(_ bytes: [UInt8]) -> String { HashAlgorithm.sha256.digest(of: bytes.span).description }

extension HashAlgorithm {
    func digest(of message: [UInt8]) -> Digest { digest(of: message.span) }
}
