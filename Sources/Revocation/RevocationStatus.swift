import Basics
import DER

/// The revocation status of a certificate according to evidence.
public enum RevocationStatus: Sendable, Hashable {
    /// Fresh evidence, signed by the certificate's issuer or by a responder that the issuer authorised, says
    /// that the certificate is not revoked.
    case good
    /// The certificate is revoked since a date, for a reason, which is nil if the evidence gives none.
    case revoked(at: Timestamp, reason: RevocationReason?)
    /// The evidence does not prove that the certificate is good or revoked. The error says why.
    case unknown(RevocationEvidenceError)
}

/// Why a certificate was revoked (RFC 5280 §5.3.1).
///
/// ```
/// CRLReason ::= ENUMERATED {
///     unspecified (0), keyCompromise (1), cACompromise (2), affiliationChanged (3), superseded (4),
///     cessationOfOperation (5), certificateHold (6), removeFromCRL (8), privilegeWithdrawn (9),
///     aACompromise (10) }
/// ```
///
/// `removeFromCRL` has no case: it may stand in a delta CRL only. A compromise may also concern another
/// fact about the subject that the certificate states (X.509).
public enum RevocationReason: UInt8, Sendable, Hashable {
    /// The issuer gives no reason.
    case unspecified = 0
    /// The private key of the certificate's subject, an end entity, is or may be compromised.
    case keyCompromise = 1
    /// The certificate is a certification authority's, whose private key is or may be compromised.
    case cACompromise = 2
    /// The subject's name or another value of the certificate has changed.
    case affiliationChanged = 3
    /// Another certificate replaces this one.
    case superseded = 4
    /// The certificate is no longer needed.
    case cessationOfOperation = 5
    /// The certificate is suspended. The only revocation that may end.
    case certificateHold = 6
    /// A privilege that the certificate states was withdrawn.
    case privilegeWithdrawn = 9
    /// The private key of an attribute authority is or may be compromised.
    case aACompromise = 10

    /// Decodes a CRLReason and leaves the reader after it.
    ///
    /// - Throws: `.invalidRevocationReason` for contents that are not one octet with the number of a case,
    ///   and the codes of `DER` for anything but an ENUMERATED.
    init(_ reader: inout Reader, _ reading: StaticString) throws(Refusal) {
        let contents = try reader.read(.enumerated, reading)
        guard contents.count == 1, let reason = Self(rawValue: reader.bytes[contents.lowerBound]) else {
            throw Refusal(.invalidRevocationReason, at: contents.lowerBound, reading: reading)
        }
        self = reason
    }
}

/// Why a piece of evidence cannot be used, or why there is none.
public struct RevocationEvidenceError: Error, Sendable, Hashable {
    /// A piece of evidence, by its position in the array that the caller handed in.
    public enum Piece: Sendable, Hashable {
        /// The OCSP response at an index.
        case ocspResponse(Int)
        /// The revocation list at an index.
        case revocationList(Int)
    }

    /// The piece of evidence at fault. Nil if no response has a status of the certificate and no list is
    /// by the certificate's issuer. Nil also if the given issuer is not the certificate's.
    public let piece: Piece?
    /// The reason why the piece cannot be used or there is none, and the offset of the fault in the piece.
    /// The offset is 0 without a piece.
    public let refusal: Refusal

    /// Creates an error. The piece is nil if the refusal does not concern a piece of evidence.
    init(_ piece: Piece?, _ refusal: Refusal) { (self.piece, self.refusal) = (piece, refusal) }
}

extension RevocationEvidenceError: CustomStringConvertible {
    /// The piece of evidence, if there is one, and the refusal, in one line for a person.
    public var description: String {
        switch piece {
        case .ocspResponse(let index): "OCSP response \(index): \(refusal)"
        case .revocationList(let index): "revocation list \(index): \(refusal)"
        case nil: "\(refusal)"
        }
    }
}
