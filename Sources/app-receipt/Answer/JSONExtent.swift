/// Finds the end of a JSON object or array that arrives in pieces, without a check of its syntax.
struct JSONExtent {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether the bytes read so far include the end of the object or array. Once true, it stays true.
    private(set) var isAtEnd = false

    /// Reads the bytes that follow the bytes of earlier calls. Bytes after the end of the object or array
    /// are ignored.
    mutating func read(_ bytes: [UInt8]) {
        for byte in bytes where !isAtEnd {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: break
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                isAtEnd = depth <= 0
            default: break
            }
        }
    }
}
