import JSONText
import ReceiptCorpus
import SystemCalls

/// A buffered stream for text, which may be coloured on a terminal.
struct Output {
    private let descriptor: Int32
    private let hasColour: Bool
    private let isTerminal: Bool
    private var buffer: [UInt8] = []

    /// The number of buffered bytes from which on the end of a line writes the buffer. With fewer bytes, the
    /// line stays in the buffer, unless the stream is a terminal.
    private static let capacity = 1 << 16

    /// Makes a stream to a descriptor. Colour is used only on terminals, and not if the environment variable
    /// NO_COLOR (no-color.org) is set and not empty, or if TERM is `dumb`.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = System.isTerminal(descriptor)
        hasColour =
            isTerminal && System.environment("NO_COLOR") ?? "" == "" && System.environment("TERM") != "dumb"
    }

    enum Style: String {
        case plain = ""
        case bold = "\u{1B}[1m"
        case dim = "\u{1B}[2m"
        case good = "\u{1B}[32m"
        case bad = "\u{1B}[31m"
        case caution = "\u{1B}[33m"
    }

    mutating func write(_ text: String, _ style: Style = .plain) {
        let (start, end) = hasColour && style != .plain ? (style.rawValue, "\u{1B}[0m") : ("", "")
        buffer += (start + text + end).utf8
    }

    /// Writes a line, which a terminal shows at once. Otherwise it may stay in the buffer until a flush.
    mutating func line(_ text: String = "", _ style: Style = .plain) {
        write(text, style)
        buffer.append(UInt8(ascii: "\n"))
        if isTerminal || buffer.count >= Self.capacity { flush() }
    }

    mutating func write(bytes: [UInt8]) { buffer += bytes }

    mutating func line(json: JSONWriter) {
        buffer += json.bytes
        line()
    }

    /// Writes the buffered text.
    ///
    /// If it cannot be written, the process ends: with status 141 and no message if the reader of a pipe has
    /// left, and with status 3 and a message otherwise. A failure on standard error is ignored, because the
    /// result does not depend on messages.
    mutating func flush() {
        guard !buffer.isEmpty else { return }
        do throws(System.Failure) {
            try System.write(buffer, to: descriptor)
            buffer.removeAll(keepingCapacity: true)
        } catch {
            guard descriptor != System.standardError else { return buffer.removeAll() }
            if error.isClosedPipe { System.exit(.closedPipe) }
            let message = "app-receipt: cannot write: \(error.message)\n"
            // If standard error cannot be written either, no message can say so.
            try? System.write([UInt8](message.utf8), to: System.standardError)
            System.exit(.unreadable)
        }
    }
}

extension System {
    /// Ends the process with an exit status.
    static func exit(_ status: ExitStatus) -> Never { exit(code: status.rawValue) }
}

extension String {
    /// The text, then spaces up to a width in Unicode scalars. A wider text stays as it is.
    func padded(to width: Int) -> String { self + padding(to: width) }
    /// Spaces up to a width in Unicode scalars, then the text. A wider text stays as it is.
    func aligned(to width: Int) -> String { padding(to: width) + self }

    private func padding(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - unicodeScalars.count))
    }
}

/// The streams of a command: results and messages.
struct Console {
    var output = Output(System.standardOutput)
    private var errors = Output(System.standardError)

    /// Writes a message to standard error at once, after all output so far.
    mutating func report(_ message: String) {
        output.flush()
        errors.write("app-receipt: ", .bold)
        errors.line(message)
        errors.flush()
    }
}
