import AppReceipt
import Basics
import JSONText
import ReceiptCorpus
import ReceiptResults
import SHA
import SignedPayloads
import TransactionReceipt

extension Command {
    /// `verify`: validates receipts and tokens, and writes the results unless `--quiet` is given.
    static var verify: Command {
        Command(
            help: """
                app-receipt verify: validate receipts and signed payloads of StoreKit 2

                  app-receipt verify --bundle-id com.example.app --environment Production receipt
                      a receipt of your app from the App Store
                  app-receipt verify --json --bundle-id com.example.app --environment Production receipts/*
                      many receipts; the results are JSON, one line for each
                  curl … | app-receipt verify --quiet --bundle-id any --environment any - && echo valid
                      standard input, every app and environment, and only the exit status
                  app-receipt verify --xcode-testing --bundle-id com.example.app --environment Xcode receipt
                      a receipt of StoreKit testing in Xcode
                  app-receipt verify --bundle-id any --environment any /Applications/Example.app
                      the receipt of an app that is installed on a Mac
                  app-receipt verify --kind notification --bundle-id com.example.app --environment Production body.json
                      an App Store Server Notification, as Apple posts it, and the tokens inside it
                  app-receipt verify --kind transaction --bundle-id com.example.app --environment Sandbox token
                      a transaction of StoreKit 2 from the sandbox

                usage: app-receipt verify [OPTION…] [FILE…|-]

                \(validationOptions)
                \(tokenOptions)
                  --json
                      Write one JSON object for each input, each on a line of its own.
                  --quiet
                      Write no results. Inputs that cannot be read are still reported.
                \(commonOptions)

                --bundle-id and --environment are required. A receipt for another app has a valid signature, too, and a
                purchase in the sandbox costs nothing.

                An input is DER, BER or an iOS 6 transaction receipt, or text that holds one of them: base64, hexadecimal,
                PEM, a JSON request, and other forms. Checks that no option asks for are listed as not checked. So is the environment of a
                transaction receipt from production, which is not signed. Results go to standard output, messages to standard error.

                \(tokenNotes)

                A directory whose name ends in .app is an installed Mac app: its Contents/_MASReceipt/receipt is read, and
                no symbolic link in it is followed. Apps from outside the App Store have no receipt (app.no-receipt).

                Exit status: 0 all receipts are valid, 1 at least one is not valid, 2 the command line is wrong,
                3 at least one input could not be read or holds no receipt, or the output could not be written,
                141 the reader of the output has gone. If several apply, the highest counts.
                """,
            run: verify
        )
    }

    private static func verify(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus
    {
        guard !(arguments.has("--json") && arguments.has("--quiet")) else {
            throw .usage("--json and --quiet exclude each other; leave one out")
        }
        var judge = try InputJudge(arguments)
        try arguments.requireExpectations()
        var status = ExitStatus.valid
        for name in try Input.names(arguments) {
            let judgement = Judgement(of: name, by: &judge)
            status = max(status, judgement.exitStatus)
            if arguments.has("--json") {
                console.output.line(json: .object { $0.judgement(judgement) })
            } else {
                show(judgement, arguments, &console)
            }
        }
        return status
    }

    private static func show(_ judgement: Judgement, _ arguments: Arguments, _ console: inout Console) {
        let isQuiet = arguments.has("--quiet")
        switch judgement.verdict {
        case .success(let valid):
            guard !isQuiet else { return }
            console.output.verdict(judgement, "valid", .good)
            for line in valid.summary { console.output.line("    \(line)") }
            console.output.show(notChecked: valid.notChecked)
        case .failure(let fault) where fault.code == .cannotRead || isQuiet:
            if fault.code.kind == .unreadable { console.report(fault.report(judgement.name)) }
        case .failure(let fault):
            let reason = ", \(fault.stepName): \(fault.message)"
            console.output.verdict(judgement, fault.status, .bad, reason)
            console.output.show(fault, judgement, arguments)
        }
    }
}

extension ValidReceipt {
    /// The receipt in one line for a person: the app, its version, and more. An app receipt has the number
    /// of its purchases there, and a transaction receipt its one product.
    fileprivate var summary: String {
        let (bundleIdentifier, appVersion, rest): (String?, String?, String)
        switch self {
        case .app(let receipt):
            (bundleIdentifier, appVersion) = (receipt.bundleIdentifier, receipt.appVersion)
            let malformed = receipt.malformedInAppPurchases.count
            let count = receipt.inAppPurchases.count
            rest =
                "\((receipt.environmentName ?? "no environment").printable), created \(receipt.creationDate), "
                + "\(count) in-app purchase\(count == 1 ? "" : "s")"
                + (malformed > 0 ? ", \(malformed) more that cannot be decoded" : "")
        case .transaction(let info):
            (bundleIdentifier, appVersion) = (info.bundleIdentifier, info.appVersion)
            rest =
                "transaction \(info.transactionIdentifier.printable) of \(info.productIdentifier.printable), "
                + "bought \(info.purchaseDate)"
        }
        let app = (bundleIdentifier ?? "no bundle identifier").printable
        return "\(app) \((appVersion ?? "without version").printable), \(rest)"
    }
}

extension Output {
    /// Writes the first line about an input: its name, the verdict in a style, and the rest.
    mutating func verdict(_ judgement: Judgement, _ verdict: String, _ style: Style, _ rest: String = "") {
        write("\(judgement.name.printable): ")
        write(verdict, style)
        line(rest)
    }

    /// Writes the further lines about a refusal: the code and the place of the fault. Then a mismatch that
    /// is not about an expectation, if there is one, and the hint, if there is one.
    mutating func show(_ fault: Fault, _ judgement: Judgement, _ arguments: Arguments) {
        line("    \(fault.code.name) at \(fault.place)", .dim)
        if let mismatch = judgement.mismatch, !mismatch.isExpectation {
            line("    \(mismatch.line.printable)")
        }
        if let hint = Hint.of(fault, judgement, arguments) { line("    hint: \(hint.printable)") }
    }

    /// Writes a line with the names of checks that were not made, or whose result is not proven. Writes no
    /// line if there are no names.
    mutating func show(notChecked: [String]) {
        guard !notChecked.isEmpty else { return }
        write("    not checked: ", .caution)
        line(notChecked.joined(separator: ", "))
    }
}

/// The contents of a valid input: a receipt, or the payload of a token.
enum ValidInput {
    case receipt(ValidReceipt)
    case payload(ValidPayload)

    /// The names of the checks that were not made, or whose result is not proven.
    var notChecked: [String] {
        switch self {
        case .receipt(let receipt): receipt.notChecked.map(\.rawValue)
        case .payload(let payload): payload.notChecked.map(\.rawValue)
        }
    }

    /// The input in one line for a person. A token inside a notification has a line of its own.
    fileprivate var summary: [String] {
        switch self {
        case .receipt(let receipt): [receipt.summary]
        case .payload(let payload): payload.values.summary
        }
    }
}

/// One input of `verify` or `inspect`, and the verdict about it, or why it could not be read.
struct Judgement {
    /// The name of the file to read, or `-`. For an app, this is the file of its receipt.
    let name: Argument
    /// The bytes that were read; empty if the input could not be read.
    private(set) var input: [UInt8] = []
    /// The decoded container, or the characters of a token; empty if neither was recognised. With `--kind`,
    /// even a binary input may count as a token.
    private(set) var container: [UInt8] = []
    /// The kind of payload that a token was judged as; nil if no token was judged.
    private(set) var kind: SignedPayloadKind?
    let verdict: Result<ValidInput, Fault>
    /// The expected values and the found one, if ``Mismatch`` covers the reason of the refusal, such as
    /// another bundle identifier. Nil for a valid input and for other refusals, also if two digests differ.
    private(set) var mismatch: Mismatch?

    init(of name: Argument, by judge: inout InputJudge) {
        let app = AppBundle(at: name)
        self.name = app.map { Argument(bytes: $0.receipt.bytes) } ?? name
        do throws(Fault) {
            if let app { input = try Input.read(app) } else { input = try Input.read(name) }
            switch try judge.content(of: input) {
            case .container(let decoded):
                container = decoded
                verdict = .success(.receipt(try judge.judge(decoded)))
            case .token(let token, let kind):
                (container, self.kind) = (token, kind)
                do throws(SignedPayloadError) {
                    verdict = .success(.payload(try judge.judge(token, kind)))
                } catch {
                    verdict = .failure(Fault(error))
                    mismatch = Mismatch(error, token, kind, judge.payloads.policy)
                }
            }
        } catch {
            verdict = .failure(error)
            mismatch = Mismatch(error, container, judge.receipts.policy)
        }
    }

    var receipt: ValidReceipt? { if case .success(.receipt(let receipt)) = verdict { receipt } else { nil } }
    var payload: ValidPayload? { if case .success(.payload(let payload)) = verdict { payload } else { nil } }
    var isValid: Bool { fault == nil }
    var fault: Fault? { if case .failure(let fault) = verdict { fault } else { nil } }
    var exitStatus: ExitStatus { fault?.exitStatus ?? .valid }
}

extension JSONWriter {
    /// Writes the members of a result: the members of record 1 of a source, and the receipt or the payload
    /// if it is valid.
    mutating func judgement(_ judgement: Judgement) {
        var head = ResultHead()
        let source = judgement.name.exactText
        let container = judgement.container
        let digest = container.isEmpty ? nil : HashAlgorithm.sha256.digest(of: container.borrowedSpan)
        var key = ResultKey(source: source, acceleration: .none)
        key.add(record: 1, offset: 0, digest: digest)
        if digest == nil { key.add(judgement.input[...]) }
        (head.key, head.source, head.record, head.offset) = (key.finalize(), source, 1, 0)
        (head.digest, head.receipt) = (digest, judgement.receipt)
        (head.kind, head.payload) = (judgement.kind, judgement.payload)
        (head.fault, head.mismatch) = (judgement.fault, judgement.mismatch)
        self.head(head)
        switch judgement.receipt {
        case .app(let receipt)?:
            member("receipt") { $0.receipt(receipt.unverified, contentDigest: receipt.contentDigest) }
        case .transaction(let info)?:
            member("transaction_receipt") {
                $0.transaction(info.unverified, contentDigest: info.contentDigest, withEntries: true)
            }
        case nil: break
        }
        if let payload = judgement.payload { member("payload") { $0.payload(payload.values) } }
    }
}
