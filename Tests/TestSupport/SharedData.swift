import Foundation

/// Conformance data that lies beside the checkout, in `../shared`: read from there, never copied here.
///
/// Where it is missing, tests that need it are skipped and say so; under CI they run, and fail.
public enum SharedData {
    public static let root: URL = packageRoot.deletingLastPathComponent().appending(path: "shared")

    public static let packageRoot: URL = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Whether tests that need the data should run.
    public static let isExpected: Bool =
        FileManager.default.fileExists(atPath: root.path)
        || ProcessInfo.processInfo.environment["CI"] != nil

    /// The bytes of `../shared/PATH`.
    public static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appending(path: path)))
    }

    /// The names of the files in `../shared/PATH` that end so, in order.
    public static func files(in path: String, suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)
            .filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The rows of a table in `../shared`: tab-separated, LF, a first line with `#`.
    public static func table(_ path: String) throws -> [Row] { try Row.table(bytes(path)) }
}

/// The bytes of `Vectors/PATH` in this package.
public func vector(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: SharedData.packageRoot.appending(path: "Vectors/\(path)")))
}

/// One line of a table, its fields by the names in the table's first line.
public struct Row: Sendable, CustomStringConvertible {
    let names: [String: Int]
    let fields: [String]

    /// The field in the column whose heading begins with this word.
    public subscript(_ name: String) -> String {
        guard let index = names[name] else { fatalError("no column \(name) in \(names.keys.sorted())") }
        return index < fields.count ? fields[index] : ""
    }

    public var description: String { fields[0] }

    public static func table(_ bytes: [UInt8]) throws -> [Row] {
        var lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: true)
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        let heading = lines.removeFirst().map { String($0.drop { $0 == "#" }.prefix { $0 != " " }) }
        let names = Dictionary(heading.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return lines.map { Row(names: names, fields: $0) }
    }
}

/// Bytes from hexadecimal digits; anything else is skipped.
public func hex(_ digits: some StringProtocol) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.utf8.count / 2)
    var high: UInt8?
    for character in digits.utf8 {
        let digit: UInt8
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
        default: continue
        }
        if let first = high {
            bytes.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return bytes
}
