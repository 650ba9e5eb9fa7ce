import AppReceipt
import DER
import SHA

extension Command {
    /// `inspect`: what is in this receipt, and can it be believed?
    static var inspect: Command {
        Command(
            name: "inspect",
            summary: "show what is in a receipt, valid or not",
            examples: [
                Example(
                    line: "app-receipt inspect receipt",
                    says: "container, certificates, payload and purchases; verified or not is said first"
                ),
                Example(
                    line: "app-receipt inspect --xcode StoreKitTest/receipt",
                    says: "one that Xcode made for testing"
                ),
            ],
            operands: .oneFile,
            options: ValidationOptions.all,
            notes: [
                "What is shown of a receipt that is not verified is what the bytes claim, and nothing more. A broken",
                "receipt is shown as far as it can be read; app-receipt asn1 shows where it breaks.",
                "",
                "Exit status: 0 verified, 1 not verified, 2 usage, 3 could not be read.",
            ],
            run: { arguments, console throws(Failure) in try inspect(arguments, &console) }
        )
    }

    private static func inspect(_ arguments: Arguments, _ console: inout Console) throws(Failure)
        -> ExitStatus
    {
        let validator = try ValidationOptions.validator(arguments)
        guard let name = try Input.names(arguments).first else { return .usage }
        var (input, container): ([UInt8], [UInt8]) = ([], [])
        do throws(Fault) {
            input = try Input.read(name)
            container = try Input.container(input)
        } catch {
            if error.code == .cannotRead {
                console.report(error.report(name))
            } else {
                Inspection.showVerdict(error, name, Hint.of(error, input, [], arguments), &console.output)
            }
            return error.exitStatus
        }
        let outline = Outline(container)
        var status = ExitStatus.valid
        do throws(Fault) {
            var cache = ValidationCache()
            let receipt = try validator.judge(container, &cache)
            Inspection.showVerdict(receipt, name, arguments, &console.output)
        } catch {
            status = error.exitStatus
            Inspection.showVerdict(error, name, Hint.of(error, input, container, arguments), &console.output)
        }
        Inspection(outline: outline, isVerified: status == .valid).write(to: &console.output)
        return status
    }
}

/// A person's view of a receipt: aligned labels, a paragraph for each part.
struct Inspection {
    /// A receipt has one; of a broken one no more are shown than a person would read.
    private static let mostSigners = 16
    let outline: Outline
    let isVerified: Bool

    private static let labelWidth = 26

    // MARK: The first line

    static func showVerdict(
        _ receipt: Receipt,
        _ name: Argument,
        _ arguments: Arguments,
        _ output: inout Output
    ) {
        output.write("\(name.printable): ")
        output.write("verified", .good)
        output.line(" against \(ValidationOptions.roots(arguments))")
        receipt.showNotChecked(&output)
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
            Self.field("", "app-receipt asn1 shows the structure up to there and beyond", &output)
        }
        Self.field("content type", identifier(outline.contentType), &output)
        Self.field("signed content", identifier(outline.encapsulatedContentType), &output)
        Self.field("content size", outline.content.map { "\($0.bytes.count) bytes" } ?? "none found", &output)
        Self.field("certificates", "\(outline.certificates.count)", &output)
        Self.field("signers", "\(outline.signers.count)", &output)
        for signer in outline.signers.prefix(Self.mostSigners) {
            let index = outline.certificate(of: signer)
            Self.field("signer", index.map { "certificate \($0)" } ?? "no certificate that is here", &output)
            if index == nil, let serial = signer.serialNumber {
                Self.field("  serial number", outline.bytes[serial].hexadecimal, &output)
            }
            Self.field("  digest algorithm", identifier(signer.digestAlgorithm), &output)
            Self.field("  signature algorithm", identifier(signer.signatureAlgorithm), &output)
            Self.field("  signed attributes", signer.hasSignedAttributes ? "yes" : "none", &output)
            if let count = signer.signatureByteCount {
                Self.field("  signature", "\(count) bytes", &output)
            }
        }
    }

    private func showCertificate(
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
