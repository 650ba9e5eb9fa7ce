#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Child processes whose output is read.
extension System {
    /// A started program and the descriptor to read its output from.
    package struct Child: Sendable {
        let process: pid_t
        package let output: Int32
    }

    /// Starts a program that reads from a descriptor and writes to a pipe.
    ///
    /// - Parameter words: the program's name, which is looked up in PATH, and its arguments.
    package static func start(_ words: [String], input: Int32) throws(Failure) -> Child {
        var ends: [Int32] = [-1, -1]
        // The call writes two descriptors, and the array has room for two.
        guard unsafe pipe(&ends) == 0 else { throw .last }
        let (reading, writing) = (ends[0], ends[1])
        defer { _ = close(writing) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t? = nil
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        // The actions are initialised and changed here, and destroyed when the function returns.
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
        // The attributes are initialised, changed and destroyed here, like the actions. The program gets the
        // default action for SIGPIPE and SIGXFSZ, which this process ignores, so that it ends when this
        // process stops reading. It gets a process group of its own, so that an interrupt from the keyboard
        // reaches this process only, and no source seems to end early.
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
        // The copies end with a zero and the list ends with a null pointer, as execvp requires. The copies
        // are freed when the function returns.
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

    /// Ends a child that has not ended.
    package static func end(_ child: Child) { _ = kill(child.process, SIGKILL) }

    /// Waits until a child has ended.
    ///
    /// - Returns: whether the child exited with status 0.
    package static func wait(for child: Child) -> Bool {
        var status: Int32 = 0
        var process: pid_t
        repeat {
            // The call writes only to the status passed to it.
            process = unsafe waitpid(child.process, &status, 0)
        } while process < 0 && errno == EINTR
        return process == child.process && status == 0
    }
}
