import AppReceipt
import Bytes
import DER
import JSONText
import ReceiptCorpus
import ReceiptResults
import SHA
import TransactionReceipt

extension Command {
    /// `verify`: judges receipts.
    static var verify: Command {
        Command(
            name: "verify",
            summary: "validate receipts",
            examples: [
                Example(
                    line: "app-receipt verify --bundle-id com.example.app --environment Production receipt",
                    says: "a receipt of your app from the App Store"
                ),
                Example(
                    line:
                        "app-receipt verify --json --bundle-id com.example.app --environment Production receipts/*",
                    says: "many receipts; the results are JSON, one line for each"
                ),
                Example(
                    line:
                        "curl … | app-receipt verify --quiet --bundle-id any --environment any - && echo valid",
                    says: "standard input, every app and environment, and only the exit status"
                ),
                Example(
                    line:
                        "app-receipt verify --xcode-testing --bundle-id com.example.app --environment Xcode receipt",
                    says: "a receipt of StoreKit testing in Xcode"
                ),
            ],
            operands: .files,
            options: ValidationOptions.all + [json, quiet],
            notes: [
                "--bundle-id and --environment are required. A receipt for another app is as well signed as one for",
                "yours, and a purchase in the sandbox costs nothing.",
                "",
                "An input is DER, BER, or base64 or PEM of either, or an iOS 6 transaction receipt: a property list or",
                "its base64. Checks that no option asks for are listed as not checked. So is the environment of a",
                "transaction receipt from production, which is not signed. Results go to standard output, messages to standard error.",
                "",
                "Exit status: 0 all receipts are valid, 1 at least one is not valid, 2 the command line is wrong,",
                "3 at least one input could not be read or holds no receipt, or the output could not be written,",
                "141 the reader of the output has gone. If several apply, the highest counts.",
            ],
            run: { arguments, console throws(Failure) in try verify(arguments, &console) }
        )
    }

    private static var json: Option {
        Option("--json", "Write one JSON object for each input, each on a line of its own.")
    }
    private static var quiet: Option {
        Option("--quiet", "Write no results. Inputs that cannot be read are still reported.")
    }

    private static func verify(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus
    {
        guard !(arguments.has(json) && arguments.has(quiet)) else {
            throw .usage("--json and --quiet exclude each other; leave one out")
        }
        let judge = try ValidationOptions.judge(arguments)
        try ValidationOptions.requireExpectations(arguments)
        var cache = ValidationCache()
        var status = ExitStatus.valid
        for name in try Input.names(arguments) {
            let judgement = Judgement(of: name, by: judge, cache: &cache)
            status = max(status, judgement.exitStatus)
            if arguments.has(json) {
                console.output.line(json: .object { $0.judgement(judgement) })
            } else {
                show(judgement, arguments, &console)
            }
        }
        return status
    }

    private static func show(_ judgement: Judgement, _ arguments: Arguments, _ console: inout Console) {
        let isQuiet = arguments.has(quiet)
        switch judgement.verdict {
        case .success(.app(let receipt)):
            if !isQuiet { show(receipt, judgement.name, &console.output) }
        case .success(.transaction(let info)):
            if !isQuiet { show(info, judgement.name, &console.output) }
        case .failure(let fault) where fault.code == .cannotRead || isQuiet:
            if fault.code.kind == .unreadable { console.report(fault.report(judgement.name)) }
        case .failure(let fault):
            show(fault, judgement.name, Hint.of(fault, judgement, arguments), &console.output)
        }
    }

    private static func show(_ receipt: Receipt, _ name: Argument, _ output: inout Output) {
        output.write("\(name.printable): ")
        output.line("valid", .good)
        let count = receipt.malformedInAppPurchases.count
        let purchases = receipt.inAppPurchases.count
        let malformed = count > 0 ? ", \(count) more that cannot be decoded" : ""
        output.line(
            """
                \((receipt.bundleIdentifier ?? "no bundle identifier").printable) \
            \((receipt.appVersion ?? "without version").printable), \
            \((receipt.environmentName ?? "no environment").printable), \
            created \(receipt.creationDate), \
            \(purchases) in-app purchase\(purchases == 1 ? "" : "s")\(malformed)
            """
        )
        show(notChecked: receipt.notChecked, &output)
    }

    private static func show(_ info: PurchaseInfo, _ name: Argument, _ output: inout Output) {
        output.write("\(name.printable): ")
        output.line("valid", .good)
        output.line(
            """
                \((info.bundleIdentifier ?? "no bundle identifier").printable) \
            \((info.appVersion ?? "without version").printable), \
            transaction \(info.transactionIdentifier.printable) of \(info.productIdentifier.printable), \
            bought \(info.purchaseDate)
            """
        )
        show(notChecked: info.notChecked, &output)
    }

    /// Lists the checks that no option asked for, or that nothing signed could show.
    static func show(notChecked: [ReceiptError.Step], _ output: inout Output) {
        guard !notChecked.isEmpty else { return }
        output.write("    not checked: ", .caution)
        output.line(notChecked.map(\.rawValue).joined(separator: ", "))
    }

    private static func show(_ fault: Fault, _ name: Argument, _ hint: String?, _ output: inout Output) {
        output.write("\(name.printable): ")
        output.write(fault.status, .bad)
        output.line(", \(fault.step.rawValue): \(fault.message)")
        output.line("    \(fault.code.name) at \(fault.place)", .dim)
        if let hint { output.line("    hint: \(hint.printable)") }
    }
}

/// One input of `verify` or `inspect`, and the library's verdict about it.
struct Judgement {
    let name: Argument
    /// The bytes that were read; empty if the input could not be read.
    let input: [UInt8]
    /// The container without base64 or PEM around it; empty if the input holds none.
    let container: [UInt8]
    let verdict: Result<ValidReceipt, Fault>
    /// The found and the expected value if the receipt is refused because they differ.
    let mismatch: Mismatch?
    /// SHA-256 of the container; nil without one.
    let digest: Digest?

    init(of name: Argument, by judge: ReceiptJudge, cache: inout ValidationCache) {
        var (input, container): ([UInt8], [UInt8]) = ([], [])
        var mismatch: Mismatch?
        do throws(Fault) {
            input = try Input.read(name)
            container = try Input.container(input, judge.validator.acceleration)
            verdict = .success(try judge.verdict(container, &cache))
        } catch {
            verdict = .failure(error)
            mismatch = Mismatch(error, container, judge.validator)
        }
        (self.name, self.input, self.container, self.mismatch) = (name, input, container, mismatch)
        digest = container.isEmpty ? nil : SHA256.digest(of: container.borrowedSpan)
    }

    var receipt: ValidReceipt? { try? verdict.get() }
    var fault: Fault? { if case .failure(let fault) = verdict { fault } else { nil } }
    var exitStatus: ExitStatus { fault?.exitStatus ?? .valid }
}

extension JSONWriter {
    /// Writes the members of a result. A file is a source with one record.
    mutating func judgement(_ judgement: Judgement) {
        let source = judgement.name.fileName.exactText
        var key = ResultKey(source: source, acceleration: .none)
        key.add(record: 1, offset: 0, digest: judgement.digest)
        if judgement.digest == nil { key.add(judgement.input[...]) }
        head(
            ResultHead(
                key: key.digest,
                source: source,
                record: 1,
                offset: 0,
                digest: judgement.digest,
                status: judgement.fault?.status ?? "valid",
                notChecked: judgement.receipt?.notChecked,
                fault: judgement.fault,
                mismatch: judgement.mismatch
            )
        )
        switch judgement.receipt {
        case .app(let receipt)?: member("receipt") { $0.receipt(receipt.unverified) }
        case .transaction(let info)?:
            member("transaction_receipt") { $0.transaction(info.unverified, withEntries: true) }
        case nil: break
        }
    }
}

extension ReceiptJudge {
    /// Validates a container, and turns the library's error into a ``Fault``.
    func verdict(_ container: [UInt8], _ cache: inout ValidationCache) throws(Fault) -> ValidReceipt {
        do throws(ReceiptError) {
            return try judge(container, cache: &cache)
        } catch {
            throw Fault(error)
        }
    }
}
