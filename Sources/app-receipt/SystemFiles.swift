#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Files, directories and descriptors.
extension System {
    /// What tells one file from another, whatever it is called.
    struct FileIdentity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    enum FileKind {
        case regular
        case directory
        case other
    }

    struct FileStatus {
        let identity: FileIdentity
        let kind: FileKind
        /// In bytes.
        let size: Int
        /// When it was last written to.
        let modified: (seconds: Int, nanoseconds: Int)

        fileprivate init(_ status: stat) {
            identity = FileIdentity(
                device: UInt64(truncatingIfNeeded: status.st_dev),
                inode: UInt64(truncatingIfNeeded: status.st_ino)
            )
            switch status.st_mode & S_IFMT {
            case S_IFREG: kind = .regular
            case S_IFDIR: kind = .directory
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

    /// Of a file, or of what a link leads to.
    static func status(path: [UInt8]) throws(Failure) -> FileStatus {
        var result = stat()
        // The path ends with a zero, and the structure is the one that is written to.
        guard unsafe stat(terminated(path), &result) == 0 else { throw .last }
        return FileStatus(result)
    }

    static func status(descriptor: Int32) throws(Failure) -> FileStatus {
        var result = stat()
        // Writes to the structure that it is given.
        guard unsafe fstat(descriptor, &result) == 0 else { throw .last }
        return FileStatus(result)
    }

    static func isLink(path: [UInt8]) -> Bool {
        var result = stat()
        // The path ends with a zero, and the structure is the one that is written to.
        return unsafe lstat(terminated(path), &result) == 0 && result.st_mode & S_IFMT == S_IFLNK
    }

    /// Opens a file for reading.
    ///
    /// - Parameter waits: whether to wait for the other end of a pipe that has a name; whoever does not must
    ///   ask whether the descriptor is readable before it reads.
    static func openFile(path: [UInt8], waits: Bool = true) throws(Failure) -> Int32 {
        // The path ends with a zero, and lives as long as the call.
        let descriptor = unsafe open(terminated(path), O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw .last }
        if !waits { _ = fcntl(descriptor, F_SETFL, 0) }
        return descriptor
    }

    static func closeDescriptor(_ descriptor: Int32) throws(Failure) {
        guard close(descriptor) == 0 else { throw .last }
    }

    /// The names in a directory, but for itself and the one above, in the order of their bytes.
    static func names(inDirectory path: [UInt8]) throws(Failure) -> [[UInt8]] {
        // The path ends with a zero, and lives as long as the call.
        guard let directory = unsafe opendir(terminated(path)) else { throw .last }
        defer { _ = unsafe closedir(directory) }
        var names: [[UInt8]] = []
        while true {
            // A null pointer is the end, or an error, which this number tells apart.
            errno = 0
            guard let entry = unsafe readdir(directory) else {
                guard errno == 0 else { throw .last }
                break
            }
            // The name ends with a zero, and stays until the next call; it is copied at once.
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
                unsafe [UInt8](buffer.prefix { $0 != 0 })
            }
            if name != Array(".".utf8) && name != Array("..".utf8) { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Whether reading would not wait: there are bytes, or the end, or an error. Waits that long for it.
    static func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // One structure, as the count says.
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    /// Nanoseconds from some moment on, for telling how long something took.
    static var monotonicNanoseconds: UInt64 {
        var time = timespec()
        // Writes to the structure that it is given. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000
            &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }

    static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// As the system takes it: with a zero at its end.
    static func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
}
