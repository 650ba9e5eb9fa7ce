import AppReceiptMint
import DER
import ReceiptCorpus

extension Command {
    /// `mint-transaction`: makes an iOS 6 transaction receipt for tests.
    static var mintTransaction: Command {
        Command(
            name: "mint-transaction",
            summary: "make an iOS 6 transaction receipt for tests",
            examples: [
                Example(
                    line:
                        "app-receipt mint-transaction --out receipt --root-out root.der --issuer-out issuer.der",
                    says: "a receipt, and what to verify it with: --root root.der --issuer issuer.der"
                ),
                Example(
                    line: "app-receipt mint-transaction --signature-version 3 --product com.example.pro",
                    says: "a receipt of version 3, as base64"
                ),
            ],
            operands: .none,
            options: [
                seed, version, MintOptions.bundleIdentifier, product, expires, environment, out, rootOut,
                issuerOut,
            ],
            notes: [
                "The receipt is the base64 of a property list. It says that the purchase was made on 2015-06-01 at",
                "12:00. The same options make the same bytes. The keys are made from the seed, which is easy to guess,",
                "so their signatures prove nothing outside of a test.",
                "",
                "Exit status: 0, 2 the command line is wrong, 3 a file could not be written, 141 the reader of the",
                "output has gone.",
            ],
            run: run
        )
    }

    private static let seed = Option(
        "--seed",
        value: "NUMBER",
        "The number that the keys are made from; 1 by default."
    )
    private static let version = Option(
        "--signature-version",
        value: "2|3",
        "The version of the signature: 2 (RSA with 1024 bits, the default) or 3."
    )
    private static let product = Option(
        "--product",
        value: "IDENTIFIER",
        "The product; com.example.app.pro by default."
    )
    private static let expires = Option(
        "--expires",
        value: "DATE",
        "When the period of the subscription ends. Without a date the purchase does not expire."
    )
    private static let environment = Option(
        "--environment",
        value: "NAME|none",
        "The environment, which is not signed; Sandbox by default. none leaves it out, as production does."
    )
    private static let out = Option(
        "--out",
        value: "FILE",
        "Where to write the receipt; standard output by default."
    )
    private static let rootOut = Option(
        "--root-out",
        value: "FILE",
        "Write the root's certificate here, in DER."
    )
    private static let issuerOut = Option(
        "--issuer-out",
        value: "FILE",
        "Write the certificate of the signer's issuer here, in DER."
    )

    private static func run(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus {
        try OutputFile.requireDistinct([out, rootOut, issuerOut], arguments)
        let seed = try MintOptions.number(arguments.last(seed), seed, default: 1)
        let mint = TransactionReceiptMint(try signatureVersion(arguments), seed: seed)
        var template = mint.template(
            productIdentifier: arguments.last(product)?.text ?? "com.example.app.pro",
            bundleIdentifier: arguments.last(MintOptions.bundleIdentifier)?.text ?? "com.example.app"
        )
        if let word = arguments.last(expires) {
            let date = try ValidationOptions.time(word, expires)
            template["expires-date"] = "\(date.millisecondsSince1970)"
        }
        if let name = arguments.last(environment)?.text {
            template.outerEntries.removeAll { $0.key == "environment" && name == "none" }
            template.outerEntries = template.outerEntries.map {
                $0.key == "environment" ? TransactionReceiptTemplate.Entry($0.key, name) : $0
            }
        }
        if let file = arguments.last(rootOut) { try OutputFile.write(mint.root, to: file) }
        if let file = arguments.last(issuerOut) { try OutputFile.write(mint.intermediate, to: file) }
        let receipt = template.base64() + [UInt8(ascii: "\n")]
        if let file = arguments.last(out) {
            try OutputFile.write(receipt, to: file)
        } else {
            console.output.write(bytes: receipt)
        }
        return .valid
    }

    private static func signatureVersion(
        _ arguments: Arguments
    ) throws(Failure) -> TransactionReceiptMint.Version {
        guard let word = arguments.last(version) else { return .two }
        switch word.text {
        case "2": return .two
        case "3": return .three
        default: throw .usage("--signature-version \(word.printable) is neither 2 nor 3")
        }
    }
}
