import ReceiptCorpus
import SystemCalls

/// A file for output. Creating this value makes the file, or empties it; the bytes are written later.
struct OutputFile {
    private let name: Argument
    private let descriptor: Int32
    /// The exit status of the `Failure` if the file cannot be opened, written or closed.
    private let status: ExitStatus

    /// Makes the file, or empties an existing one. Throws a `Failure` of `status` if that fails.
    ///
    /// - Parameter isPrivate: whether only the owner may read a file that the call makes.
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

    /// Writes bytes, and leaves the file open for more.
    func append(_ bytes: [UInt8]) throws(Failure) {
        do throws(System.Failure) {
            try System.write(bytes, to: descriptor)
        } catch {
            throw .cannotWrite(name, error, status)
        }
    }

    /// Writes the last bytes, none by default, and closes the file.
    func finish(_ bytes: [UInt8] = []) throws(Failure) {
        try append(bytes)
        do throws(System.Failure) {
            try System.closeDescriptor(descriptor)
        } catch {
            throw .cannotWrite(name, error, status)
        }
    }

    /// Throws a usage `Failure` if two of the options have the same file name, byte for byte.
    static func requireDistinct(_ options: [String], _ arguments: Arguments) throws(Failure) {
        var names: [[UInt8]] = []
        for name in options.compactMap(arguments.last) {
            guard !names.contains(name.bytes) else {
                throw .usage("\(name.printable) is named twice; give each file another name")
            }
            names.append(name.bytes)
        }
    }

    /// Makes the file, or empties an existing one, and writes the bytes. Does nothing if the name is nil.
    static func write(_ bytes: [UInt8], to name: Argument?) throws(Failure) {
        if let name { try OutputFile(creating: name).finish(bytes) }
    }
}
