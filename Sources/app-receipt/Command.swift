/// A subcommand, which its help declares: the name, the operands and the options are read from the text.
struct Command {
    /// Runs a command whose command line was understood.
    typealias Run = (Arguments, inout Console) async throws(Failure) -> ExitStatus

    /// Name and summary, examples, usage, options and notes. Examples come first, because most readers look
    /// for one.
    let help: String
    let run: Run

    /// The help of the options that every command has.
    static let commonOptions = """
          --help
              Show this help.
          --version
              Show the version.
        """

    /// One word, or two: the name of a group and the name of a command in it.
    var name: String { String(help.dropFirst("app-receipt ".count).prefix { $0 != ":" }) }
    /// One line for the list of commands.
    var summary: Substring { lines[0].dropFirst("app-receipt \(name): ".count) }
    var firstExample: Substring { lines[2] }

    var options: [Option] { lines.drop { !$0.hasPrefix("usage: ") }.compactMap(Option.init) }

    /// The number of words that may follow the options, as the usage line shows them.
    var maximumOperands: Int {
        let usage = lines.first { $0.hasPrefix("usage: ") } ?? ""
        guard !usage.hasSuffix("[OPTION…]") else { return 0 }
        return usage.drop { $0 != "]" }.contains("…") ? .max : 1
    }

    private var lines: [Substring] { help.split(separator: "\n", omittingEmptySubsequences: false) }
}

/// An option of a command.
struct Option {
    /// The name with its dashes.
    let name: String
    /// The value's placeholder in the help; nil for a flag.
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
