/// The processor instructions that a program may use beyond the baseline of its architecture.
///
/// Results are identical with and without them. Make one value when the program starts and pass it to
/// everything that hashes or verifies.
///
/// Such instructions are part of a program only if the package is built with its trait `Accelerated`, for
/// x86-64 or Arm64. Otherwise ``none`` is the only value.
public struct Acceleration: Sendable, Hashable {
    #if Accelerated
        private let instructionSets: InstructionSets

        /// Allows these instruction sets, unchecked.
        ///
        /// A set may be allowed only if the processor has it and the operating system saves the registers it
        /// uses. Using an instruction that the processor lacks crashes the program.
        package init(_ instructionSets: InstructionSets) { self.instructionSets = instructionSets }

        /// Whether every set in `required` is allowed, so that a kernel compiled with them may run.
        @inline(__always)
        package func allows(_ required: InstructionSets) -> Bool { instructionSets.isSuperset(of: required) }
    #endif

    /// The names that ``without(_:)`` accepts, such as `avx2`: for each instruction set that this package has
    /// kernels for on this architecture, its flag in Linux's /proc/cpuinfo. The list does not depend on the
    /// processor. It is empty unless the architecture is x86-64 or Arm64.
    public static var flags: [String] { InstructionSets.names.map { $0.flag } }

    /// A copy of this value that does not allow one instruction set, to measure how programs run without it.
    ///
    /// The set `avx2` includes BMI1 and BMI2. Sets are independent: a copy without `avx2` still allows the
    /// kernels for AVX-512 that this value allows.
    ///
    /// - Parameter flag: one of ``flags``.
    /// - Returns: nil if `flag` is not one of ``flags``.
    public func without(_ flag: String) -> Self? {
        guard let named = InstructionSets.names.first(where: { $0.flag.utf8.elementsEqual(flag.utf8) }) else {
            return nil
        }
        #if Accelerated
            return Self(instructionSets.subtracting(named.set))
        #else
            _ = named
            return Acceleration.none
        #endif
    }

    /// Allows no instructions beyond the baseline. Only portable code runs; all other code must give the same
    /// results.
    public static var none: Self {
        #if Accelerated
            Self([])
        #else
            Self()
        #endif
    }

    /// The instructions that this build contains and that this processor and its operating system support;
    /// ``none`` if there are none.
    ///
    /// - Parameter auxiliaryVector: the bytes of `/proc/self/auxv`, as pairs of little-endian 64-bit words.
    ///   Only Linux on Arm64 needs them: without the vector only Advanced SIMD is allowed there. x86-64 and
    ///   Apple's systems ignore the parameter.
    public static func detected(auxiliaryVector: [UInt8] = []) -> Self {
        #if Accelerated && arch(x86_64)
            Self(.ofProcessor())
        #elseif Accelerated && arch(arm64)
            Self(.ofSystem(auxiliaryVector))
        #else
            .none
        #endif
    }
}

extension Acceleration: CustomStringConvertible {
    /// The names of the allowed instruction sets, separated by a comma and a space, or `portable` if there is
    /// none.
    public var description: String {
        #if Accelerated
            instructionSets.description
        #else
            "portable"
        #endif
    }
}
