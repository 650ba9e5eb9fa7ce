import DER
import RSA
import SHA

/// An AlgorithmIdentifier to be written (RFC 5280 §4.1.1.2): right ones by name, and any other.
public struct AlgorithmTemplate: Sendable, Hashable {
    /// `algorithm`.
    public var identifier: ObjectIdentifier
    /// The encoding of the parameters; empty for none. NULL by default, as all of Apple's have it.
    public var parameters: [UInt8]

    /// Any algorithm.
    public init(_ identifier: ObjectIdentifier, parameters: [UInt8] = [0x05, 0x00]) {
        self.identifier = identifier
        self.parameters = parameters
    }

    /// rsaEncryption: a key's algorithm, and a signature's whose hash is named elsewhere (RFC 8017 §A.1).
    public static var rsaEncryption: Self { Self(ObjectIdentifier.rsaEncryption) }

    /// A hash function (RFC 8017 §B.1).
    public static func digest(_ hash: HashAlgorithm) -> Self {
        switch hash {
        case .sha1: Self(ObjectIdentifier(1, 3, 14, 3, 2, 26))
        case .sha256: Self(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1))
        case .sha384: Self(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 2))
        case .sha512: Self(ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 3))
        }
    }

    /// RSASSA-PKCS1-v1_5 with a hash function (RFC 8017 §A.2.4): sha256WithRSAEncryption and its like.
    public static func rsaSignature(_ hash: HashAlgorithm) -> Self {
        switch hash {
        case .sha1: Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 5))
        case .sha256: Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 11))
        case .sha384: Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 12))
        case .sha512: Self(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 13))
        }
    }

    /// In DER, if the parameters are.
    public func encoded() -> [UInt8] {
        var writer = Writer()
        writer.nest(.sequence) { writer in
            writer.writeObjectIdentifier(identifier)
            writer.writeEncoded(parameters)
        }
        return writer.bytes
    }
}
