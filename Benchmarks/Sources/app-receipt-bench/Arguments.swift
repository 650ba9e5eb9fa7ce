import Foundation
import SHA

/// The command, its options, and what it is to work on.
struct Arguments {
    let command: String
    private var options: [String: String] = [:]
    let inputs: [String]
    /// With what digests are made.
    let acceleration: Acceleration

    private static let known = [
        "--measure", "--root", "--samples", "--milliseconds", "--seconds", "--to", "--part",
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
            guard Self.known.contains(word) else { throw Failure.usage("there is no option \(word)") }
            guard let value = rest.popFirst() else { throw Failure.usage("\(word) wants a value") }
            options[word] = value
        }
        self.inputs = inputs
        acceleration =
            isPortable
            ? .none
            : .detected(
                auxiliaryVector: [UInt8](FileManager.default.contents(atPath: "/proc/self/auxv") ?? Data())
            )
    }

    func required(_ option: String) throws -> String {
        guard let value = options[option] else { throw Failure.usage("\(command) wants \(option)") }
        return value
    }

    /// A number of 1 or more.
    func number(_ option: String, or standard: Int) throws -> Int {
        guard let text = options[option] else { return standard }
        guard let number = Int(text), (1...1_000_000).contains(number) else {
            throw Failure.usage("\(option) is a number from 1 to a million, not \(text)")
        }
        return number
    }

    func requiredInputs() throws -> [String] {
        guard !inputs.isEmpty else { throw Failure.usage("\(command) wants something to work on") }
        return inputs
    }
}
