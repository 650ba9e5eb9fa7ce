import DER
import SHA

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system calls of this tool, and all that is unsafe in it. The clock is read here and nowhere else.
enum System {
    /// A call that failed: the number that the system gave.
    struct Failure: Error {
        let number: Int32

        static var last: Failure { Failure(number: errno) }
        /// Whether nobody reads what we write.
        var isClosedPipe: Bool { number == EPIPE }
        /// Whether there is nothing of that name, or a link to nothing.
        var isAbsence: Bool { number == ENOENT || number == ELOOP }

        var message: String {
            // The system's own text, which ends with a zero and stays until the next call.
            unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        }
    }

    static let standardInput: Int32 = 0
    static let standardOutput: Int32 = 1
    static let standardError: Int32 = 2

    /// What the program was built with and this machine has.
    static var acceleration: Acceleration {
        .detected(auxiliaryVector: (try? read(path: [UInt8]("/proc/self/auxv".utf8), limit: 1 << 16)) ?? [])
    }

    /// The arguments as they were given, byte for byte: a file's name need not be UTF-8.
    static var arguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            // There are `argc` pointers to strings that end with a zero, and nobody changes them.
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            let count = unsafe strlen(argument)
            let bytes = unsafe UnsafeRawBufferPointer(start: argument, count: count)
            return unsafe [UInt8](bytes)
        }
    }

    /// The value of an environment variable; nil where it is not set.
    static func environment(_ name: String) -> String? {
        // The value ends with a zero, and is copied at once.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Has memory that is freed kept for what comes next, where chunks of a quarter of a megabyte come and
    /// go: the GNU C library hands those back to the system, to be cleared again when they come back, unless
    /// it has seen a larger one go (mallopt(3), M_MMAP_THRESHOLD: up to 32 MiB). Elsewhere this does nothing.
    static func keepFreedMemory() {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 << 20)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    static var now: Timestamp {
        var time = timespec()
        // Writes to the structure that it is given. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The bytes of a file, or as many of them as the limit.
    static func read(path: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        // The path ends with the zero that is appended here, and lives as long as the call.
        let path = path.map { CChar(bitPattern: $0) } + [0]
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { _ = close(descriptor) }
        return try read(descriptor: descriptor, limit: limit)
    }

    /// The bytes that a descriptor still has, or as many of them as the limit.
    static func read(descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
        var status = stat()
        // Writes to the structure that it is given. The size is a hint, no more: one byte is added so that
        // the end of a file that does not grow is met without another round.
        let size = unsafe fstat(descriptor, &status) == 0 ? Int(clamping: status.st_size) : 0
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

    /// What a descriptor gives in one call, and no more than the limit; nothing at its end.
    ///
    /// - Parameter rest: stands before it in what is returned.
    static func readSome(
        _ descriptor: Int32,
        limit: Int,
        after rest: ArraySlice<UInt8> = []
    ) throws(Failure) -> [UInt8] {
        var failure: Failure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: rest.count + limit) { buffer, count in
            // The buffer has room for the rest. Reads no more than it holds behind that, and `count` is what
            // was written.
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
            #if canImport(Darwin)
                count = unsafe Darwin.read(descriptor, buffer, size)
            #elseif canImport(Musl)
                count = unsafe Musl.read(descriptor, buffer, size)
            #else
                count = unsafe Glibc.read(descriptor, buffer, size)
            #endif
        } while count < 0 && errno == EINTR
        return count
    }

    /// Writes all of the bytes.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var count = 0
        try write(bytes, to: descriptor, &count)
    }

    /// Writes all of the bytes.
    ///
    /// - Parameter offset: from where on; then how many were written, also where the rest could not be.
    static func write(_ bytes: [UInt8], to descriptor: Int32, _ offset: inout Int) throws(Failure) {
        var failure: Failure?
        unsafe bytes.withUnsafeBytes { buffer in
            while offset < buffer.count {
                // Within the buffer: the offset is what was written so far, and below its size.
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
                #if canImport(Darwin)
                    let count = unsafe Darwin.write(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                    let count = unsafe Musl.write(descriptor, rest.baseAddress, rest.count)
                #else
                    let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                #endif
                if count < 0 {
                    if errno == EINTR { continue }
                    failure = .last
                    return
                }
                offset += count
            }
        }
        if let failure { throw failure }
    }

    /// Makes a directory that must not be there yet.
    static func makeDirectory(_ path: [UInt8]) throws(Failure) {
        // The path ends with the zero that is appended here, and lives as long as the call.
        let path = path.map { CChar(bitPattern: $0) } + [0]
        guard unsafe mkdir(path, 0o755) == 0 else { throw .last }
    }

    /// What whoever started this process closed leads nowhere, so that no file takes its number and gets what
    /// is meant for it.
    static func openStandardDescriptors() {
        for descriptor in standardInput...standardError where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free is taken: this one.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// From here on, writing to a pipe that nobody reads, or more to a file than a limit allows, is an error
    /// and not the end of the process.
    static func ignoreFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    static func exit(_ status: ExitStatus) -> Never {
        #if canImport(Darwin)
            Darwin.exit(status.rawValue)
        #elseif canImport(Musl)
            Musl.exit(status.rawValue)
        #else
            Glibc.exit(status.rawValue)
        #endif
    }
}
