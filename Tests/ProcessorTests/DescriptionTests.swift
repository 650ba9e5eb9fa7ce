#if Accelerated && arch(x86_64)
    import Testing

    @testable import Processor

    @Test(
        "describes the instruction sets in use by name, and the absence of all as portable",
        arguments: [
            ([], "portable"), ([.shaExtensions], "SHA extensions"), ([.avx512VL], "AVX-512 VL"),
            ([.avx512IFMA], "AVX-512 IFMA"), ([.avx512VBMI], "AVX-512 VBMI"),
            ([.shaExtensions, .avx512IFMA], "SHA extensions, AVX-512 IFMA"),
            ([.avx512VL, .avx512VBMI], "AVX-512 VL, AVX-512 VBMI"), ([.avx2], "AVX2"),
            (
                [.shaExtensions, .avx2, .avx512VL, .avx512IFMA, .avx512VBMI],
                "SHA extensions, AVX2, AVX-512 VL, AVX-512 IFMA, AVX-512 VBMI"
            ),
        ] as [(InstructionSets, String)]
    )
    func description(_ sets: InstructionSets, _ text: String) {
        let acceleration = Acceleration(sets)
        #expect(acceleration.description == text)
        #expect((acceleration == .none) == (text == "portable"))
    }

    @Test("instruction sets are left out by their flags, and unknown flags name none")
    func flags() {
        #expect(Acceleration.flags == ["sha_ni", "avx2", "avx512vl", "avx512ifma", "avx512vbmi"])
        let sets: [InstructionSets] = [.shaExtensions, .avx2, .avx512VL, .avx512IFMA, .avx512VBMI]
        let all = Acceleration(InstructionSets(sets))
        for (flag, set) in zip(Acceleration.flags, sets) {
            #expect(all.without(flag) == Acceleration(InstructionSets(sets.filter { $0 != set })))
        }
        #expect(Acceleration.flags.reduce(all) { $0?.without($1) } == Acceleration.none)
        for flag in ["", "SHA_NI", "sha", "avx2 ", "avx512"] { #expect(all.without(flag) == nil) }
    }
#endif
