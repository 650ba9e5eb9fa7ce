#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Files that are written, and the terminal's width.
extension System {
    /// Opens a file for writing and returns its descriptor, which the caller closes. Makes the file if it is
    /// missing, for its owner to write and for all to read, and empties it otherwise.
    ///
    /// Follows links, and waits for a reader if the name is a pipe. Throws what the system reports.
    package static func openForWriting(path: [UInt8]) throws(Failure) -> Int32 {
        // The path ends with a zero and lives as long as the call.
        let descriptor = unsafe open(terminated(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .last }
        return descriptor
    }

    /// The width of a terminal in columns, or nil if the system does not say.
    package static func terminalWidth(_ descriptor: Int32) -> Int? {
        var size = winsize()
        // The call writes only to the structure passed to it.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
