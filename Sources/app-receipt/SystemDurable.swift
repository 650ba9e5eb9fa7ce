#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Files that are to outlive the process: locked, synced, cut, and put in the place of others.
extension System {
    /// Opens a file to read and to write, what it holds as it is; makes it where it is not there.
    ///
    /// - Parameter isNew: whether it must not be there yet.
    static func openForResults(path: [UInt8], isNew: Bool) throws(Failure) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL : 0)
        // The path ends with a zero, and lives as long as the call.
        let descriptor = unsafe open(terminated(path), flags, 0o644)
        guard descriptor >= 0 else { throw .last }
        return descriptor
    }

    /// Locks a file until its descriptor is closed, be it by the end of the process.
    ///
    /// - Returns: whether no other process holds the lock.
    static func lock(_ descriptor: Int32) throws(Failure) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
        guard errno == EWOULDBLOCK else { throw .last }
        return false
    }

    static func pause(milliseconds: Int32) {
        _ = poll(nil, 0, milliseconds)
    }

    /// Returns when what was written to a file is on the disk.
    static func sync(_ descriptor: Int32) throws(Failure) {
        #if canImport(Darwin)
            // There, fsync leaves it in the disk's own memory. Not every file system knows the other one.
            guard fcntl(descriptor, F_FULLFSYNC) != 0 else { return }
        #endif
        guard fsync(descriptor) == 0 else { throw .last }
    }

    /// Returns when the names in a directory are on the disk.
    static func syncDirectory(_ path: [UInt8]) throws(Failure) {
        let descriptor = try openFile(path: path)
        defer { _ = close(descriptor) }
        // Not every file system can, and it says so by this error.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .last }
    }

    /// Moves to a place in a file, counted from its beginning.
    static func seek(_ descriptor: Int32, to offset: Int) throws(Failure) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw .last }
    }

    /// Cuts a file to a length, and moves to its end.
    static func truncate(_ descriptor: Int32, to length: Int) throws(Failure) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .last }
        try seek(descriptor, to: length)
    }

    /// Takes back the bytes that were written last, where they are the end of a regular file. What a pipe or
    /// a terminal was given stays given.
    static func takeBack(_ count: Int, from descriptor: Int32) {
        let end = Int(lseek(descriptor, 0, SEEK_CUR))
        guard count > 0, let status = try? status(descriptor: descriptor), status.kind == .regular,
            status.size == end, end >= count
        else { return }
        // If this fails too, there is no more to be done about it.
        try? truncate(descriptor, to: end - count)
    }

    /// Puts a file in the place of another in one step.
    static func rename(_ path: [UInt8], to other: [UInt8]) throws(Failure) {
        // Both paths end with a zero, and live as long as the call.
        #if canImport(Darwin)
            let result = unsafe Darwin.rename(terminated(path), terminated(other))
        #elseif canImport(Musl)
            let result = unsafe Musl.rename(terminated(path), terminated(other))
        #else
            let result = unsafe Glibc.rename(terminated(path), terminated(other))
        #endif
        guard result == 0 else { throw .last }
    }

    static func remove(path: [UInt8]) throws(Failure) {
        // The path ends with a zero, and lives as long as the call.
        guard unsafe unlink(terminated(path)) == 0 else { throw .last }
    }

    /// Where a file is, with no link on the way; nil where it is not there.
    static func realPath(_ path: [UInt8]) -> [UInt8]? {
        // The path ends with a zero. What is returned ends with one, too, and is ours to free.
        guard let result = unsafe realpath(terminated(path), nil) else { return nil }
        defer { unsafe free(result) }
        let bytes = unsafe UnsafeRawBufferPointer(start: result, count: strlen(result))
        return unsafe [UInt8](bytes)
    }
}
