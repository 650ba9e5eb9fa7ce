import DER

/// Why a receipt was not accepted: at which step, with which code, and where in the input.
public struct ReceiptError: Error, Sendable {
    /// The steps of a validation, in the order they are taken. The raw value is the published name.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// What was sent is turned into a container's bytes: ``ReceiptInput``.
        case input
        /// The ContentInfo decodes: SignedData with one signer and content of type data.
        case container
        /// The date of attribute 12, read before anything is verified, because certificates are judged at it.
        case creationDate = "creation-date"
        /// The certificates decode, one is the signer's, and a path leads from it to a root (RFC 5280 §6).
        case certificatePath = "certificate-path"
        /// The root is one of those trusted.
        case root
        /// The intermediate has its marker, extension 1.2.840.113635.100.6.2.1.
        case intermediateMarker = "intermediate-marker"
        /// The signer's certificate has its marker, extension 1.2.840.113635.100.6.11.1.
        case leafMarker = "leaf-marker"
        /// The signature over the content is right (RFC 5652 §5.4), and its digest long enough.
        case signature
        /// The attributes decode.
        case payload
        /// Attribute 0 is one of the environments expected.
        case environment
        /// Attribute 2 is one of the bundle identifiers expected.
        case bundleIdentifier = "bundle-identifier"
        /// Attribute 3 is the version expected.
        case appVersion = "app-version"
        /// Attribute 5 is the hash for one of the devices given.
        case deviceHash = "device-hash"
        /// The date of attribute 21, if there is one, is not past.
        case expirationDate = "expiration-date"
    }

    /// The step that failed. Those after it were not taken.
    public let step: Step
    /// What is wrong, from the published list `Refusal.Code.all`.
    public let code: Refusal.Code
    /// Where, in bytes from the start of the input, whatever stands there. After base64, of the bytes that it
    /// stands for.
    public let offset: Int
    /// What was being read or checked, in the words of its standard.
    public let reading: StaticString
    /// Which certificate of the message it is about, or stands in the place of, counted from 0 in the order
    /// of the message, other formats left out; nil where it is about something else.
    public let certificateIndex: Int?

    init(_ step: Step, _ refusal: Refusal, certificateIndex: Int? = nil) {
        self.step = step
        code = refusal.code
        offset = refusal.offset
        reading = refusal.reading
        self.certificateIndex = certificateIndex
    }
}

extension ReceiptError.Step: CustomStringConvertible {
    public var description: String { rawValue }
}

extension ReceiptError: CustomStringConvertible {
    public var description: String {
        let certificate = certificateIndex.map { ", in certificate \($0)" } ?? ""
        return
            "\(step.rawValue): \(code.name) at byte \(offset)\(certificate), reading \(reading): \(code.meaning)"
    }
}
