#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

let usage = """
    app-receipt-bench: the measuring program for swift-app-receipt; Benchmarks/bench runs it and its peers

      app-receipt-bench time --measure uncached --root Vectors/certificates/root.der \\
          Vectors/receipts/sandbox-sha256.der
      app-receipt-bench time --measure sha256 64 1048576
      app-receipt-bench check-allocations --root Vectors/certificates/root.der \\
          Vectors/receipts/sandbox-sha256.der Vectors/receipts/many-purchases.der

    usage: app-receipt-bench describe
             what this is, and the measures it knows, as JSON
           app-receipt-bench check --root ROOT.der FILE.der…
             the verdict on each receipt, and SHA-256 of its content
           app-receipt-bench time --measure NAME [--root ROOT.der] [--samples N] [--milliseconds M] INPUT…
             a line of JSON for each INPUT: N samples (31), all of them M milliseconds (300), nanoseconds an
             operation. An INPUT is a receipt in DER; a corpus, NAME.lp, each receipt after its length in four
             octets; for sha… a number of bytes; for rsa… a directory with key.der, signature.bin, message.bin
           app-receipt-bench check-allocations --root ROOT.der FILE.der FILE.der…
             exit 1 unless every FILE takes the same number of allocations, and to walk its purchases none
           app-receipt-bench control [--seconds S]
             arithmetic for so long, and how much of it: what the machine gives one process, or several
           app-receipt-bench attacks
             the worst inputs known, a line for each: its name, its largest size, the most instructions that a byte
             of it may cost, the most bytes of memory that it may take at once, what becomes of it, and what it is
           app-receipt-bench make-attacks --to DIRECTORY --part N/D
             each of them at N/D of its largest size, as NAME.N-D, and the root that they need, as root.der
           app-receipt-bench attack --root ROOT.der [--samples N] FILE…
             what becomes of each, what it is called, its size, the most bytes of memory that it took at once, and
             with samples the nanoseconds of processor time: the least of N. Two functions begin and end what is to be
             counted by others, enterCounting and leaveCounting

    --portable hashes and verifies without the processor's own instructions.

    Exit status: 0 all was done and every timed operation succeeded; 1 not so; 2 not understood.
    """

func run(_ words: [String]) throws -> Int32 {
    let arguments = try Arguments(words)
    switch arguments.command {
    case "describe": describe(arguments)
    case "check": try check(arguments)
    case "time": try time(arguments)
    case "check-allocations": return try checkAllocations(arguments) ? 0 : 1
    case "control": try control(arguments)
    case "attacks": listAttacks()
    case "make-attacks": try makeAttacks(arguments)
    case "attack": try attack(arguments)
    default: throw Failure.usage("there is no command \(arguments.command)")
    }
    return 0
}

let words = Array(CommandLine.arguments.dropFirst())
if words.isEmpty || words.contains("--help") {
    print(usage)
    exit(words.isEmpty ? 2 : 0)
}
do {
    exit(try run(words))
} catch {
    let failure = error as? Failure ?? .work("\(error)")
    complain("app-receipt-bench: \(failure.message)")
    exit(failure.exitStatus)
}
