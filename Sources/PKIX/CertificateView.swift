import Bytes
import DER
import Processor
import SHA

/// A decoded certificate together with the buffer that it was decoded from.
///
/// A ``Certificate`` holds ranges. This view pairs them with their bytes, so that no function needs a buffer
/// beside a certificate and none can get the wrong one. A view copies nothing and cannot outlive the buffer.
public struct CertificateView: ~Escapable {
    /// The whole buffer. The certificate may be a part of it.
    public let bytes: Span<UInt8>
    /// The decoded certificate. Its ranges count from the start of ``bytes``.
    public let fields: Certificate

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
    /// The whole buffer.
    public let bytes: Span<UInt8>
    /// The decoded certificates. Their ranges count from the start of ``bytes``.
    public let fields: [Certificate]

    /// Pairs certificates with their buffer.
    ///
    /// Precondition: every certificate was decoded from `bytes`, or from a buffer with equal contents.
    @_lifetime(copy bytes)
    public init(_ fields: [Certificate], in bytes: Span<UInt8>) {
        for certificate in fields {
            precondition(
                certificate.range.upperBound <= bytes.count,
                "a certificate is viewed in the buffer it came from"
            )
        }
        self.bytes = bytes
        self.fields = fields
    }

    /// The indices of the certificates, from zero.
    public var indices: Range<Int> { fields.indices }

    /// One certificate. Precondition: a valid index.
    public subscript(index: Int) -> CertificateView {
        @_lifetime(copy self)
        get { CertificateView(fields[index], bytes) }
    }
}

// MARK: Names and encodings

extension CertificateView {
    /// Whether issuer and subject are the same bytes, so that the certificate claims to be its own issuer.
    public var isSelfIssued: Bool { bytes.holds(fields.issuer.range, sameAs: bytes, fields.subject.range) }

    /// Whether both certificates have the same encoding.
    public func hasSameEncoding(as other: CertificateView) -> Bool {
        bytes.holds(fields.range, sameAs: other.bytes, other.fields.range)
    }

    /// Whether this certificate may be the issuer of another one by names and key identifiers
    /// (RFC 5280 §6.1.3 a 4, §4.2.1.1). No signature is checked.
    ///
    /// The subject must equal the child's issuer. The fields of the child's authority key identifier must
    /// match, as far as both certificates have them.
    public func isIssuer(of child: CertificateView) -> Bool {
        guard bytes.holds(fields.subject.range, sameAs: child.bytes, child.fields.issuer.range) else {
            return false
        }
        guard let authority = child.fields.authorityKeyIdentifier else { return true }
        if let wanted = authority.keyIdentifier, let identifier = fields.subjectKeyIdentifier,
            !bytes.holds(identifier, sameAs: child.bytes, wanted)
        {
            return false
        }
        if let wanted = authority.serialNumber,
            !bytes.holds(fields.serialNumber, sameAs: child.bytes, wanted)
        {
            return false
        }
        if let wanted = authority.issuer,
            !bytes.holds(fields.issuer.range, sameAs: child.bytes, wanted)
        {
            return false
        }
        return true
    }

    /// The digest of the whole certificate: its fingerprint.
    public func fingerprint(_ hash: HashAlgorithm, acceleration: Acceleration = .none) -> Digest {
        hash.digest(of: bytes.extracting(fields.range), acceleration: acceleration)
    }

    /// The digest of the part of the certificate that its issuer signed, `tbsCertificate`.
    public func signedDigest(_ hash: HashAlgorithm, acceleration: Acceleration = .none) -> Digest {
        hash.digest(of: bytes.extracting(fields.tbsCertificate), acceleration: acceleration)
    }

    /// The octets of the issuer's signature.
    public var signature: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(fields.signatureValue) }
    }
}

// MARK: Parts that are decoded again when they are needed

extension CertificateView {
    /// The extension with this identifier; nil if the certificate has none.
    public func `extension`(_ identifier: ObjectIdentifier) -> Extension? {
        var found: Extension?
        forEachExtension { candidate in
            guard candidate.identifier == identifier else { return true }
            found = candidate
            return false
        }
        return found
    }

    /// All extensions in the order of the encoding, for display.
    public var extensions: [Extension] {
        var all: [Extension] = []
        forEachExtension { next in
            all.append(next)
            return true
        }
        return all
    }

    /// Calls a function with each extension, in the order of the encoding, until it returns false.
    ///
    /// Decoding the certificate has read the same bytes in the same way and would have refused them, so an
    /// error here means that the view has another buffer than the certificate.
    private func forEachExtension(_ body: (Extension) -> Bool) {
        var reader = Reader(bytes, in: fields.extensions)
        do throws(Refusal) {
            while !reader.isAtEnd {
                guard body(try Extension(&reader)) else { return }
            }
        } catch {
            precondition(false, "extensions that decoded once decode again")
        }
    }

    /// Whether the certificate's extended key usage permits a purpose, by naming it or by naming
    /// `anyExtendedKeyUsage` (RFC 5280 §4.2.1.12). True if the certificate has no extended key usage.
    public func permits(_ purpose: ObjectIdentifier) -> Bool {
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

    /// The attributes of one of the certificate's names, in the order of the encoding, for display.
    ///
    /// - Parameter name: the issuer or the subject of this certificate.
    public func attributes(of name: Name) -> [Name.Attribute] {
        var attributes: [Name.Attribute] = []
        var reader = Reader(bytes, in: name.range)
        do throws(Refusal) {
            var sequence = try reader.nested(.sequence, "Name")
            while !sequence.isAtEnd {
                var relative = try sequence.nested(.set, "Name")
                while !relative.isAtEnd { attributes.append(try Name.Attribute(&relative, "Name")) }
            }
        } catch {
            precondition(false, "a name that decoded once decodes again")
        }
        return attributes
    }
}
