import SHA

// `#expect` takes its operands apart, and cannot hold a span: these borrow from an array on the other side.

func sha256(_ bytes: [UInt8]) -> String { SHA256.digest(of: bytes.span).description }

extension HashAlgorithm {
    func digest(of message: [UInt8]) -> Digest { digest(of: message.span) }
}
