/// What the process says when it ends. Of several inputs, the gravest counts: an input that could not be read
/// leaves the answer incomplete, which matters more than a receipt that is not valid.
enum ExitStatus: Int32, Comparable {
    /// All is valid.
    case valid = 0
    /// At least one is not valid.
    case notValid = 1
    /// The command line makes no sense.
    case usage = 2
    /// At least one input could not be read, or the output could not be written.
    case unreadable = 3
    /// Not all that there was to say could be written.
    case outputIncomplete = 4
    /// A person stopped it: what a shell reports of a process that SIGINT ended.
    case interrupted = 130
    /// Nobody read what was written: what a shell reports of a process that SIGPIPE ended.
    case closedPipe = 141

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Why a command cannot do its work at all. What is wrong with a receipt is a verdict, not a failure.
struct Failure: Error {
    let status: ExitStatus
    let message: String

    /// The command line makes no sense.
    static func usage(_ message: String) -> Failure { Failure(status: .usage, message: message) }

    /// A file that a command cannot do without could not be read.
    static func cannotRead(_ name: Argument, _ failure: System.Failure) -> Failure {
        Failure(status: .unreadable, message: "cannot read \(name.printable): \(failure.message)")
    }

    /// What was asked for could not be written.
    static func cannotWrite(_ name: Argument, _ failure: System.Failure) -> Failure {
        Failure(status: .unreadable, message: "cannot write \(name.printable): \(failure.message)")
    }
}
