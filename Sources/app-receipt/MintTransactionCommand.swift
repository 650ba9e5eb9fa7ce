import AppReceiptMint
import Basics
import ReceiptCorpus

extension Command {
    /// `mint-transaction`: makes an iOS 6 transaction receipt for tests.
    static var mintTransaction: Command {
        Command(
            help: """
                app-receipt mint-transaction: make an iOS 6 transaction receipt for tests

                  app-receipt mint-transaction --out receipt --root-out root.der --issuer-out issuer.der
                      a receipt, and what to verify it with: --root root.der --issuer issuer.der
                  app-receipt mint-transaction --signature-version 4 --product com.example.pro
                      a receipt of version 4, as base64

                usage: app-receipt mint-transaction [OPTION…]

                  --seed NUMBER
                      The number that the keys are made from; 1 by default.
                  --signature-version 2|3|4
                      The version of the signature: 2 (RSA with 1024 bits, the default), 3, or 4 (SHA-256).
                  --bundle-id IDENTIFIER
                      The app's bundle identifier; com.example.app by default.
                  --product IDENTIFIER
                      The product; com.example.app.pro by default.
                  --expires DATE
                      When the period of the subscription ends. Without a date the purchase does not expire.
                  --environment NAME|none
                      The environment, which is not signed; Sandbox by default. none leaves it out, as production does.
                  --out FILE
                      Where to write the receipt; standard output by default. A terminal shows it as base64.
                \(rootOutOption)
                  --issuer-out FILE
                      Write the certificate of the signer's issuer here, in DER.
                \(commonOptions)

                The receipt is the base64 of a property list. It says that the purchase was made on 2015-06-01 at
                12:00.

                \(seedNote)
                """,
            run: mintTransaction
        )
    }

    private static func mintTransaction(
        _ arguments: Arguments,
        _ console: inout Console
    ) throws(Failure) -> ExitStatus {
        try OutputFile.requireDistinct(["--out", "--root-out", "--issuer-out"], arguments)
        let seed = try arguments.number("--seed", 0...UInt64.max) ?? 1
        let versions: [String: TransactionReceiptMint.Version] = ["2": .two, "3": .three, "4": .four]
        let mint = TransactionReceiptMint(
            try arguments.choice("--signature-version") { versions[$0] } ?? .two,
            seed: seed
        )
        var template = mint.template(
            productIdentifier: arguments.last("--product")?.text ?? "com.example.app.pro",
            bundleIdentifier: arguments.last("--bundle-id")?.text ?? "com.example.app"
        )
        if let date = try arguments.time("--expires") {
            template["expires-date"] = "\(date.millisecondsSince1970)"
            if mint.version == .four { template["subscription-group-identifier"] = "20400000" }
        }
        if let name = arguments.last("--environment")?.text {
            template.outerEntries.removeAll { $0.key == "environment" && name == "none" }
            template.outerEntries = template.outerEntries.map {
                $0.key == "environment" ? ($0.key, name) : $0
            }
        }
        try OutputFile.write(mint.root, to: arguments.last("--root-out"))
        try OutputFile.write(mint.intermediate, to: arguments.last("--issuer-out"))
        let receipt = template.base64() + [UInt8(ascii: "\n")]
        try OutputFile.write(receipt, to: arguments.last("--out"))
        if !arguments.has("--out") { console.output.write(bytes: receipt) }
        return .valid
    }
}
