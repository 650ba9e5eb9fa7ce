import SystemCalls

/// A reason why a run cannot begin or go on, or why a source cannot be read.
package struct CorpusFailure: Error {
    package enum Kind: Sendable {
        /// The options contradict each other, or do not fit the sources or files that the command line names.
        ///
        /// A system call that failed for the results or their checkpoints counts as usage, too.
        case usage
        /// A file that the run needs could not be read.
        case unreadable
        /// Not all results could be written.
        case outputIncomplete
        /// Another process is writing the results.
        case locked
    }

    package let kind: Kind
    /// One sentence for a person.
    package let message: String

    static func usage(_ message: String) -> CorpusFailure { CorpusFailure(kind: .usage, message: message) }

    static func cannotRead(_ name: FileName, _ failure: System.Failure) -> CorpusFailure {
        CorpusFailure(kind: .unreadable, message: "cannot read \(name.printable): \(failure.message)")
    }

    /// - Parameter phrase: continues a sentence about the source.
    static func unreadable(_ name: FileName, _ phrase: String) -> CorpusFailure {
        CorpusFailure(kind: .unreadable, message: "\(name.printable) \(phrase)")
    }
}
