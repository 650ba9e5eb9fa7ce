import SystemCalls

/// The reason why a run of `corpus verify` cannot begin or continue, or why it cannot read a source.
package struct CorpusFailure: Error {
    package enum Kind: Sendable {
        /// The options contradict each other, or do not fit the sources or files that the command line
        /// names. The kind is also `usage` if a system call fails while the results file is opened or its
        /// earlier checkpoint is read, or if a run cannot open the source at which it should continue, or
        /// cannot read the beginning of that source.
        case usage
        /// A source could not be read, or not to its end, or not as records of its format.
        case unreadable
        /// The results or their checkpoint could not be written, or another process changed the results
        /// file during the run.
        case outputIncomplete
        /// Another process is writing the results file or has just replaced it, so the run does not begin.
        case locked
    }

    package let kind: Kind
    /// One sentence that tells a person what failed.
    package let message: String

    static func usage(_ message: String) -> CorpusFailure { CorpusFailure(kind: .usage, message: message) }

    static func cannotRead(_ name: FileName, _ failure: System.Failure) -> CorpusFailure {
        CorpusFailure(kind: .unreadable, message: "cannot read \(name.printable): \(failure.message)")
    }

    /// Returns a failure of the kind `unreadable`. Its message is `name.printable`, a space and the phrase.
    static func unreadable(_ name: FileName, _ phrase: String) -> CorpusFailure {
        CorpusFailure(kind: .unreadable, message: "\(name.printable) \(phrase)")
    }
}
