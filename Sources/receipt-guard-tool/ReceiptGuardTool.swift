import ReceiptGuard
import SystemCalls

/// The program `receipt-guard-tool`, which the plugins run.
@main
struct ReceiptGuardTool {
    /// The maximum size in bytes of a file of `--root`, which is a certificate of a few kilobytes. A file of
    /// options is read with the same limit, and `GuardRequest` then refuses one of more than 64 KiB.
    private static let longestFile = 1 << 20

    static func main() {
        System.openStandardDescriptors()
        System.ignoreFailedWrites()
        let words = System.arguments.map { String(decoding: $0, as: UTF8.self) }
        do throws(GuardFailure) {
            if words.contains("--help") || words.contains("-h") {
                try print(GuardHelp.text + "\n")
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
            return try print(text)
        }
        if try isToBeWritten(name, Array(text.utf8)) { try write(text, toFile: name) }
        if let stamp = request.stamp { try write("\(system.next() as UInt64)\n", toFile: stamp) }
    }

    private static func print(_ text: String) throws(GuardFailure) {
        try attempt("write", "standard output") { () throws(System.Failure) in
            try System.write(Array(text.utf8), to: System.standardOutput)
        }
    }

    private static func write(_ text: String, toFile name: String) throws(GuardFailure) {
        try attempt("write", name) { () throws(System.Failure) in
            let descriptor = try System.openForWriting(path: Array(name.utf8))
            try System.write(Array(text.utf8), to: descriptor)
            try System.closeDescriptor(descriptor)
        }
    }

    private static func read(_ name: String) throws(GuardFailure) -> [UInt8] {
        let bytes = try attempt("read", name) { () throws(System.Failure) in
            try System.read(path: Array(name.utf8), limit: longestFile + 1)
        }
        guard bytes.count <= longestFile else {
            throw .file("\(name.printable) has more than \(longestFile) bytes; it is too large")
        }
        return bytes
    }

    /// Calls `body` and returns its result. An error becomes a failure that names the file.
    private static func attempt<Value>(
        _ verb: String,
        _ name: String,
        _ body: () throws(System.Failure) -> Value
    ) throws(GuardFailure) -> Value {
        do throws(System.Failure) {
            return try body()
        } catch {
            throw .file("cannot \(verb) \(name.printable): \(error.message)")
        }
    }

    /// Whether the caller must write `text` to a file: the file is missing or has another text. A file that
    /// has the text already keeps its date, so that a build does not compile it again.
    ///
    /// - Throws: `GuardFailure` if the file cannot be read, or if it is not empty and does not begin with
    ///   `GuardSource.marker`, as every file of code that this tool made does.
    private static func isToBeWritten(_ name: String, _ text: [UInt8]) throws(GuardFailure) -> Bool {
        let found: [UInt8]? = try attempt("read", name) { () throws(System.Failure) in
            do throws(System.Failure) {
                return try System.read(path: Array(name.utf8), limit: text.count + 1)
            } catch {
                guard error.isAbsence else { throw error }
                return nil
            }
        }
        guard let found else { return true }
        guard found.isEmpty || found.starts(with: GuardSource.marker.utf8) else {
            throw .file(
                "\(name.printable) exists and receipt-guard did not make it; remove it, or choose another --output"
            )
        }
        return found != text
    }
}
