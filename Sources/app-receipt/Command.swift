/// A subcommand, which its help declares: the name, the operands and the options are read from the text.
struct Command {
    /// Runs a command with its options and operands, and returns the exit status.
    typealias Run = (Arguments, inout Console) async throws(Failure) -> ExitStatus

    /// The help: name and summary, examples, usage, options and notes, in this order.
    let help: String
    let run: Run

    /// The help of the options that every command has.
    static let commonOptions = """
          --help
              Show this help.
          --version
              Show the version.
        """

    /// The command's name: one word, or two, which are the name of a group and of a command in it.
    var name: String { String(help.dropFirst("app-receipt ".count).prefix { $0 != ":" }) }
    /// The summary for the list of commands: the first line of the help after the name.
    var summary: Substring { lines[0].dropFirst("app-receipt \(name): ".count) }
    var firstExample: Substring { lines[2] }

    var options: [Option] { lines.drop { !$0.hasPrefix("usage: ") }.compactMap(Option.init) }

    /// The largest number of operands, by the usage line: 0, 1, or `Int.max` if it shows `…` for operands.
    var maximumOperands: Int {
        let usage = lines.first { $0.hasPrefix("usage: ") } ?? ""
        guard !usage.hasSuffix("[OPTION…]") else { return 0 }
        return usage.drop { $0 != "]" }.contains("…") ? .max : 1
    }

    private var lines: [Substring] { help.split(separator: "\n", omittingEmptySubsequences: false) }
}

/// An option of a command, as the command's help declares it.
struct Option {
    /// The option's name with its dashes, such as `--root`.
    let name: String
    /// The value's placeholder in the help, such as `FILE`; nil for an option without a value.
    let value: String?
    let isRepeatable: Bool

    /// Reads a line of the help such as `  --root FILE|FINGERPRINT  (repeatable)`.
    ///
    /// Returns nil for a line that declares no option.
    init?(_ line: Substring) {
        guard line.hasPrefix("  --") else { return nil }
        let words = line.split(separator: " ").map(String.init)
        name = words[0]
        isRepeatable = words.last == "(repeatable)"
        value = words.dropLast(isRepeatable ? 1 : 0).dropFirst().first
    }
}
