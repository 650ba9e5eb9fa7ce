import DER

extension Command {
    /// `errors`: the published list of codes.
    static var errors: Command {
        Command(
            name: "errors",
            summary: "list every error code with its meaning",
            examples: [
                Example(line: "app-receipt errors", says: "all codes, for people"),
                Example(line: "app-receipt errors --json", says: "one JSON object on a line for each"),
            ],
            operands: .none,
            options: [json],
            notes: [
                "invalid: the input breaks its standard, or a check failed. unsupported: it may be right, but is",
                "beyond what is supported. unreadable: there was nothing to judge.",
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

    private static var json: Option { Option("--json", "One JSON object for each code, each on a line.") }

    private static func object(_ code: Refusal.Code) -> JSON {
        .object { object in
            object.member("number", Int64(code.number))
            object.member("code", "\(code.name)")
            object.member("status", code.kind.name)
            object.member("meaning", "\(code.meaning)")
        }
    }

    private static func show(_ code: Refusal.Code, _ output: inout Output) {
        output.write("\(code.number) ", .dim)
        output.write("\(code.name)", .bold)
        output.line(code.kind == .invalid ? "" : " (\(code.kind.name))")
        output.line("    \(code.meaning)")
    }
}

extension Refusal.Code.Kind {
    /// As verdicts name it.
    var name: String {
        switch self {
        case .invalid: "invalid"
        case .unsupported: "unsupported"
        case .unreadable: "unreadable"
        }
    }
}
