import AppReceipt
import Basics
import CMS
import DER
import PKIX
import Processor
import RSA
import SHA

/// This package's verdict on a message.
struct Judgement {
    enum Verdict {
        /// The message is accepted; the value is the signed content.
        case accepted(content: [UInt8])
        case refused(step: String, Refusal.Code, reading: String, offset: Int)
    }

    let verdict: Verdict
    /// The receipt, if it was accepted.
    let receipt: Receipt?
    /// The time for the path: the creation date, if the receipt has one.
    let time: Timestamp
    /// Whether the payload of a refused receipt does not decode. Then the time is not the receipt's own.
    var isPayloadBroken = false

    /// Step, code and offset. Empty if the message was accepted.
    var refusal: String {
        guard case .refused(let step, let code, let reading, _) = verdict else { return "" }
        return "\(step) \(code.name) \(reading)"
    }

    private init(_ verdict: Verdict, _ receipt: Receipt? = nil, at time: Timestamp) {
        self.verdict = verdict
        self.receipt = receipt
        self.time = time
    }

    /// Judges a message as a receipt.
    ///
    /// - Parameter otherwise: the time if no creation date can be read.
    init(receipt octets: [UInt8], _ validator: ReceiptValidator, otherwise: Timestamp) {
        do throws(ReceiptError) {
            let receipt = try validator.validate(octets)
            do throws(Refusal) {
                let content = try Self.content(of: octets)
                self.init(.accepted(content: content), receipt, at: receipt.creationDate)
            } catch {
                // The envelope decoded before and does not decode now. The comparison will report it.
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
        return [UInt8]((envelope.der ?? octets)[envelope.signedData.content])
    }

    /// Judges any message with content of type data. Its path may have up to ten certificates.
    init(message octets: [UInt8], anchor: TrustAnchor, at time: Timestamp) {
        var step = "container"
        var keys = KeyCache<SigningKey>(SigningKey.Requirements())
        do throws(Refusal) {
            let envelope = try Envelope(octets.span)
            let bytes = envelope.der ?? octets
            let message = envelope.signedData
            guard message.contentType == ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1) else {
                throw Refusal(.notAReceipt, at: 0, reading: "eContentType")
            }
            step = "certificate-path"
            let certificates = try SignedData.decodeCertificates(bytes.span, in: message.certificates)
            let view = message.view(in: bytes.span)
            let list = CertificateList(certificates, in: bytes.span)
            let signer = try view.signerIndex(among: list)
            _ = try CertificationPath.find(
                from: signer,
                among: list,
                at: time,
                to: [anchor],
                policy: PathPolicy(
                    certificateCount: 1...10,
                    purpose: .permitted(ObjectIdentifier(2, 5, 29, 37, 0))
                ),
                keys: &keys,
                acceleration: acceleration
            )
            step = "signature"
            try view.verifySignature(by: try keys.key(of: list[signer]), acceleration: acceleration)
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
    /// Whole seconds since 1970, without the fraction.
    var seconds: Int64 {
        let (quotient, remainder) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
