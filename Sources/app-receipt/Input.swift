import AppReceipt
import CorpusRecords
import DER
import SHA

/// Inputs by name, and their bytes.
enum Input {
    /// The files that were named; standard input where none was, unless a person sits at it.
    static func names(_ arguments: Arguments) throws(Failure) -> [Argument] {
        guard arguments.operands.isEmpty else { return arguments.operands }
        guard !System.isTerminal(System.standardInput) else {
            throw .usage("which file? Name one, or - for standard input")
        }
        return [Argument(bytes: [UInt8(ascii: "-")])]
    }

    /// The bytes of an input, as they are.
    ///
    /// No more is read than could be a receipt: base64 takes four characters for three bytes, and line breaks
    /// and white space some more.
    static func read(_ name: Argument, limits: Limits = .standard) throws(Fault) -> [UInt8] {
        let limit = limits.inputBytes / 2 * 3
        let bytes: [UInt8]
        do throws(System.Failure) {
            // One more than may be there, so that what is too large is known to be.
            bytes = try readUp(to: limit + 1, name)
        } catch {
            throw Fault(cannotRead: name, error)
        }
        guard bytes.count <= limit else {
            throw Fault(Refusal(.inputTooLarge, at: 0, reading: "receipt"))
        }
        return bytes
    }

    /// The bytes of a container, out of PEM or base64 where need be.
    static func container(
        _ bytes: [UInt8],
        _ acceleration: Acceleration = .none
    ) throws(Fault) -> [UInt8] {
        do throws(Refusal) {
            return try ReceiptText.container(bytes[...], acceleration)
        } catch {
            throw Fault(error)
        }
    }

    private static func readUp(to limit: Int, _ name: Argument) throws(System.Failure) -> [UInt8] {
        guard !name.isStandardInput else {
            return try System.read(descriptor: System.standardInput, limit: limit)
        }
        return try System.read(path: name.bytes, limit: limit)
    }
}

/// Why an input is not a valid receipt: what the library says, or the system.
struct Fault: Error {
    let step: ReceiptError.Step
    let code: Refusal.Code
    /// Nil where there are no bytes to count.
    let offset: Int?
    /// One sentence.
    let message: String
    /// What was being read, and where.
    let place: String

    init(_ error: ReceiptError) {
        step = error.step
        code = error.code
        offset = error.offset
        message = "\(error.code.meaning)"
        let certificate = error.certificateIndex.map { ", in certificate \($0)" } ?? ""
        place = "byte \(error.offset)\(certificate), reading \(error.reading)"
    }

    /// Of the step `input`.
    init(_ refusal: Refusal) {
        step = .input
        code = refusal.code
        offset = refusal.offset
        message = "\(refusal.code.meaning)"
        place = "byte \(refusal.offset), reading \(refusal.reading)"
    }

    init(cannotRead name: Argument, _ failure: System.Failure) {
        step = .input
        code = .cannotRead
        offset = nil
        message = "cannot read \(name.text): \(failure.message)"
        place = ""
    }

    /// One line for standard error: why there is nothing to judge.
    func report(_ name: Argument) -> String {
        code == .cannotRead ? message.printable : "\(name.printable): \(message) (\(code.name))"
    }

    /// What JSON and people call it.
    var status: String { code.kind.name }

    var exitStatus: ExitStatus { code.kind == .unreadable ? .unreadable : .notValid }
}

/// What this tool refuses besides the library (numbers 900 to 999).
extension Refusal.Code {
    static var cannotRead: Self {
        .init(900, "input.cannot-read", "The system could not open or read the file.", kind: .unreadable)
    }

    /// Every code that this tool may report.
    static var allOfCommand: [Self] { all + [.cannotRead] + allOfCorpus }
}
