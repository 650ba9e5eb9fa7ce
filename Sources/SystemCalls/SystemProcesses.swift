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

    /// Starts a program that reads from a descriptor and writes to a pipe. The caller closes the child's
    /// `output` and calls ``wait(for:)``. Throws if the program cannot be started.
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

    /// Ends a child by SIGKILL. The caller must still call ``wait(for:)``.
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

/// The signals that ask the process to stop: SIGINT, SIGTERM and SIGHUP.
extension System {
    /// Installs handlers, so that the first signal is seen by ``isInterrupted`` and the second ends the
    /// process with the status 128 plus the signal's number. Also restores the default action of SIGCHLD.
    ///
    /// The first handler replaces itself by the second one for all handled signals. The second one has the
    /// flag SA_NODEFER, and this flag of SIGINT's handler therefore says whether a signal has arrived. The
    /// handlers share no variable with the program. The second handler ends the process itself, because the
    /// system ignores a signal without a handler for process 1 of a container.
    ///
    /// A program that was started with SIGTERM or SIGHUP ignored, as nohup(1) does, keeps ignoring it. SIGINT
    /// is always handled.
    package static func noticeInterrupts() {
        handle(SIGINT, flags: 0) { _ in System.endOnNextSignal() }
        for signal in [SIGTERM, SIGHUP] where !isIgnored(signal) {
            handle(signal, flags: 0) { _ in System.endOnNextSignal() }
        }
        // With SIGCHLD ignored, as a parent process may have left it, no child could be waited for.
        _ = signal(SIGCHLD, SIG_DFL)
    }

    /// The work of the handler of the first signal: installs the handler that ends the process at the next.
    /// Only calls sigaction, which is safe (POSIX.1-2017, XSH 2.4.3).
    private static func endOnNextSignal() {
        if !isIgnored(SIGTERM) { end(on: SIGTERM) }
        if !isIgnored(SIGHUP) { end(on: SIGHUP) }
        end(on: SIGINT)
    }

    /// Installs the second handler of a signal, which ends the process with the status 128 plus the signal's
    /// number, as a shell reports it for a process that the signal ended.
    private static func end(on signal: Int32) {
        handle(signal, flags: SA_NODEFER) { signal in _exit(128 + signal) }
    }

    private static func handle(
        _ signal: Int32,
        flags: Int32,
        _ handler: @escaping @convention(c) (Int32) -> Void
    ) {
        var action = sigaction()
        #if canImport(Darwin)
            unsafe action.__sigaction_u.__sa_handler = handler
        #elseif canImport(Musl)
            unsafe action.__sa_handler.sa_handler = handler
        #else
            unsafe action.__sigaction_handler.sa_handler = handler
        #endif
        action.sa_flags = flags
        // The call reads only the structure passed to it.
        _ = unsafe sigaction(signal, &action, nil)
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        // The call writes only to the structure passed to it, and changes nothing. SIG_IGN is the address 1.
        guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = unsafe action.__sigaction_u.__sa_handler
        #elseif canImport(Musl)
            let handler = unsafe action.__sa_handler.sa_handler
        #else
            let handler = unsafe action.__sigaction_handler.sa_handler
        #endif
        return unsafe unsafeBitCast(handler, to: Int.self) == 1
    }

    /// Waits until ``isInterrupted`` is true, or the time is over.
    package static func awaitInterrupt(milliseconds: Int32) {
        let end = monotonicNanoseconds + UInt64(milliseconds) * 1_000_000
        while !isInterrupted, monotonicNanoseconds < end {
            _ = poll(nil, 0, 1)
        }
    }

    /// Whether SIGINT, SIGTERM or SIGHUP has arrived since ``noticeInterrupts()``. An ignored signal does
    /// not count.
    package static var isInterrupted: Bool {
        var action = sigaction()
        // The call writes only to the structure passed to it, and changes nothing.
        guard unsafe sigaction(SIGINT, nil, &action) == 0 else { return false }
        return action.sa_flags & SA_NODEFER != 0
    }
}
