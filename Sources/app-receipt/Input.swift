import AppReceipt
import Basics
import DER
import ECDSA
import Processor
import ReceiptCorpus
import ReceiptResults
import Revocation
import SignedPayloads
import SystemCalls
import TransactionReceipt
import VerifyReceipt

/// Names, reads and decodes the inputs of commands.
enum Input {
    /// The names of the inputs: the operands, or `-`, standard input, if there are none. Throws if there are
    /// none and standard input is a terminal.
    static func names(_ arguments: Arguments) throws(Failure) -> [Argument] {
        guard arguments.operands.isEmpty else { return arguments.operands }
        guard !System.isTerminal(System.standardInput) else {
            throw .usage("which file? Name one, or - for standard input")
        }
        return [Argument(bytes: [UInt8(ascii: "-")])]
    }

    /// Reads all bytes of a file or of standard input.
    ///
    /// Throws `.cannotRead`, or `.inputTooLarge` if there are more than `limit` bytes.
    static func read(_ name: Argument, limit: Int = 2 * Limits.standard.inputBytes) throws(Fault) -> [UInt8] {
        let bytes: [UInt8]
        do throws(System.Failure) {
            // One byte more than the limit shows that the input is too large.
            bytes = try name.read(upTo: limit + 1)
        } catch {
            throw Fault(cannotRead: name, error)
        }
        guard bytes.count <= limit else {
            throw Fault(Refusal(.inputTooLarge, at: 0, reading: "receipt"))
        }
        return bytes
    }

    /// Reads the receipt of an installed app.
    ///
    /// Throws `app.no-receipt` if the app has none, and `input.cannot-read` if the receipt is no regular
    /// file, or lies behind a symbolic link in the app, which might lead to the receipt of another app. Also
    /// throws what reading any file throws.
    static func read(_ app: AppBundle) throws(Fault) -> [UInt8] {
        if let link = app.link {
            throw Fault(.cannotRead, message: "cannot read \(link.text): it is a symbolic link in an app")
        }
        let kind: System.FileKind
        do throws(System.Failure) {
            kind = try System.status(path: app.receipt.bytes).kind
        } catch {
            guard error.isAbsence else { throw Fault(cannotRead: app.receipt, error) }
            throw Fault(Refusal(.noAppReceipt, at: 0, reading: "receipt"))
        }
        guard kind == .regular else {
            throw Fault(.cannotRead, message: "cannot read \(app.receipt.text): it is no file")
        }
        return try read(app.receipt)
    }

    /// Reads the file that an option names. Throws if it cannot be read or has more than `limit` bytes.
    static func file(
        _ name: Argument,
        limit: Int = 2 * Limits.standard.inputBytes
    ) throws(Failure) -> [UInt8] {
        do throws(Fault) {
            return try read(name, limit: limit)
        } catch {
            throw Failure(status: .unreadable, message: error.report(name))
        }
    }

    /// Reads the file that `option` names. Throws if it cannot be read, or has `limit` bytes or more.
    ///
    /// - Parameter excess: what the message calls a file of `limit` bytes or more, such as
    ///   `larger than 1 GiB`.
    static func file(
        _ name: Argument,
        of option: String,
        limit: Int,
        _ excess: String
    ) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]
        do throws(System.Failure) {
            bytes = try name.read(upTo: limit)
        } catch {
            throw .cannotRead(name, error)
        }
        guard bytes.count < limit else { throw .usage("\(option) \(name.printable) is \(excess)") }
        return bytes
    }

    /// Decodes an input, such as DER, base64 or PEM, to bytes that begin like the container of an app or
    /// transaction receipt.
    static func container(
        _ bytes: [UInt8],
        _ acceleration: Acceleration = .none
    ) throws(Fault) -> [UInt8] {
        try Fault.wrapping { () throws(ReceiptError) in
            try ReceiptInput.container(bytes[...], acceleration: acceleration)
        }
    }
}

extension Argument {
    /// Reads the first `limit` bytes of the file or of standard input, or all if there are fewer.
    fileprivate func read(upTo limit: Int) throws(System.Failure) -> [UInt8] {
        isStandardInput
            ? try System.read(descriptor: System.standardInput, limit: limit)
            : try System.read(path: bytes, limit: limit)
    }
}

extension Fault {
    /// Calls a function of the library, and turns its error into a fault.
    static func wrapping<Value>(_ body: () throws(ReceiptError) -> Value) throws(Fault) -> Value {
        do throws(ReceiptError) {
            return try body()
        } catch {
            throw Fault(error)
        }
    }

    /// One line for standard error about this fault of the input with the given name.
    func report(_ name: Argument) -> String {
        code == .cannotRead ? message.printable : "\(name.printable): \(message) (\(code.name))"
    }

    var exitStatus: ExitStatus { code.kind == .unreadable ? .unreadable : .notValid }
}

extension Refusal.Code {
    /// Every code that the command line may report.
    static var allOfCommand: [Self] {
        all + ecdsa + allOfSignedPayloads + allOfRevocation + allOfTransactionReceipts + verifyReceipt
            + allOfCorpus
    }
}
