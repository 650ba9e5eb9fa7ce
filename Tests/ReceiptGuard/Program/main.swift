// Judges the receipts of a table by the generated code and by ReceiptValidator. The expectations of the
// validator come from the table, so that this program contains none of them as a literal.
//
// usage: Guarded DIRECTORY [ROW]   DIRECTORY has receipts.tsv, receipts/ and certificates/; ROW counts from 0
//
// Prints a line for each row: its number, the verdict of the generated code, the verdict of ReceiptValidator.

import AppReceipt
import Foundation

func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

func verdict(_ judge: () throws(ReceiptError) -> Receipt?) -> String {
    do throws(ReceiptError) {
        return try judge() == nil ? "disagreement" : "accept"
    } catch {
        return "\(error.step) \(error.code.name) at \(error.offset)"
    }
}

func judge(_ line: [String: String], in directory: String, by number: Int) throws -> String {
    func field(_ name: String) -> String { line[name] ?? "" }
    let root = try TrustAnchor(certificate: bytes("\(directory)/certificates/\(field("root"))"))
    let device = DeviceIdentifier(field("device_identifier")).map { [$0] }
    let now =
        field("now").isEmpty
        ? nil
        : ISO8601DateFormatter().date(from: field("now")).map {
            Timestamp(millisecondsSince1970: Int64($0.timeIntervalSince1970) * 1000)
        }
    let validator = ReceiptValidator(
        ReceiptPolicy(
            environments: .only([ReceiptEnvironment(name: field("environment"))].compactMap { $0 }),
            bundleIdentifier: .exactly(field("bundle_identifier")),
            trust: .pinned([root]),
            appVersion: field("app_version").isEmpty ? nil : field("app_version"),
            deviceIdentifiers: device,
            now: now
        )
    )
    let input = try bytes("\(directory)/receipts/\(field("file"))")
    let found = verdict { () throws(ReceiptError) in
        try guarded(number, ReceiptInput.decode(input), device, now)
    }
    let expected = verdict { () throws(ReceiptError) in try validator.validate(ReceiptInput.decode(input)) }
    // Raw bytes, without the decoding: text is refused, and the two agree there too.
    let rawFound = verdict { () throws(ReceiptError) in try guarded(number, input, device, now) }
    let rawExpected = verdict { () throws(ReceiptError) in try validator.validate(input) }
    return "\(found)\t\(expected)\t\(rawFound)\t\(rawExpected)"
}

let directory = CommandLine.arguments[1]
let only = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) : nil
let table = String(decoding: try bytes("\(directory)/receipts.tsv"), as: UTF8.self)
    .split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
for (index, fields) in table.dropFirst().enumerated() where only == nil || only == index {
    let padded = fields + Array(repeating: "", count: max(0, table[0].count - fields.count))
    let line = Dictionary(uniqueKeysWithValues: zip(table[0], padded))
    print("\(index)\t\(try judge(line, in: directory, by: guardOfRow[index]))")
}
