#if Accelerated && arch(x86_64)
    import Testing

    @testable import Processor

    @Test(
        "describes the instruction sets in use by name, and the absence of all as portable",
        arguments: [
            ([], "portable"), ([.shaExtensions], "SHA extensions"), ([.avx512VL], "AVX-512 VL"),
            ([.avx512IFMA], "AVX-512 IFMA"), ([.avx512VBMI], "AVX-512 VBMI"),
            ([.shaExtensions, .avx512IFMA], "SHA extensions, AVX-512 IFMA"),
            ([.avx512VL, .avx512VBMI], "AVX-512 VL, AVX-512 VBMI"),
            (
                [.shaExtensions, .avx512VL, .avx512IFMA, .avx512VBMI],
                "SHA extensions, AVX-512 VL, AVX-512 IFMA, AVX-512 VBMI"
            ),
        ] as [(InstructionSets, String)]
    )
    func description(_ sets: InstructionSets, _ text: String) {
        let acceleration = Acceleration(sets)
        #expect(acceleration.description == text)
        #expect((acceleration == .none) == (text == "portable"))
    }
#endif
