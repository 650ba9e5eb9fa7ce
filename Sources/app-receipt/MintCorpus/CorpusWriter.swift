import ReceiptCorpus
import SystemCalls

/// Writes a corpus to a file, to standard output, or to files in a directory; and its truth file.
struct CorpusWriter {
    private enum Destination {
        case standardOutput
        case file(OutputFile)
        case directory(Argument)
    }

    private let destination: Destination
    private let truth: OutputFile?

    /// The number of receipts in a subdirectory.
    private static let directoryCount = 1000

    /// Makes the destination and the truth file, and writes their first lines.
    ///
    /// - Parameters:
    ///   - name: the destination, a directory or a file; nil for standard output.
    ///   - truthName: the truth file; nil to write none.
    init(
        _ name: Argument?,
        truth truthName: Argument?,
        as format: MintedFormat,
        _ console: inout Console
    ) throws(Failure) {
        if let name {
            if format == .directory {
                try Self.makeDirectory(name)
                destination = .directory(name)
            } else {
                destination = .file(try OutputFile(creating: name))
            }
        } else {
            destination = .standardOutput
        }
        truth = if let truthName { try OutputFile(creating: truthName) } else { nil }
        try write(format.head, &console)
        try truth?.write(MintedRecord.truthHead)
    }

    /// Writes the next batch.
    func write(_ batch: MintedBatch, _ console: inout Console) throws(Failure) {
        if case .directory(let name) = destination {
            try write(batch, inDirectory: name)
        } else {
            try write(batch.text, &console)
        }
        try truth?.write(batch.truth)
    }

    private func write(_ bytes: [UInt8], _ console: inout Console) throws(Failure) {
        switch destination {
        case .standardOutput:
            console.output.write(bytes: bytes)
            console.output.flush()
        case .file(let file): try file.write(bytes)
        case .directory: break
        }
    }

    /// Writes each receipt to a file of its own, 1000 files to a subdirectory, which it makes.
    ///
    /// The names are numbers: six digits for a subdirectory, nine for a file. All names of a kind have the
    /// same length, so their order is the order of the records.
    private func write(_ batch: MintedBatch, inDirectory name: Argument) throws(Failure) {
        for (index, number) in batch.numbers.enumerated() {
            let first = (number - 1) / Self.directoryCount
            let subdirectory = Argument(bytes: name.bytes + Array("/\(Self.digits(first, 6))".utf8))
            if (number - 1) % Self.directoryCount == 0 { try Self.makeDirectory(subdirectory) }
            let file = Argument(bytes: subdirectory.bytes + Array("/\(Self.digits(number, 9)).receipt".utf8))
            let start = index == 0 ? 0 : batch.ends[index - 1]
            let output = try OutputFile(creating: file)
            try output.write([UInt8](batch.text[start..<batch.ends[index]]))
            try output.finish()
        }
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func makeDirectory(_ name: Argument) throws(Failure) {
        do throws(System.Failure) {
            try System.makeDirectory(name.bytes)
        } catch {
            throw .cannotWrite(name, error)
        }
    }

    /// Closes the files.
    func finish() throws(Failure) {
        if case .file(let file) = destination { try file.finish() }
        try truth?.finish()
    }
}
