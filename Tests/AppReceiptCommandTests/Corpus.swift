import Foundation
import TestSupport
import Testing

/// Corpora of the minted receipts, and runs over them.
enum Corpus {
    static let root = ["--root", "Vectors/certificates/root.der"]

    /// The containers among the vectors, good ones and bad ones, in the order of their names.
    static let names: [String] = {
        let directory = SharedData.packageRoot.appending(path: "Vectors/receipts").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { ($0.hasSuffix(".der") || $0.hasSuffix(".ber")) && $0 != "empty.der" }.sorted()
    }()
    static let receipts: [[UInt8]] = names.compactMap { try? vector("receipts/\($0)") }
    static let good = (try? vector("receipts/sandbox-sha256.der")) ?? []
    /// By sha256sum.
    static let goodDigest = "62a92d4a71a789c267c8fb447f09002f423a96209bc72a1ccd2eade783fe1482"

    /// What `verify` says of each: its status, and its code.
    static let verdicts: [[JSONValue?]] = {
        let files = names.map { "Vectors/receipts/\($0)" }
        let objects = (try? CommandRun(["verify", "--json"] + root + files).objects()) ?? []
        return objects.map { [$0["status"], $0["error"]?["step"] ?? .null, $0["error"]?["code"] ?? .null] }
    }()

    static func run(_ arguments: [String], _ input: [UInt8] = []) throws -> CommandRun {
        try CommandRun(["corpus", "verify"] + root + arguments, input: input)
    }

    static func run(_ arguments: [String], _ input: String) throws -> CommandRun {
        try run(arguments, [UInt8](input.utf8))
    }

    static func base64(_ receipt: [UInt8]) -> String { Data(receipt).base64EncodedString() }
    static func hexadecimal(_ receipt: [UInt8]) -> String {
        receipt.map { String(format: "%02x", $0) }.joined()
    }
    static func prefixed(_ receipt: [UInt8]) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: receipt.count >> $0) } + receipt
    }

    /// Receipts as lines or rows of a format that every receipt is written in alike.
    static func encode(_ receipts: [[UInt8]], _ format: String) -> [UInt8] {
        func lines(_ line: (Int, [UInt8]) -> String) -> [UInt8] {
            receipts.enumerated().flatMap { [UInt8]((line($0, $1) + "\n").utf8) }
        }
        switch format {
        case "base64": return lines { base64($1) }
        case "hex": return lines { hexadecimal($1) }
        case "ndjson": return lines { "{\"id\":\($0),\"receipt\":\"\(base64($1))\"}" }
        case "csv": return [UInt8]("id,receipt\n".utf8) + lines { "\($0),\"\(base64($1))\"" }
        case "tsv": return [UInt8]("id\treceipt\n".utf8) + lines { "\($0)\t\(base64($1))" }
        case "pgcopy": return lines { "\\\\x\(hexadecimal($1))\t\($0)" } + [UInt8]("\\.\n".utf8)
        case "length-prefixed": return receipts.flatMap { prefixed($0) }
        default: return []
        }
    }

    static let formats = ["base64", "hex", "ndjson", "csv", "tsv", "pgcopy", "length-prefixed"]
}

extension CommandRun {
    /// A member of every line.
    func all(_ name: String) throws -> [JSONValue?] { try objects().map { $0[name] } }
    func codes() throws -> [String] { try objects().map { $0["code"]?.string ?? "valid" } }
}
