/// A stream to write to: buffered, and coloured where a person looks at it.
struct Output {
    private let descriptor: Int32
    private let hasColour: Bool
    private let isTerminal: Bool
    private var buffer: [UInt8] = []

    /// Larger than most receipts are when printed, small enough to leave soon.
    private static let capacity = 1 << 16

    /// Colour is for terminals only, and not where somebody asked for none (no-color.org).
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
        guard hasColour, style != .plain else { return buffer.append(contentsOf: text.utf8) }
        buffer.append(contentsOf: style.rawValue.utf8)
        buffer.append(contentsOf: text.utf8)
        buffer.append(contentsOf: "\u{1B}[0m".utf8)
    }

    /// Ends a line. On a terminal it is shown at once.
    mutating func line(_ text: String = "", _ style: Style = .plain) {
        write(text, style)
        buffer.append(UInt8(ascii: "\n"))
        if isTerminal || buffer.count >= Self.capacity { flush() }
    }

    mutating func write(bytes: [UInt8]) { buffer += bytes }

    mutating func line(json: JSON) {
        buffer += json.bytes
        line()
    }

    /// Writes what is waiting. Ends the process where it cannot be written, quietly if nobody reads it; but
    /// for standard error, since work does not depend on what is said about it.
    mutating func flush() {
        guard !buffer.isEmpty else { return }
        do throws(System.Failure) {
            try System.write(buffer, to: descriptor)
            buffer.removeAll(keepingCapacity: true)
        } catch {
            guard descriptor != System.standardError else { return buffer.removeAll() }
            if error.isClosedPipe { System.exit(.closedPipe) }
            let message = "app-receipt: cannot write: \(error.message)\n"
            // If this one cannot be written either, there is nobody left to tell.
            try? System.write([UInt8](message.utf8), to: System.standardError)
            System.exit(.unreadable)
        }
    }
}

/// Where a command writes: what was asked for, and what there is to say about it.
struct Console {
    var output = Output(System.standardOutput)
    private var errors = Output(System.standardError)

    /// A message to the person, after what was written so far.
    mutating func report(_ message: String) {
        output.flush()
        errors.write("app-receipt: ", .bold)
        errors.line(message)
        errors.flush()
    }
}
