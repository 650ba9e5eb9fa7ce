import Foundation

/// The conformance data in `../shared`, beside the checkout. The tests read it there and never copy it here.
///
/// If the data is missing, the tests that need it are skipped, and one line at the beginning of the run names
/// their suites. If the environment variable `CI` is set, those tests run nevertheless, and fail.
public enum SharedData {
    /// The directory `../shared`.
    public static let root: URL = packageRoot.deletingLastPathComponent().appending(path: "shared")

    /// The directory of this package.
    public static let packageRoot: URL = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Whether tests that need the data should run.
    ///
    /// Swift Testing asks for it when it plans the run, before the first test. The first answer prints the
    /// suites that will be skipped.
    public static let isExpected: Bool = {
        let isExpected =
            FileManager.default.fileExists(atPath: root.path)
            || ProcessInfo.processInfo.environment["CI"] != nil
        if !isExpected {
            let message = "Skipped, because ../shared is not beside this checkout: \(dependents)\n"
            FileHandle.standardError.write(Data(message.utf8))
        }
        return isExpected
    }()

    /// The names of the suites and tests that need the data, from the sources of the tests, in one line.
    static var dependents: String {
        let tests = packageRoot.appending(path: "Tests")
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: tests.path)) ?? []
        let names = files.sorted().filter { $0.hasSuffix(".swift") && !$0.hasPrefix("TestSupport/") }
            .flatMap { file in
                let source = (try? Data(contentsOf: tests.appending(path: file))) ?? Data()
                return dependents(inSource: String(decoding: source, as: UTF8.self))
            }
        return names.joined(separator: ", ")
    }

    /// The names of the suites and tests in a source file that are enabled only if the data is there.
    static func dependents(inSource source: String) -> [String] {
        let parts = source.components(separatedBy: ".enabled(if: SharedData.isExpected")
        return parts.dropLast().compactMap { part in
            // The name is the first string literal of the last attribute before the condition.
            let attributes = ["@Suite(", "@Test("].compactMap { part.range(of: $0, options: .backwards) }
            guard let start = attributes.map(\.upperBound).max() else { return nil }
            let literals = part[start...].split(separator: "\"", omittingEmptySubsequences: false)
            return literals.count > 1 ? "“\(literals[1])”" : nil
        }
    }

    /// Returns the bytes of `../shared/PATH`.
    public static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appending(path: path)))
    }

    /// Returns the sorted names of the files in `../shared/PATH` that end in a suffix.
    public static func files(in path: String, suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)
            .filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// Returns the rows of a table in `../shared`. Fields are separated by tabs, lines by LF, and the first
    /// line begins with `#`.
    public static func table(_ path: String) throws -> [Row] { try Row.table(bytes(path)) }
}

/// Returns the bytes of `Vectors/PATH` in this package.
public func vector(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: SharedData.packageRoot.appending(path: "Vectors/\(path)")))
}

/// One line of a table. The names in the table's first line give its fields.
public struct Row: Sendable, CustomStringConvertible {
    let names: [String: Int]
    let fields: [String]

    /// The field in the column whose heading has `name` as first word. A field missing at the end is empty.
    ///
    /// Precondition: the table has the column.
    public subscript(_ name: String) -> String {
        guard let index = names[name] else { fatalError("no column \(name) in \(names.keys.sorted())") }
        return index < fields.count ? fields[index] : ""
    }

    /// The first field, which names the row in logs.
    public var description: String { fields[0] }

    /// Reads a table whose first line has the names of the columns.
    public static func table(_ bytes: [UInt8]) throws -> [Row] {
        var lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: true)
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        let heading = lines.removeFirst().map { String($0.drop { $0 == "#" }.prefix { $0 != " " }) }
        let names = Dictionary(heading.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return lines.map { Row(names: names, fields: $0) }
    }
}

/// Decodes hexadecimal digits. Other characters, and the last of an odd number of digits, are skipped.
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
