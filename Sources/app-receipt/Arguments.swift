import AppReceipt

/// A word of the command line, byte for byte. A file name need not be UTF-8.
struct Argument {
    let bytes: [UInt8]

    /// The word as text. Ill-formed UTF-8 is replaced by U+FFFD.
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The word for a message, without characters that a terminal would act on.
    var printable: String { isStandardInput ? "standard input" : text.printable }
    var isStandardInput: Bool { bytes == [UInt8(ascii: "-")] }
}

/// An option of a command. The parser and the help both use this description.
struct Option {
    /// The name with its dashes.
    let name: String
    /// The value's placeholder in the help; nil for a flag.
    let value: String?
    let isRepeatable: Bool
    /// One or more lines.
    let help: [String]

    init(_ name: String, value: String? = nil, isRepeatable: Bool = false, _ help: String...) {
        self.name = name
        self.value = value
        self.isRepeatable = isRepeatable
        self.help = help
    }

    static var help: Option { Option("--help", "Show this help.") }
    static var version: Option { Option("--version", "Show the version.") }
}

/// The options and operands of a command line that was understood.
struct Arguments {
    private var values: [String: [Argument]] = [:]
    private(set) var operands: [Argument] = []

    func has(_ option: Option) -> Bool { values[option.name] != nil }
    func all(_ option: Option) -> [Argument] { values[option.name] ?? [] }
    func last(_ option: Option) -> Argument? { values[option.name]?.last }

    /// Parses the words after the command's name.
    ///
    /// - Throws: `Failure.usage`, which names the wrong word.
    init(_ words: some Sequence<[UInt8]>, of command: Command) throws(Failure) {
        var words = words.map { $0 }[...]
        while let word = words.popFirst() {
            guard word.starts(with: "-".utf8), word.count > 1 else {
                operands.append(Argument(bytes: word))
                continue
            }
            if word.elementsEqual("--".utf8) {
                operands += words.map { Argument(bytes: $0) }
                break
            }
            try readOption(word, &words, command)
        }
        guard operands.count <= command.operands.maximum else {
            throw .usage(
                "one operand too many: \(operands[command.operands.maximum].printable); leave it out"
            )
        }
    }

    private mutating func readOption(
        _ word: [UInt8],
        _ words: inout ArraySlice<[UInt8]>,
        _ command: Command
    ) throws(Failure) {
        let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = Argument(bytes: [UInt8](parts[0]))
        let wanted = name.text == "-h" ? Option.help.name : name.text
        guard let option = command.allOptions.first(where: { $0.name == wanted }) else {
            let nearest = command.allOptions.map(\.name).filter { $0.distance(to: wanted) <= 2 }
                .min { $0.distance(to: wanted) < $1.distance(to: wanted) }
            let advice = nearest.map { " (did you mean \($0)?)" } ?? ""
            throw .usage("unknown option \(name.text.printable)\(advice)")
        }
        guard option.isRepeatable || values[option.name] == nil else {
            throw .usage("\(option.name) is given twice; leave one out")
        }
        let inline = parts.count == 2 ? [UInt8](parts[1]) : nil
        guard let placeholder = option.value else {
            guard inline == nil else {
                throw .usage("\(option.name) takes no value; write \(option.name) alone")
            }
            values[option.name] = []
            return
        }
        // A word that begins with two dashes is the next option. A value that begins with them follows "=".
        let isNextValue = words.first.map { !$0.starts(with: "--".utf8) } ?? false
        guard let value = inline ?? (isNextValue ? words.popFirst() : nil) else {
            throw .usage("\(option.name) needs a value: \(option.name) \(placeholder)")
        }
        // The usual cause is a shell variable that is not set, whose intended value is unknown.
        guard !value.isEmpty else { throw .usage("\(option.name) is empty: \(option.name) \(placeholder)") }
        values[option.name, default: []].append(Argument(bytes: value))
    }
}

extension String {
    /// Returns how many letters must be inserted, removed or replaced to turn this word into another
    /// (Levenshtein distance).
    func distance(to other: String) -> Int {
        let other = Array(other.unicodeScalars)
        // A word that long is no misspelt option, and the work is quadratic in its length.
        guard other.count <= 32 else { return Int.max }
        var row = Array(0...other.count)
        for (index, scalar) in unicodeScalars.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in 0..<other.count {
                let replaced = diagonal + (other[column] == scalar ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
