#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Files, directories and descriptors.
extension System {
    /// Identifies a file independently of its names.
    package struct FileIdentity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    /// The kind of a file.
    package enum FileKind: Sendable {
        case regular
        case directory
        /// A symbolic link. Only a status that does not follow links has this kind.
        case link
        /// A pipe, a device or a socket. Reading it may wait.
        case other
    }

    /// The identity, the kind, the size and the time of the last write of a file.
    package struct FileStatus: Sendable {
        package let identity: FileIdentity
        package let kind: FileKind
        /// The size of the file in bytes.
        package let size: Int
        /// The time of the last write, in seconds since 1970 and nanoseconds of a second.
        package let modified: (seconds: Int, nanoseconds: Int)

        fileprivate init(_ status: stat) {
            identity = FileIdentity(
                device: UInt64(truncatingIfNeeded: status.st_dev),
                inode: UInt64(truncatingIfNeeded: status.st_ino)
            )
            switch status.st_mode & S_IFMT {
            case S_IFREG: kind = .regular
            case S_IFDIR: kind = .directory
            case S_IFLNK: kind = .link
            default: kind = .other
            }
            size = Int(clamping: status.st_size)
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            modified = (Int(time.tv_sec), Int(time.tv_nsec))
        }
    }

    /// The status of a file. Throws if there is no such file, or the system does not permit the look-up.
    ///
    /// - Parameter followsLinks: whether to return the status of the file that a symbolic link leads to.
    package static func status(path: [UInt8], followsLinks: Bool = true) throws(Failure) -> FileStatus {
        var result = stat()
        // The call writes only to the structure passed to it.
        _ = try call(path) { unsafe followsLinks ? stat($0, &result) : lstat($0, &result) }
        return FileStatus(result)
    }

    /// The status of the open file that a descriptor refers to.
    package static func status(descriptor: Int32) throws(Failure) -> FileStatus {
        var result = stat()
        // The call writes only to the structure passed to it.
        guard unsafe fstat(descriptor, &result) == 0 else { throw .last }
        return FileStatus(result)
    }

    /// Whether a name is a symbolic link. False if the name does not exist or cannot be looked up.
    package static func isLink(path: [UInt8]) -> Bool {
        (try? status(path: path, followsLinks: false))?.kind == .link
    }

    /// Opens a file for reading, and returns its descriptor, which the caller closes.
    ///
    /// - Parameters:
    ///   - waits: whether to wait until another process opens a named pipe for writing. A caller that does
    ///     not wait must ask ``isReadable(_:milliseconds:)`` before it reads a pipe.
    ///   - followsLinks: whether to open the file that a symbolic link leads to. Otherwise a link is an
    ///     error.
    package static func openFile(
        path: [UInt8],
        waits: Bool = true,
        followsLinks: Bool = true
    ) throws(Failure) -> Int32 {
        let flags = O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK) | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = try call(path) { unsafe open($0, flags) }
        if !waits { _ = fcntl(descriptor, F_SETFL, 0) }
        return descriptor
    }

    /// Closes a descriptor. Throws if the system reports an error.
    package static func closeDescriptor(_ descriptor: Int32) throws(Failure) {
        guard close(descriptor) == 0 else { throw .last }
    }

    /// The names in a directory, except `.` and `..`, in the order of their bytes.
    ///
    /// - Parameter followsLinks: whether the path may be a symbolic link. Otherwise a link is an error.
    package static func names(inDirectory path: [UInt8], followsLinks: Bool) throws(Failure) -> [[UInt8]] {
        let descriptor = try openFile(path: path, followsLinks: followsLinks)
        // On success the directory owns the descriptor, and closedir closes it.
        guard let directory = unsafe fdopendir(descriptor) else {
            let failure = Failure.last
            _ = close(descriptor)
            throw failure
        }
        defer { _ = unsafe closedir(directory) }
        var names: [[UInt8]] = []
        while true {
            // A null pointer means the end or an error. Only an error sets the error number.
            errno = 0
            guard let entry = unsafe readdir(directory) else {
                guard errno == 0 else { throw .last }
                break
            }
            // The name ends with a zero and stays valid until the next call. It is copied at once.
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
                unsafe [UInt8](buffer.prefix { $0 != 0 })
            }
            if name != Array(".".utf8) && name != Array("..".utf8) { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Whether a read would return at once, with bytes, the end of the input or an error. Waits up to a time
    /// for that, or until a signal handler runs in this thread. On Linux, false also for a named pipe that no
    /// process has opened for writing yet, although a read would return at once, as at the end of the input.
    ///
    /// - Parameter milliseconds: the maximum time to wait.
    package static func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // The count matches the one structure passed.
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    /// A clock for measuring durations, in nanoseconds since an arbitrary moment.
    package static var monotonicNanoseconds: UInt64 {
        var time = timespec()
        // The call writes only to the structure passed to it. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000
            &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }

    /// The number of processors that are online, at least 1.
    package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// A path as system calls take it: as C characters with a zero at the end.
    private static func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

    /// Calls `body` with a path and returns the result. If that is negative, throws the failure in `errno`.
    ///
    /// - Parameter body: takes the path with a zero at its end. The array lives as long as the system's call.
    static func call(_ path: [UInt8], _ body: ([CChar]) -> Int32) throws(Failure) -> Int32 {
        let result = body(terminated(path))
        guard result >= 0 else { throw .last }
        return result
    }

    // MARK: Writing, locking, syncing, truncating and replacing

    /// Opens a file for writing and returns its descriptor, which the caller closes. Makes the file if it is
    /// missing, for its owner to write, and empties it otherwise.
    ///
    /// Follows links, and waits for a reader if the name is a pipe. Throws what the system reports.
    ///
    /// - Parameter isPrivate: whether a file that the call makes is for its owner alone to read, and not
    ///   for all whom the umask permits.
    package static func openForWriting(path: [UInt8], isPrivate: Bool = false) throws(Failure) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        return try call(path) { unsafe open($0, flags, isPrivate ? 0o600 : 0o644) }
    }

    /// Opens a file for reading and writing without changing its content. Makes the file if it is missing.
    /// Returns its descriptor, which the caller closes.
    ///
    /// A file that the call makes can be read and written by its owner only. Every write goes to the end of
    /// the file, wherever that is: if another process truncates the file, no hole arises.
    /// - Parameter isNew: whether to throw if the name exists, even as a link or a pipe. Then the call opens
    ///   no file that exists and follows no link.
    package static func openForResults(path: [UInt8], isNew: Bool) throws(Failure) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | (isNew ? O_EXCL : 0)
        let descriptor = try call(path) { unsafe open($0, flags, 0o600) }
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        return descriptor
    }

    /// Locks a file, without waiting, until its descriptor is closed or the process ends.
    ///
    /// - Returns: true if the file is locked now; false if another opening of the file, in this process or
    ///   another, holds the lock.
    package static func lock(_ descriptor: Int32) throws(Failure) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
        guard errno == EWOULDBLOCK else { throw .last }
        return false
    }

    /// Waits for a time, or until a signal handler runs in this thread.
    package static func pause(milliseconds: Int32) {
        _ = poll(nil, 0, milliseconds)
    }

    /// Waits until the bytes written to a file are on the disk. On Darwin they may still be in the disk's
    /// cache if the file system lacks F_FULLFSYNC.
    package static func sync(_ descriptor: Int32) throws(Failure) {
        #if canImport(Darwin)
            // On Darwin fsync may leave bytes in the disk's own cache. Some file systems lack F_FULLFSYNC.
            guard fcntl(descriptor, F_FULLFSYNC) != 0 else { return }
        #endif
        guard fsync(descriptor) == 0 else { throw .last }
    }

    /// Waits until the names in a directory are on the disk, if the file system can sync a directory. On
    /// Darwin they may still be in the disk's cache.
    package static func syncDirectory(_ path: [UInt8]) throws(Failure) {
        let descriptor = try openFile(path: path)
        defer { _ = close(descriptor) }
        // A file system that cannot sync a directory returns EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .last }
    }

    /// Moves a descriptor's position to an offset in bytes from the beginning of its file.
    package static func seek(_ descriptor: Int32, to offset: Int) throws(Failure) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw .last }
    }

    /// Truncates or extends a file to a length in bytes and moves to its end.
    package static func truncate(_ descriptor: Int32, to length: Int) throws(Failure) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .last }
        try seek(descriptor, to: length)
    }

    /// Removes the `count` bytes that were written last, if they are the end of a regular file.
    ///
    /// Otherwise, as for a pipe or a terminal, and if the system refuses, does nothing.
    package static func takeBack(_ count: Int, from descriptor: Int32) {
        let end = Int(lseek(descriptor, 0, SEEK_CUR))
        guard count > 0, let status = try? status(descriptor: descriptor), status.kind == .regular,
            status.size == end, end >= count
        else { return }
        // If this fails too, nothing more can be done.
        try? truncate(descriptor, to: end - count)
    }

    /// Gives the file `path` the name `other`, in one atomic step. A file that had this name is replaced.
    package static func rename(_ path: [UInt8], to other: [UInt8]) throws(Failure) {
        // The other path ends with a zero, too, and lives as long as the call.
        _ = try call(path) { unsafe renameFile($0, terminated(other)) }
    }

    /// Removes the name of a file. Throws for a directory, and if the name is missing.
    package static func remove(path: [UInt8]) throws(Failure) {
        _ = try call(path) { unsafe unlink($0) }
    }

    /// The absolute path of a file, with all links in it resolved; nil if the file cannot be found.
    package static func realPath(_ path: [UInt8]) -> [UInt8]? {
        // The path ends with a zero. The result ends with a zero, too, and the caller must free it.
        guard let result = unsafe realpath(terminated(path), nil) else { return nil }
        defer { unsafe free(result) }
        let bytes = unsafe UnsafeRawBufferPointer(start: result, count: strlen(result))
        return unsafe [UInt8](bytes)
    }
}

// In ``System``, the name of this call means its own function.

private func renameFile(_ path: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> Int32 {
    unsafe rename(path, other)
}
