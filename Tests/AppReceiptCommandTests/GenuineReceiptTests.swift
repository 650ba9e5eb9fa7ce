import Foundation
import TestSupport
import Testing

@Suite(
    "app-receipt verify on genuine receipts",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct GenuineReceiptTests {
    static let names = ((try? SharedData.files(in: "receipts", suffix: ".der")) ?? []).map {
        String($0.dropLast(4))
    }

    private func record(_ name: String) throws -> JSONValue {
        try JSONValue.parse(SharedData.bytes("receipts/\(name).json"))
    }

    private func isXcode(_ record: JSONValue) -> Bool {
        record["payload"]?["environment"] == .string("Xcode")
    }

    @Test("finds the data")
    func dataIsThere() { #expect(Self.names.count == 20) }

    @Test(
        "gives each receipt the verdict of its record, and accepts Xcode's with --xcode-testing alone",
        arguments: names
    )
    func verdict(_ name: String) async throws {
        let record = try record(name)
        let path = SharedData.root.appending(path: "receipts/\(name).der").path
        let apple = try await CommandRun(["verify", "--quiet"] + CommandRun.anyReceipt + [path])
        let xcode = try await CommandRun(
            ["verify", "--quiet", "--xcode-testing"] + CommandRun.anyReceipt + [path]
        )
        let isAccepted = record["verdict_against_apple_root"] == .string("accept")
        #expect(apple.status == (isAccepted ? 0 : 1))
        #expect(xcode.status == (isXcode(record) ? 0 : 1))
    }

    @Test("writes every field as its record has it, from DER and from base64", arguments: names)
    func fields(_ name: String) async throws {
        let record = try record(name)
        let der = try SharedData.bytes("receipts/\(name).der")
        let base64 = Data(der).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        let options =
            ["verify", "--json"] + CommandRun.anyReceipt + (isXcode(record) ? ["--xcode-testing"] : [])
        for (arguments, input) in [(options, der), (options + ["-"], [UInt8](base64.utf8))] {
            let run = try await CommandRun(arguments, input: input)
            let object = try #require(run.objects().first)
            #expect(run.status == 0 && object["source"] == .string("-"), "\(run.errors)")
            try expect(object["receipt"], saysWhat: record["payload"])
        }
    }

    @Test("accepts the three receipts with a known device, and refuses another device")
    func device() async throws {
        let known = try Self.names.compactMap { name in
            try record(name)["device_identifier_hex"]?.string.map { (name, $0) }
        }
        #expect(known.count == 3)
        for (name, device) in known {
            let path = SharedData.root.appending(path: "receipts/\(name).der").path
            let other = String(device.reversed())
            try #require(other != device)
            let options = ["verify", "--json"] + CommandRun.anyReceipt
            #expect(try await CommandRun(options + ["--device-id", device, path]).status == 0)
            let refused = try await CommandRun(options + ["--device-id", other, path])
            #expect(refused.status == 1)
            #expect(try refused.objects().first?["step"] == .string("device-hash"))
        }
    }

    @Test("keeps all digits of 64-bit numbers")
    func digits() async throws {
        let run = try await CommandRun([
            "verify", "--json", "--root", "Vectors/certificates/root.der", "--bundle-id", "any",
            "--environment", "any", "Vectors/receipts/production-sha256.der",
        ])
        #expect(run.text.contains("\"web_order_line_item_id\":\"576460752303423487\","))
    }
}
