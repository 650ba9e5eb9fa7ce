/// Which of the processor's own instructions a hash function may use. The digests are the same with any.
///
/// A value that is made once, when a program starts, and handed to whoever hashes: where a virtual machine
/// answers for the processor, asking it takes longer than hashing a receipt. Such instructions are in a
/// program only if it is built with the package's trait `Accelerated`; without it there is no other value
/// than ``none``.
public struct HashAcceleration: Sendable, Hashable {
    #if Accelerated && arch(x86_64)
        /// SHA-1 and SHA-256 by the SHA extensions of x86-64. True only if the processor has said that it has
        /// them: one that has not ends the program.
        let hasSHAExtensions: Bool
    #endif

    /// The portable code: it runs everywhere, and defines what the others compute.
    public static var none: Self {
        #if Accelerated && arch(x86_64)
            Self(hasSHAExtensions: false)
        #else
            Self()
        #endif
    }

    /// What the program was built with and the processor has; ``none`` where that is nothing.
    public static func detected() -> Self {
        #if Accelerated && arch(x86_64)
            Self(hasSHAExtensions: processorHasSHAExtensions)
        #else
            .none
        #endif
    }
}

extension HashAcceleration: CustomStringConvertible {
    /// For a person who wants to know what is used.
    public var description: String { self == .none ? "portable" : "SHA extensions" }
}
