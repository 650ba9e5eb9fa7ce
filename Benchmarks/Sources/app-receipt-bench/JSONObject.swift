/// One JSON object, written on one line of standard output (RFC 8259 §4).
struct JSONObject {
    private var members: [String] = []

    mutating func add(_ name: String, _ value: String) { members.append("\"\(name)\":\(Self.quoted(value))") }
    mutating func add(_ name: String, _ value: Int) { members.append("\"\(name)\":\(value)") }
    mutating func add(_ name: String, _ value: Double) {
        members.append("\"\(name)\":\(Self.rounded(value))")
    }
    mutating func add(_ name: String, _ values: [Double]) {
        let text = values.map { "\(Self.rounded($0))" }.joined(separator: ",")
        members.append("\"\(name)\":[\(text)]")
    }
    mutating func add(_ name: String, _ values: [String]) {
        members.append("\"\(name)\":[\(values.map(Self.quoted).joined(separator: ","))]")
    }

    func write() { print("{\(members.joined(separator: ","))}") }

    /// Rounds to a thousandth of a nanosecond, which is finer than any sample is known.
    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
