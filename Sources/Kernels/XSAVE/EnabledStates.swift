#if Accelerated && arch(x86_64)
    import Builtin

    /// Reads XCR0: one bit for each register state that the operating system saves (XGETBV in Intel 64 and
    /// IA-32 Architectures Software Developer's Manual, volume 2).
    ///
    /// Unsafe: the processor must have reported OSXSAVE. Otherwise the instruction crashes the program.
    /// The instruction needs no other feature of the processor.
    @unsafe
    @inline(never)
    public func enabledStates() -> UInt64 {
        var states: UInt64 = 0
        states._value = Builtin.int_x86_xgetbv((0 as UInt32)._value)
        return states
    }
#endif
