#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Durable files: locking, syncing, truncating and replacing.
extension System {
    /// Opens a file for reading and writing without changing its content. Makes the file if it is missing.
    ///
    /// A file that the call makes can be read and written by its owner only.
    ///
    /// - Parameter isNew: whether to throw if the name exists, even as a link or a pipe. Then the call
    ///   follows no link, opens no file of the user and waits for no reader.
    package static func openForResults(path: [UInt8], isNew: Bool) throws(Failure) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | (isNew ? O_EXCL : 0)
        // The path ends with a zero and lives as long as the call.
        let descriptor = unsafe open(terminated(path), flags, 0o600)
        guard descriptor >= 0 else { throw .last }
        _ = fcntl(descriptor, F_SETFL, 0)
        return descriptor
    }

    /// Locks a file until its descriptor is closed or the process ends.
    ///
    /// - Returns: false if another process holds the lock.
    package static func lock(_ descriptor: Int32) throws(Failure) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
        guard errno == EWOULDBLOCK else { throw .last }
        return false
    }

    /// Waits.
    package static func pause(milliseconds: Int32) {
        _ = poll(nil, 0, milliseconds)
    }

    /// Waits until the bytes written to a file are on the disk.
    package static func sync(_ descriptor: Int32) throws(Failure) {
        #if canImport(Darwin)
            // On Darwin fsync may leave bytes in the disk's own cache. Some file systems lack F_FULLFSYNC.
            guard fcntl(descriptor, F_FULLFSYNC) != 0 else { return }
        #endif
        guard fsync(descriptor) == 0 else { throw .last }
    }

    /// Waits until the names in a directory are on the disk.
    package static func syncDirectory(_ path: [UInt8]) throws(Failure) {
        let descriptor = try openFile(path: path)
        defer { _ = close(descriptor) }
        // A file system that cannot sync a directory returns EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .last }
    }

    /// Moves to an offset from the beginning of a file.
    package static func seek(_ descriptor: Int32, to offset: Int) throws(Failure) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw .last }
    }

    /// Truncates a file to a length and moves to its end.
    package static func truncate(_ descriptor: Int32, to length: Int) throws(Failure) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .last }
        try seek(descriptor, to: length)
    }

    /// Removes the bytes that were written last, if they are the end of a regular file.
    ///
    /// Bytes written to a pipe or a terminal cannot be removed.
    package static func takeBack(_ count: Int, from descriptor: Int32) {
        let end = Int(lseek(descriptor, 0, SEEK_CUR))
        guard count > 0, let status = try? status(descriptor: descriptor), status.kind == .regular,
            status.size == end, end >= count
        else { return }
        // If this fails too, nothing more can be done.
        try? truncate(descriptor, to: end - count)
    }

    /// Replaces a file by another in one atomic step.
    package static func rename(_ path: [UInt8], to other: [UInt8]) throws(Failure) {
        // Both paths end with a zero and live as long as the call.
        #if canImport(Darwin)
            let result = unsafe Darwin.rename(terminated(path), terminated(other))
        #elseif canImport(Musl)
            let result = unsafe Musl.rename(terminated(path), terminated(other))
        #else
            let result = unsafe Glibc.rename(terminated(path), terminated(other))
        #endif
        guard result == 0 else { throw .last }
    }

    /// Removes a name.
    package static func remove(path: [UInt8]) throws(Failure) {
        // The path ends with a zero and lives as long as the call.
        guard unsafe unlink(terminated(path)) == 0 else { throw .last }
    }

    /// The absolute path of a file, without links in it, or nil if the file is missing.
    package static func realPath(_ path: [UInt8]) -> [UInt8]? {
        // The path ends with a zero. The result ends with a zero, too, and the caller must free it.
        guard let result = unsafe realpath(terminated(path), nil) else { return nil }
        defer { unsafe free(result) }
        let bytes = unsafe UnsafeRawBufferPointer(start: result, count: strlen(result))
        return unsafe [UInt8](bytes)
    }
}
