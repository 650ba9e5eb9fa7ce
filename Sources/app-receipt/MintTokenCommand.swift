import AppReceiptMint
import ReceiptCorpus
import ReceiptResults
import SignedPayloads

extension Command {
    /// `mint-token`: makes a token of StoreKit 2, or a notification, for tests.
    static var mintToken: Command {
        Command(
            help: """
                app-receipt mint-token: make a token of StoreKit 2, or a notification, for tests

                  app-receipt mint-token --out token --root-out root.der
                      a transaction, and the root to verify it with: --kind transaction --root root.der
                  app-receipt mint-token --kind notification --bundle-id com.example.app --set notificationType=REFUND
                      a notification with a transaction and a renewal information inside
                  app-receipt mint-token --set productId=com.example.pro --set revocationDate=2024-06-01T10:00:00Z
                      a transaction that was refunded
                  app-receipt mint-token --kind notification --flaw nested-other-app
                      a notification that a validator must refuse
                  app-receipt mint-token --seed 7 --pki pki
                      certificates and private keys on P-384 and P-256 in a new directory

                usage: app-receipt mint-token [OPTION…]

                  --kind \(SignedPayloadKind.allCases.map(\.rawValue).joined(separator: "|"))
                      The kind of the payload; transaction by default.
                  --content \(TokenTemplate.Content.allCases.map(\.rawValue).joined(separator: "|"))
                      The object that a notification has; data by default.
                  --seed NUMBER
                      The number that the keys are made from; 1 by default.
                  --bundle-id IDENTIFIER
                      The app's bundle identifier; com.example.app by default.
                  --environment NAME
                      The environment, written as given; Production by default, Xcode with --xcode-like.
                  --app-apple-id NUMBER
                      The app's Apple ID; 1234567890 by default.
                  --signed-date DATE
                      The date; 2024-06-01T12:00:00Z by default. Certificates are valid from 2000 on.
                  --device-verification-id UUID
                      Bind the payload to the device with this AppStore.deviceVerificationID.
                  --all-members
                      Write every member that Apple documents for the kind, not only the usual ones.
                  --set NAME=VALUE  (repeatable)
                      Set a member, such as price=4990, data.status=2 or signedDate=2024-06-01T10:00:00Z. The value is
                      JSON if Apple documents no such member.
                  --flaw FLAW
                      Make a token that a validator must refuse:
                      \(flaws.prefix(5).joined(separator: ", ")),
                      \(flaws.dropFirst(5).prefix(5).joined(separator: ", ")),
                      \(flaws.dropFirst(10).joined(separator: ", ")).
                  --xcode-like
                      Sign with one self-signed certificate, as Xcode does.
                  --out FILE
                      Where to write the token; standard output by default.
                \(rootOutOption)
                \(pkiOption("token"))
                \(commonOptions)

                \(seedNote)
                """,
            run: mintToken
        )
    }

    private static var flaws: [String] { TokenFlaw.allCases.map(\.rawValue) }

    private static func mintToken(
        _ arguments: Arguments,
        _ console: inout Console
    ) throws(Failure) -> ExitStatus {
        try OutputFile.requireDistinct(["--out", "--root-out", "--pki"], arguments)
        let flaw = try arguments.choice("--flaw") { TokenFlaw(rawValue: $0) }
        let template = try arguments.tokenTemplate()
        if let flaw, !flaw.applies(to: template) {
            throw .usage("--flaw \(flaw.rawValue) is not one that this payload can have")
        }
        let seed = try arguments.number("--seed", 0...UInt64.max) ?? 1
        let mint: TokenMint
        if arguments.has("--xcode-like") {
            for option in ["--flaw", "--pki"] where arguments.has(option) {
                throw .usage("\(option) does not apply to --xcode-like; leave one of them out")
            }
            mint = .xcodeLike(ECPrivateKey(seed: seed))
        } else {
            let pki = TokenPKI(seed: seed)
            mint = TokenMint(pki, flaw: flaw)
            if let directory = arguments.last("--pki") { try write(pki, to: directory) }
        }
        try OutputFile.write(mint.root, to: arguments.last("--root-out"))
        guard arguments.has("--out") || !arguments.has("--pki") else { return .valid }
        if flaw == nil { console.warn(of: template.signedDate, "token", "date", root: mint.root) }
        let token = mint.token(template) + [UInt8(ascii: "\n")]
        try OutputFile.write(token, to: arguments.last("--out"))
        if !arguments.has("--out") { console.output.write(bytes: token) }
        return .valid
    }
}

extension SignedPayloadKind {
    /// This kind of payload as the type that `TokenTemplate` takes.
    var minted: TokenTemplate.Kind {
        switch self {
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .notification: .notification
        case .appTransaction: .appTransaction
        case .realtimeRequest: .realtimeRequest
        }
    }
}

extension Arguments {
    /// The payload that the options describe.
    fileprivate func tokenTemplate() throws(Failure) -> TokenTemplate {
        let kind = (try choice("--kind", SignedPayloadKind.init(rawValue:)) ?? .transaction).minted
        let content = try choice("--content", TokenTemplate.Content.init(rawValue:))
        guard content == nil || kind == .notification else {
            throw .usage("--content is for notifications; add --kind notification")
        }
        var template: TokenTemplate
        if has("--all-members") {
            template = .complete(kind, content: content ?? .data)
        } else {
            template = content.map { TokenTemplate(notification: $0) } ?? TokenTemplate(kind)
        }
        if has("--xcode-like") { template.environment = StoreEnvironment.xcode.name }
        if let word = last("--bundle-id") { template.bundleIdentifier = word.text }
        if let word = last("--environment") { template.environment = word.text }
        if let number = try number("--app-apple-id", 1...Int64.max) { template.appAppleIdentifier = number }
        if let date = try time("--signed-date") { template.signedDate = date }
        if let word = last("--device-verification-id") {
            template.bind(toDevice: word.text.lowercased())
        }
        for word in all("--set") {
            let parts = word.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .usage("--set \(word.printable) is not NAME=VALUE, such as price=4990")
            }
            guard template.set(String(parts[0]), to: String(parts[1])) else {
                throw .usage("--set \(word.printable) is not a value of the type that Apple documents")
            }
        }
        return template
    }
}
