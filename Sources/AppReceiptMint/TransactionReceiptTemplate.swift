import Basics
import SHA

/// An iOS 6 transaction receipt to make.
///
/// Every part can be set to anything, so that the template makes forgeries too.
public struct TransactionReceiptTemplate: Sendable {
    /// A key and its value in a property list. Each is written between quotation marks, without escapes.
    public typealias Entry = (key: String, value: String)

    /// The version octet to sign, 2, 3 or 4 in genuine receipts.
    public var version: UInt8
    /// The signer's certificate, in DER.
    public var certificate: [UInt8]
    /// The signer's private key.
    public var key: PrivateKey
    /// The signature's hash algorithm. Genuine receipts have SHA-1 in versions 2 and 3, SHA-256 in version 4.
    public var hash = HashAlgorithm.sha1
    /// The entries of the purchase-info, in the order of writing. They are signed if ``signedInfo`` is nil.
    public var entries: [Entry]
    /// The entries that follow `signature` and `purchase-info` in the outer property list. No signature
    /// covers these entries.
    public var outerEntries: [Entry] = [
        ("environment", "Sandbox"), ("pod", "100"), ("signing-status", "0"),
    ]

    /// The version octet to write into the receipt. Nil stands for ``version``, which is signed.
    public var writtenVersion: UInt8?
    /// The octets of the purchase-info to sign. Nil stands for the property list of ``entries``.
    public var signedInfo: [UInt8]?
    /// The purchase-info to write into the receipt. Nil stands for the purchase-info that is signed.
    public var writtenInfo: [UInt8]?
    /// The signature to write. Nil stands for the signature that ``key`` makes of ``version`` followed by the
    /// purchase-info to sign.
    public var signature: [UInt8]?
    /// The certificate's length in octets to write. Nil stands for the correct length.
    public var certificateLength: UInt32?
    /// Octets to write after the certificate. The default length does not count them.
    public var bytesAfterCertificate: [UInt8] = []

    /// Makes a template of a receipt in the sandbox that is signed with SHA-1.
    public init(version: UInt8, certificate: [UInt8], key: PrivateKey, entries: [Entry]) {
        self.version = version
        self.certificate = certificate
        self.key = key
        self.entries = entries
    }

    /// The value of the first entry of the purchase-info with a key; nil if there is none. Setting nil
    /// removes that entry. Setting a value changes it, or appends an entry if there is none.
    public subscript(key: String) -> String? {
        get { entries.first { $0.key.utf8.elementsEqual(key.utf8) }?.value }
        set {
            let index = entries.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// A property list as genuine receipts write it: each entry on a line of its own behind a tab.
    public static func propertyList(_ entries: [Entry]) -> [UInt8] {
        let lines = entries.flatMap { "\t\"\($0.key)\" = \"\($0.value)\";\n".utf8 }
        return "{\n".utf8 + lines + "}".utf8
    }

    /// The decoded entry `signature`: the version, the signature, the certificate's length in four octets,
    /// most significant octet first, the certificate, and ``bytesAfterCertificate``.
    public func signatureBlob() -> [UInt8] {
        var blob = [writtenVersion ?? version]
        blob += signature ?? key.sign(hash.digest(of: ([version] + toSign).borrowedSpan))
        let length = certificateLength ?? UInt32(certificate.count)
        for shift: UInt32 in [24, 16, 8, 0] { blob.append(UInt8(truncatingIfNeeded: length >> shift)) }
        return blob + certificate + bytesAfterCertificate
    }

    /// The purchase-info that is signed: what the caller set, or the property list of ``entries``.
    private var toSign: [UInt8] { signedInfo ?? Self.propertyList(entries) }

    /// The signed receipt: the outer property list, not in base64.
    public func propertyList() -> [UInt8] {
        let signed: [Entry] = [
            ("signature", Self.base64(signatureBlob())),
            ("purchase-info", Self.base64(writtenInfo ?? toSign)),
        ]
        return Self.propertyList(signed + outerEntries)
    }

    /// The signed receipt as apps send it: the base64 of the outer property list, in ASCII.
    public func base64() -> [UInt8] { [UInt8](Self.base64(propertyList()).utf8) }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.append(base64: bytes[...])
        return String(decoding: text, as: UTF8.self)
    }
}
