import AppReceipt
import Foundation
import TestSupport
import Testing

/// A receipt of `../shared/receipts` with the record that an independent implementation made of it.
struct GenuineReceipt: Sendable, CustomTestStringConvertible {
    let name: String
    let der: [UInt8]
    let payload: [String: JSONValue]
    let deviceIdentifier: String?
    let isAcceptedUnderAppleRoot: Bool
    let digest: String

    var testDescription: String { name }
    var isXcode: Bool { payload["environment"] == .string("Xcode") }
    var trust: TrustPolicy { isXcode ? .xcodeTesting : .appStore }
    var bundleIdentifier: String {
        if case .string(let identifier)? = payload["bundle_identifier"] { return identifier }
        return ""
    }

    /// All receipts. Empty if the data is missing; the tests are skipped then, and fail under CI.
    static let all: [GenuineReceipt] = {
        guard let names = try? SharedData.files(in: "receipts", suffix: ".der") else { return [] }
        return names.compactMap { try? GenuineReceipt(String($0.dropLast(4))) }
    }()
    static let accepted = all.filter { $0.isAcceptedUnderAppleRoot }
    static let xcode = all.filter { $0.isXcode }

    static func named(_ name: String) throws -> GenuineReceipt { try GenuineReceipt(name) }

    private init(_ name: String) throws {
        self.name = name
        der = try SharedData.bytes("receipts/\(name).der")
        let json = try JSONValue.parse(SharedData.bytes("receipts/\(name).json"))
        guard case .object(let fields) = json, case .object(let payload)? = fields["payload"],
            case .string(let verdict)? = fields["verdict_against_apple_root"],
            case .string(let digest)? = fields["digest"]
        else { throw CocoaError(.fileReadCorruptFile) }
        self.payload = payload
        self.digest = digest
        isAcceptedUnderAppleRoot = verdict == "accept"
        if case .string(let identifier)? = fields["device_identifier_hex"] {
            deviceIdentifier = identifier
        } else {
            deviceIdentifier = nil
        }
    }
}
