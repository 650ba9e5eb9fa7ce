/// A subcommand: all that its parsing, its help and its running need.
struct Command {
    /// What a command does, given a command line it understands.
    typealias Run = (Arguments, inout Console) async throws(Failure) -> ExitStatus

    /// What stands after the options.
    struct Operands {
        let usage: String
        let maximum: Int

        static var none: Self { Self(usage: "", maximum: 0) }
        static var oneFile: Self { Self(usage: "FILE|-", maximum: 1) }
        static var sources: Self { Self(usage: "SOURCE…", maximum: .max) }
        static var files: Self { Self(usage: "[FILE…|-]", maximum: .max) }
    }

    struct Example {
        let line: String
        let says: String
    }

    /// One word, or two: of a group and of what to do in it.
    let name: String
    /// One line for the list of commands.
    let summary: String
    let examples: [Example]
    let operands: Operands
    let options: [Option]
    /// What the help says after the options.
    let notes: [String]
    let run: Run

    var allOptions: [Option] { options + [.help, .version] }

    /// Examples first: they are what most people came for.
    func help() -> String {
        var lines = ["app-receipt \(name): \(summary)", ""]
        for example in examples { lines += ["  \(example.line)", "      \(example.says)"] }
        let operands = operands.usage.isEmpty ? "" : " \(operands.usage)"
        lines += ["", "usage: app-receipt \(name) [OPTION…]\(operands)", ""]
        for option in allOptions {
            let value = option.value.map { " \($0)" } ?? ""
            lines.append("  \(option.name)\(value)\(option.isRepeatable ? "  (repeatable)" : "")")
            lines += option.help.map { "      \($0)" }
        }
        if !notes.isEmpty { lines += [""] + notes }
        return lines.joined(separator: "\n")
    }
}
