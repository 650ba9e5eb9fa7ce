import AppReceipt
import Basics
import DER
import JSONText
import PKIX
import ReceiptCorpus
import ReceiptResults

extension Command {
    /// `inspect`: shows what a receipt or a token holds, and whether it is valid.
    static var inspect: Command {
        Command(
            help: """
                app-receipt inspect: show what is in a receipt or a token of StoreKit 2, valid or not

                  app-receipt inspect receipt
                      first whether it is verified, then container, certificates, payload and purchases
                  app-receipt inspect --json receipt
                      as one JSON object
                  app-receipt inspect --xcode-testing receipt
                      a receipt of StoreKit testing in Xcode
                  app-receipt inspect body.json
                      an App Store Server Notification, as Apple posts it, and the tokens inside it
                  app-receipt inspect --kind renewal-info token
                      a token whose payload has this kind

                usage: app-receipt inspect [OPTION…] FILE|-

                \(validationOptions)
                \(tokenOptions)
                  --json
                      Write one JSON object, on one line.
                \(commonOptions)

                The contents of a receipt that is not verified are claims. In JSON they are the member
                unverified_receipt, never receipt. An iOS 6 transaction receipt is the member transaction_receipt, or
                unverified_transaction_receipt. A broken receipt is shown as far as it can be read; app-receipt
                asn1 shows where it breaks. The payload of a token is the member payload, or unverified_payload.

                \(tokenNotes)

                Exit status: 0 verified, 1 not verified, 2 the command line is wrong, 3 the input could not be read
                or holds no receipt, or the output could not be written, 141 the reader of the output has gone.
                """,
            run: inspect
        )
    }

    private static func inspect(_ arguments: Arguments, _ console: inout Console) throws(Failure)
        -> ExitStatus
    {
        var judge = try InputJudge(arguments)
        let judgement = Judgement(of: try Input.names(arguments)[0], by: &judge)
        let (container, isVerified) = (judgement.container, judgement.isValid)
        guard !arguments.has("--json") else {
            console.output.line(
                json: .object { json in
                    json.judgement(judgement)
                    if let kind = judgement.kind {
                        json.inspection(token: container, kind, isValid: isVerified)
                    } else {
                        json.inspection(container, isValid: isVerified)
                    }
                }
            )
            return judgement.exitStatus
        }
        switch judgement.verdict {
        case .success(let valid):
            console.output.verdict(judgement, "verified", .good, " against \(arguments.trustedRoots)")
            console.output.show(notChecked: valid.notChecked)
        case .failure(let fault) where fault.code == .cannotRead:
            console.report(fault.report(judgement.name))
        case .failure(let fault):
            let reason = " (\(fault.status)), \(fault.stepName): \(fault.message)"
            console.output.verdict(judgement, "not verified", .bad, reason)
            console.output.show(fault, judgement, arguments)
        }
        if let kind = judgement.kind {
            console.output.show(token: container, kind, judgement.payload)
        } else if ReceiptInput.isPropertyList(container) {
            console.output.show(transaction: container, isVerified)
        } else if !container.isEmpty {
            console.output.show(Outline(container), isVerified)
        }
        return judgement.exitStatus
    }
}

/// Shows a receipt to a person: a paragraph for each part, with aligned labels.
extension Output {
    /// Writes an empty line, and then the heading of a part.
    mutating func heading(_ text: String) {
        line()
        line(text, .bold)
    }

    mutating func field(_ label: String, _ value: String, _ style: Style = .plain, width: Int = 26) {
        write("  \(label.padded(to: width - 1)) ", .dim)
        line(value.printable, style)
    }

    /// Writes the error of a part that cannot be read, as the field `broken`.
    ///
    /// - Parameter reading: the element that was being read; nil to leave it out.
    mutating func broken(_ code: Refusal.Code, at offset: Int, reading: StaticString? = nil) {
        let element = reading.map { ", reading \($0)" } ?? ""
        field("broken", "\(code.meaning) (\(code.name) at byte \(offset)\(element))", .bad)
    }

    fileprivate mutating func show(_ outline: Outline, _ isVerified: Bool) {
        showContainer(outline)
        for index in outline.certificates.indices { showCertificate(index, outline) }
        if let content = outline.content {
            show(payload: content, isVerified)
        } else {
            heading("Payload: none was found")
        }
    }

    private mutating func showContainer(_ outline: Outline) {
        func identifier(_ range: Range<Int>?) -> String {
            range.map { ASN1Value.identifier(outline.bytes, $0) } ?? "none found"
        }
        heading("Container")
        field("size", "\(outline.bytes.count) bytes, \(outline.isBER ? "BER" : "DER")")
        if let fault = outline.fault {
            broken(fault.code, at: fault.offset)
            field("", "app-receipt asn1 shows the structure before and after this byte")
        }
        field("content type", identifier(outline.contentType))
        field("signed content", identifier(outline.encapsulatedContentType))
        field("content size", outline.content.map { "\($0.bytes.count) bytes" } ?? "none found")
        field("certificates", "\(outline.certificates.count)")
        field("signers", "\(outline.signers.count)")
        // A receipt has one signer; a broken receipt may list thousands.
        for signer in outline.signers.prefix(16) {
            let index = outline.certificate(of: signer)
            field("signer", index.map { "certificate \($0)" } ?? "none of these certificates")
            if index == nil, let serial = signer.serialNumber {
                field("  serial number", Hexadecimal.digits(of: outline.bytes[serial].borrowedSpan))
            }
            field("  digest algorithm", identifier(signer.digestAlgorithm))
            field("  signature algorithm", identifier(signer.signatureAlgorithm))
            field("  signed attributes", signer.hasSignedAttributes ? "yes" : "none")
            if let count = signer.signatureByteCount { field("  signature", "\(count) bytes") }
        }
    }

    mutating func showCertificate(_ index: Int, _ outline: Outline) {
        let certificate = outline.certificates[index]
        heading("Certificate \(index), at byte \(certificate.range.lowerBound)")
        show(certificate, in: outline.bytes)
    }

    mutating func show(_ certificate: Outline.ListedCertificate, in bytes: [UInt8]) {
        if let decoded = certificate.decoded {
            for (label, value) in decoded.fields(in: bytes) { field(label, value) }
        } else if let fault = certificate.fault {
            broken(fault.code, at: fault.offset)
        }
        guard certificate.isWhole else { return }
        field("SHA-256", certificate.fingerprint.description)
        field("SHA-1", certificate.sha1.description)
    }
}
