/// One equation of BoringSSL's arithmetic vectors: numbers by their names.
public struct Equation: Sendable {
    /// The file, and the place in it, counted from 1.
    public let name: String
    private let sides: [String: String]

    /// A number with a sign, in hexadecimal digits, of which there may be an odd number.
    public struct Number: Sendable {
        public let isNegative: Bool
        /// The octets of its absolute value, the most significant first.
        public let magnitude: [UInt8]

        /// How many bits the absolute value has.
        public var bitCount: Int {
            guard let first = magnitude.firstIndex(where: { $0 != 0 }) else { return 0 }
            return 8 * (magnitude.count - first) - magnitude[first].leadingZeroBitCount
        }
    }

    /// Nil where the equation has no such side.
    public subscript(_ side: String) -> Number? {
        sides[side].map { text in
            let digits = text.drop { $0 == "-" }
            return Number(
                isNegative: text.hasPrefix("-"),
                magnitude: hex(digits.utf8.count % 2 == 0 ? String(digits) : "0" + digits)
            )
        }
    }

    /// The equations of a suite: paragraphs of `name = number`.
    public static func all(of suite: VectorSuite) throws -> [Equation] {
        try suite.tables.flatMap { table in
            try paragraphs(of: SharedData.bytes("vectors/\(table)")).enumerated().map { index, lines in
                Equation(name: "\(table.split(separator: "/").last ?? "")/\(index + 1)", sides: lines)
            }
        }
    }

    static func paragraphs(of bytes: [UInt8]) -> [[String: String]] {
        String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .split { $0.isEmpty }
            .map { lines in
                Dictionary(
                    lines.filter { !$0.hasPrefix("#") }.map { line in
                        let sides = line.split(separator: "=", omittingEmptySubsequences: false)
                        return (sides[0].filter { $0 != " " }, sides[1].filter { $0 != " " })
                    },
                    uniquingKeysWith: { first, _ in first }
                )
            }
            .filter { !$0.isEmpty }
    }
}
