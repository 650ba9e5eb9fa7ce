import Foundation

/// The options of the command line.
struct Options {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The peer's program.
    var peer = URL(fileURLWithPath: "")
    var seed: UInt64 = 1
    var first: UInt64 = 0
    var count: UInt64 = 20_000
    /// The number of seconds after which the run makes no more inputs.
    var seconds: Double = .infinity
    var vectors = URL(fileURLWithPath: "Vectors")
    var shared: URL?
    /// The file for the counts.
    var tally: URL?
    /// The folder for failing inputs.
    var failing = URL(fileURLWithPath: "failing")
    /// Whether to print everything about each input.
    var isVerbose = false
    /// Whether to write the inputs instead of judging them.
    var isWriting = false

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        func number<Number: LosslessStringConvertible>(_ option: String, _ text: String) throws -> Number {
            guard let number = Number(text) else { throw Failure(description: "\(option) takes a number") }
            return number
        }
        while let option = rest.popFirst() {
            if option == "--verbose" {
                isVerbose = true
                continue
            }
            if option == "--write" {
                isWriting = true
                continue
            }
            guard let value = rest.popFirst() else { throw Failure(description: "\(option) takes a value") }
            switch option {
            case "--peer": peer = URL(fileURLWithPath: value)
            case "--seed": seed = try number(option, value)
            case "--first": first = try number(option, value)
            case "--count": count = try number(option, value)
            case "--seconds": seconds = try number(option, value)
            case "--vectors": vectors = URL(fileURLWithPath: value)
            case "--shared": shared = URL(fileURLWithPath: value)
            case "--tally": tally = URL(fileURLWithPath: value)
            case "--failing": failing = URL(fileURLWithPath: value)
            default: throw Failure(description: "unknown option \(option)")
            }
        }
    }
}
