import DER
import SHA

/// An AlgorithmIdentifier to write (RFC 5280 §4.1.1.2).
///
/// Static members give the correct identifiers; the initialiser makes any other.
public struct AlgorithmTemplate: Sendable, Hashable {
    /// The object identifier of the algorithm: the field `algorithm`.
    public var identifier: ObjectIdentifier
    /// The encoded parameters; empty to leave them out.
    public var parameters: [UInt8]

    /// Makes an AlgorithmIdentifier with any object identifier and any encoded parameters, NULL by default.
    public init(_ identifier: ObjectIdentifier, parameters: [UInt8] = [0x05, 0x00]) {
        self.identifier = identifier
        self.parameters = parameters
    }

    /// rsaEncryption (RFC 8017 §A.1): the algorithm of a key, or of a signature whose hash is named in
    /// another field.
    public static var rsaEncryption: Self { Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 1)) }

    /// The AlgorithmIdentifier of a hash function, with NULL parameters (RFC 8017 §B.1).
    public static func digest(_ hash: HashAlgorithm) -> Self {
        switch hash {
        case .sha1: Self(ObjectIdentifier(1, 3, 14, 3, 2, 26))
        case .sha256: Self(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1))
        case .sha384: Self(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 2))
        case .sha512: Self(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 3))
        }
    }

    /// The AlgorithmIdentifier of RSASSA-PKCS1-v1_5 with a hash function and NULL parameters (RFC 8017
    /// §A.2.4), such as sha256WithRSAEncryption.
    public static func rsaSignature(_ hash: HashAlgorithm) -> Self {
        switch hash {
        case .sha1: Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 5))
        case .sha256: Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11))
        case .sha384: Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 12))
        case .sha512: Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 13))
        }
    }

    /// The AlgorithmIdentifier of ECDSA with a hash function, without parameters, such as
    /// ecdsa-with-SHA384 (RFC 5758 §3.2; RFC 3279 §2.2.3 for SHA-1).
    public static func ecdsaSignature(_ hash: HashAlgorithm) -> Self {
        let identifier =
            switch hash {
            case .sha1: ObjectIdentifier(1, 2, 840, 10045, 4, 1)
            case .sha256: ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2)
            case .sha384: ObjectIdentifier(1, 2, 840, 10045, 4, 3, 3)
            case .sha512: ObjectIdentifier(1, 2, 840, 10045, 4, 3, 4)
            }
        return Self(identifier, parameters: [])
    }

    /// The encoded AlgorithmIdentifier, which is DER if the parameters are DER.
    public func encoded() -> [UInt8] {
        Writer.sequence { writer in
            writer.writeObjectIdentifier(identifier)
            writer.writeEncoded(parameters)
        }
    }
}
