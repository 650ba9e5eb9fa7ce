import DER

/// Why a receipt was not accepted: at which step, with which code, and where in the input.
public struct ReceiptError: Error, Sendable {
    /// The steps of a validation, in the order they are taken. The raw value is the published name.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        case input
        case container
        case creationDate = "creation-date"
        case certificatePath = "certificate-path"
        case root
        case intermediateMarker = "intermediate-marker"
        case leafMarker = "leaf-marker"
        case signature
        case payload
        case environment
        case bundleIdentifier = "bundle-identifier"
        case appVersion = "app-version"
        case deviceHash = "device-hash"
        case expirationDate = "expiration-date"
    }

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
