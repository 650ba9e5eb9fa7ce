import AppReceipt
import CorpusRecords
import DER
import SHA

/// Every source in its order, and the records of one after the other.
struct CorpusSources {
    struct Options {
        /// Nil for a guess, or for files that are receipts in a directory.
        var format: CorpusFormat?
        var fields = RecordFields()
        var hasHeader = true
        /// In place of the source's own name.
        var name: Argument?
        var firstRecord = 1
        var firstOffset = 0
        /// What is written, and the directories it is in: nothing of it is read.
        var outputs: Set<System.FileIdentity> = []
        /// Whether anybody will ask for the ``CorpusSources/position``.
        var isTracked = false
    }

    /// What is still to be read.
    private struct Path {
        let name: Argument
        /// Found in a directory, and not named on the command line.
        let isFound: Bool
    }

    private struct Current {
        let name: Argument
        let descriptor: Int32
        let child: System.Child?
        /// How long it was, in bytes, when it was opened; nil where that is not known.
        let size: Int?
        /// Whether reading may wait for somebody else.
        let mayWait: Bool
        var reader: RecordReader
    }

    private let options: Options
    /// The next is the last.
    private var paths: [Path]
    private var current: Current?
    /// The directories that were walked below the name that is being read.
    private var visited: Set<System.FileIdentity> = []
    /// What the position tells of what was passed.
    private var passed = SourcePosition()
    private(set) var isAtEnd = false
    /// Whether a source, or part of one, could not be read.
    var hasFailed: Bool { passed.hasFailed }
    /// What there is to tell the person; whoever tells it takes it away.
    var messages: [String] = []
    /// Guesses, which are less important.
    var guesses: [String] = []

    init(_ names: [Argument], _ options: Options) {
        paths = names.reversed().map { Path(name: $0, isFound: false) }
        self.options = options
    }

    /// How many bytes were read so far, after decompression.
    var byteCount: Int { passed.closedByteCount + (current?.reader.byteCount ?? 0) }

    /// Whether reading would not wait. Waits that long for it. Where a source is next that may wait before
    /// its first byte, whoever has time to wait is to read.
    func isReady(milliseconds: Int32) -> Bool {
        guard !nextMayWait else { return milliseconds > 0 }
        guard let current, current.mayWait else { return true }
        return current.reader.isReady(milliseconds: milliseconds)
    }

    /// Whether what comes next is a source that somebody else feeds. Only those may be that are named.
    private var nextMayWait: Bool {
        guard current == nil, let path = paths.last, !path.isFound else { return false }
        guard !path.name.isStandardInput else { return true }
        let kind = (try? System.status(path: path.name.bytes))?.kind
        return kind != nil && kind != .regular && kind != .directory
    }

    /// Appends records until the batch is full, or there is nothing more to be had without waiting.
    mutating func read(into batch: inout RecordBatch) {
        // For whether the first thing done here may wait, there is ``isReady(milliseconds:)``.
        var isFirst = true
        while !batch.isFull {
            defer { isFirst = false }
            guard var open = current else {
                // Directories may hold much that is no record.
                guard !System.isInterrupted else { return }
                guard isFirst || !nextMayWait else { return }
                guard let path = paths.popLast() else { return isAtEnd = true }
                self.open(path, &batch)
                continue
            }
            // Taken out, so that the window of bytes has one owner and is not copied.
            current = nil
            do throws(System.Failure) {
                try open.reader.read(into: &batch)
            } catch {
                fail(open.name, "cannot read \(open.name.printable): \(error.message)")
                close(open)
                continue
            }
            if open.reader.isAtEnd {
                finish(&open)
                close(open)
            } else {
                current = open
                if open.mayWait { return }
            }
        }
    }

    /// Closes what is open.
    mutating func close() {
        if let current { close(current) }
        current = nil
    }

    // MARK: Going on

    /// Behind the records that were read; nil where reading cannot begin there, or nobody asks.
    mutating func position() -> SourcePosition? {
        guard options.isTracked else { return nil }
        var position = passed
        guard current != nil else { return position }
        position.place = current?.reader.place()
        return position.place == nil ? nil : position
    }

    /// Goes to where an earlier run was.
    ///
    /// - Throws: `Failure` of usage where what was read is not what it was.
    mutating func skip(to position: SourcePosition) throws(Failure) {
        while passed.passed < position.passed - (position.place == nil ? 0 : 1) {
            guard !System.isInterrupted else { return }
            guard let path = paths.popLast() else { throw Self.hasChanged }
            _ = step(path)
        }
        if let place = position.place {
            var batch = RecordBatch()
            guard let path = paths.popLast() else { throw Self.hasChanged }
            open(path, &batch)
            guard !System.isInterrupted else { return }
            guard passed.chain == position.chain, current != nil else { throw Self.hasChanged }
            try skip(to: place, path.name)
        }
        guard passed.chain == position.chain else { throw Self.hasChanged }
        (passed, messages, guesses) = (position, [], [])
        passed.place = nil
    }

    private mutating func skip(to place: SourcePosition.Place, _ name: Argument) throws(Failure) {
        let isSeekable = current.map { !$0.mayWait } ?? false
        do throws(System.Failure) {
            guard try current?.reader.skip(to: place, isSeekable: isSeekable) != true else { return }
        } catch {
            throw .cannotRead(name, error)
        }
        guard System.isInterrupted else {
            throw .usage("--resume: \(name.printable) does not begin as it did, or is shorter")
        }
    }

    private static var hasChanged: Failure {
        .usage("--resume: what was read of the directories is not what it was")
    }

    /// Looks whether all of a source were records.
    private mutating func finish(_ open: inout Current) {
        do throws(System.Failure) {
            let isShorter = open.size.map { open.reader.isWhollyRead && open.reader.byteCount < $0 } ?? false
            if isShorter {
                fail(open.name, "\(open.name.printable) became shorter while it was read")
            } else if let problem = try open.reader.problemAtEnd() {
                fail(open.name, "\(open.name.printable) \(problem)")
            }
        } catch {
            fail(open.name, "cannot read \(open.name.printable): \(error.message)")
        }
    }

    private mutating func close(_ open: Current) {
        passed.closedByteCount += open.reader.byteCount
        if open.descriptor != System.standardInput { try? System.closeDescriptor(open.descriptor) }
        guard let child = open.child else { return }
        let hasSucceeded = System.wait(for: child)
        // One that was not read to its end may well complain.
        if !hasSucceeded, open.reader.isWhollyRead, !System.isInterrupted {
            fail(open.name, "\(open.name.printable) could not be decompressed to its end")
        }
    }

    private mutating func fail(_ name: Argument, _ message: String) {
        // Whatever ended early then, it is read again by whoever goes on.
        guard !System.isInterrupted else { return }
        passed.hasFailed = true
        messages.append(message)
    }

    // MARK: Opening

    /// What there is to do about a name.
    private enum Step {
        case nothing
        case standardInput
        case file(System.FileStatus)
        case unreadable(System.Failure?)
    }

    /// Takes up a name: walks a directory, and passes over what was there before.
    private mutating func step(_ path: Path) -> Step {
        passed.passed += 1
        guard !path.name.isStandardInput else { return .standardInput }
        do throws(System.Failure) {
            let status = try System.status(path: path.name.bytes)
            guard !options.outputs.contains(status.identity) else {
                fail(path.name, "\(path.name.printable) leads to what is written, and is not read")
                return .nothing
            }
            if status.kind == .directory {
                walk(path, status.identity)
                return .nothing
            }
            if path.isFound { note(SourceIdentity(of: path.name, head: SourceIdentity.foundHead)) }
            // What is neither might keep the walk waiting for ever.
            return status.kind == .regular || !path.isFound ? .file(status) : .unreadable(nil)
        } catch {
            if path.isFound { note(SourceIdentity(of: path.name, head: SourceIdentity.foundHead)) }
            // What cannot be looked at may be a directory of very many.
            guard error.isAbsence || !path.isFound else {
                fail(path.name, "cannot read \(path.name.printable): \(error.message)")
                return .nothing
            }
            return .unreadable(error)
        }
    }

    private mutating func note(_ identity: @autoclosure () -> SourceIdentity) {
        guard options.isTracked else { return }
        passed.chain = SHA256.digest(of: (passed.chain + identity().bytes).span).bytes
    }

    private mutating func open(_ path: Path, _ batch: inout RecordBatch) {
        switch step(path) {
        case .nothing: break
        case .standardInput:
            start(path, descriptor: System.standardInput, mayWait: true, size: nil, child: nil)
        case .unreadable(let failure): reportUnreadable(path, failure, &batch)
        case .file(let status):
            do throws(System.Failure) {
                try open(path, status)
            } catch {
                reportUnreadable(path, error, &batch)
            }
        }
    }

    private mutating func open(_ path: Path, _ status: System.FileStatus) throws(System.Failure) {
        let descriptor = try System.openFile(path: path.name.bytes, waits: false)
        guard let program = Self.decompressor(path.name) else {
            let isRegular = status.kind == .regular
            let size = isRegular ? status.size : nil
            return start(path, descriptor: descriptor, mayWait: !isRegular, size: size, child: nil)
        }
        defer { try? System.closeDescriptor(descriptor) }
        // The program takes a pipe that nobody has opened for writing for one that has ended.
        while !System.isReadable(descriptor, milliseconds: 100), !System.isInterrupted {}
        do throws(System.Failure) {
            let child = try System.start(program, input: descriptor)
            start(path, descriptor: child.output, mayWait: true, size: nil, child: child)
        } catch {
            fail(path.name, "\(path.name.printable) needs \(program[0]): \(error.message)")
        }
    }

    private mutating func walk(_ path: Path, _ identity: System.FileIdentity) {
        // Links may lead back to it.
        if !path.isFound { visited = [] }
        guard visited.insert(identity).inserted else { return }
        let separator = path.name.bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        let names: [[UInt8]]
        do throws(System.Failure) {
            names = try System.names(inDirectory: path.name.bytes)
        } catch {
            // Nobody knows how many records that would have been.
            return fail(path.name, "cannot read \(path.name.printable): \(error.message)")
        }
        note(SourceIdentity(ofDirectory: path.name, names: names))
        for name in names.reversed() {
            paths.append(Path(name: Argument(bytes: path.name.bytes + separator + name), isFound: true))
        }
    }

    /// One file of a directory is a record like any other.
    private mutating func reportUnreadable(
        _ path: Path,
        _ failure: System.Failure?,
        _ batch: inout RecordBatch
    ) {
        // With a format that has many records in a file, nobody knows how many that would have been.
        if !path.isFound || (options.format ?? .file) != .file, let failure {
            return fail(path.name, "cannot read \(path.name.printable): \(failure.message)")
        }
        let origin = RecordOrigin(source: path.name.exactText, format: .file, fields: options.fields)
        batch.append([], in: 0..<0, origin, number: 1, offset: 0, fault: .cannotRead)
    }

    /// What makes the bytes of a file's name plain; nil for what is plain already.
    private static func decompressor(_ name: Argument) -> [String]? {
        if name.bytes.suffix(3).elementsEqual(".gz".utf8) { return ["gzip", "-dc"] }
        if name.bytes.suffix(4).elementsEqual(".zst".utf8) { return ["zstd", "-dcq"] }
        return nil
    }

    private mutating func start(
        _ path: Path,
        descriptor: Int32,
        mayWait: Bool,
        size: Int?,
        child: System.Child?
    ) {
        var stream = ByteStream(
            descriptor,
            isFed: mayWait && child == nil,
            keepsHead: options.isTracked && mayWait
        )
        let (origin, problem) = describe(path, &stream)
        let reader = RecordReader(
            stream,
            origin,
            firstRecord: options.firstRecord,
            firstOffset: options.firstOffset
        )
        let open = Current(
            name: path.name,
            descriptor: descriptor,
            child: child,
            size: size,
            mayWait: mayWait,
            reader: reader
        )
        guard let problem else { return current = open }
        fail(path.name, problem)
        close(open)
    }

    /// Finds out how the records of a source lie, and where their fields are.
    ///
    /// - Returns: what is in the way, too.
    private mutating func describe(
        _ path: Path,
        _ stream: inout ByteStream
    ) -> (origin: RecordOrigin, problem: String?) {
        let name = path.name.printable
        var fields = options.fields
        var format = options.format ?? .file
        func origin() -> RecordOrigin {
            let source = options.name?.exactText ?? path.name.exactText
            return RecordOrigin(source: source, format: format, fields: fields)
        }
        do throws(System.Failure) {
            while !stream.window.isAtEnd, stream.window.count < Self.beginning,
                !stream.window.buffer[stream.window.start...].contains(UInt8(ascii: "\n"))
            {
                try stream.fill()
            }
            let hasMark = stream.window.buffer[stream.window.start...].starts(with: [0xEF, 0xBB, 0xBF])
            let beginning = stream.window.buffer[(stream.window.start + (hasMark ? 3 : 0))...].prefix(
                Self.beginning
            )
            if let refusal = CorpusFormat.refusal(beginning: beginning) {
                return (origin(), "\(name) \(refusal)")
            }
            if options.format == nil, !path.isFound {
                guard beginning.first(where: { $0 > 0x20 }) != UInt8(ascii: "[") else {
                    return (origin(), "\(name) is a JSON array: jq -c '.[]' makes a line of each element")
                }
                format = .guess(name: Self.plainName(path.name), beginning: beginning)
                guesses.append("\(name) looks like \(format.rawValue); --format says what it is")
            }
            if format != .lengthPrefixed, hasMark { stream.window.consume(3) }
            guard format.hasFields || fields.isEmpty else {
                return (origin(), "\(name) is read as \(format.rawValue), which has no fields to name")
            }
            // Of nothing there are no records, whatever columns they would have.
            guard format.columnSeparator != nil, stream.window.count > 0 else { return (origin(), nil) }
            var header: [[UInt8]?]?
            if format != .pgcopy, options.hasHeader {
                switch try readHeader(&stream, format) {
                case .columns(let columns): header = columns
                case .problem(let problem): return (origin(), "\(name) \(problem)")
                }
            }
            if let missing = fields.resolve(in: header) {
                return (origin(), "\(name) has no \(missing.printable)")
            }
            // By its number any column is there, be it a record's.
            if let header, let field = fields.receipt, let column = field.column, let name = header[column],
                name.count > Self.longestName, !name.elementsEqual(field.text.utf8)
            {
                return (origin(), "\(name) begins with a record, and no header: --no-header says so")
            }
            return (origin(), nil)
        } catch {
            return (origin(), "cannot read \(name): \(error.message)")
        }
    }

    /// Enough for a guess.
    private static let beginning = 4096
    /// More than any header needs.
    private static let maximumHeader = 1 << 20
    /// As many bytes as nobody calls a column by, and less than any receipt has.
    private static let longestName = 64

    private enum Header {
        case columns([[UInt8]?])
        case problem(String)
    }

    private func readHeader(
        _ stream: inout ByteStream,
        _ format: CorpusFormat
    ) throws(System.Failure) -> Header {
        while true {
            var scanner = RecordScanner(separator: format.quotingSeparator)
            let end = scanner.end(in: stream.window.buffer, stream.window.start..<stream.window.buffer.count)
            guard let end = end ?? (stream.window.isAtEnd ? stream.window.buffer.count : nil) else {
                guard stream.window.count < Self.maximumHeader else {
                    return .problem("begins with a line that is too long for a header: --no-header says so")
                }
                try stream.fill()
                continue
            }
            do throws(Refusal) {
                let columns = try RecordColumns.read(stream.window.buffer[stream.window.start..<end], format)
                stream.window.consume(min(end + 1, stream.window.buffer.count) - stream.window.start)
                return .columns(columns)
            } catch {
                return .problem(
                    error.code == .carriageReturn
                        ? "has lines that end in carriage returns: tr '\\r' '\\n' mends that"
                        : "begins with a line that is no header (\(error.code.name))"
                )
            }
        }
    }

    /// Without what says how it is compressed.
    private static func plainName(_ name: Argument) -> String {
        let suffix = decompressor(name).map { $0[0] == "gzip" ? 3 : 4 } ?? 0
        return String(decoding: name.bytes.dropLast(suffix), as: UTF8.self)
    }
}
