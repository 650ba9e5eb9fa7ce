import Foundation
import TestSupport
import Testing

/// Corpora of minted receipts, and runs of `corpus verify` over them.
enum Corpus {
    static let root = ["--root", "Vectors/certificates/root.der"]
    /// The same root, every app and every environment.
    static let any = root + CommandRun.anyReceipt

    /// The names of all containers among the vectors, valid and invalid, in order.
    static let names: [String] = {
        let directory = SharedData.packageRoot.appending(path: "Vectors/receipts").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { ($0.hasSuffix(".der") || $0.hasSuffix(".ber")) && $0 != "empty.der" }.sorted()
    }()
    static let receipts: [[UInt8]] = names.compactMap { try? vector("receipts/\($0)") }
    static let good = (try? vector("receipts/sandbox-sha256.der")) ?? []
    /// The receipt's digest, computed with sha256sum.
    static let goodDigest = "62a92d4a71a789c267c8fb447f09002f423a96209bc72a1ccd2eade783fe1482"

    /// The verdict of `verify` on each receipt: status, step and code.
    static var verdicts: [[JSONValue?]] {
        get async throws { try await judged.value }
    }
    private static let judged = Task {
        let files = names.map { "Vectors/receipts/\($0)" }
        let objects = try await CommandRun(["verify", "--json"] + any + files).objects()
        return objects.map { [$0["status"], $0["step"], $0["code"]] }
    }

    /// The verdict on each receipt as a record of a format. Digits that are cut off are unreadable, while
    /// bytes that are cut off are invalid.
    static func verdicts(in format: String) async throws -> [[JSONValue?]] {
        guard ["hex", "pgcopy"].contains(format) else { return try await verdicts }
        return zip(names, try await verdicts).map { name, verdict in
            name == "truncated.der"
                ? [.string("unreadable"), .string("input"), .string("input.cut-off")] : verdict
        }
    }

    /// A run that accepts sources without any readable record.
    static func run(_ arguments: [String], _ input: [UInt8] = []) async throws -> CommandRun {
        try await strict(["--allow-unreadable"] + arguments, input)
    }

    /// A run that warns of sources without any readable record.
    static func strict(_ arguments: [String], _ input: [UInt8] = []) async throws -> CommandRun {
        // The expectations that a test does not give accept everything.
        let expectations = stride(from: 0, to: 4, by: 2).map { CommandRun.anyReceipt[$0..<($0 + 2)] }
            .filter { option in !arguments.contains { $0.hasPrefix(option[option.startIndex]) } }.joined()
        return try await CommandRun(["corpus", "verify"] + root + expectations + arguments, input: input)
    }

    static func run(_ arguments: [String], _ input: String) async throws -> CommandRun {
        try await run(arguments, [UInt8](input.utf8))
    }

    static func base64(_ receipt: [UInt8]) -> String { Data(receipt).base64EncodedString() }
    static func hexadecimal(_ receipt: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let octets = receipt.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: octets, as: UTF8.self)
    }
    static func prefixed(_ receipt: [UInt8]) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: receipt.count >> $0) } + receipt
    }

    /// Encodes receipts as the records of a format.
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
    /// The values of a member on all lines.
    func all(_ name: String) throws -> [JSONValue?] { try objects().map { $0[name] } }
    func codes() throws -> [String] { try objects().map { $0["code"]?.string ?? "valid" } }
}
