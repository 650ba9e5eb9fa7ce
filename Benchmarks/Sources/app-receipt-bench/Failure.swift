#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why there is no figure.
enum Failure: Error {
    /// What was asked for is not understood.
    case usage(String)
    /// It was understood, and did not work.
    case work(String)

    var message: String {
        switch self {
        case .usage(let message): "\(message); --help says what there is"
        case .work(let message): message
        }
    }

    var exitStatus: Int32 {
        switch self {
        case .usage: 2
        case .work: 1
        }
    }
}

/// Writes a line to standard error.
func complain(_ message: String) {
    let line = Array("\(message)\n".utf8)
    _ = write(2, line, line.count)
}
