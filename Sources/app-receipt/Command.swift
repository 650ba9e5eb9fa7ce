/// A subcommand: its name, its options, its help, and the function that runs it.
struct Command {
    /// Runs a command whose command line was understood.
    typealias Run = (Arguments, inout Console) async throws(Failure) -> ExitStatus

    /// The words after the options.
    struct Operands {
        /// As the usage line shows them.
        let usage: String
        let maximum: Int

        static var none: Self { Self(usage: "", maximum: 0) }
        static var oneFile: Self { Self(usage: "FILE|-", maximum: 1) }
        static var sources: Self { Self(usage: "SOURCE…", maximum: .max) }
        static var files: Self { Self(usage: "[FILE…|-]", maximum: .max) }
    }

    /// A command line and what it does.
    struct Example {
        let line: String
        let says: String
    }

    /// One word, or two: the name of a group and the name of a command in it.
    let name: String
    /// One line for the list of commands.
    let summary: String
    let examples: [Example]
    let operands: Operands
    let options: [Option]
    /// The lines of the help that follow the options.
    let notes: [String]
    let run: Run

    var allOptions: [Option] { options + [.help, .version] }

    /// Returns the help. Examples come first, because most readers look for one.
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
