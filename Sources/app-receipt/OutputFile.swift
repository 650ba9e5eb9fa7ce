import ReceiptCorpus
import SystemCalls

/// A file that is written piece by piece.
struct OutputFile {
    private let name: Argument
    private let descriptor: Int32

    init(creating name: Argument) throws(Failure) {
        self.name = name
        do throws(System.Failure) {
            descriptor = try System.openForWriting(path: name.bytes)
        } catch {
            throw .cannotWrite(name, error)
        }
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        do throws(System.Failure) {
            try System.write(bytes, to: descriptor)
        } catch {
            throw .cannotWrite(name, error)
        }
    }

    func finish() throws(Failure) {
        do throws(System.Failure) {
            try System.closeDescriptor(descriptor)
        } catch {
            throw .cannotWrite(name, error)
        }
    }

    /// Throws `Failure` of usage if two options name one file.
    static func requireDistinct(_ options: [Option], _ arguments: Arguments) throws(Failure) {
        var names: [[UInt8]] = []
        for name in options.compactMap({ arguments.last($0) }) {
            guard !names.contains(name.bytes) else {
                throw .usage("\(name.printable) is named twice; give each file another name")
            }
            names.append(name.bytes)
        }
    }

    /// Writes a file with exactly these bytes.
    static func write(_ bytes: [UInt8], to name: Argument) throws(Failure) {
        let file = try OutputFile(creating: name)
        try file.write(bytes)
        try file.finish()
    }
}
