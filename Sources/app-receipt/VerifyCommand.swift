import AppReceipt
import DER

extension Command {
    /// `verify`: is each of these receipts good?
    static var verify: Command {
        Command(
            name: "verify",
            summary: "validate receipts",
            examples: [
                Example(
                    line: "app-receipt verify --bundle-id com.example.app --environment Production receipt",
                    says: "is this our app's receipt, from the App Store and not from the sandbox?"
                ),
                Example(
                    line: "app-receipt verify --json receipts/*.der",
                    says: "many, one JSON object on a line for each"
                ),
                Example(
                    line: "curl … | app-receipt verify --quiet && echo good",
                    says: "from standard input, for the exit status alone"
                ),
                Example(
                    line: "app-receipt verify --xcode StoreKitTest/receipt",
                    says: "one that Xcode made for testing"
                ),
            ],
            operands: .files,
            options: ValidationOptions.all + [json, quiet],
            notes: [
                "Each input may be DER, BER, or base64 or PEM of either. What was not asked for is not checked, and",
                "shown as such: without --bundle-id any app's receipt is good, without --environment one from the",
                "sandbox.",
                "",
                "Exit status: 0 all valid, 1 at least one not valid, 2 usage, 3 at least one could not be read",
                "(whatever the others are).",
            ],
            run: { arguments, console throws(Failure) in try verify(arguments, &console) }
        )
    }

    private static var json: Option { Option("--json", "One JSON object for each input, each on a line.") }
    private static var quiet: Option {
        Option("--quiet", "No verdicts, only the exit status; what could not be read is still reported.")
    }

    private static func verify(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus
    {
        guard !(arguments.has(json) && arguments.has(quiet)) else {
            throw .usage("--json and --quiet exclude each other")
        }
        let validator = try ValidationOptions.validator(arguments)
        var cache = ValidationCache()
        var status = ExitStatus.valid
        for name in try Input.names(arguments) {
            var (input, container): ([UInt8], [UInt8]) = ([], [])
            do throws(Fault) {
                input = try Input.read(name)
                container = try Input.container(input, validator.acceleration)
                let receipt = try validator.judge(container, &cache)
                if arguments.has(json) {
                    console.output.line(json: accepted(receipt, name))
                } else if !arguments.has(quiet) {
                    show(receipt, name, &console.output)
                }
            } catch {
                status = max(status, error.exitStatus)
                if arguments.has(json) {
                    console.output.line(json: refused(error, name))
                } else if error.code != .cannotRead, !arguments.has(quiet) {
                    show(error, name, Hint.of(error, input, container, arguments), &console.output)
                } else if error.code.kind == .unreadable {
                    console.report(error.report(name))
                }
            }
        }
        return status
    }

    // MARK: For machines

    private static func accepted(_ receipt: Receipt, _ name: Argument) -> JSON {
        .object { object in
            object.member("file", name.text)
            object.member("status", "valid")
            object.member("valid", true)
            object.member("not_checked", array: receipt.notChecked) { $0.element($1.rawValue) }
            object.member("receipt") { $0.receipt(receipt) }
        }
    }

    private static func refused(_ fault: Fault, _ name: Argument) -> JSON {
        .object { object in
            object.member("file", name.text)
            object.member("status", fault.status)
            object.member("valid", false)
            object.member("error") { error in
                error.member("step", fault.step.rawValue)
                error.member("code", "\(fault.code.name)")
                error.member("message", fault.message)
                error.member("offset", fault.offset.map { Int64($0) })
            }
        }
    }

    // MARK: For people

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
        receipt.showNotChecked(&output)
    }

    private static func show(_ fault: Fault, _ name: Argument, _ hint: String?, _ output: inout Output) {
        output.write("\(name.printable): ")
        output.write(fault.status, .bad)
        output.line(", \(fault.step.rawValue): \(fault.message)")
        output.line("    \(fault.code.name) at \(fault.place)", .dim)
        if let hint { output.line("    hint: \(hint.printable)") }
    }
}

extension ReceiptValidator {
    /// The library's verdict.
    func judge(_ container: [UInt8], _ cache: inout ValidationCache) throws(Fault) -> Receipt {
        do throws(ReceiptError) {
            return try validate(container, cache: &cache)
        } catch {
            throw Fault(error)
        }
    }
}

extension Receipt {
    /// Says what nobody asked for.
    func showNotChecked(_ output: inout Output) {
        guard !notChecked.isEmpty else { return }
        output.write("    not checked: ", .caution)
        output.line(notChecked.map(\.rawValue).joined(separator: ", "))
    }
}
