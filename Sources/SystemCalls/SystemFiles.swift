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

    /// The kinds of files that the engine distinguishes.
    package enum FileKind: Sendable {
        case regular
        case directory
        /// A symbolic link. Only a status that does not follow links has this kind.
        case link
        /// A pipe, a device or a socket. Reading it may wait.
        case other
    }

    /// The facts about a file that the engine uses.
    package struct FileStatus: Sendable {
        package let identity: FileIdentity
        package let kind: FileKind
        /// In bytes.
        package let size: Int
        /// The time of the last write.
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

    /// The status of a file.
    ///
    /// - Parameter followsLinks: whether a symbolic link stands for the file that it leads to.
    package static func status(path: [UInt8], followsLinks: Bool = true) throws(Failure) -> FileStatus {
        var result = stat()
        let path = terminated(path)
        // The path ends with a zero and lives as long as the call, which writes only to the structure.
        let error = unsafe followsLinks ? stat(path, &result) : lstat(path, &result)
        guard error == 0 else { throw .last }
        return FileStatus(result)
    }

    /// The status of an open file.
    package static func status(descriptor: Int32) throws(Failure) -> FileStatus {
        var result = stat()
        // The call writes only to the structure passed to it.
        guard unsafe fstat(descriptor, &result) == 0 else { throw .last }
        return FileStatus(result)
    }

    /// Whether a name is a symbolic link.
    package static func isLink(path: [UInt8]) -> Bool {
        var result = stat()
        // The path ends with a zero and lives as long as the call, which writes only to the structure.
        return unsafe lstat(terminated(path), &result) == 0 && result.st_mode & S_IFMT == S_IFLNK
    }

    /// Opens a file for reading.
    ///
    /// - Parameters:
    ///   - waits: whether to wait until another process opens a named pipe for writing. A caller that does
    ///     not wait must ask ``isReadable(_:milliseconds:)`` before it reads.
    ///   - followsLinks: whether a symbolic link stands for the file that it leads to. Otherwise it is an
    ///     error.
    package static func openFile(
        path: [UInt8],
        waits: Bool = true,
        followsLinks: Bool = true
    ) throws(Failure) -> Int32 {
        let flags = O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK) | (followsLinks ? 0 : O_NOFOLLOW)
        // The path ends with a zero and lives as long as the call.
        let descriptor = unsafe open(terminated(path), flags)
        guard descriptor >= 0 else { throw .last }
        if !waits { _ = fcntl(descriptor, F_SETFL, 0) }
        return descriptor
    }

    /// Closes a descriptor.
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
    /// for that.
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

    /// A path as system calls take it: with a zero at its end.
    static func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
}
