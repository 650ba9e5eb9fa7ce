import AppReceipt
import DER
import ReceiptCorpus
import ReceiptResults
import TransactionReceipt

extension Command {
    /// `asn1`: shows an encoding element by element.
    static var asn1: Command {
        Command(
            help: """
                app-receipt asn1: show the ASN.1 structure of a file, even of a broken one

                  app-receipt asn1 receipt
                      the elements of a receipt
                  app-receipt asn1 --deep receipt
                      the elements of a receipt and of the payload inside it
                  app-receipt asn1 transaction-receipt
                      the certificate in an iOS 6 transaction receipt
                  app-receipt asn1 certificate.pem
                      any other DER, BER, base64 or PEM

                usage: app-receipt asn1 [OPTION…] FILE|-

                  --deep
                      Show the elements inside of OCTET STRINGs and BIT STRINGs.
                  --full
                      Show long values in full.
                \(commonOptions)

                The columns are: offset, octets of the header, octets of the contents, element. An indefinite length
                is shown as indef. The error stands where a broken element would.

                Exit status: 0 no errors, 1 at least one element is broken, 2 the command line is wrong, 3 the input
                could not be read or is other text, or the output could not be written, 141 the reader of the output
                has gone.
                """,
            run: asn1
        )
    }

    private static func asn1(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus {
        let name = try Input.names(arguments)[0]
        do throws(Fault) {
            let encoding = try encoding(try Input.read(name))
            var tree = ASN1Tree(
                encoding,
                isDeep: arguments.has("--deep"),
                valueLimit: arguments.has("--full") ? .max : 40
            )
            tree.write()
            guard let fault = tree.faults.first else { return .valid }
            let count = tree.faults.count
            console.report(
                "\(name.printable): \(count) error\(count == 1 ? "" : "s"), the first at byte \(fault.offset)"
            )
            return .notValid
        } catch {
            console.report(error.report(name))
            return error.exitStatus
        }
    }

    /// Returns the encoding that a file holds: decoded from text such as PEM, the certificate of a
    /// transaction receipt, or the bytes of the file.
    ///
    /// - Throws: `Fault` if the bytes are ASCII text, and hold no SEQUENCE or a broken transaction receipt.
    private static func encoding(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
        do throws(Fault) {
            let container = try Input.container(bytes)
            guard ReceiptInput.isPropertyList(container) else { return container }
            // The certificate is the only part of a transaction receipt that is ASN.1.
            return try Fault.wrapping { () throws(ReceiptError) in
                Array(try UnverifiedPurchaseInfo(unverified: container).signingCertificate)
            }
        } catch {
            let isText = bytes.allSatisfy { (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) }
            guard !isText else { throw error }
            return bytes
        }
    }
}
