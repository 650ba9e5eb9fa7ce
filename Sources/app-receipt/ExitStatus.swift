import ReceiptCorpus
import SystemCalls

/// The exit status of the process.
///
/// If several apply, the highest counts. An input that could not be read leaves the answer incomplete, which
/// matters more than a receipt that is not valid.
enum ExitStatus: Int32, Comparable {
    /// All receipts are valid.
    case valid = 0
    /// At least one receipt is not valid.
    case notValid = 1
    /// The command line is wrong.
    case usage = 2
    /// At least one input could not be read, or the output could not be written.
    case unreadable = 3
    /// Some results could not be written.
    case outputIncomplete = 4
    /// Another process is writing the file for the results.
    case locked = 5
    /// A signal interrupted the run. A shell reports the same number for a process that SIGINT ended.
    case interrupted = 130
    /// The reader of the output has gone. A shell reports the same number for a process that SIGPIPE ended.
    case closedPipe = 141

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Why a command cannot do its work. A refused receipt is a verdict and not a failure.
struct Failure: Error {
    let status: ExitStatus
    /// One sentence that says what is wrong, and how to put it right if that is known.
    let message: String

    /// The command line is wrong.
    static func usage(_ message: String) -> Failure { Failure(status: .usage, message: message) }

    /// A file that the command needs could not be read.
    static func cannotRead(_ name: Argument, _ failure: System.Failure) -> Failure {
        Failure(status: .unreadable, message: "cannot read \(name.printable): \(failure.message)")
    }

    /// A result could not be written.
    static func cannotWrite(
        _ name: Argument,
        _ failure: System.Failure,
        _ status: ExitStatus = .unreadable
    ) -> Failure {
        Failure(status: status, message: "cannot write \(name.printable): \(failure.message)")
    }
}
