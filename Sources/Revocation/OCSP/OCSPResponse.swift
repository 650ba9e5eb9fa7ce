import Basics
import DER
import PKIX

/// A basic OCSP response (RFC 6960 §4.2.1): its bytes, and its fields, most of them as ranges of these bytes.
///
/// ```
/// OCSPResponse ::= SEQUENCE {
///     responseStatus  ENUMERATED { successful (0), … },
///     responseBytes   [0] EXPLICIT SEQUENCE { responseType OBJECT IDENTIFIER,
///                                             response OCTET STRING } OPTIONAL }
/// BasicOCSPResponse ::= SEQUENCE {
///     tbsResponseData     ResponseData,
///     signatureAlgorithm  AlgorithmIdentifier,
///     signature           BIT STRING,
///     certs               [0] EXPLICIT SEQUENCE OF Certificate OPTIONAL }
/// ResponseData ::= SEQUENCE {
///     version             [0] EXPLICIT INTEGER DEFAULT v1,
///     responderID         ResponderID,
///     producedAt          GeneralizedTime,
///     responses           SEQUENCE OF SingleResponse,
///     responseExtensions  [1] EXPLICIT Extensions OPTIONAL }
/// ```
struct OCSPResponse: Sendable {
    /// The DER of the whole response, in which all ranges and offsets count.
    let bytes: [UInt8]
    /// The limits that the response was decoded under.
    let limits: RevocationLimits
    /// The responder that signed the response, by its name or by a digest of its key.
    let responder: ResponderID
    /// The time at which the responder signed the response.
    let producedAt: Timestamp
    /// The offset in ``bytes`` of the element `producedAt`.
    let producedAtOffset: Int
    /// The range of the contents of `responses`. Each SingleResponse in it is well-formed.
    let responses: Range<Int>
    /// The responder's signature over `tbsResponseData`.
    let signature: EvidenceSignature
    /// The certificates in `certs`, which the response's signature does not cover.
    let certificates: [Certificate]

    /// Decodes the response that fills the bytes.
    ///
    /// - Throws: `Refusal` with an offset in the bytes: `.evidenceTooLarge` or `.tooManyEvidenceElements`
    ///   beyond the limits; `.responderError` for a response that reports an error;
    ///   `.unsupportedResponseType`, `.responseVersion`, `.invalidResponderID` or `.missingNextUpdate` for a
    ///   form that is not supported; `.invalidRevocationReason`, and the codes of `DER` and `PKIX`, for a
    ///   malformed response; what `Certificate` throws beyond `limits.certificate`.
    init(_ bytes: [UInt8], limits: RevocationLimits) throws(Refusal) {
        guard bytes.count <= limits.responseBytes else {
            throw Refusal(.evidenceTooLarge, at: 0, reading: "OCSPResponse")
        }
        self.bytes = bytes
        self.limits = limits
        let octets = try Self.readBasicResponse(bytes.borrowedSpan)
        var reader = Reader(bytes.borrowedSpan, in: octets)
        var basic = try reader.nested(.sequence, "BasicOCSPResponse")
        try reader.finish("BasicOCSPResponse")
        let start = basic.offset
        var data = try basic.nested(.sequence, "tbsResponseData")
        let signed = start..<basic.offset
        let algorithm = try AlgorithmIdentifier(&basic, "signatureAlgorithm")
        let value = try basic.readOctetAlignedBitString("signature")
        signature = EvidenceSignature(signed: signed, algorithm: algorithm, value: value)
        certificates = try Self.readCertificates(&basic, limits)
        try basic.finish("BasicOCSPResponse")

        guard !data.isNext(.constructed(0)) else {
            throw Refusal(.responseVersion, at: data.offset, reading: "version")
        }
        responder = try ResponderID(&data)
        producedAtOffset = data.offset
        producedAt = try data.readWholeSeconds("producedAt")
        responses = try Self.readResponses(&data, limits)
        if data.isNext(.constructed(1)) {
            var explicit = try data.nested(.constructed(1), "responseExtensions")
            // The nonce (§4.4.1) belongs to a request, and the package makes none.
            try explicit.readExtensions("responseExtensions", limit: limits.extensions) { _ in false }
            try explicit.finish("responseExtensions")
        }
        try data.finish("tbsResponseData")
    }

    /// The range of the contents of the OCTET STRING `response`. Throws `.responderError` unless the status
    /// is successful, and `.unsupportedResponseType` unless the type is id-pkix-ocsp-basic.
    private static func readBasicResponse(_ bytes: Span<UInt8>) throws(Refusal) -> Range<Int> {
        var reader = Reader(bytes)
        var response = try reader.nested(.sequence, "OCSPResponse")
        try reader.finish("OCSPResponse")
        let status = try response.read(.enumerated, "responseStatus")
        guard status.count == 1, bytes[status.lowerBound] == 0 else {
            throw Refusal(.responderError, at: status.lowerBound, reading: "responseStatus")
        }
        var explicit = try response.nested(.constructed(0), "responseBytes")
        try response.finish("OCSPResponse")
        var responseBytes = try explicit.nested(.sequence, "responseBytes")
        try explicit.finish("responseBytes")
        let type = try responseBytes.readObjectIdentifier("responseType")
        guard ObjectIdentifier(bytes, in: type) == .basicResponse else {
            throw Refusal(.unsupportedResponseType, at: type.lowerBound, reading: "responseType")
        }
        let octets = try responseBytes.read(.octetString, "response")
        try responseBytes.finish("responseBytes")
        return octets
    }

    /// Decodes the certificates in `certs`; none if the field is absent. Throws `.tooManyEvidenceElements`
    /// for more than `limits.certificates`, and the refusal of a malformed certificate.
    private static func readCertificates(
        _ basic: inout Reader,
        _ limits: RevocationLimits
    ) throws(Refusal) -> [Certificate] {
        guard basic.isNext(.constructed(0)) else { return [] }
        var explicit = try basic.nested(.constructed(0), "certs")
        var sequence = try explicit.nested(.sequence, "certs")
        try explicit.finish("certs")
        var certificates: [Certificate] = []
        while !sequence.isAtEnd {
            guard certificates.count < limits.certificates else {
                throw Refusal(.tooManyEvidenceElements, at: sequence.offset, reading: "certs")
            }
            certificates.append(try Certificate(&sequence, limits: limits.certificate))
        }
        return certificates
    }

    /// Decodes each SingleResponse once, so that a malformed one refuses the response. Returns the range of
    /// the contents of `responses`. Throws `.tooManyEvidenceElements` for more than `limits.statuses`.
    private static func readResponses(
        _ data: inout Reader,
        _ limits: RevocationLimits
    ) throws(Refusal) -> Range<Int> {
        var sequence = try data.nested(.sequence, "responses")
        let start = sequence.offset
        var count = 0
        while !sequence.isAtEnd {
            count += 1
            guard count <= limits.statuses else {
                throw Refusal(.tooManyEvidenceElements, at: sequence.offset, reading: "responses")
            }
            _ = try SingleResponse(&sequence, limits: limits)
        }
        return start..<sequence.offset
    }
}

/// The signer of an OCSP response (RFC 6960 §4.2.1).
///
/// ```
/// ResponderID ::= CHOICE { byName [1] EXPLICIT Name, byKey [2] EXPLICIT OCTET STRING }
/// ```
enum ResponderID: Sendable {
    /// The range in the response of the responder's whole Name.
    case name(Range<Int>)
    /// The range in the response of the SHA-1 digest of the octets of the responder's subjectPublicKey.
    case key(Range<Int>)

    /// Decodes a ResponderID and leaves the reader after it. Throws `.invalidResponderID` for another choice,
    /// and for a digest that has not 20 octets.
    init(_ reader: inout Reader) throws(Refusal) {
        let start = reader.offset
        if reader.isNext(.constructed(1)) {
            var explicit = try reader.nested(.constructed(1), "responderID")
            self = .name(try Name(&explicit, "responderID.byName").range)
            try explicit.finish("responderID")
        } else if reader.isNext(.constructed(2)) {
            var explicit = try reader.nested(.constructed(2), "responderID")
            let digest = try explicit.read(.octetString, "responderID.byKey")
            guard digest.count == 20 else {
                throw Refusal(.invalidResponderID, at: start, reading: "responderID.byKey")
            }
            self = .key(digest)
            try explicit.finish("responderID")
        } else {
            throw Refusal(.invalidResponderID, at: start, reading: "responderID")
        }
    }
}

extension ObjectIdentifier {
    /// `id-pkix-ocsp-basic` (RFC 6960 §4.2.1).
    fileprivate static var basicResponse: Self { Self(1, 3, 6, 1, 5, 5, 7, 48, 1, 1) }
}
