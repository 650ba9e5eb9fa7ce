import AppReceipt
import JSONText
import TestSupport
import Testing

@testable import ReceiptResults

/// The members of a verdict's JSON. `Tests/Schema/check` validates whole results by their schema.
@Suite struct VerdictTests {
    @Test func aRefusalHasStepCodeAndOffset() throws {
        let error = try #require(throws: ReceiptError.self) { try ReceiptInput.container([0x4D][...]) }
        var head = ResultHead()
        head.fault = Fault(error)
        let json = String(decoding: JSONWriter.object { $0.verdict(head) }.bytes, as: UTF8.self)
        #expect(json.hasPrefix(#"{"sha256":null,"status":""#))
        #expect(json.contains(#""step":"input""#))
        #expect(json.contains(#""code":"input.not-base64""#))
    }

    @Test func inputThatIsNoContainerHasNoCertificates() {
        for bytes in [[], [0x30], [UInt8](repeating: 0x30, count: 500)] as [[UInt8]] {
            let json = JSONWriter.object { $0.inspection(bytes, isValid: false) }
            #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"certificates":[]}"#)
        }
    }

    @Test func emptyInputIsRefusedAtTheInput() throws {
        let error = try #require(throws: ReceiptError.self) { try ReceiptInput.container([][...]) }
        #expect(error.step == .input && error.code == .emptyInput)
    }
}
