import AppReceipt
import Basics
import SHA

extension PurchaseInfo {
    /// The SHA-256 digest of the signed bytes: the version octet and the purchase-info. It identifies the
    /// receipt, and each access computes it.
    ///
    /// The digest of the receipt's bytes identifies nothing: the outer property list can be written in other
    /// ways, and its environment can be removed.
    public var contentDigest: Digest {
        var hash = HashFunction(.sha256)
        hash.update([signatureVersion.rawValue].borrowedSpan)
        hash.update(signedBytes.borrowedSpan)
        return hash.finalize()
    }

    /// The octets that the signature covers after the version octet: the purchase-info as a property list.
    public var signedBytes: [UInt8] { unverified.opened.info.bytes }

    /// The value of a key of the purchase-info, as a slice of ``signedBytes``; nil if there is no such key.
    package func text(of key: StaticString) -> ArraySlice<UInt8>? {
        unverified.range(of: key).map { unverified.opened.info.bytes[$0] }
    }

    /// The name of the environment that the unsigned outer list claims; nil if the list has no such entry.
    package var claimedEnvironmentText: ArraySlice<UInt8>? {
        unverified.opened.environment.map { unverified.opened.bytes[$0] }
    }
}
