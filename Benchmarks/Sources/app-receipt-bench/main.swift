#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

let usage = """
    app-receipt-bench measures swift-app-receipt. Benchmarks/bench runs it and the programs of its peers.

      app-receipt-bench time --measure uncached --root Vectors/certificates/root.der \\
          Vectors/receipts/sandbox-sha256.der
      app-receipt-bench time --measure sha256 64 1048576
      app-receipt-bench check-allocations --root Vectors/certificates/root.der \\
          Vectors/receipts/sandbox-sha256.der Vectors/receipts/many-purchases.der

    usage: app-receipt-bench describe
             Prints this program's name, version, build and measures as JSON.
           app-receipt-bench check --root ROOT.der FILE…
             Prints the verdict on each receipt, and the SHA-256 of its content. A FILE.jws is a token.
           app-receipt-bench time --measure NAME [--root ROOT.der] [--samples N] [--milliseconds M] INPUT…
             Prints a line of JSON for each INPUT: N samples (default 31) that take M milliseconds together (default
             300), in nanoseconds per operation. An INPUT is a receipt in DER, for token-… a token, or a corpus NAME.lp
             in which the length of each precedes it in four octets. For sha… it is a number of bytes. For rsa…, p256
             and p384 it is a directory with key.der, signature.bin and message.bin. For detection it is any word.
           app-receipt-bench check-allocations --root ROOT.der FILE FILE…
             Exits with 1 unless every FILE takes the same number of allocations, and none to walk its purchases.
             Either every FILE is a receipt, or every one is a token and its name ends in .jws.
           app-receipt-bench control [--seconds S]
             Runs arithmetic for S seconds (default 1) and prints how much was done. Shows how much the machine gains
             from several processes.
           app-receipt-bench attacks
             Prints a line for each known worst-case input: its name, its largest size, the most instructions that a
             byte of it may cost, the most bytes of memory held at one time for each byte of it, its outcome, and a
             description.
           app-receipt-bench make-attacks --to DIRECTORY --part N/D
             Writes each attack at N/D of its largest size to NAME.N-D, and the root that they need to root.der.
           app-receipt-bench attack --root ROOT.der [--samples N] FILE…
             Prints for each attack its outcome, its name, its size and the most bytes of memory held at one time.
             With --samples, also the least processor time of N runs in nanoseconds. Programs that count instructions
             start at the function enterCounting and stop at the end of leaveCounting.

    --portable hashes and verifies without the processor's special instructions. --without sha_ni,avx512ifma
    does without these; the names are those of /proc/cpuinfo.

    Exit status: 0 if everything was done and every timed operation succeeded, 1 if not, 2 for a wrong command line.
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
    default: throw Failure.usage("unknown command \(arguments.command)")
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
    printError("app-receipt-bench: \(failure.message)")
    exit(failure.exitStatus)
}
