import AppReceipt
import CAppReceipt
import Testing

@testable import AppReceiptC

/// The numbers and names of the interface for C, against the header. `Bindings/C/test` tests the functions.
@Suite struct NumberTests {
    @Test func everyStatusHasTheHeadersNumber() {
        #expect(Int(Status.ok.rawValue) == APP_RECEIPT_OK)
        #expect(Int(Status.refused.rawValue) == APP_RECEIPT_REFUSED)
        #expect(Int(Status.absent.rawValue) == APP_RECEIPT_ABSENT)
        #expect(Int(Status.nullArgument.rawValue) == APP_RECEIPT_NULL_ARGUMENT)
        #expect(Int(Status.outOfRange.rawValue) == APP_RECEIPT_OUT_OF_RANGE)
        #expect(Int(Status.badValue.rawValue) == APP_RECEIPT_BAD_VALUE)
        #expect(Int(Status.bufferTooSmall.rawValue) == APP_RECEIPT_BUFFER_TOO_SMALL)
        #expect(Int(Status.incompletePolicy.rawValue) == APP_RECEIPT_INCOMPLETE_POLICY)
    }

    @Test(arguments: ReceiptError.Step.allCases)
    func everyStepHasItsPublishedName(_ step: ReceiptError.Step) {
        #expect("\(step.text)" == step.rawValue)
    }

    /// Each limit of the header takes its default, and not one more.
    @Test func everyLimitTakesItsDefaultAndNoMore() throws {
        let standard = Limits.standard
        let limits: [(number: Int, value: Int)] = [
            (APP_RECEIPT_LIMIT_INPUT_BYTES, standard.inputBytes),
            (APP_RECEIPT_LIMIT_DEPTH, standard.message.encoding.depth),
            (APP_RECEIPT_LIMIT_ELEMENTS, standard.message.encoding.elements),
            (APP_RECEIPT_LIMIT_CERTIFICATES, standard.message.certificates),
            (APP_RECEIPT_LIMIT_EXTENSIONS, standard.message.certificate.extensions),
            (APP_RECEIPT_LIMIT_PURPOSES, standard.message.certificate.purposes),
            (APP_RECEIPT_LIMIT_MODULUS_BITS, standard.key.modulusBits),
            (APP_RECEIPT_LIMIT_EXPONENT_BITS, standard.key.exponentBits),
            (APP_RECEIPT_LIMIT_ATTRIBUTES, standard.attributes),
            (APP_RECEIPT_LIMIT_SIGNATURE_CHECKS, standard.signatureChecks),
        ]
        var policy: OpaquePointer?
        #expect(unsafe app_receipt_policy_create(nil, &policy) == 0)
        defer { unsafe app_receipt_policy_release(policy) }
        for (number, value) in limits {
            #expect(unsafe app_receipt_policy_set_limit(policy, Int32(number), Int64(value)) == 0)
            #expect(unsafe app_receipt_policy_set_limit(policy, Int32(number), Int64(value) + 1) == -3)
            #expect(unsafe app_receipt_policy_set_limit(policy, Int32(number), 0) == -3)
        }
    }
}
