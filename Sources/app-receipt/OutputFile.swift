import ReceiptCorpus
import SystemCalls

/// A file that is made first and written later.
struct OutputFile {
    private let name: Argument
    private let descriptor: Int32
    /// The exit status if the file cannot be written.
    private let status: ExitStatus

    /// - Parameters:
    ///   - isPrivate: whether a new file is for its owner alone to read.
    ///   - status: the exit status if the file cannot be written.
    init(
        creating name: Argument,
        isPrivate: Bool = false,
        or status: ExitStatus = .unreadable
    ) throws(Failure) {
        (self.name, self.status) = (name, status)
        do throws(System.Failure) {
            descriptor = try System.openForWriting(path: name.bytes, isPrivate: isPrivate)
        } catch {
            throw .cannotWrite(name, error, status)
        }
    }

    /// Writes bytes that are not the last.
    func append(_ bytes: [UInt8]) throws(Failure) {
        do throws(System.Failure) {
            try System.write(bytes, to: descriptor)
        } catch {
            throw .cannotWrite(name, error, status)
        }
    }

    /// Writes the last bytes and closes the file.
    func finish(_ bytes: [UInt8] = []) throws(Failure) {
        try append(bytes)
        do throws(System.Failure) {
            try System.closeDescriptor(descriptor)
        } catch {
            throw .cannotWrite(name, error, status)
        }
    }

    /// Throws a usage `Failure` if the values of two options are the same file name, byte for byte.
    static func requireDistinct(_ options: [String], _ arguments: Arguments) throws(Failure) {
        var names: [[UInt8]] = []
        for name in options.compactMap(arguments.last) {
            guard !names.contains(name.bytes) else {
                throw .usage("\(name.printable) is named twice; give each file another name")
            }
            names.append(name.bytes)
        }
    }

    /// Writes a file with exactly these bytes, if there is a name for it.
    static func write(_ bytes: [UInt8], to name: Argument?) throws(Failure) {
        if let name { try OutputFile(creating: name).finish(bytes) }
    }
}
