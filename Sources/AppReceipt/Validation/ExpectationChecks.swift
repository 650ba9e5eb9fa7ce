import Bytes
import DER
import SHA

extension Validation {
    /// Takes the steps 8 to 12: checks that the receipt is what the app expects.
    mutating func checkExpectations(_ payload: Payload) throws(Refusal) {
        try checkEnvironment(payload)
        try checkBundleIdentifier(payload)
        try checkAppVersion(payload)
        try checkDeviceHash(payload)
        try checkExpirationDate(payload)
    }

    /// Checks the environment that the trust policy requires and the environments that the app expects.
    private mutating func checkEnvironment(_ payload: Payload) throws(Refusal) {
        step = .environment
        guard validator.checksEnvironment else { return }
        guard let environment = payload.environment else {
            throw Refusal(.missingEnvironment, at: payload.set.lowerBound, reading: "environment")
        }
        func isNamed(_ expected: ReceiptEnvironment) -> Bool {
            payload.buffer.holds(environment, expected.name)
        }
        guard validator.trust.onlyEnvironment.map(isNamed) ?? true,
            validator.environments.accepted?.contains(where: isNamed) ?? true
        else { throw Refusal(.environmentMismatch, at: environment.lowerBound, reading: "environment") }
    }

    private mutating func checkBundleIdentifier(_ payload: Payload) throws(Refusal) {
        step = .bundleIdentifier
        guard let accepted = validator.bundleIdentifier.accepted else { return }
        guard let identifier = payload.bundleIdentifier else {
            throw Refusal(.missingBundleIdentifier, at: payload.set.lowerBound, reading: "bundle identifier")
        }
        guard accepted.contains(where: { payload.buffer.holds(identifier, $0) }) else {
            throw Refusal(.bundleIdentifierMismatch, at: identifier.lowerBound, reading: "bundle identifier")
        }
    }

    private mutating func checkAppVersion(_ payload: Payload) throws(Refusal) {
        step = .appVersion
        guard let expected = validator.appVersion else { return }
        guard let version = payload.appVersion else {
            throw Refusal(.missingAppVersion, at: payload.set.lowerBound, reading: "app version")
        }
        guard payload.buffer.holds(version, expected) else {
            throw Refusal(.appVersionMismatch, at: version.lowerBound, reading: "app version")
        }
    }

    /// Checks the device hash: SHA-1 over the device identifier, the opaque value, and the bundle
    /// identifier's raw octets, in this order. One of the validator's devices must match.
    private mutating func checkDeviceHash(_ payload: Payload) throws(Refusal) {
        step = .deviceHash
        guard let candidates = validator.deviceIdentifiers else { return }
        guard let opaqueValue = payload.opaqueValue, let expected = payload.sha1Hash,
            let bundleIdentifier = payload.rawBundleIdentifier
        else { throw Refusal(.missingDeviceHash, at: payload.set.lowerBound, reading: "device hash") }
        let bytes = payload.buffer.bytes.borrowedSpan
        for identifier in candidates {
            var hash = SHA1(acceleration: validator.acceleration)
            hash.update(identifier.bytes.borrowedSpan)
            hash.update(bytes.extracting(opaqueValue))
            hash.update(bytes.extracting(bundleIdentifier))
            if hash.finalize().equals(bytes.extracting(expected)) { return }
        }
        throw Refusal(.deviceHashMismatch, at: expected.lowerBound, reading: "device hash")
    }

    /// Checks the expiration date. A receipt without one does not expire.
    private mutating func checkExpirationDate(_ payload: Payload) throws(Refusal) {
        step = .expirationDate
        guard let now = validator.now, let expirationDate = payload.expirationDate else { return }
        guard now <= expirationDate else {
            throw Refusal(.receiptExpired, at: payload.expirationDateOffset, reading: "expiration date")
        }
    }
}
