#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The interrupt from the keyboard.
extension System {
    /// From here on, the first interrupt is noticed by ``isInterrupted``, and the second ends the process.
    ///
    /// The handler does nothing. That it was called shows in that the system has put the default back in its
    /// place, so that nothing need be shared with it.
    static func noticeInterrupts() {
        var action = sigaction()
        #if canImport(Darwin)
            unsafe action.__sigaction_u.__sa_handler = { _ in }
            action.sa_flags = Int32(SA_RESETHAND)
        #elseif canImport(Musl)
            unsafe action.__sa_handler.sa_handler = { _ in }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        #else
            unsafe action.__sigaction_handler.sa_handler = { _ in }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        #endif
        // Reads the structure that it is given; nothing is asked back.
        _ = unsafe sigaction(SIGINT, &action, nil)
        // Where whoever started this process ignored it, nobody could wait for a child.
        _ = signal(SIGCHLD, SIG_DFL)
    }

    /// Waits so long, or until the process is interrupted.
    static func awaitInterrupt(milliseconds: Int32) {
        let end = monotonicNanoseconds + UInt64(milliseconds) * 1_000_000
        while !isInterrupted, monotonicNanoseconds < end {
            _ = poll(nil, 0, 1)
        }
    }

    /// Whether the process was interrupted since ``noticeInterrupts()``.
    static var isInterrupted: Bool {
        var action = sigaction()
        // Writes to the structure that it is given; nothing is changed. The default is a null pointer.
        guard unsafe sigaction(SIGINT, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            return unsafe action.__sigaction_u.__sa_handler == nil
        #elseif canImport(Musl)
            return unsafe action.__sa_handler.sa_handler == nil
        #else
            return unsafe action.__sigaction_handler.sa_handler == nil
        #endif
    }
}
