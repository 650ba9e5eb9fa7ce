import AppReceipt
import ReceiptCorpus

/// A word of the command line, byte for byte: every word may be the name of a file, which need not be UTF-8.
typealias Argument = FileName

/// The options and operands of a command line that was understood.
struct Arguments {
    /// The options that the command declares, given or not.
    let options: [Option]
    private var values: [String: [Argument]] = [:]
    private(set) var operands: [Argument] = []

    func has(_ option: String) -> Bool { given(option) != nil }
    func all(_ option: String) -> [Argument] { given(option) ?? [] }
    func last(_ option: String) -> Argument? { given(option)?.last }

    private func given(_ option: String) -> [Argument]? {
        assert(Self.declared.contains(option), "\(option) is in no help")
        return values[option]
    }

    private static let declared = Set(AppReceiptCommand.commands.flatMap(\.options).map(\.name))

    /// Parses the words after the command's name. All words after `--` are operands.
    ///
    /// - Throws: `Failure.usage`, which names the wrong word, or the option without a value.
    init(_ words: some Sequence<Argument>, of command: Command) throws(Failure) {
        options = command.options
        var words = Array(words)[...]
        while let word = words.popFirst() {
            guard word.bytes.starts(with: "-".utf8), word.bytes.count > 1 else {
                operands.append(word)
                continue
            }
            guard word.text != "--" else {
                operands += words
                break
            }
            try readOption(word, &words)
        }
        let maximum = command.maximumOperands
        guard operands.count <= maximum else {
            throw .usage("one operand too many: \(operands[maximum].printable); leave it out")
        }
    }

    private mutating func readOption(
        _ word: Argument,
        _ words: inout ArraySlice<Argument>
    ) throws(Failure) {
        let parts = word.bytes.split(
            separator: UInt8(ascii: "="),
            maxSplits: 1,
            omittingEmptySubsequences: false
        ).map { Argument(bytes: Array($0)) }
        let name = parts[0].text == "-h" ? "--help" : parts[0].text
        guard let option = options.first(where: { $0.name == name }) else {
            let nearest = name.nearest(in: options.map(\.name)).map { "did you mean \($0)?" }
            let advice = (nearest ?? Self.advice(onUnknown: name)).map { " (\($0))" } ?? ""
            throw .usage("unknown option \(parts[0].text.printable)\(advice)")
        }
        guard option.isRepeatable || values[name] == nil else {
            throw .usage("\(name) is given twice; leave one out")
        }
        let inline = parts.dropFirst().first
        guard let placeholder = option.value else {
            guard inline == nil else { throw .usage("\(name) takes no value; write \(name) alone") }
            values[name] = []
            return
        }
        // A word that begins with two dashes is the next option. A value that begins with them follows "=".
        let isNextValue = words.first.map { !$0.bytes.starts(with: "--".utf8) } ?? false
        guard let value = inline ?? (isNextValue ? words.popFirst() : nil) else {
            throw .usage("\(name) needs a value: \(name) \(placeholder)")
        }
        // The usual cause is a shell variable that is not set, whose intended value is unknown.
        guard !value.bytes.isEmpty else { throw .usage("\(name) is empty: \(name) \(placeholder)") }
        values[name, default: []].append(value)
    }
}

extension Arguments {
    /// The advice to leave out an option of the validating commands about revocation or kinds of tokens;
    /// nil for any other word.
    private static func advice(onUnknown name: String) -> String? {
        switch name {
        case "--ocsp", "--crl", "--revocation":
            "leave it out: it is about evidence of revocation, and this command accepts none"
        case "--kind", "--app-apple-id", "--device-verification-id", "--max-age":
            "leave it out: it is about kinds of tokens, and this command accepts none"
        default: nil
        }
    }
}

// MARK: The values of options

extension Arguments {
    /// The number that an option gives; nil without the option. Throws if the word is no number in the range.
    func number<Number: FixedWidthInteger>(
        _ option: String,
        _ range: ClosedRange<Number>
    ) throws(Failure) -> Number? {
        guard let word = last(option) else { return nil }
        guard let number = Number(word.text), range.contains(number) else {
            throw .usage("\(option) \(word.printable) is not a number from \(range.lowerBound)")
        }
        return number
    }

    /// The choice that an option names; nil without the option. Throws if there is no such choice.
    ///
    /// - Parameter named: returns the choice with a name; nil if there is none.
    func choice<Choice>(_ option: String, _ named: (String) -> Choice?) throws(Failure) -> Choice? {
        guard let word = last(option) else { return nil }
        guard let choice = named(word.text) else {
            let names = options.first { $0.name == option }?.value ?? ""
            throw .usage("\(option) \(word.printable) is none of \(names)")
        }
        return choice
    }
}

extension String {
    /// The name that this word probably means: the first with the fewest wrong letters. Nil if every name has
    /// more than two wrong letters.
    func nearest(in names: [String]) -> String? {
        let distances = names.map { (name: $0, distance: $0.distance(to: self)) }
        return distances.filter { $0.distance <= 2 }.min { $0.distance < $1.distance }?.name
    }

    /// Returns how many Unicode scalars must be inserted, removed or replaced to turn this word into another
    /// (Levenshtein distance); `Int.max` if the other word has more than 32.
    private func distance(to other: String) -> Int {
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
