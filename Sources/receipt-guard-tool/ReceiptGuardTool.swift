import ReceiptCorpus
import ReceiptGuard

/// The program `receipt-guard-tool`, which the plugins run.
@main
struct ReceiptGuardTool {
    /// The largest file that is read: certificates have a few kilobytes.
    private static let longestFile = 1 << 20

    static func main() {
        System.openStandardDescriptors()
        System.ignoreFailedWrites()
        let words = System.arguments.map { String(decoding: $0, as: UTF8.self) }
        do throws(GuardFailure) {
            if words.contains("--help") || words.contains("-h") {
                try write(GuardHelp.text + "\n", to: System.standardOutput, "standard output")
            } else {
                try run(words)
            }
        } catch {
            let message = [UInt8]("receipt-guard: \(error.message)\n".utf8)
            // A message that cannot be written leaves nothing else to do; the exit status says the same.
            try? System.write(message, to: System.standardError)
            System.exit(code: error.status)
        }
    }

    private static func run(_ words: [String]) throws(GuardFailure) {
        var request = try GuardRequest(words, reading: read)
        try request.readRoots(reading: read)
        var system = SystemRandomNumberGenerator()
        let text = GuardSource.text(
            request.expectations,
            function: request.function,
            seed: request.seed ?? system.next()
        )
        guard let name = request.output else {
            return try write(text, to: System.standardOutput, "standard output")
        }
        try refuseForeignFile(name)
        let descriptor: Int32
        do throws(System.Failure) {
            descriptor = try System.openForWriting(path: Array(name.utf8))
        } catch {
            throw .file("cannot write \(name): \(error.message)")
        }
        try write(text, to: descriptor, name)
        do throws(System.Failure) {
            try System.closeDescriptor(descriptor)
        } catch {
            throw .file("cannot write \(name): \(error.message)")
        }
    }

    private static func read(_ name: String) throws(GuardFailure) -> [UInt8] {
        do throws(System.Failure) {
            return try System.read(path: Array(name.utf8), limit: longestFile)
        } catch {
            throw .file("cannot read \(name): \(error.message)")
        }
    }

    /// Refuses to overwrite a file that this tool did not make. An empty file may be overwritten.
    private static func refuseForeignFile(_ name: String) throws(GuardFailure) {
        let marker = Array(GuardSource.marker.utf8)
        guard let start = try? System.read(path: Array(name.utf8), limit: marker.count) else { return }
        guard start.isEmpty || start == marker else {
            throw .file(
                "\(name) exists and receipt-guard did not make it; remove it, or choose another --output"
            )
        }
    }

    private static func write(
        _ text: String,
        to descriptor: Int32,
        _ name: String
    ) throws(GuardFailure) {
        do throws(System.Failure) {
            try System.write(Array(text.utf8), to: descriptor)
        } catch {
            throw .file("cannot write \(name): \(error.message)")
        }
    }
}
