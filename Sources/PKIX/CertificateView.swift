import Basics
import DER
import Processor
import SHA

/// A decoded certificate together with the buffer that it was decoded from.
///
/// A ``Certificate`` holds ranges. This view pairs them with their bytes. A view copies no bytes of the
/// buffer and cannot outlive the buffer.
public struct CertificateView: ~Escapable {
    /// The whole buffer that the certificate was decoded from. The certificate may be a part of it.
    package let bytes: Span<UInt8>
    /// The decoded certificate. Its ranges count from the start of ``bytes``.
    package let fields: Certificate

    @_lifetime(copy bytes)
    fileprivate init(_ fields: Certificate, _ bytes: Span<UInt8>) {
        self.bytes = bytes
        self.fields = fields
    }
}

extension Certificate {
    /// The certificate together with its buffer.
    ///
    /// Precondition: the certificate was decoded from `bytes`, or from a buffer with equal contents.
    @_lifetime(copy bytes)
    public func view(in bytes: Span<UInt8>) -> CertificateView {
        precondition(range.upperBound <= bytes.count, "a certificate is viewed in the buffer it came from")
        return CertificateView(self, bytes)
    }
}

/// Decoded certificates together with the one buffer that they were decoded from.
public struct CertificateList: ~Escapable {
    /// The whole buffer that the certificates were decoded from.
    package let bytes: Span<UInt8>
    /// The decoded certificates. Their ranges count from the start of ``bytes``.
    package let fields: [Certificate]

    /// Pairs certificates with their buffer.
    ///
    /// Precondition: every certificate was decoded from `bytes`, or from a buffer with equal contents.
    @_lifetime(copy bytes)
    public init(_ fields: [Certificate], in bytes: Span<UInt8>) {
        self.bytes = bytes
        self.fields = fields
    }

    /// The indices of the certificates, from zero.
    package var indices: Range<Int> { fields.indices }

    /// The certificate at an index, with its buffer. Precondition: the index is one of ``indices``.
    public subscript(index: Int) -> CertificateView {
        @_lifetime(copy self)
        get { fields[index].view(in: bytes) }
    }
}

// MARK: Names and encodings

extension CertificateView {
    /// Whether issuer and subject are the same bytes. If they are, the certificate is self-issued
    /// (RFC 5280 §6.1).
    package var isSelfIssued: Bool { bytes.holds(fields.issuer.range, sameAs: bytes, fields.subject.range) }

    /// Whether this certificate and another have the same encoding, byte for byte.
    package func hasSameEncoding(as other: CertificateView) -> Bool {
        bytes.holds(fields.range, sameAs: other.bytes, other.fields.range)
    }

    /// Whether this certificate may be the issuer of another one by names and key identifiers
    /// (RFC 5280 §6.1.3 a 4, §4.2.1.1). No signature is checked.
    ///
    /// The subject must have the same bytes as the child's issuer. The child's authority key identifier, if
    /// present, must match: see ``matches(_:in:)``.
    package func isIssuer(of child: CertificateView) -> Bool {
        guard bytes.holds(fields.subject.range, sameAs: child.bytes, child.fields.issuer.range) else {
            return false
        }
        return matches(child.fields.authorityKeyIdentifier, in: child.bytes)
    }

    /// Whether an authority key identifier may name this certificate or its key (RFC 5280 §4.2.1.1): the
    /// fields of the authority key identifier have the same bytes as this certificate's subject key
    /// identifier, serial number and issuer, as far as both are present.
    ///
    /// - Parameters:
    ///   - authority: the authority key identifier; nil names any certificate.
    ///   - other: the buffer that the authority key identifier was decoded from.
    package func matches(_ authority: AuthorityKeyIdentifier?, in other: Span<UInt8>) -> Bool {
        guard let authority else { return true }
        func matches(_ wanted: Range<Int>?, _ field: Range<Int>?) -> Bool {
            guard let wanted, let field else { return true }
            return bytes.holds(field, sameAs: other, wanted)
        }
        return matches(authority.keyIdentifier, fields.subjectKeyIdentifier)
            && matches(authority.serialNumber, fields.serialNumber)
            && matches(authority.issuer, fields.issuer.range)
    }

    /// The digest of the certificate's whole encoding by a hash algorithm: its fingerprint.
    public func fingerprint(_ hash: HashAlgorithm, acceleration: Acceleration = .none) -> Digest {
        hash.digest(of: bytes.extracting(fields.range), acceleration: acceleration)
    }

    /// The digest of the part of the certificate that its issuer signed, `tbsCertificate`.
    package func signedDigest(_ hash: HashAlgorithm, acceleration: Acceleration = .none) -> Digest {
        hash.digest(of: bytes.extracting(fields.tbsCertificate), acceleration: acceleration)
    }

    /// A refusal with this code, whose offset is that of the certificate's first octet in the buffer.
    package func refusal(_ code: Refusal.Code, _ reading: StaticString) -> Refusal {
        Refusal(code, at: fields.range.lowerBound, reading: reading)
    }

    /// The octets of the issuer's signature over this certificate.
    package var signature: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(fields.signatureValue) }
    }
}

// MARK: Parts that are decoded again when they are needed

extension CertificateView {
    /// The extension with this identifier; nil if the certificate has none.
    package func `extension`(_ identifier: ObjectIdentifier) -> Extension? {
        firstExtension(in: fields.extensions) { $0.identifier == identifier }
    }

    /// All extensions of the certificate in the order of the encoding; empty if it has none.
    public var extensions: [Extension] {
        var all: [Extension] = []
        _ = firstExtension(in: fields.extensions) { next in
            all.append(next)
            return false
        }
        return all
    }

    /// The first extension in a part of ``Certificate/extensions`` that satisfies a condition; nil if none
    /// does. The part must begin and end between extensions.
    ///
    /// Traps if the condition throws, or if reading an extension throws. In the certificate's own buffer,
    /// reading cannot throw: decoding the certificate has read the same bytes and would have refused them.
    func firstExtension(
        in range: Range<Int>,
        where isWanted: (Extension) throws(Refusal) -> Bool
    ) -> Extension? {
        var reader = Reader(bytes, in: range)
        do throws(Refusal) {
            while !reader.isAtEnd {
                let next = try Extension(&reader)
                if try isWanted(next) { return next }
            }
        } catch {
            precondition(false, "extensions that decoded once decode again")
        }
        return nil
    }

    /// Whether the certificate's extended key usage permits a purpose, by naming it or by naming
    /// `anyExtendedKeyUsage` (RFC 5280 §4.2.1.12). True if the certificate has no extended key usage.
    package func permits(_ purpose: ObjectIdentifier) -> Bool {
        guard let usage = fields.extendedKeyUsage else { return true }
        var reader = Reader(bytes, in: usage.purposes)
        do throws(Refusal) {
            while !reader.isAtEnd {
                let range = try reader.read(.objectIdentifier, "extendedKeyUsage")
                let identifier = ObjectIdentifier(bytes, in: range)
                if identifier == purpose || identifier == .anyExtendedKeyUsage { return true }
            }
        } catch {
            precondition(false, "an extended key usage that decoded once decodes again")
        }
        return false
    }

    /// The range in the buffer of the contents octets of each purpose in the extended key usage, in the order
    /// of the encoding; nil if the certificate has no extended key usage.
    package var purposes: [Range<Int>]? {
        guard let usage = fields.extendedKeyUsage else { return nil }
        var purposes: [Range<Int>] = []
        var reader = Reader(bytes, in: usage.purposes)
        while let purpose = try? reader.read(.objectIdentifier, "extendedKeyUsage") {
            purposes.append(purpose)
        }
        return purposes
    }

    /// The attributes of one of the certificate's names, in the order of the encoding.
    ///
    /// - Parameter name: the issuer or the subject of this certificate.
    /// - Returns: for each attribute, the range in the buffer of the contents octets of its type, and its
    ///   value: a well-formed element of any type. The characters of the value are not checked.
    package func attributes(of name: Name) -> [(type: Range<Int>, value: Element)] {
        var attributes: [(type: Range<Int>, value: Element)] = []
        var reader = Reader(bytes, in: name.range)
        do throws(Refusal) {
            var sequence = try reader.nested(.sequence, "Name")
            while !sequence.isAtEnd {
                var relative = try sequence.nested(.set, "Name")
                while !relative.isAtEnd { attributes.append(try Name.readAttribute(&relative, "Name")) }
            }
        } catch {
            precondition(false, "a name that decoded once decodes again")
        }
        return attributes
    }
}
