import AllocationCounter
import AppReceipt
import AppReceiptMint
import PKIX

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prints one line for each attack, with tabs between its fields.
func listAttacks() {
    for attack in Attack.all {
        print(
            [
                attack.name, "\(attack.largest)", "\(attack.ceiling)", "\(attack.memory)", attack.outcome,
                attack.about,
            ]
            .joined(separator: "\t")
        )
    }
}

/// Writes every attack at the fraction of its largest size that `--part` gives.
func makeAttacks(_ arguments: Arguments) throws {
    let directory = try arguments.required("--to")
    let part = try arguments.required("--part").split(separator: "/").map { Int($0) ?? 0 }
    guard part.count == 2, part.allSatisfy({ $0 > 0 }), part[0] <= part[1] else {
        throw Failure.usage("--part must be a fraction such as 1/2")
    }
    let mint = AttackMint()
    try writeFile("\(directory)/root.der", mint.mint.root)
    for attack in Attack.all {
        let bytes = attack.make(mint, attack.largest / part[1] * part[0])
        try writeFile("\(directory)/\(attack.name).\(part[0])-\(part[1])", bytes)
    }
}

/// Runs the attacks in the given files. Prints the outcome, the memory and, with `--samples`, the time of
/// each.
func attack(_ arguments: Arguments) throws {
    let trust = TrustPolicy.pinned([try anchor(arguments.required("--root"))])
    let samples = try arguments.number("--samples", or: 0)
    for path in try arguments.requiredInputs() {
        let name = fileName(path).split(separator: ".").first.map(String.init)
        guard let attack = Attack.all.first(where: { $0.name == name }) else {
            throw Failure.usage("\(path) does not begin with the name of an attack")
        }
        let bytes = try readFile(path)
        let work = try AttackWork(attack, bytes, trust, arguments.acceleration)
        allocation_peak_begin()
        let outcome = work.enterCounting()
        let peak = allocation_peak_end()
        var least = Int.max
        for _ in 0..<samples {
            let start = processorNanoseconds()
            _ = work.uncounted()
            least = min(least, processorNanoseconds() - start)
        }
        let time = samples > 0 ? "\(least)" : ""
        print("\(outcome)\t\(fileName(path))\t\(bytes.count)\t\(peak)\t\(time)")
    }
}

private func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    guard let file = unsafe fopen(path, "wb") else { throw Failure.work("cannot write \(path)") }
    let written = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, written == bytes.count else { throw Failure.work("cannot write \(path)") }
}
