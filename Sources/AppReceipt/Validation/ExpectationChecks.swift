import Basics
import SHA

extension Validation {
    /// Takes steps 8 to 12: environment, bundle identifier, version, device hash and expiration date.
    mutating func checkExpectations(_ payload: UnverifiedReceipt) throws(Refusal) {
        try checkEnvironment(payload)
        try checkBundleIdentifier(payload)
        try checkAppVersion(payload)
        try checkDeviceHash(payload)
        try checkExpirationDate(payload)
    }

    /// Checks that attribute 0 is the environment that the trust policy requires, if it requires one, and an
    /// environment that the app accepts. Checks nothing if neither restricts the environment.
    private mutating func checkEnvironment(_ payload: UnverifiedReceipt) throws(Refusal) {
        step = .environment
        guard policy.checksEnvironment else { return }
        try check(.environment, of: payload, .missingEnvironment, .environmentMismatch) { range in
            func isNamed(_ expected: ReceiptEnvironment) -> Bool {
                payload.buffer.holds(range, expected.name)
            }
            return policy.trust.onlyEnvironment.map(isNamed) ?? true
                && policy.environments.accepted?.contains(where: isNamed) ?? true
        }
    }

    private mutating func checkBundleIdentifier(_ payload: UnverifiedReceipt) throws(Refusal) {
        step = .bundleIdentifier
        guard let accepted = policy.bundleIdentifier.accepted else { return }
        try check(.bundleIdentifier, of: payload, .missingBundleIdentifier, .bundleIdentifierMismatch) {
            range in accepted.contains { payload.buffer.holds(range, $0) }
        }
    }

    private mutating func checkAppVersion(_ payload: UnverifiedReceipt) throws(Refusal) {
        step = .appVersion
        guard let expected = policy.appVersion else { return }
        try check(.appVersion, of: payload, .missingAppVersion, .appVersionMismatch) {
            payload.buffer.holds($0, expected)
        }
    }

    /// Throws `missing` if an attribute is absent or empty, and `mismatch` if `isExpected` returns false for
    /// the range of its value.
    private func check(
        _ one: ReceiptAttribute,
        of payload: UnverifiedReceipt,
        _ missing: Refusal.Code,
        _ mismatch: Refusal.Code,
        _ isExpected: (Range<Int>) -> Bool
    ) throws(Refusal) {
        guard let range = payload.values.range(one) else {
            throw Refusal(missing, at: payload.set.lowerBound, reading: one.row.name)
        }
        guard isExpected(range) else {
            throw Refusal(mismatch, at: range.lowerBound, reading: one.row.name)
        }
    }

    /// Checks the device hash, if the policy has devices: SHA-1 over the device identifier, the opaque value,
    /// and the bundle identifier's UTF8String with tag and length, in this order. One device must match.
    private mutating func checkDeviceHash(_ payload: UnverifiedReceipt) throws(Refusal) {
        step = .deviceHash
        guard let candidates = policy.deviceIdentifiers else { return }
        guard let opaqueValue = payload.values.range(.opaqueValue),
            let expected = payload.values.range(.sha1Hash),
            let bundleIdentifier = payload.rawBundleIdentifier
        else { throw Refusal(.missingDeviceHash, at: payload.set.lowerBound, reading: "device hash") }
        let bytes = payload.buffer.bytes.borrowedSpan
        for identifier in candidates {
            var hash = HashFunction(.sha1, acceleration: policy.acceleration)
            hash.update(identifier.bytes.borrowedSpan)
            hash.update(bytes.extracting(opaqueValue))
            hash.update(bytes.extracting(bundleIdentifier))
            if hash.finalize().equals(bytes.extracting(expected)) { return }
        }
        throw Refusal(.deviceHashMismatch, at: expected.lowerBound, reading: "device hash")
    }

    /// Checks the expiration date, if the policy has the present time (`now`). A receipt without an
    /// expiration date passes.
    ///
    /// The receipt was made before it was read, so its creation date is a lower bound of the present. A clock
    /// that was set back cannot revive a receipt that had expired when it was made.
    private mutating func checkExpirationDate(_ payload: UnverifiedReceipt) throws(Refusal) {
        step = .expirationDate
        guard let now = policy.now, let expirationDate = payload.values.date(.expirationDate) else {
            return
        }
        let present = max(now, payload.values.date(.creationDate) ?? now)
        guard present <= expirationDate else {
            throw Refusal(.receiptExpired, at: payload.expirationDateOffset, reading: "expiration date")
        }
    }
}
