import AppReceipt
import Basics

// Tokens that are validated together. Each token gets the verdict that it gets alone, and an error says the
// same. The signatures of remembered signers are verified together, which takes a third of the time with
// AVX-512 IFMA. The arrays keep every token, so a caller with many of them gives some hundred at a time.

extension SignedPayloadValidator {
    /// The verdict on a token: its payload, or the reason why it was refused.
    public typealias Verdict<Payload> = Result<Payload, SignedPayloadError>

    /// Validates many transactions, as ``validate(transaction:cache:)`` validates one.
    ///
    /// - Parameters:
    ///   - tokens: the characters of the tokens. Pass some hundred at a time, because all stay in memory.
    ///   - cache: remembers keys and paths. It does not change the verdicts.
    /// - Returns: the verdicts in the order of the tokens.
    public func validate(
        transactions tokens: [[UInt8]],
        cache: inout SignedPayloadCache
    ) -> [Verdict<VerifiedTransaction>] {
        validate(tokens.map { ($0, nil) }, &cache).map { $0.map { $0.verified() } }
    }

    /// Validates many tokens with renewal information, as ``validate(renewalInfo:cache:)`` validates one.
    ///
    /// - Parameters:
    ///   - tokens: the characters of the tokens. Pass some hundred at a time, because all stay in memory.
    ///   - cache: remembers keys and paths. It does not change the verdicts.
    /// - Returns: the verdicts in the order of the tokens.
    public func validate(
        renewalInfos tokens: [[UInt8]],
        cache: inout SignedPayloadCache
    ) -> [Verdict<VerifiedRenewalInfo>] {
        validate(tokens.map { ($0, nil) }, &cache).map { $0.map { $0.verified() } }
    }

    /// Validates many app transactions, as ``validate(appTransaction:cache:)`` validates one.
    ///
    /// - Parameters:
    ///   - tokens: the characters of the tokens. Pass some hundred at a time, because all stay in memory.
    ///   - cache: remembers keys and paths. It does not change the verdicts.
    /// - Returns: the verdicts in the order of the tokens.
    public func validate(
        appTransactions tokens: [[UInt8]],
        cache: inout SignedPayloadCache
    ) -> [Verdict<VerifiedAppTransaction>] {
        validate(tokens.map { ($0, nil) }, &cache).map { $0.map { $0.verified() } }
    }

    /// Validates many realtime requests, as ``validate(realtimeRequest:cache:)`` validates one.
    ///
    /// - Parameters:
    ///   - tokens: the characters of the tokens. Pass some hundred at a time, because all stay in memory.
    ///   - cache: remembers keys and paths. It does not change the verdicts.
    /// - Returns: the verdicts in the order of the tokens.
    public func validate(
        realtimeRequests tokens: [[UInt8]],
        cache: inout SignedPayloadCache
    ) -> [Verdict<VerifiedRealtimeRequest>] {
        validate(tokens.map { ($0, nil) }, &cache).map { $0.map { $0.verified() } }
    }

    /// Validates many notifications and the tokens inside them, as ``validate(notification:cache:)``
    /// validates one. A notification is refused if a token inside it is refused.
    ///
    /// - Parameters:
    ///   - tokens: the characters of the notifications. Pass some hundred at a time, because all stay in
    ///     memory.
    ///   - cache: remembers keys and paths. It does not change the verdicts.
    /// - Returns: the verdicts in the order of the notifications.
    public func validate(
        notifications tokens: [[UInt8]],
        cache: inout SignedPayloadCache
    ) -> [Verdict<VerifiedNotification>] {
        let outer: [Verdict<AuthenticPayload<NotificationKind>>] = validate(tokens.map { ($0, nil) }, &cache)
        let transactions: [Verdict<VerifiedTransaction?>] = nested(.transaction, in: outer, &cache)
        let renewalInfos: [Verdict<VerifiedRenewalInfo?>] = nested(.renewalInfo, in: outer, &cache)
        let apps: [Verdict<VerifiedAppTransaction?>] = nested(.appTransaction, in: outer, &cache)
        return outer.indices.map { index in
            do throws(SignedPayloadError) {
                let nested = NestedTokens(
                    transaction: try transactions[index].get(),
                    renewalInfo: try renewalInfos[index].get(),
                    appTransaction: try apps[index].get()
                )
                return .success(try outer[index].get().verified(nested))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Validates the tokens that valid notifications hold under a name.
    ///
    /// - Returns: for each notification the verdict on its token: the payload, nil if there is no such token,
    ///   or the error. For a notification that was refused, the error of the notification.
    private func nested<Kind: PayloadKind>(
        _ name: SignedPayloadError.NestedToken,
        in notifications: [Verdict<AuthenticPayload<NotificationKind>>],
        _ cache: inout SignedPayloadCache
    ) -> [Verdict<Verified<Kind>?>] where Kind.Nested == NothingNested {
        var tokens: [(token: [UInt8], inside: UnverifiedNotification?)] = []
        let indices = notifications.map { notification -> Verdict<Int?> in
            notification.map { outer in
                guard let token = outer.payload.claims.utf8(name.rawValue) else { return nil }
                tokens.append((token, outer.payload))
                return tokens.count - 1
            }
        }
        let verdicts: [Verdict<AuthenticPayload<Kind>>] = validate(tokens, &cache)
        return indices.map { index in
            index.flatMap { index in
                guard let index else { return .success(nil) }
                return verdicts[index].map { $0.verified() }.mapError { error in
                    var error = error
                    error.nestedToken = name
                    return error
                }
            }
        }
    }

    /// Validates tokens of one kind, each given with the notification that holds the token; nil for a token
    /// by itself. Returns the verdicts in the order of the tokens.
    private func validate<Kind: PayloadKind>(
        _ tokens: [(token: [UInt8], inside: UnverifiedNotification?)],
        _ cache: inout SignedPayloadCache
    ) -> [Verdict<AuthenticPayload<Kind>>] {
        cache.prepare(for: cacheRules)
        var validations = tokens.map { TokenValidation<Kind>(shared, inside: $0.inside) }
        var (states, waiting): ([TokenState], [OpenedToken]) = ([], [])
        states.reserveCapacity(tokens.count)
        for index in tokens.indices {
            do throws(Refusal) {
                let token = try validations[index].open(tokens[index].token, &cache)
                if token.hasTables {
                    waiting.append(token)
                    states.append(.waiting)
                } else {
                    states.append(.signed(try validations[index].verified(token, &cache)))
                }
            } catch {
                states.append(.refused(validations[index].explain(error)))
            }
        }
        let verified = SignedToken.verified(waiting, policy.acceleration)
        var next = 0
        return states.indices.map { index in
            do throws(Refusal) {
                switch states[index] {
                case .refused(let error): return .failure(error)
                case .signed(let token): return .success(try validations[index].payload(of: token))
                case .waiting:
                    defer { next += 1 }
                    if let token = verified[next] {
                        return .success(try validations[index].payload(of: token))
                    }
                    // Verified by itself, a wrong signature gives its error.
                    let token = try validations[index].verified(waiting[next], &cache)
                    return .success(try validations[index].payload(of: token))
                }
            } catch {
                return .failure(validations[index].explain(error))
            }
        }
    }
}

/// How far the validation of a token is.
private enum TokenState {
    /// The token was refused before its signature was verified, or at its signature.
    case refused(SignedPayloadError)
    /// The signature will be verified together with others.
    case waiting
    /// The signature is valid. The payload is not checked yet.
    case signed(SignedToken)
}
