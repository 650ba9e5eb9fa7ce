import Basics
import PKIX

/// The reason why a receipt was refused: the step, the code, and the offset in the input.
public struct ReceiptError: Error, Sendable, Hashable {
    /// The steps of a validation, in the order in which they are taken. The raw value is the published name.
    /// Attribute numbers belong to app receipts. A transaction receipt has keys in their place.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// Turns the text or bytes that were sent into a container's bytes. See ``ReceiptInput`` for app
        /// receipts.
        case input
        /// Decodes the ContentInfo. It must be SignedData with one signer and content of type data. A
        /// transaction receipt has a property list instead.
        case container
        /// Finds the content's attributes, and decodes the creation date (attribute 12), before anything is
        /// verified, because by default the certificates are judged at this date. A transaction receipt has a
        /// purchase date instead.
        case creationDate = "creation-date"
        /// Decodes the certificates, finds the signer's, and searches a path from it to a root (RFC 5280 §6).
        case certificatePath = "certificate-path"
        /// Checks that the path's root is trusted.
        case root
        /// Checks that no certificate of the path, and no key, is on the policy's list of distrusted ones.
        case distrust
        /// Checks that no certificate of the path is revoked, as the policy of revocation asks. The root's is
        /// not checked.
        case revocation
        /// Checks that the intermediate's certificate has Apple's marker, extension 1.2.840.113635.100.6.2.1,
        /// or 1.2.840.113635.100.6.2.2 for a transaction receipt of version 2.
        case intermediateMarker = "intermediate-marker"
        /// Checks that the signer's certificate has the receipt signing marker, extension
        /// 1.2.840.113635.100.6.11.1, or 1.2.840.113635.100.6.5.1 for a transaction receipt of version 2.
        case leafMarker = "leaf-marker"
        /// Verifies the signature over the content (RFC 5652 §5.4). Its hash must be strong enough.
        case signature
        /// Decodes the content's attributes.
        case payload
        /// Checks that attribute 0 is an expected environment.
        case environment
        /// Checks that attribute 2 is an expected bundle identifier.
        case bundleIdentifier = "bundle-identifier"
        /// Checks that attribute 3 is the expected version of the app.
        case appVersion = "app-version"
        /// Checks that attribute 5 is the device hash for one of the given devices.
        case deviceHash = "device-hash"
        /// Checks that the expiration date of attribute 21, if there is one, has not passed.
        case expirationDate = "expiration-date"
    }

    /// The step that failed.
    public let step: Step
    /// The reason: a code of the published list `Refusal.Code.all`, or of the list of another module that
    /// found the fault, such as `Revocation`.
    public var code: Refusal.Code { refusal.code }
    /// The offset of the fault, in bytes from the start of the bytes that were given to the function that
    /// threw. If a receipt came as text, the offset counts in the decoded bytes, except in the step `input`.
    public var offset: Int { refusal.offset }
    /// The name of the field that was read or checked.
    public var reading: StaticString { refusal.reading }
    /// The index of the certificate that the error concerns; nil if the error concerns something else. If the
    /// error concerns a root whose certificate only the trust policy has, it is the index of the certificate
    /// below the root. Certificates are counted from 0 in the order of the message. Members in other formats
    /// do not count: if one is malformed, the index is the number of certificates before it. In a transaction
    /// receipt, the signer's certificate has the index 0.
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
    /// The step's published name, such as `leaf-marker`.
    public var description: String { rawValue }
}

extension ReceiptError: CustomStringConvertible {
    /// One line: step, code name, offset, the certificate's index if there is one, field, code meaning.
    public var description: String {
        let certificate = certificateIndex.map { ", in certificate \($0)" } ?? ""
        return
            "\(step.rawValue): \(code.name) at byte \(offset)\(certificate), reading \(reading): \(code.meaning)"
    }
}
