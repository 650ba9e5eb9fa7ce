// Judges the receipts of Vectors/, which must be the current directory. The file of each machine defines
// `readFile` and `print(line:)`.

import AppReceipt
import PKIX
import Processor
import SHA

/// Judges each receipt of the table and prints the receipts whose verdict differs from the table's.
///
/// - Returns: true if the table has receipts and every verdict agrees.
func judgeAll(_ acceleration: Acceleration) -> Bool {
    var count = 0
    var mistakes = 0
    for line in readFile("receipts.tsv").split(separator: UInt8(ascii: "\n")).dropFirst() {
        let row = columns(line)
        let expected = row[7].isEmpty ? "accept" : row[7]
        let found = judge(row, acceleration)
        count += 1
        guard !found.utf8.elementsEqual(expected.utf8) else { continue }
        mistakes += 1
        print(line: "\(row[0]): \(found), not \(expected)")
    }
    print(line: "\(count) receipts judged, \(mistakes) of them not as in the table, by: \(acceleration)")
    return count > 0 && mistakes == 0
}

/// Splits a line of a table into columns.
func columns(_ line: ArraySlice<UInt8>) -> [String] {
    line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
}

/// Returns the step that refuses the receipt of a row, or `accept`.
///
/// Vectors/README.md documents the columns: file, root, environment, bundle identifier, app version, device
/// identifier, and as the eleventh column the time.
private func judge(_ row: [String], _ acceleration: Acceleration) -> String {
    guard let environment = ReceiptEnvironment(name: row[2]),
        let anchor = try? TrustAnchor(certificate: readFile("certificates/" + row[1]))
    else { return "no environment, or no root" }
    let isXcode = environment == .xcode && row[1].utf8.elementsEqual("storekit.der".utf8)
    let validator = ReceiptValidator(
        ReceiptPolicy(
            environments: .only(environment),
            bundleIdentifier: .exactly(row[3]),
            trust: isXcode ? .xcodeTesting(pinned: [anchor]) : .pinned([anchor]),
            appVersion: row[4].isEmpty ? nil : row[4],
            deviceIdentifiers: DeviceIdentifier(row[5]).map { [$0] },
            now: Timestamp(rfc3339: row[10]),
            acceleration: acceleration
        )
    )
    do throws(ReceiptError) {
        _ = try validator.validate(try ReceiptInput.decode(readFile("receipts/" + row[0])))
        return "accept"
    } catch {
        return error.step.rawValue
    }
}
