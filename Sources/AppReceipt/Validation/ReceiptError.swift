import Basics
import PKIX

/// The reason why a receipt was refused: the step, the code, and the offset in the input.
public struct ReceiptError: Error, Sendable, Hashable {
    /// The steps of a validation, in the order in which they are taken. The raw value is the published name.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The text or bytes that were sent are turned into a container's bytes. See ``ReceiptInput``.
        case input
        /// The ContentInfo decodes. It is SignedData with one signer and content of type data.
        case container
        /// Attribute 12 holds a creation date. It is read before anything is verified, because the
        /// certificates are judged at this date. A transaction receipt has a purchase date instead.
        case creationDate = "creation-date"
        /// The certificates decode, one of them is the signer's, and a path leads from it to a root
        /// (RFC 5280 §6).
        case certificatePath = "certificate-path"
        /// The root is trusted.
        case root
        /// The intermediate's certificate has Apple's marker, extension 1.2.840.113635.100.6.2.1, or 6.2.2
        /// for a transaction receipt of version 2.
        case intermediateMarker = "intermediate-marker"
        /// The signer's certificate has the receipt signing marker, extension 1.2.840.113635.100.6.11.1, or
        /// 6.5.1 for a transaction receipt of version 2.
        case leafMarker = "leaf-marker"
        /// The signature over the content holds (RFC 5652 §5.4), and its hash algorithm is strong enough.
        case signature
        /// The content's attributes decode.
        case payload
        /// Attribute 0 is an expected environment.
        case environment
        /// Attribute 2 is an expected bundle identifier.
        case bundleIdentifier = "bundle-identifier"
        /// Attribute 3 is the expected version.
        case appVersion = "app-version"
        /// Attribute 5 is the hash for one of the given devices.
        case deviceHash = "device-hash"
        /// The expiration date of attribute 21, if there is one, has not passed.
        case expirationDate = "expiration-date"
    }

    /// The step that failed. No later step was taken.
    public let step: Step
    /// The reason: a code of the published list `Refusal.Code.all`, or of the module that throws the error.
    public var code: Refusal.Code { refusal.code }
    /// The offset of the fault, in bytes from the start of the input. If the input was base64, the offset
    /// counts in the decoded bytes.
    public var offset: Int { refusal.offset }
    /// The name of the field that was read or checked, in the words of its standard.
    public var reading: StaticString { refusal.reading }
    /// The certificate that the error concerns, or the index where a certificate should be; nil if the error
    /// concerns something else. Certificates are counted from 0 in the order of the message. Members in other
    /// formats do not count.
    public let certificateIndex: Int?

    package let refusal: Refusal

    package init(_ step: Step, _ refusal: Refusal, certificateIndex: Int? = nil) {
        // The path search finds an untrusted root, which is a step of its own.
        self.step = step == .certificatePath && refusal.code == .untrustedRoot ? .root : step
        self.refusal = refusal
        self.certificateIndex = certificateIndex
    }
}

extension ReceiptError.Step: CustomStringConvertible {
    /// The published name.
    public var description: String { rawValue }
}

extension ReceiptError: CustomStringConvertible {
    /// One line with the step, the code's name and meaning, the offset, and the element that was read.
    public var description: String {
        let certificate = certificateIndex.map { ", in certificate \($0)" } ?? ""
        return
            "\(step.rawValue): \(code.name) at byte \(offset)\(certificate), reading \(reading): \(code.meaning)"
    }
}
