import AppReceipt
import Basics
import PKIX

/// The reason why a token was refused: the step, the code, and the offset in the token.
public struct SignedPayloadError: Error, Sendable, Hashable {
    /// The steps of a validation, in the order in which they are taken. The raw value is the published name.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// Takes the token apart into three segments (RFC 7515 §7.1), and decodes the base64url of the
        /// second and the third.
        case form
        /// Decodes the first segment, the header, which must name ES256 and hold the certificates
        /// (RFC 7515 §4).
        case header
        /// Checks that the payload is a JSON object. Unless the policy gives another time, decodes the
        /// payload's date before anything is verified, because the certificates are judged at this date.
        case signedDate = "signed-date"
        /// Searches a path from the first certificate of `x5c` over the others to a root (RFC 5280 §6).
        case certificatePath = "certificate-path"
        /// Checks that the path's root is trusted.
        case root
        /// Checks that no certificate of the path, and no key, is on the policy's list of distrusted ones.
        case distrust
        /// Checks that no certificate of the path is revoked, as the policy of revocation asks. The root's
        /// certificate is not checked.
        case revocation
        /// Checks that the intermediate's certificate has Apple's marker, extension 1.2.840.113635.100.6.2.1.
        case intermediateMarker = "intermediate-marker"
        /// Checks that the signer's certificate has the receipt signing marker, extension
        /// 1.2.840.113635.100.6.11.1.
        case leafMarker = "leaf-marker"
        /// Verifies the signature over header and payload (RFC 7515 §5.2, RFC 7518 §3.4).
        case signature
        /// Checks the kind of the payload, and that each documented member has the type that Apple documents
        /// or is null.
        case payload
        /// Checks that the payload is from an expected environment, and that a token inside a notification
        /// names no other environment than the notification.
        case environment
        /// Checks that the payload is for an expected bundle identifier, and that a token inside a
        /// notification has the notification's.
        case bundleIdentifier = "bundle-identifier"
        /// Checks that the payload is for the app with the expected Apple ID, and that a token inside a
        /// notification is for the notification's app.
        case appAppleIdentifier = "app-apple-id"
        /// Checks that the payload is for the given device.
        case deviceVerification = "device-verification"
        /// Checks that the payload was signed recently enough, and not more than a minute in the future.
        case age
    }

    /// The tokens that a notification can hold.
    public enum NestedToken: String, Sendable, Hashable, CaseIterable {
        /// The transaction: the member `data.signedTransactionInfo` of a notification.
        case transaction = "signedTransactionInfo"
        /// The renewal information: the member `data.signedRenewalInfo` of a notification.
        case renewalInfo = "signedRenewalInfo"
        /// The app transaction: the member `appData.signedAppTransactionInfo` of a notification.
        case appTransaction = "signedAppTransactionInfo"
    }

    /// The step that failed. No later step was taken, except that the search of the path also checks the
    /// root.
    public let step: Step
    /// The refused token, if it is one inside a notification; nil if the outer token was refused.
    public internal(set) var nestedToken: NestedToken?
    /// The reason: a code of `Refusal.Code.allOfSignedPayloads`, of a module that this one uses, or of the
    /// module `Revocation`.
    public var code: Refusal.Code { refusal.code }
    /// The offset of the fault, in bytes from the start of the token, which is the nested one if
    /// ``nestedToken`` names one. A fault inside a certificate has the offset of the certificate's text.
    /// The code `.keyNotOnP256` has the offset 0. A fault in the JSON of an
    /// ``UnverifiedExternalPurchaseToken`` has an offset in that JSON.
    public var offset: Int { refusal.offset }
    /// The name of the field that was read or checked.
    public var reading: StaticString { refusal.reading }
    /// The index in `x5c` of the certificate that the error concerns, or of the one below it if the error
    /// concerns a root that `x5c` lacks. Nil if the error concerns something else. Nil also for the code
    /// `.keyNotOnP256`.
    public let certificateIndex: Int?

    package let refusal: Refusal

    init(_ step: Step, _ refusal: Refusal, certificateIndex: Int? = nil) {
        // The path search finds an untrusted root, which is a step of its own.
        self.step = step == .certificatePath && refusal.code == .untrustedRoot ? .root : step
        self.refusal = refusal
        self.certificateIndex = certificateIndex
    }
}

extension SignedPayloadError {
    /// The next step of an app or a server, by the error's code. For a payload that names another app or
    /// environment, or lacks a required one, the next step is `deny`.
    public var nextStep: NextStep { NextStep(forPayload: code) }
}

extension NextStep {
    /// The next step by an error code alone: `deny` for the codes about the app or the environment of a
    /// token's payload, otherwise that of ``init(for:)``.
    package init(forPayload code: Refusal.Code) {
        self = Refusal.Code.payloadsOfOtherApps.contains(code) ? .deny : NextStep(for: code)
    }
}

extension SignedPayloadError.Step: CustomStringConvertible {
    /// The step's published name, such as `leaf-marker`.
    public var description: String { rawValue }
}

extension SignedPayloadError: CustomStringConvertible {
    /// One line with the nested token if there is one, the step, the code's name, the offset, the index of
    /// the certificate if there is one, the field that was read, and the code's meaning.
    public var description: String {
        let token = nestedToken.map { "\($0.rawValue), " } ?? ""
        let certificate = certificateIndex.map { ", in certificate \($0)" } ?? ""
        return "\(token)\(step.rawValue): \(code.name) at byte \(offset)\(certificate), reading \(reading): "
            + "\(code.meaning)"
    }
}
