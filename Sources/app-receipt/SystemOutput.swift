#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Files that are written piece by piece.
extension System {
    /// Opens a file to write to: a new one, or an old one without what it held.
    static func openForWriting(path: [UInt8]) throws(Failure) -> Int32 {
        // The path ends with the zero that is appended here, and lives as long as the call.
        let path = path.map { CChar(bitPattern: $0) } + [0]
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .last }
        return descriptor
    }
}
