#if Accelerated && arch(x86_64)
    import Testing

    @testable import SHA

    @Test(
        "what is used is said in words, and portable code by its name",
        arguments: [
            (false, false, "portable"), (true, false, "SHA extensions"), (false, true, "AVX-512 IFMA"),
            (true, true, "SHA extensions, AVX-512 IFMA"),
        ]
    )
    func description(_ hasSHAExtensions: Bool, _ hasIFMA: Bool, _ text: String) {
        let acceleration = Acceleration(hasSHAExtensions: hasSHAExtensions, hasIFMA: hasIFMA)
        #expect(acceleration.description == text)
        #expect((acceleration == .none) == (text == "portable"))
    }
#endif
