#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The reason why a command failed.
enum Failure: Error {
    /// The command line is wrong. Exit status 2.
    case usage(String)
    /// The command line is right, but the work failed. Exit status 1.
    case work(String)

    var message: String {
        switch self {
        case .usage(let message): "\(message); see --help"
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
func printError(_ message: String) {
    let line = Array("\(message)\n".utf8)
    _ = unsafe write(2, line, line.count)
}
