import AppReceipt
import CMS
import DER
import PKIX
import RSA
import SHA

/// What this package says of a message.
struct Judgement {
    enum Verdict {
        /// With the content that was signed.
        case accepted(content: [UInt8])
        case refused(step: String, Refusal.Code, reading: String, offset: Int)
    }

    let verdict: Verdict
    /// Where a receipt was accepted.
    let receipt: Receipt?
    /// At which the path is to be judged: the creation date where there is one.
    let time: Timestamp
    /// Whether the payload of a receipt that was refused does not decode: then the time is none of its own.
    var isPayloadBroken = false

    /// Step, code and place; empty where it was accepted.
    var refusal: String {
        guard case .refused(let step, let code, let reading, _) = verdict else { return "" }
        return "\(step) \(code.name) \(reading)"
    }

    private init(_ verdict: Verdict, _ receipt: Receipt? = nil, at time: Timestamp) {
        self.verdict = verdict
        self.receipt = receipt
        self.time = time
    }

    /// As a receipt.
    ///
    /// - Parameter otherwise: the time where no creation date can be read.
    init(receipt octets: [UInt8], _ validator: ReceiptValidator, otherwise: Timestamp) {
        do throws(ReceiptError) {
            let receipt = try validator.validate(octets)
            do throws(Refusal) {
                let content = try Self.content(of: octets)
                self.init(.accepted(content: content), receipt, at: receipt.creationDate)
            } catch {
                // An envelope that was read before and now is not: for the peer to disagree with.
                self.init(.accepted(content: []), receipt, at: receipt.creationDate)
            }
        } catch {
            let decoded = try? UnverifiedReceipt(unverified: octets)
            let claimed = decoded?.creationDate
            self.init(
                .refused(
                    step: error.step.rawValue,
                    error.code,
                    reading: "\(error.reading)",
                    offset: error.offset
                ),
                at: claimed ?? otherwise
            )
            isPayloadBroken = decoded == nil && error.step != .container
        }
    }

    private static func content(of octets: [UInt8]) throws(Refusal) -> [UInt8] {
        let envelope = try Envelope(octets.span)
        return [UInt8]((envelope.normalised?.bytes ?? octets)[envelope.signedData.content])
    }

    /// As any message with content of type data, whose path may have up to ten certificates.
    init(message octets: [UInt8], anchor: TrustAnchor, at time: Timestamp) {
        var step = "container"
        var verifier = RSAVerifier(acceleration: acceleration)
        do throws(Refusal) {
            let envelope = try Envelope(octets.span)
            let bytes = envelope.normalised?.bytes ?? octets
            let message = envelope.signedData
            guard message.contentType == .data else {
                throw Refusal(.notAReceipt, at: 0, reading: "eContentType")
            }
            step = "certificate-path"
            let certificates = try SignedData.decodeCertificates(bytes.span, in: message.certificates)
            let signer = try message.signer.certificate(
                among: certificates,
                in: bytes.span,
                bytes: bytes.span
            )
            _ = try CertificationPath.find(
                from: signer,
                among: certificates,
                in: bytes.span,
                at: time,
                to: [anchor],
                policy: PathPolicy(certificateCount: 1...10, purpose: .permitted(.anyExtendedKeyUsage)),
                verifier: &verifier
            )
            step = "signature"
            try message.verifySignature(
                in: bytes.span,
                by: certificates[signer],
                in: bytes.span,
                verifier: &verifier
            )
            self.init(.accepted(content: [UInt8](bytes[message.content])), at: time)
        } catch {
            self.init(
                .refused(step: step, error.code, reading: "\(error.reading)", offset: error.offset),
                at: time
            )
        }
    }
}

extension Timestamp {
    /// Whole seconds since 1970, the fraction dropped.
    var seconds: Int64 {
        let (quotient, remainder) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
