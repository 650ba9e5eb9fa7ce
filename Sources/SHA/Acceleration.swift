/// Which of the processor's own instructions may be used, to hash, to verify signatures and to decode base64.
/// The results are the same with any.
///
/// A value that is made once, when a program starts, and handed to whoever hashes or verifies: where a
/// virtual machine answers for the processor, asking it takes longer than hashing a receipt. Such
/// instructions are in a program only if it is built with the package's trait `Accelerated`, for x86-64 or
/// Arm64; without it, and elsewhere, there is no other value than ``none``.
public struct Acceleration: Sendable, Hashable {
    #if Accelerated
        // Each is true only if the processor has the instructions, or the system has said so for it, and if
        // the system keeps the registers that they use: a processor that has them not ends the program.

        /// SHA-1 and SHA-256: by the SHA extensions of x86-64, or by FEAT_SHA1 and FEAT_SHA256 of Arm64.
        let hasSHA256: Bool
        /// SHA-384 and SHA-512: by AVX-512 VL and BMI of x86-64, or by FEAT_SHA512 of Arm64.
        let hasSHA512: Bool
        /// RSA of 2048 bits, by the fused multiply-add of integers of AVX-512.
        package let hasIFMA: Bool
        /// Base64, by the permutations of bytes of AVX-512, or by Advanced SIMD of Arm64.
        package let hasBase64: Bool
    #endif

    /// The portable code: it runs everywhere, and defines what the others compute.
    public static var none: Self {
        #if Accelerated
            Self(hasSHA256: false, hasSHA512: false, hasIFMA: false, hasBase64: false)
        #else
            Self()
        #endif
    }

    /// What the program was built with and the processor has; ``none`` where that is nothing.
    ///
    /// - Parameter auxiliaryVector: the bytes of `/proc/self/auxv`, in which Linux says what a program may
    ///   not ask a processor of Arm64, and without which nothing is used there but Advanced SIMD: pairs of
    ///   words of 64 bits, the least significant byte first. It is not looked at on x86-64, nor on Apple's
    ///   systems.
    public static func detected(auxiliaryVector: [UInt8] = []) -> Self {
        #if Accelerated && arch(x86_64)
            ofProcessor()
        #elseif Accelerated && arch(arm64)
            ofSystem(auxiliaryVector)
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
                hasSHA256 ? "SHA extensions" : nil, hasSHA512 ? "AVX-512 VL" : nil,
                hasIFMA ? "AVX-512 IFMA" : nil, hasBase64 ? "AVX-512 VBMI" : nil,
            ].compactMap { $0 }
            return names.isEmpty ? "portable" : names.joined(separator: ", ")
        #elseif Accelerated && arch(arm64)
            let names = [
                hasSHA256 ? "FEAT_SHA256" : nil, hasSHA512 ? "FEAT_SHA512" : nil,
                hasBase64 ? "Advanced SIMD" : nil,
            ].compactMap { $0 }
            return names.isEmpty ? "portable" : names.joined(separator: ", ")
        #else
            return "portable"
        #endif
    }
}
