import AppReceipt
import Basics
import JSONText
import ReceiptCorpus
import ReceiptResults
import SignedPayloads

extension Command {
    /// `errors`: lists every error code with its meaning and the next step.
    static var errors: Command {
        Command(
            help: """
                app-receipt errors: list every error code with its meaning

                  app-receipt errors
                      all codes, for people
                  app-receipt errors --json
                      one JSON object for each code
                  app-receipt errors --json | jq 'select(.code == "pkix.untrusted-root")'
                      one code

                usage: app-receipt errors [OPTION…]

                  --json
                      Write one JSON object for each code, each on a line of its own.
                \(commonOptions)

                invalid: the receipt breaks its standard, or a check failed.
                unsupported: the receipt may be right, but needs a format, an algorithm or a size beyond the limits.
                unreadable: no receipt was sent, or the transport damaged it.

                \(NextStep.allCases.map(\.help).joined(separator: "\n"))
                """,
            run: { arguments, console throws(Failure) in
                for code in Refusal.Code.allOfCommand {
                    if arguments.has("--json") {
                        console.output.line(json: object(code))
                    } else {
                        show(code, &console.output)
                    }
                }
                return .valid
            }
        )
    }

    private static func object(_ code: Refusal.Code) -> JSONWriter {
        .object { object in
            object.member("number", Int64(code.number))
            object.member("code", "\(code.name)")
            object.member("status", code.kind.name)
            object.member("meaning", "\(code.meaning)")
            object.member("next_step", NextStep(forPayload: code).rawValue)
            object.member("advice", NextStep(forPayload: code).advice)
            object.member("http_status", Int64(NextStep(forPayload: code).httpStatus))
        }
    }

    private static func show(_ code: Refusal.Code, _ output: inout Output) {
        let step = NextStep(forPayload: code)
        output.write("\(code.number) ", .dim)
        output.write("\(code.name)", .bold)
        output.line(" (\(code.kind.name), \(step.rawValue), HTTP \(step.httpStatus))")
        output.line("    \(code.meaning)")
    }
}

extension NextStep {
    fileprivate var help: String {
        "\(rawValue): \(advice)\n    HTTP status for a server: \(httpStatus)."
    }

    /// The next step as advice, in one English sentence, for the app or server that got the receipt or token.
    fileprivate var advice: String {
        switch self {
        case .retry: "Read or send the receipt again."
        case .refresh: "Refresh the receipt once (restore the purchases), and deny if that is refused, too."
        case .deny: "Grant nothing: the receipt is for another app or environment."
        case .contactSupport: "Update the app, or ask its support."
        }
    }
}
