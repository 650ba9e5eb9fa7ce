#if Accelerated && arch(x86_64)
    import Builtin

    /// XCR0: of which registers the system saves the contents, a bit each (XGETBV in Intel 64 and IA-32
    /// Architectures Software Developer's Manual, volume 2).
    ///
    /// Unsafe: the processor must have said OSXSAVE, or the program ends. Of what this module uses, it needs
    /// nothing else.
    @unsafe
    @inline(never)
    public func enabledStates() -> UInt64 {
        var states: UInt64 = 0
        states._value = Builtin.int_x86_xgetbv((0 as UInt32)._value)
        return states
    }
#endif
