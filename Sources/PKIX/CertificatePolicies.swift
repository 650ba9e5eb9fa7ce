import Basics
import DER

/// The certificate policies extension (RFC 5280 §4.2.1.4). It is read only if it is critical.
///
/// Any policy is acceptable here, and no policy is required: `user-initial-policy-set` is any-policy, and
/// `initial-explicit-policy` is not set (§6.1.1 c, f). `explicit_policy` then becomes 0 only by a policy
/// constraints extension (§6.1.4 i, §6.1.5 b). A critical policy constraints extension refuses the
/// certificate, and one that is not critical, which §4.2.1.11 forbids, is ignored. So the policy identifiers
/// of a path cannot change the result.
///
/// ```
/// certificatePolicies ::= SEQUENCE SIZE (1..MAX) OF PolicyInformation
/// PolicyInformation   ::= SEQUENCE {
///     policyIdentifier  OBJECT IDENTIFIER,
///     policyQualifiers  SEQUENCE SIZE (1..MAX) OF PolicyQualifierInfo OPTIONAL }
/// PolicyQualifierInfo ::= SEQUENCE {
///     policyQualifierId  OBJECT IDENTIFIER,
///     qualifier          ANY DEFINED BY policyQualifierId }
/// ```
enum CertificatePolicies {
    /// Reads the value of a certificate policies extension and leaves the reader after it.
    ///
    /// - Returns: whether all qualifiers are of the two kinds that RFC 5280 defines. A validator must refuse
    ///   a critical extension with any other qualifier (§4.2.1.4).
    /// - Throws: `Refusal` with codes of `DER`.
    static func areUnderstood(_ reader: inout Reader) throws(Refusal) -> Bool {
        var areUnderstood = true
        var policies = try reader.nested(.sequence, "certificatePolicies")
        repeat {
            var policy = try policies.nested(.sequence, "certificatePolicies")
            _ = try policy.readObjectIdentifier("policyIdentifier")
            guard !policy.isAtEnd else { continue }
            var qualifiers = try policy.nested(.sequence, "policyQualifiers")
            try policy.finish("certificatePolicies")
            repeat {
                var qualifier = try qualifiers.nested(.sequence, "policyQualifiers")
                let kind = try qualifier.readObjectIdentifier("policyQualifierId")
                _ = try qualifier.readWellFormedElement("qualifier")
                try qualifier.finish("policyQualifiers")
                switch ObjectIdentifier(reader.bytes, in: kind) {
                case .cps?, .userNotice?: break
                default: areUnderstood = false
                }
            } while !qualifiers.isAtEnd
        } while !policies.isAtEnd
        return areUnderstood
    }
}

extension ObjectIdentifier {
    static var certificatePolicies: Self { Self(2, 5, 29, 32) }
    /// `id-qt-cps`, the type of a policy qualifier that points to a practice statement (RFC 5280 §4.2.1.4).
    fileprivate static var cps: Self { Self(1, 3, 6, 1, 5, 5, 7, 2, 1) }
    /// `id-qt-unotice`, the type of a policy qualifier that holds a user notice (RFC 5280 §4.2.1.4).
    fileprivate static var userNotice: Self { Self(1, 3, 6, 1, 5, 5, 7, 2, 2) }
}
