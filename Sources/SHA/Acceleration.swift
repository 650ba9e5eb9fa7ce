/// Which of the processor's own instructions may be used, to hash, to verify signatures and to decode base64.
/// The results are the same with any.
///
/// A value that is made once, when a program starts, and handed to whoever hashes or verifies: where a
/// virtual machine answers for the processor, asking it takes longer than hashing a receipt. Such
/// instructions are in a program only if it is built with the package's trait `Accelerated`; without it
/// there is no other value than ``none``.
public struct Acceleration: Sendable, Hashable {
    #if Accelerated && arch(x86_64)
        /// SHA-1 and SHA-256 by the SHA extensions of x86-64. True only if the processor has said that it
        /// has them: one that has not ends the program.
        let hasSHAExtensions: Bool
        /// SHA-384 and SHA-512 by AVX-512 VL, and BMI beside it. True only if the processor has said that it
        /// has them, and that the system keeps the registers of the former.
        let hasAVX512VL: Bool
        /// RSA of 2048 bits by the fused multiply-add of integers of AVX-512. True only if the processor
        /// has said that it has it, and that the system keeps its registers.
        package let hasIFMA: Bool
        /// Base64 by the permutations of bytes of AVX-512. True only if the same is said of those.
        package let hasVBMI: Bool
    #endif

    /// The portable code: it runs everywhere, and defines what the others compute.
    public static var none: Self {
        #if Accelerated && arch(x86_64)
            Self(hasSHAExtensions: false, hasAVX512VL: false, hasIFMA: false, hasVBMI: false)
        #else
            Self()
        #endif
    }

    /// What the program was built with and the processor has; ``none`` where that is nothing.
    public static func detected() -> Self {
        #if Accelerated && arch(x86_64)
            ofProcessor()
        #else
            .none
        #endif
    }
}

extension Acceleration: CustomStringConvertible {
    /// For a person who wants to know what is used.
    public var description: String {
        #if Accelerated && arch(x86_64)
            let names = [
                hasSHAExtensions ? "SHA extensions" : nil, hasAVX512VL ? "AVX-512 VL" : nil,
                hasIFMA ? "AVX-512 IFMA" : nil, hasVBMI ? "AVX-512 VBMI" : nil,
            ].compactMap { $0 }
            return names.isEmpty ? "portable" : names.joined(separator: ", ")
        #else
            return "portable"
        #endif
    }
}
