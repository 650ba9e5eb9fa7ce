import AppReceiptMint
import CAppReceipt
import SignedPayloads
import Testing

/// The functions for members of tokens, against the table of documented members.
@Suite struct TokenMemberTests {
    /// A token of each kind with every documented member, and a notification with each object.
    static let templates =
        TokenTemplate.Kind.allCases.map { TokenTemplate.complete($0) }
        + TokenTemplate.Content.allCases.map { .complete(.notification, content: $0) }

    @Test(arguments: templates.indices)
    func everyMemberIsReadByItsType(_ index: Int) throws {
        let (template, mint) = (Self.templates[index], TokenMint())
        var policy: OpaquePointer?
        var validator: OpaquePointer?
        var result: OpaquePointer?
        #expect(unsafe app_receipt_policy_create(nil, &policy) == 0)
        #expect(unsafe app_receipt_policy_accept_any_environment(policy) == 0)
        #expect(unsafe app_receipt_policy_accept_any_bundle_identifier(policy) == 0)
        #expect(unsafe app_receipt_policy_trust_root(policy, mint.root, mint.root.count) == 0)
        #expect(unsafe app_receipt_token_validator_create(policy, &validator) == 0)
        let token = mint.token(template)
        let (kind, table) = kind(of: template)
        #expect(
            unsafe app_receipt_token_validate(validator, nil, kind, token, token.count, &result) == 0
        )
        unsafe check(result, table, "", content: template.content)
        unsafe app_receipt_token_result_release(result)
        unsafe app_receipt_token_validator_release(validator)
        unsafe app_receipt_policy_release(policy)
    }

    @Test(arguments: [0, 1, 2, 3])
    func whatFollowsAPaddedTokenCounts(_ excess: Int) {
        let mint = TokenMint()
        let length = 2 * TokenLimits.standard.tokenBytes + excess
        var token = mint.token(TokenTemplate(.transaction))
        token += [UInt8](repeating: UInt8(ascii: " "), count: length - token.count) + [UInt8(ascii: "x")]
        var policy: OpaquePointer?
        var validator: OpaquePointer?
        var result: OpaquePointer?
        #expect(unsafe app_receipt_policy_create(nil, &policy) == 0)
        #expect(unsafe app_receipt_policy_accept_any_environment(policy) == 0)
        #expect(unsafe app_receipt_policy_accept_any_bundle_identifier(policy) == 0)
        #expect(unsafe app_receipt_policy_trust_root(policy, mint.root, mint.root.count) == 0)
        #expect(unsafe app_receipt_token_validator_create(policy, &validator) == 0)
        let kind = Int32(APP_RECEIPT_TOKEN_TRANSACTION)
        #expect(
            unsafe app_receipt_token_validate(validator, nil, kind, token, token.count, &result)
                == 1
        )
        unsafe app_receipt_token_result_release(result)
        unsafe app_receipt_token_validator_release(validator)
        unsafe app_receipt_policy_release(policy)
    }

    private func kind(of template: TokenTemplate) -> (number: Int32, table: ObjectTable) {
        switch template.kind {
        case .transaction: (Int32(APP_RECEIPT_TOKEN_TRANSACTION), .transaction)
        case .renewalInfo: (Int32(APP_RECEIPT_TOKEN_RENEWAL_INFO), .renewalInfo)
        case .notification: (Int32(APP_RECEIPT_TOKEN_NOTIFICATION), .notification)
        case .appTransaction: (Int32(APP_RECEIPT_TOKEN_APP_TRANSACTION), .appTransaction)
        case .realtimeRequest: (Int32(APP_RECEIPT_TOKEN_REALTIME_REQUEST), .realtimeRequest)
        }
    }

    /// Reads each member of a table as text and as an integer. `path` leads to the object that has them.
    private func check(
        _ result: OpaquePointer?,
        _ table: ObjectTable,
        _ path: String,
        content: TokenTemplate.Content? = nil
    ) {
        for row in table.rows {
            let name = path + row.name
            var buffer = [CChar](repeating: 0, count: 1 << 16)
            var length = 0
            var number: Int64 = 0
            let read = unsafe [
                app_receipt_payload_text(result, name, name.utf8.count, &buffer, buffer.count, &length),
                app_receipt_payload_integer(result, name, name.utf8.count, &number),
            ]
            switch row.kind {
            case .text: #expect(read == [0, -3], "\(name)")
            case .integer, .date, .flag: #expect(read == [-3, 0], "\(name)")
            case .texts, .objects: #expect(read == [-3, -3], "\(name)")
            case .object(let inner):
                // A notification has one object of several.
                let isThere = table != .notification || content?.rawValue == row.name
                #expect(read == (isThere ? [-3, -3] : [2, 2]), "\(name)")
                if isThere { unsafe check(result, inner, name + ".") }
            }
            switch SignedPayloadError.NestedToken(rawValue: row.name) {
            case .transaction: unsafe check(result, .transaction, name + ".")
            case .renewalInfo: unsafe check(result, .renewalInfo, name + ".")
            case .appTransaction: unsafe check(result, .appTransaction, name + ".")
            case nil: break
            }
        }
    }
}
