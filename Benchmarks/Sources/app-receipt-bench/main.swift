import AllocationCounter
import AppReceipt
import CMS
import DER

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

let usage = """
    usage: app-receipt-bench [--check-allocations] FILE…

    Times the validation of receipts, each FILE by itself, and counts its allocations.
      swift run --package-path Benchmarks -c release app-receipt-bench Vectors/receipts/sandbox-sha256.der
    The receipts are looked at under the root that they carry: what is measured is the work, not the trust.
    Each figure is of 31 samples of some milliseconds: the least, the median, the ninth tenth.

      --check-allocations   print no times; exit 1 unless every one of several FILEs takes the same number of
                            allocations, and to walk all of its purchases none
    """

/// One receipt, ready to be validated.
struct Subject {
    let name: String
    let bytes: [UInt8]
    let validator: ReceiptValidator

    init(_ path: String) throws {
        name = path.split(separator: "/").last.map(String.init) ?? path
        let input = try ReceiptInput.decode(readFile(path))
        bytes = input
        let envelope = try Envelope(input.span)
        let buffer = envelope.normalised?.bytes ?? input
        let certificates = try SignedData.decodeCertificates(
            buffer.span,
            in: envelope.signedData.certificates
        )
        let roots = certificates.filter { $0.isSelfIssued(in: buffer.span) }
        let anchors = try roots.map { root throws in
            try TrustAnchor(certificate: [UInt8](buffer[root.range]))
        }
        let trust: TrustPolicy = certificates.count == 1 ? .xcode(pinned: anchors) : .pinned(anchors)
        validator = ReceiptValidator(environments: .any, bundleIdentifier: .any, trust: trust)
    }

    func validate() -> Receipt {
        do throws(ReceiptError) { return try validator.validate(bytes) } catch { stop("\(name): \(error)") }
    }

    func validate(_ cache: inout ValidationCache) -> Receipt {
        do throws(ReceiptError) {
            return try validator.validate(bytes, cache: &cache)
        } catch {
            stop("\(name): \(error)")
        }
    }
}

/// Every string and time that the receipt has, as a number that depends on all of them.
func decodeEverything(_ receipt: Receipt) -> Int {
    var sum = 0
    func take(_ text: String?) { sum &+= text?.utf8.count ?? 0 }
    func take(_ time: Timestamp?) { sum &+= Int(truncatingIfNeeded: time?.millisecondsSince1970 ?? 0) }
    func take(_ number: Int64?) { sum &+= Int(truncatingIfNeeded: number ?? 0) }
    take(receipt.environmentName)
    take(receipt.bundleIdentifier)
    take(receipt.appVersion)
    take(receipt.originalAppVersion)
    take(receipt.ageRating)
    take(receipt.creationDate)
    take(receipt.expirationDate)
    take(receipt.purchaseDate)
    take(receipt.originalPurchaseDate)
    take(receipt.downloadIdentifier)
    for purchase in receipt.inAppPurchases {
        take(purchase.productIdentifier)
        take(purchase.transactionIdentifier)
        take(purchase.originalTransactionIdentifier)
        take(purchase.promotionalOfferIdentifier)
        take(purchase.purchaseDate)
        take(purchase.originalPurchaseDate)
        take(purchase.expiresDate)
        take(purchase.cancellationDate)
        take(purchase.quantity)
        take(purchase.webOrderLineItemIdentifier)
    }
    return sum
}

/// Every purchase decoded, and asked what needs no string.
func walk(_ receipt: Receipt) -> Int {
    var sum = receipt.contains(product: "com.example.none") ? 1 : 0
    sum += receipt.isEligibleForIntroductoryOffer(inProducts: noProducts) ? 1 : 0
    sum += receipt.activeSubscription(toProduct: "com.example.none", at: receipt.creationDate) == nil ? 0 : 1
    for purchase in receipt.inAppPurchases { sum &+= Int(truncatingIfNeeded: purchase.quantity ?? 0) }
    return sum
}

let noProducts = ["com.example.none"]

func stop(_ message: String) -> Never {
    let line = Array("app-receipt-bench: \(message)\n".utf8)
    _ = write(2, line, line.count)
    exit(2)
}

func readFile(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { stop("cannot read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&chunk, 1, chunk.count, file)
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
}

/// Keeps results from being optimised away.
nonisolated(unsafe) var sink = 0

/// How many allocations the work takes, once everything that is made only once has been made.
func allocations(_ work: () -> Int) -> UInt {
    for _ in 0..<3 { sink &+= work() }
    let before = allocation_count()
    sink &+= work()
    return allocation_count() - before
}

func show(_ name: String, _ work: () -> Int) {
    let clock = ContinuousClock()
    func microseconds(_ repetitions: Int) -> Double {
        let elapsed = clock.measure { for _ in 0..<repetitions { sink &+= work() } }.components
        return (Double(elapsed.seconds) * 1e6 + Double(elapsed.attoseconds) * 1e-12) / Double(repetitions)
    }
    let repetitions = max(1, Int(5000 / max(microseconds(10), 0.1)))
    let samples = (0..<31).map { _ in microseconds(repetitions) }.sorted()
    func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let text = "\(tenths / 10).\(tenths % 10)"
        return String(repeating: " ", count: max(0, 9 - text.count)) + text
    }
    let label = name + String(repeating: " ", count: max(0, 44 - name.count))
    print(label, text(samples[0]), text(samples[15]), text(samples[27]), "    \(allocations(work))")
}

var paths = Array(CommandLine.arguments.dropFirst())
let checksAllocations = paths.first == "--check-allocations"
if checksAllocations { paths.removeFirst() }
if paths.isEmpty || paths.contains(where: { $0.hasPrefix("-") }) {
    print(usage)
    exit(paths == ["--help"] ? 0 : 2)
}
let subjects = try paths.map(Subject.init)

if checksAllocations {
    var counts: [(name: String, cold: UInt, remembered: UInt, walk: UInt)] = []
    for subject in subjects {
        var cache = ValidationCache()
        let receipt = subject.validate()
        counts.append(
            (
                subject.name, allocations { Int(subject.validate().notChecked.count) },
                allocations { Int(subject.validate(&cache).notChecked.count) },
                allocations { walk(receipt) }
            )
        )
    }
    for count in counts {
        print(
            "\(count.name): \(count.cold) allocations new, \(count.remembered) with a remembered path,",
            "\(count.walk) for the walk over its purchases"
        )
    }
    // Where nothing was counted, nothing is shown; nor by one receipt alone.
    let isSame = counts.allSatisfy {
        $0.cold == counts[0].cold && $0.remembered == counts[0].remembered && $0.walk == 0 && $0.cold > 0
    }
    exit(isSame && counts.count > 1 ? 0 : 1)
}

print("µs                                               least    median       90 %    allocations")
for subject in subjects {
    var cache = ValidationCache()
    print("\(subject.name), \(subject.bytes.count) bytes")
    show("  new validator, nothing remembered") { subject.validate().notChecked.count }
    show("  the same, every field decoded") { decodeEverything(subject.validate()) }
    show("  remembered path") { subject.validate(&cache).notChecked.count }
    show("  the same, every field decoded") { decodeEverything(subject.validate(&cache)) }
}
