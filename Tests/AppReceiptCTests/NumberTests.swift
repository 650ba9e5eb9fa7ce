import AppReceipt
import CAppReceipt
import ReceiptResults
import SignedPayloads
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

    @Test(arguments: SignedPayloadError.Step.allCases)
    func everyStepOfTokensHasItsPublishedName(_ step: SignedPayloadError.Step) {
        #expect("\(step.text)" == step.rawValue)
    }

    @Test(arguments: SignedPayloadError.NestedToken.allCases)
    func everyNestedTokenHasItsName(_ token: SignedPayloadError.NestedToken) {
        #expect("\(token.text)" == token.rawValue)
    }

    @Test func everyKindHasTheHeadersNumber() throws {
        let numbers = [
            SignedPayloadKind.transaction: APP_RECEIPT_TOKEN_TRANSACTION,
            .renewalInfo: APP_RECEIPT_TOKEN_RENEWAL_INFO,
            .notification: APP_RECEIPT_TOKEN_NOTIFICATION,
            .appTransaction: APP_RECEIPT_TOKEN_APP_TRANSACTION,
            .realtimeRequest: APP_RECEIPT_TOKEN_REALTIME_REQUEST,
        ]
        for kind in SignedPayloadKind.allCases {
            #expect(try SignedPayloadKind(number: Int32(try #require(numbers[kind]))) == kind)
        }
        for wrong: Int32 in [.min, -1, 0, 6, .max] {
            #expect(throws: Status.badValue) { try SignedPayloadKind(number: wrong) }
        }
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
        let tokenLimits: [(number: Int, value: Int)] = [
            (APP_RECEIPT_TOKEN_LIMIT_BYTES, TokenLimits.standard.tokenBytes),
            (APP_RECEIPT_TOKEN_LIMIT_MEMBERS, TokenLimits.standard.members),
        ]
        var policy: OpaquePointer?
        #expect(unsafe app_receipt_policy_create(nil, &policy) == 0)
        defer { unsafe app_receipt_policy_release(policy) }
        for (number, value) in limits {
            #expect(unsafe app_receipt_policy_set_limit(policy, Int32(number), Int64(value)) == 0)
            #expect(unsafe app_receipt_policy_set_limit(policy, Int32(number), Int64(value) + 1) == -3)
            #expect(unsafe app_receipt_policy_set_limit(policy, Int32(number), 0) == -3)
        }
        for (number, value) in tokenLimits {
            #expect(unsafe app_receipt_policy_set_token_limit(policy, Int32(number), Int64(value)) == 0)
            #expect(unsafe app_receipt_policy_set_token_limit(policy, Int32(number), Int64(value) + 1) == -3)
            #expect(unsafe app_receipt_policy_set_token_limit(policy, Int32(number), 0) == -3)
        }
    }
}
