#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Programs of the system that this tool reads from.
extension System {
    /// A program that was started, and the end of the pipe to read its output from.
    struct Child {
        let process: pid_t
        let output: Int32
    }

    /// Starts a program, found where the shell finds it, that reads from a descriptor and writes to a pipe.
    static func start(_ words: [String], input: Int32) throws(Failure) -> Child {
        var ends: [Int32] = [-1, -1]
        // Writes two descriptors, and there is room for two.
        guard unsafe pipe(&ends) == 0 else { throw .last }
        let (reading, writing) = (ends[0], ends[1])
        defer { _ = close(writing) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t? = nil
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        // The actions are made here, changed here, and destroyed when all is done.
        _ = unsafe posix_spawn_file_actions_init(&actions)
        defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
        _ = unsafe posix_spawn_file_actions_adddup2(&actions, input, standardInput)
        _ = unsafe posix_spawn_file_actions_adddup2(&actions, writing, standardOutput)
        _ = unsafe posix_spawn_file_actions_addclose(&actions, reading)
        #if canImport(Darwin)
            var attributes: posix_spawnattr_t? = nil
        #else
            var attributes = posix_spawnattr_t()
        #endif
        // Made, changed and destroyed here, as the actions are. The program ends, as it should, where nobody
        // reads it any more, although this process does not; and it is of a group of its own, so that what
        // the keyboard interrupts is this process alone, and no source seems to end early.
        _ = unsafe posix_spawnattr_init(&attributes)
        defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        _ = unsafe sigemptyset(&defaults)
        _ = unsafe sigaddset(&defaults, SIGPIPE)
        _ = unsafe sigaddset(&defaults, SIGXFSZ)
        _ = unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        _ = unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP)
        _ = unsafe posix_spawnattr_setflags(&attributes, flags)
        // Copies that end with a zero, in a list that ends with a null pointer, as execvp wants; freed below.
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let number = unsafe posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
        guard number == 0 else {
            _ = close(reading)
            throw Failure(number: number)
        }
        return Child(process: process, output: reading)
    }

    /// Waits for a child's end.
    ///
    /// - Returns: whether it ended by itself, with status 0.
    static func wait(for child: Child) -> Bool {
        var status: Int32 = 0
        var process: pid_t
        repeat {
            // Writes the status to where it is told.
            process = unsafe waitpid(child.process, &status, 0)
        } while process < 0 && errno == EINTR
        return process == child.process && status == 0
    }
}
