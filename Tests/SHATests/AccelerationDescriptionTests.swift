#if Accelerated && arch(x86_64)
    import Testing

    @testable import SHA

    @Test(
        "what is used is said in words, and portable code by its name",
        arguments: [
            ([], "portable"), ([0], "SHA extensions"), ([1], "AVX-512 VL"), ([2], "AVX-512 IFMA"),
            ([3], "AVX-512 VBMI"), ([0, 2], "SHA extensions, AVX-512 IFMA"),
            ([1, 3], "AVX-512 VL, AVX-512 VBMI"),
            ([0, 1, 2, 3], "SHA extensions, AVX-512 VL, AVX-512 IFMA, AVX-512 VBMI"),
        ]
    )
    func description(_ used: [Int], _ text: String) {
        let acceleration = Acceleration(
            hasSHA256: used.contains(0),
            hasSHA512: used.contains(1),
            hasIFMA: used.contains(2),
            hasBase64: used.contains(3)
        )
        #expect(acceleration.description == text)
        #expect((acceleration == .none) == (text == "portable"))
    }
#endif
