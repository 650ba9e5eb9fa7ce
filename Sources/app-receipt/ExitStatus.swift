import ReceiptCorpus
import SystemCalls

/// The exit status of the process.
///
/// If several apply, the highest counts: an input that could not be read leaves the answer incomplete, which
/// matters more than a receipt that is not valid. One exception: in `corpus verify`, 4 counts before 130.
enum ExitStatus: Int32, Comparable {
    /// All receipts and tokens are valid, or a command without a verdict has done its work. `corpus verify`
    /// has done its work, whatever the verdicts, unless one of them meets the condition of `--fail-on`, or
    /// the status is 3 because the first 1000 records, or all, are unreadable or cut off.
    case valid = 0
    /// At least one receipt or token is not valid, or a check of another command has failed.
    case notValid = 1
    /// The command line is wrong, or a file that an option names cannot be used.
    case usage = 2
    /// At least one input could not be read or holds nothing to judge, the file of an option could not be
    /// read, or the output could not be written. In `corpus verify`: a source or the file of an option could
    /// not be read to its end, or, without `--allow-unreadable`, the first 1000 records, or all, are
    /// unreadable or cut off. A file in a directory that would be one receipt and cannot be opened counts as
    /// an unreadable record.
    case unreadable = 3
    /// The output of `corpus verify` is incomplete: some results, a checkpoint or the summary could not be
    /// written, another process changed the results file, or the counts of records do not add up.
    case outputIncomplete = 4
    /// Another process is writing the file for the results of `corpus verify`.
    case locked = 5
    /// SIGINT, SIGTERM or SIGHUP stopped `corpus verify` before its end. A shell reports 130 for a process
    /// that SIGINT ended, too.
    case interrupted = 130
    /// The reader of the output has closed it. A shell reports 141 for a process that SIGPIPE ended, too.
    case closedPipe = 141

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Why a command cannot do its work. A refused receipt or token is a verdict and not a failure.
struct Failure: Error {
    let status: ExitStatus
    /// One sentence that says what is wrong, and how to put it right if that is known.
    let message: String

    /// A failure of status 2: the command line is wrong, as the message says.
    static func usage(_ message: String) -> Failure { Failure(status: .usage, message: message) }

    /// A failure of status 3: a file that the command needs could not be read.
    static func cannotRead(_ name: Argument, _ failure: System.Failure) -> Failure {
        Failure(status: .unreadable, message: "cannot read \(name.printable): \(failure.message)")
    }

    /// A failure of the given status, 3 by default: an output could not be written.
    static func cannotWrite(
        _ name: Argument,
        _ failure: System.Failure,
        _ status: ExitStatus = .unreadable
    ) -> Failure {
        Failure(status: status, message: "cannot write \(name.printable): \(failure.message)")
    }
}
