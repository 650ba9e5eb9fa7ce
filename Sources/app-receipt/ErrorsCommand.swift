import AppReceipt
import DER
import JSONText
import ReceiptCorpus
import ReceiptResults

extension Command {
    /// `errors`: lists the published error codes.
    static var errors: Command {
        Command(
            name: "errors",
            summary: "list every error code with its meaning",
            examples: [
                Example(line: "app-receipt errors", says: "all codes, for people"),
                Example(line: "app-receipt errors --json", says: "one JSON object for each code"),
                Example(
                    line: "app-receipt errors --json | jq 'select(.code == \"pkix.untrusted-root\")'",
                    says: "one code"
                ),
            ],
            operands: .none,
            options: [json],
            notes: Refusal.Code.Kind.all.map { "\($0.name): \($0.cause)" } + [""]
                + NextStep.allCases.flatMap { step in
                    [
                        "\(step.rawValue): \(step.advice)",
                        "    HTTP status for a server: \(step.httpStatus).",
                    ]
                } + [
                    "",
                    "Exit status: 0, 2 the command line is wrong, 3 the output could not be written, 141 the reader of",
                    "the output has gone.",
                ],
            run: { arguments, console throws(Failure) in
                for code in Refusal.Code.allOfCommand {
                    if arguments.has(json) {
                        console.output.line(json: object(code))
                    } else {
                        show(code, &console.output)
                    }
                }
                return .valid
            }
        )
    }

    private static var json: Option {
        Option("--json", "Write one JSON object for each code, each on a line of its own.")
    }

    private static func object(_ code: Refusal.Code) -> JSONWriter {
        .object { object in
            object.member("number", Int64(code.number))
            object.member("code", "\(code.name)")
            object.member("status", code.kind.name)
            object.member("meaning", "\(code.meaning)")
            object.member("next_step", NextStep(for: code).rawValue)
            object.member("advice", NextStep(for: code).advice)
            object.member("http_status", Int64(NextStep(for: code).httpStatus))
        }
    }

    private static func show(_ code: Refusal.Code, _ output: inout Output) {
        let step = NextStep(for: code)
        output.write("\(code.number) ", .dim)
        output.write("\(code.name)", .bold)
        output.line(" (\(code.kind.name), \(step.rawValue), HTTP \(step.httpStatus))")
        output.line("    \(code.meaning)")
    }
}

extension Refusal.Code.Kind {
    fileprivate static let all: [Self] = [.invalid, .unsupported, .unreadable]

    fileprivate var cause: String {
        switch self {
        case .invalid: "the receipt breaks its standard, or a check failed."
        case .unsupported:
            "the receipt may be right, but needs a format, an algorithm or a size beyond the limits."
        case .unreadable: "no receipt was sent, or the transport damaged it."
        }
    }
}

extension NextStep {
    /// Advice for the app or the server that has to answer.
    fileprivate var advice: String {
        switch self {
        case .retry: "Read or send the receipt again."
        case .refresh: "Refresh the receipt once (restore the purchases), and deny if that is refused, too."
        case .deny: "Grant nothing: the receipt is for another app or environment."
        case .contactSupport: "Update the app, or ask its support."
        }
    }
}
