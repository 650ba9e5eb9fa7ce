import Basics
import DER
import PKIX

/// The extension that says which certificates a revocation list is about (RFC 5280 §5.2.5).
///
/// ```
/// IssuingDistributionPoint ::= SEQUENCE {
///     distributionPoint           [0] EXPLICIT DistributionPointName OPTIONAL,
///     onlyContainsUserCerts       [1] BOOLEAN DEFAULT FALSE,
///     onlyContainsCACerts         [2] BOOLEAN DEFAULT FALSE,
///     onlySomeReasons             [3] BIT STRING OPTIONAL,
///     indirectCRL                 [4] BOOLEAN DEFAULT FALSE,
///     onlyContainsAttributeCerts  [5] BOOLEAN DEFAULT FALSE }
/// DistributionPointName ::= CHOICE {
///     fullName                 [0] SEQUENCE OF GeneralName,
///     nameRelativeToCRLIssuer  [1] RelativeDistinguishedName }
/// ```
struct IssuingDistributionPoint: Sendable {
    /// The range in the list's bytes of the names in `fullName`; nil if `distributionPoint` is absent.
    let names: Range<Int>?
    /// Whether the list covers only end entity certificates.
    let onlyContainsUserCerts: Bool
    /// Whether the list covers only CA certificates.
    let onlyContainsCACerts: Bool

    /// Decodes the extension's value and leaves the reader after it.
    ///
    /// - Throws: `.partialRevocationList` for a list with only some reasons or only attribute
    ///   certificates, for an indirect list, and for a name relative to the issuer; `.invalidExtension` if
    ///   the extension is empty, or if both `onlyContainsUserCerts` and `onlyContainsCACerts` are true,
    ///   which §5.2.5 forbids; `.tooManyEvidenceElements` for more names than `limits.extensions`;
    ///   `.invalidBoolean` and the codes of `DER`.
    init(_ reader: inout Reader, limits: RevocationLimits) throws(Refusal) {
        let start = reader.offset
        var sequence = try reader.nested(.sequence, "issuingDistributionPoint")
        guard !sequence.isAtEnd else {
            throw Refusal(.invalidExtension, at: start, reading: "issuingDistributionPoint")
        }
        names = try Self.readNames(&sequence, limit: limits.extensions)
        onlyContainsUserCerts = try Self.readFlag(1, &sequence, "onlyContainsUserCerts")
        onlyContainsCACerts = try Self.readFlag(2, &sequence, "onlyContainsCACerts")
        guard sequence.isAtEnd else {
            let offset = sequence.offset
            for number: UInt32 in 3...5 where sequence.isNext(.primitive(number)) {
                throw Refusal(.partialRevocationList, at: offset, reading: "issuingDistributionPoint")
            }
            throw Refusal(.unexpectedTag, at: offset, reading: "issuingDistributionPoint")
        }
        guard !onlyContainsUserCerts || !onlyContainsCACerts else {
            throw Refusal(.invalidExtension, at: start, reading: "issuingDistributionPoint")
        }
    }

    /// Reads `distributionPoint`, and returns the range of its names; nil if it is absent.
    private static func readNames(_ sequence: inout Reader, limit: Int) throws(Refusal) -> Range<Int>? {
        guard sequence.isNext(.constructed(0)) else { return nil }
        var point = try sequence.nested(.constructed(0), "distributionPoint")
        guard !point.isNext(.constructed(1)) else {
            throw Refusal(.partialRevocationList, at: point.offset, reading: "distributionPoint")
        }
        var names = try point.nested(.constructed(0), "distributionPoint.fullName")
        try point.finish("distributionPoint")
        let start = names.offset
        var count = 0
        repeat {
            count += 1
            guard count <= limit else {
                throw Refusal(.tooManyEvidenceElements, at: names.offset, reading: "distributionPoint")
            }
            _ = try names.readWellFormedElement("distributionPoint.fullName")
        } while !names.isAtEnd
        return start..<names.offset
    }

    /// Reads `[number] IMPLICIT BOOLEAN DEFAULT FALSE`, which is present only if it is true (X.690 §11.1,
    /// §11.5). Returns false if it is absent. Throws `.invalidBoolean` for any value but true.
    private static func readFlag(
        _ number: UInt32,
        _ sequence: inout Reader,
        _ reading: StaticString
    ) throws(Refusal) -> Bool {
        guard let contents = try sequence.readIfNext(.primitive(number), reading) else { return false }
        guard contents.count == 1, sequence.bytes[contents.lowerBound] == 0xFF else {
            throw Refusal(.invalidBoolean, at: contents.lowerBound, reading: reading)
        }
        return true
    }

    /// Whether the list is about a certificate (§6.3.3 b 2). A list of only end entity certificates is about
    /// no CA certificate, and a list of only CA certificates is about no other certificate.
    ///
    /// An authority may divide its certificates among several lists. The list of a distribution point is
    /// about the certificates that name this point, by one of its names, byte for byte. A point of the
    /// certificate that has `reasons` or `cRLIssuer` does not count.
    ///
    /// - Parameters:
    ///   - certificate: the certificate. One that names no distribution point is not covered by a list that
    ///     has one.
    ///   - bytes: the bytes of the list.
    /// - Throws: the codes of `DER` at a malformed distribution point of the certificate. The points are
    ///   read only if the list has names, and only up to the first point that has one of the names.
    func covers(_ certificate: CertificateView, in bytes: Span<UInt8>) throws(Refusal) -> Bool {
        let isAuthority = certificate.fields.basicConstraints?.isCertificateAuthority == true
        guard !(isAuthority ? onlyContainsUserCerts : onlyContainsCACerts) else { return false }
        guard let names else { return true }
        guard let points = certificate.extension(.cRLDistributionPoints) else { return false }
        var reader = Reader(certificate.bytes, in: points.value)
        var sequence = try reader.nested(.sequence, "cRLDistributionPoints")
        while !sequence.isAtEnd {
            guard let range = try Self.readDistributionPoint(&sequence) else { continue }
            var candidates = Reader(certificate.bytes, in: range)
            while !candidates.isAtEnd {
                let candidate = try candidates.readElement("distributionPoint.fullName").range
                var own = Reader(bytes, in: names)
                while !own.isAtEnd {
                    let name = try own.readElement("distributionPoint.fullName").range
                    if bytes.holds(name, sameAs: certificate.bytes, candidate) { return true }
                }
            }
        }
        return false
    }

    /// Reads a DistributionPoint of a certificate (§4.2.1.13) and returns the range of its names. Nil if it
    /// has no full name, or if it has `reasons` or `cRLIssuer`, whatever their values are.
    ///
    /// ```
    /// DistributionPoint ::= SEQUENCE {
    ///     distributionPoint  [0] EXPLICIT DistributionPointName OPTIONAL,
    ///     reasons            [1] BIT STRING OPTIONAL,
    ///     cRLIssuer          [2] SEQUENCE OF GeneralName OPTIONAL }
    /// ```
    private static func readDistributionPoint(_ sequence: inout Reader) throws(Refusal) -> Range<Int>? {
        var point = try sequence.nested(.sequence, "cRLDistributionPoints")
        guard point.isNext(.constructed(0)) else { return nil }
        var name = try point.nested(.constructed(0), "distributionPoint")
        guard point.isAtEnd, name.isNext(.constructed(0)) else { return nil }
        return try name.read(.constructed(0), "distributionPoint.fullName")
    }
}

extension ObjectIdentifier {
    fileprivate static var cRLDistributionPoints: Self { Self(2, 5, 29, 31) }
}
