import AppReceipt
import Bytes
import DER
import JSONText
import PKIX
import ReceiptCorpus
import ReceiptResults
import SHA
import TransactionReceipt

extension Command {
    /// `inspect`: shows what a receipt holds, and whether it is valid.
    static var inspect: Command {
        Command(
            name: "inspect",
            summary: "show what is in a receipt, valid or not",
            examples: [
                Example(
                    line: "app-receipt inspect receipt",
                    says: "first whether it is verified, then container, certificates, payload and purchases"
                ),
                Example(
                    line: "app-receipt inspect --json receipt",
                    says: "as one JSON object"
                ),
                Example(
                    line: "app-receipt inspect --xcode-testing receipt",
                    says: "a receipt of StoreKit testing in Xcode"
                ),
            ],
            operands: .oneFile,
            options: ValidationOptions.all + [json],
            notes: [
                "The contents of a receipt that is not verified are claims. In JSON they are the member",
                "unverified_receipt, never receipt. An iOS 6 transaction receipt is the member transaction_receipt, or",
                "unverified_transaction_receipt. A broken receipt is shown as far as it can be read; app-receipt",
                "asn1 shows where it breaks.",
                "",
                "Exit status: 0 verified, 1 not verified, 2 the command line is wrong, 3 the input could not be read",
                "or holds no receipt, or the output could not be written, 141 the reader of the output has gone.",
            ],
            run: { arguments, console throws(Failure) in try inspect(arguments, &console) }
        )
    }

    private static var json: Option { Option("--json", "Write one JSON object, on one line.") }

    private static func inspect(_ arguments: Arguments, _ console: inout Console) throws(Failure)
        -> ExitStatus
    {
        let judge = try ValidationOptions.judge(arguments)
        guard let name = try Input.names(arguments).first else { return .usage }
        var cache = ValidationCache()
        let judgement = Judgement(of: name, by: judge, cache: &cache)
        guard !arguments.has(json) else {
            console.output.line(
                json: .object { json in
                    json.judgement(judgement)
                    json.inspection(judgement.container, isValid: judgement.receipt != nil)
                }
            )
            return judgement.exitStatus
        }
        switch judgement.verdict {
        case .success(let receipt): Inspection.showVerdict(receipt, name, arguments, &console.output)
        case .failure(let fault) where fault.code == .cannotRead: console.report(fault.report(name))
        case .failure(let fault):
            Inspection.showVerdict(fault, name, Hint.of(fault, judgement, arguments), &console.output)
        }
        guard !judgement.container.isEmpty else { return judgement.exitStatus }
        guard !ReceiptJudge.isTransaction(judgement.container) else {
            TransactionInspection(container: judgement.container, isVerified: judgement.receipt != nil)
                .write(to: &console.output)
            return judgement.exitStatus
        }
        Inspection(outline: Outline(judgement.container), isVerified: judgement.receipt != nil)
            .write(to: &console.output)
        return judgement.exitStatus
    }
}

/// Shows a receipt to a person: a paragraph for each part, with aligned labels.
struct Inspection {
    /// How many signers are shown. A receipt has one; a broken receipt may list thousands.
    private static let shownSigners = 16
    let outline: Outline
    let isVerified: Bool

    private static let labelWidth = 26

    // MARK: The first line

    static func showVerdict(
        _ receipt: ValidReceipt,
        _ name: Argument,
        _ arguments: Arguments,
        _ output: inout Output
    ) {
        output.write("\(name.printable): ")
        output.write("verified", .good)
        output.line(" against \(ValidationOptions.roots(arguments))")
        Command.show(notChecked: receipt.notChecked, &output)
    }

    static func showVerdict(_ fault: Fault, _ name: Argument, _ hint: String?, _ output: inout Output) {
        output.write("\(name.printable): ")
        output.write("not verified", .bad)
        output.line(" (\(fault.status)), \(fault.step.rawValue): \(fault.message)")
        output.line("    \(fault.code.name) at \(fault.place)", .dim)
        if let hint { output.line("    hint: \(hint.printable)") }
    }

    // MARK: The parts

    func write(to output: inout Output) {
        showContainer(&output)
        for (index, certificate) in outline.certificates.enumerated() {
            showCertificate(index, certificate, &output)
        }
        guard let content = outline.content else {
            Self.heading("Payload: none was found", &output)
            return
        }
        PayloadInspection(content: content, isVerified: isVerified).write(to: &output)
    }

    private func showContainer(_ output: inout Output) {
        Self.heading("Container", &output)
        let encoding = outline.isBER ? "BER" : "DER"
        Self.field("size", "\(outline.bytes.count) bytes, \(encoding)", &output)
        if let fault = outline.fault {
            let place = "\(fault.code.meaning) (\(fault.code.name) at byte \(fault.offset))"
            Self.field("broken", place, .bad, &output)
            Self.field("", "app-receipt asn1 shows the structure before and after this place", &output)
        }
        Self.field("content type", identifier(outline.contentType), &output)
        Self.field("signed content", identifier(outline.encapsulatedContentType), &output)
        Self.field("content size", outline.content.map { "\($0.bytes.count) bytes" } ?? "none found", &output)
        Self.field("certificates", "\(outline.certificates.count)", &output)
        Self.field("signers", "\(outline.signers.count)", &output)
        for signer in outline.signers.prefix(Self.shownSigners) {
            let index = outline.certificate(of: signer)
            Self.field("signer", index.map { "certificate \($0)" } ?? "none of these certificates", &output)
            if index == nil, let serial = signer.serialNumber {
                let digits = Hexadecimal.digits(of: outline.bytes[serial].borrowedSpan)
                Self.field("  serial number", digits, &output)
            }
            Self.field("  digest algorithm", identifier(signer.digestAlgorithm), &output)
            Self.field("  signature algorithm", identifier(signer.signatureAlgorithm), &output)
            Self.field("  signed attributes", signer.hasSignedAttributes ? "yes" : "none", &output)
            if let count = signer.signatureByteCount {
                Self.field("  signature", "\(count) bytes", &output)
            }
        }
    }

    func showCertificate(
        _ index: Int,
        _ certificate: Outline.ListedCertificate,
        _ output: inout Output
    ) {
        Self.heading("Certificate \(index), at byte \(certificate.range.lowerBound)", &output)
        if let decoded = certificate.decoded {
            for (label, value) in decoded.fields(in: outline.bytes) { Self.field(label, value, &output) }
        } else if let fault = certificate.fault {
            let place = "\(fault.code.meaning) (\(fault.code.name) at byte \(fault.offset))"
            Self.field("broken", place, .bad, &output)
        }
        guard certificate.isWhole else { return }
        Self.field("SHA-256", certificate.fingerprint.description, &output)
        Self.field("SHA-1", certificate.sha1.description, &output)
    }

    private func identifier(_ range: Range<Int>?) -> String {
        guard let range else { return "none found" }
        return ASN1Value(.objectIdentifier, outline.bytes, range, limit: 40).text
    }

    static func heading(_ text: String, _ output: inout Output) {
        output.line()
        output.line(text, .bold)
    }

    static func field(
        _ label: String,
        _ value: String,
        _ style: Output.Style = .plain,
        _ output: inout Output
    ) {
        let padding = String(repeating: " ", count: max(1, labelWidth - label.utf8.count))
        output.write("  \(label)\(padding)", .dim)
        output.line(value.printable, style)
    }

    static func field(_ label: String, _ value: String, _ output: inout Output) {
        field(label, value, .plain, &output)
    }
}
