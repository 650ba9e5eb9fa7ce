import AppReceipt
import Foundation

/// The parsed command line: the command, its options and its inputs.
struct Arguments {
    let command: String
    private var options: [String: String] = [:]
    let inputs: [String]
    /// The instruction sets used to hash and verify: all that the processor has, none with `--portable`, or
    /// all except the ones that `--without` names.
    let acceleration: Acceleration

    private static let known = [
        "--measure", "--root", "--samples", "--milliseconds", "--seconds", "--to", "--part", "--without",
    ]

    init(_ words: [String]) throws {
        command = words.first ?? ""
        var inputs: [String] = []
        var rest = words.dropFirst()
        var isPortable = false
        while let word = rest.popFirst() {
            if word == "--portable" {
                isPortable = true
                continue
            }
            guard word.hasPrefix("-") else {
                inputs.append(word)
                continue
            }
            guard Self.known.contains(word) else { throw Failure.usage("unknown option \(word)") }
            guard let value = rest.popFirst() else { throw Failure.usage("\(word) needs a value") }
            options[word] = value
        }
        self.inputs = inputs
        let detected = Acceleration.detected(
            auxiliaryVector: [UInt8](FileManager.default.contents(atPath: "/proc/self/auxv") ?? Data())
        )
        var allowed = isPortable ? .none : detected
        for flag in options["--without"]?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            guard let others = allowed.without(String(flag)) else {
                throw Failure.usage("--without takes \(Acceleration.flags.joined(separator: ","))")
            }
            allowed = others
        }
        acceleration = allowed
    }

    func required(_ option: String) throws -> String {
        guard let value = options[option] else { throw Failure.usage("\(command) needs \(option)") }
        return value
    }

    /// Returns the value of an option that is a number from 1 to 1,000,000, or `standard` if it was not
    /// given.
    func number(_ option: String, or standard: Int) throws -> Int {
        guard let text = options[option] else { return standard }
        guard let number = Int(text), (1...1_000_000).contains(number) else {
            throw Failure.usage("\(option) must be a number from 1 to 1000000, not \(text)")
        }
        return number
    }

    func requiredInputs() throws -> [String] {
        guard !inputs.isEmpty else { throw Failure.usage("\(command) needs at least one input") }
        return inputs
    }
}
