import PKIX
import SHA

/// The accepted values as text, for a program that reports which values it expected.
extension EnvironmentExpectation {
    /// The names of the accepted environments, or nil if every environment is accepted.
    package var acceptedNames: [String]? { accepted?.map { $0.name } }
}

extension BundleIdentifierExpectation {
    /// The accepted bundle identifiers, or nil if every identifier is accepted.
    package var acceptedIdentifiers: [String]? { accepted }
}

extension TrustPolicy {
    /// The SHA-256 fingerprints of the trusted roots.
    package var fingerprints: [Digest] { anchors.map { $0.fingerprint } }
}
