import Basics
import Processor

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system calls of the programs and of the corpus engine.
///
/// All unsafe code of the programs and of the corpus engine is in the files of this type. The programs and
/// the engine read the clock through this type only.
package enum System {
    /// A system call that failed, with the error number that it reported, such as ENOENT.
    package struct Failure: Error {
        package let number: Int32

        static var last: Failure { Failure(number: errno) }
        /// Whether a write failed because the reader of a pipe has closed it (EPIPE).
        package var isClosedPipe: Bool { number == EPIPE }
        /// Whether the name leads to no file: it is missing, or its links lead to nothing or are more than
        /// the system follows, as in a loop. Also true for a link that the call was told not to follow. False
        /// if the name goes on after a file that is no directory (ENOTDIR).
        package var isAbsence: Bool { number == ENOENT || number == ELOOP }

        /// The system's own description of the error.
        package var message: String {
            // The text ends with a zero and stays valid until the next call. It is copied at once.
            unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        }
    }

    package static let standardInput: Int32 = 0
    package static let standardOutput: Int32 = 1
    package static let standardError: Int32 = 2

    /// The instruction sets that this program was built for and that are detected on this machine.
    package static var acceleration: Acceleration {
        .detected(auxiliaryVector: (try? read(path: [UInt8]("/proc/self/auxv".utf8), limit: 1 << 16)) ?? [])
    }

    /// The arguments of the command line without the program's name, byte for byte. They need not be UTF-8.
    package static var arguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            // There are `argc` pointers to strings that end with a zero. Nothing changes the strings.
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            let count = unsafe strlen(argument)
            let bytes = unsafe UnsafeRawBufferPointer(start: argument, count: count)
            return unsafe [UInt8](bytes)
        }
    }

    /// The value of an environment variable, with ill-formed UTF-8 replaced; nil if the variable is not set.
    package static func environment(_ name: String) -> String? {
        // The value ends with a zero. It is copied at once.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Makes the GNU C library keep freed chunks of memory, of up to 16 MiB, for the next allocation.
    ///
    /// Readers of input allocate and free several chunks of a quarter of a megabyte. The library returns them
    /// to the system, which must clear them again on the next allocation, until the library has seen a larger
    /// chunk being freed (mallopt(3), M_MMAP_THRESHOLD: up to 32 MiB). With other C libraries this has no
    /// effect.
    package static func keepFreedMemory() {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 << 20)
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The width of a terminal in columns; nil if the system does not say, or says 0.
    package static func terminalWidth(_ descriptor: Int32) -> Int? {
        var size = winsize()
        // The call writes only to the structure passed to it.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The present time by the system's clock, rounded down to milliseconds.
    package static var now: Timestamp {
        var time = timespec()
        // The call writes only to the structure passed to it. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Reads the first `limit` bytes of a file, or all of them if the file is shorter.
    package static func read(path: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = try openFile(path: path)
        defer { _ = close(descriptor) }
        return try read(descriptor: descriptor, limit: limit)
    }

    /// Reads `limit` bytes from a descriptor, or fewer if the input ends first.
    package static func read(descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
        // The size is a hint: one byte is added so that the end of a file that does not grow is found without
        // another round.
        let size = (try? status(descriptor: descriptor))?.size ?? 0
        var bytes: [UInt8] = []
        var room = max(1 << 16, min(size, limit) + 1)
        while bytes.count < limit {
            let wanted = min(room, limit - bytes.count)
            let chunk = try readSome(descriptor, limit: wanted)
            if chunk.isEmpty { break }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            room = max(1 << 16, bytes.count)
        }
        return bytes
    }

    /// Reads once from a descriptor, which may wait: at most `limit` bytes, and none at the end of the input.
    ///
    /// - Parameter rest: bytes that the result begins with, before the bytes that were read.
    package static func readSome(
        _ descriptor: Int32,
        limit: Int,
        after rest: ArraySlice<UInt8> = []
    ) throws(Failure) -> [UInt8] {
        var failure: Failure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: rest.count + limit) { buffer, count in
            // The buffer has room for `rest` and `limit` further bytes. The call reads at most as many bytes
            // as the buffer has room for after `rest`, and `count` is set to the number of bytes written.
            _ = unsafe buffer.initialize(fromContentsOf: rest)
            let free = unsafe UnsafeMutableBufferPointer(rebasing: buffer[rest.count...])
            let read = unsafe Self.read(descriptor, into: free.baseAddress, free.count)
            if read < 0 { failure = .last }
            count = rest.count + max(0, read)
        }
        if let failure { throw failure }
        return bytes
    }

    private static func read(_ descriptor: Int32, into buffer: UnsafeMutablePointer<UInt8>?, _ size: Int)
        -> Int
    {
        var count: Int
        repeat {
            count = unsafe readOnce(descriptor, buffer, size)
        } while count < 0 && mayRetry(descriptor, POLLIN)
        return count
    }

    /// Whether a read or a write that has just failed may be tried again. True after a signal. If a
    /// descriptor that does not wait was not ready, this function waits for `event` (POLLIN or POLLOUT) or a
    /// signal and then returns true, unless the wait fails.
    private static func mayRetry(_ descriptor: Int32, _ event: Int32) -> Bool {
        guard errno == EAGAIN || errno == EWOULDBLOCK else { return errno == EINTR }
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        // The count matches the one structure passed.
        return unsafe poll(&request, 1, -1) > 0 || errno == EINTR
    }

    /// Writes all bytes to a descriptor.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var count = 0
        try write(bytes, to: descriptor, &count)
    }

    /// Writes the bytes from an offset on, all of them unless the call throws.
    ///
    /// - Parameter offset: the number of bytes already written. It is kept up to date, even when the call
    ///   throws.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, _ offset: inout Int) throws(Failure) {
        var failure: Failure?
        unsafe bytes.withUnsafeBytes { buffer in
            while offset < buffer.count {
                // The offset counts bytes, so it is at least 0. The loop keeps it below the buffer's size.
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
                let count = unsafe writeOnce(descriptor, rest.baseAddress, rest.count)
                if count < 0 {
                    if mayRetry(descriptor, POLLOUT) { continue }
                    failure = .last
                    return
                }
                offset += count
            }
        }
        if let failure { throw failure }
    }

    /// Makes a new directory, which all may read, unless the umask forbids that, and its owner may change.
    /// Throws what the system reports, EEXIST if the name exists.
    package static func makeDirectory(_ path: [UInt8]) throws(Failure) {
        _ = try call(path) { unsafe mkdir($0, 0o755) }
    }

    /// Opens `/dev/null` in place of every closed standard descriptor.
    ///
    /// A file that is opened later cannot receive the number of a standard descriptor then, so messages and
    /// results cannot end up in it. Reading standard input, and writing standard output or standard error,
    /// fails as with a closed descriptor.
    package static func openStandardDescriptors() {
        for descriptor in standardInput...standardError where fcntl(descriptor, F_GETFD) < 0 {
            // The system assigns the lowest free number, which is this descriptor's.
            _ = unsafe open("/dev/null", descriptor == standardInput ? O_WRONLY : O_RDONLY)
        }
    }

    /// Makes a write to a closed pipe, or beyond a file size limit, return an error instead of ending the
    /// process.
    package static func ignoreFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Ends the process with an exit status.
    package static func exit(code: Int32) -> Never { exitProcess(code) }
}

// In ``System``, the names of these calls mean its own functions.

private func exitProcess(_ code: Int32) -> Never { exit(code) }

private func readOnce(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int) -> Int {
    unsafe read(descriptor, buffer, size)
}

private func writeOnce(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ size: Int) -> Int {
    unsafe write(descriptor, buffer, size)
}
