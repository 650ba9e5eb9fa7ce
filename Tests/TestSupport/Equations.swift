/// One equation of BoringSSL's arithmetic vectors: a set of named numbers.
public struct Equation: Sendable {
    /// The file, and the number of the equation in the file, counted from 1.
    public let name: String
    private let sides: [String: String]

    /// A number with a sign. The file has it in hexadecimal, with an even or odd number of digits.
    public struct Number: Sendable {
        /// Whether the number has a minus sign.
        public let isNegative: Bool
        /// The octets of the absolute value, the most significant octet first.
        public let magnitude: [UInt8]

        /// The number of bits of the absolute value.
        public var bitCount: Int {
            guard let first = magnitude.firstIndex(where: { $0 != 0 }) else { return 0 }
            return 8 * (magnitude.count - first) - magnitude[first].leadingZeroBitCount
        }
    }

    /// The number of a name; nil if the equation has no number of this name.
    public subscript(_ side: String) -> Number? {
        sides[side].map { text in
            let digits = text.drop { $0 == "-" }
            return Number(
                isNegative: text.hasPrefix("-"),
                magnitude: hex(digits.utf8.count % 2 == 0 ? String(digits) : "0" + digits)
            )
        }
    }

    /// Reads the equations of a suite. Each equation is a paragraph of lines `name = number`.
    public static func all(of suite: VectorSuite) throws -> [Equation] {
        try suite.tables.flatMap { table in
            try paragraphs(of: SharedData.bytes("vectors/\(table)")).enumerated().map { index, lines in
                Equation(name: "\(table.split(separator: "/").last ?? "")/\(index + 1)", sides: lines)
            }
        }
    }

    /// Splits a file into paragraphs and reads the lines `name = number` of each. Lines that begin with `#`
    /// are comments.
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
