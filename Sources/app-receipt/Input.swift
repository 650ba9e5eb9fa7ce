import AppReceipt
import DER
import Processor
import ReceiptCorpus
import ReceiptResults
import SHA
import SystemCalls
import TransactionReceipt
import VerifyReceipt

/// The inputs of `verify` and `inspect`.
enum Input {
    /// The names of the inputs. Without any, standard input is read, unless it is a terminal.
    static func names(_ arguments: Arguments) throws(Failure) -> [Argument] {
        guard arguments.operands.isEmpty else { return arguments.operands }
        guard !System.isTerminal(System.standardInput) else {
            throw .usage("which file? Name one, or - for standard input")
        }
        return [Argument(bytes: [UInt8(ascii: "-")])]
    }

    /// Reads the bytes of an input.
    ///
    /// Throws if the input is larger than any receipt in base64, which takes four characters for three bytes,
    /// line breaks and white space.
    static func read(_ name: Argument, limits: Limits = .standard) throws(Fault) -> [UInt8] {
        let limit = limits.inputBytes / 2 * 3
        let bytes: [UInt8]
        do throws(System.Failure) {
            // One byte more than the limit shows that the input is too large.
            bytes = try readUp(to: limit + 1, name)
        } catch {
            throw Fault(cannotRead: name.fileName, error)
        }
        guard bytes.count <= limit else {
            throw Fault(Refusal(.inputTooLarge, at: 0, reading: "receipt"))
        }
        return bytes
    }

    /// Decodes a container: DER, PEM or base64. The container of a transaction receipt is its property list.
    static func container(
        _ bytes: [UInt8],
        _ acceleration: Acceleration = .none
    ) throws(Fault) -> [UInt8] {
        do throws(Refusal) {
            return try ReceiptText.container(bytes[...], acceleration)
        } catch {
            throw Fault(error)
        }
    }

    private static func readUp(to limit: Int, _ name: Argument) throws(System.Failure) -> [UInt8] {
        guard !name.isStandardInput else {
            return try System.read(descriptor: System.standardInput, limit: limit)
        }
        return try System.read(path: name.bytes, limit: limit)
    }
}

extension Argument {
    /// The argument as the name of a file.
    var fileName: FileName { FileName(bytes: bytes) }
}

extension Fault {
    /// One line for standard error that says why the input has no verdict.
    func report(_ name: Argument) -> String {
        code == .cannotRead ? message.printable : "\(name.printable): \(message) (\(code.name))"
    }

    var exitStatus: ExitStatus { code.kind == .unreadable ? .unreadable : .notValid }
}

extension Refusal.Code {
    /// Every code that the command line may report.
    static var allOfCommand: [Self] {
        all + allOfTransactionReceipts + verifyReceipt + [.cannotRead] + allOfCorpus
    }
}
