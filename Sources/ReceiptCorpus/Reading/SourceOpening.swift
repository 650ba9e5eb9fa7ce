import AppReceipt
import Basics
import SHA
import SystemCalls

/// Opening of files, standard input and decompressors, and the walk of directories.
extension CorpusSources {
    /// Opens a file or standard input, or lists a directory. If that fails, or a directory that the caller
    /// named holds no file, appends a record with a fault. Skips a symbolic link that was found in a
    /// directory. Does not open a file that this run writes, and notes it as a failed source without a
    /// record. An app whose receipt is behind a link inside the app gives a record with a fault.
    ///
    /// - Parameter isPassed: whether an earlier run has read the source. A file is not opened then, but a
    ///   directory is listed.
    mutating func open(_ path: Path, _ batch: inout RecordBatch, isPassed: Bool = false) {
        passed.passed += 1
        guard !path.isEnd else {
            // The caller named the directory, and it holds no file.
            if fileCount == 0 { append(path.name, .emptyInput, &batch) }
            return
        }
        guard !path.name.isStandardInput else {
            if !isPassed { start(path, System.standardInput, &batch) }
            return
        }
        if let link = path.app?.link {
            ignoreLink(link)
            fileCount += 1
            return reportUnreadable(path, nil, &batch)
        }
        do throws(System.Failure) {
            let status = try System.status(path: path.name.bytes, followsLinks: !path.isFound)
            guard status.kind != .link else { return ignoreLink(path.name) }
            guard !options.outputs.contains(status.identity) else {
                return fail("\(path.name.printable) leads to a file that this run writes, and is not read")
            }
            if status.kind == .directory, path.app == nil { return enter(path, &batch) }
            noteFile(path)
            if isPassed { return }
            // Opening a pipe or a device that was found could wait for ever.
            if path.isFound, status.kind != .regular { return reportUnreadable(path, nil, &batch) }
            open(path, status, &batch)
        } catch {
            noteFile(path)
            reportUnreadable(path, error, mayHoldMore: !error.isAbsence && path.app == nil, &batch)
        }
    }

    /// Counts a name that has at least one record. If the name was found in a directory and positions are
    /// tracked, also adds its ``SourceIdentity`` to ``SourcePosition/chain``, which shows a later run whether
    /// the directories have changed.
    private mutating func noteFile(_ path: Path) {
        fileCount += 1
        if path.isFound { note(SourceIdentity(of: path.name, head: SourceIdentity.foundHead)) }
    }

    /// Counts a symbolic link and does not follow it, because it might lead out of the directory.
    private mutating func ignoreLink(_ name: FileName) {
        note(SourceIdentity(name, kind: "unreadable"))
        ignoredLinks += 1
        // A directory may hold very many links. The end of the run counts them.
        guard ignoredLinks == 1 else { return }
        messages.append(
            "\(name.printable) is a symbolic link and is not followed: find -L lists what is behind"
        )
    }

    private mutating func note(_ identity: @autoclosure () -> SourceIdentity) {
        guard options.isTracked else { return }
        passed.chain = HashAlgorithm.sha256.digest(of: (passed.chain + identity().bytes).borrowedSpan).bytes
    }

    private mutating func open(_ path: Path, _ status: System.FileStatus, _ batch: inout RecordBatch) {
        let descriptor: Int32
        do throws(System.Failure) {
            descriptor = try System.openFile(
                path: path.name.bytes,
                waits: false,
                followsLinks: !path.isFound
            )
        } catch {
            return reportUnreadable(path, error, &batch)
        }
        guard let program = Self.decompressor(path.name)?.program else {
            return start(path, descriptor, size: status.kind == .regular ? status.size : nil, &batch)
        }
        defer { try? System.closeDescriptor(descriptor) }
        // The program would take a pipe that has no writer yet for a pipe that has ended.
        while !System.isReadable(descriptor, milliseconds: 100), !System.isInterrupted {}
        do throws(System.Failure) {
            let child = try System.start(program, input: descriptor)
            start(path, child.output, child: child, &batch)
        } catch {
            fail("\(path.name.printable) needs \(program[0]): \(error.message)")
            append(path.name, .cannotRead, &batch)
        }
    }

    /// Adds the names in a directory, or the receipt of an app, to the names that are still to be read.
    private mutating func enter(_ path: Path, _ batch: inout RecordBatch) {
        if !path.isFound { fileCount = 0 }
        guard let app = AppBundle(at: path.name) else { return walk(path, &batch) }
        paths.append(Path(name: app.receipt, isFound: true, app: app))
    }

    /// Lists the names of a directory as the ones to read next.
    ///
    /// The last of them is the directory's own name once more if the caller named it. When the run comes to
    /// that name, it knows whether the directory held a file.
    private mutating func walk(_ path: Path, _ batch: inout RecordBatch) {
        let separator = path.name.bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        let names: [[UInt8]]
        do throws(System.Failure) {
            names = try System.names(inDirectory: path.name.bytes, followsLinks: !path.isFound)
        } catch {
            fileCount += 1
            return reportUnreadable(path, error, mayHoldMore: true, &batch)
        }
        note(SourceIdentity(ofDirectory: path.name, names: names))
        if !path.isFound { paths.append(Path(name: path.name, isFound: false, isEnd: true)) }
        for name in names.reversed() {
            paths.append(Path(name: FileName(bytes: path.name.bytes + separator + name), isFound: true))
        }
    }

    /// Appends a fault for a name that cannot be opened: `noAppReceipt` if an app has no receipt, otherwise
    /// `cannotRead`. With a `failure`, the name is also a failed source, because the number of its records
    /// is unknown. A file that was found in a directory and is read as one receipt is no failed source.
    /// - Parameter mayHoldMore: whether the name may be a directory, with many records.
    private mutating func reportUnreadable(
        _ path: Path,
        _ failure: System.Failure?,
        mayHoldMore: Bool = false,
        _ batch: inout RecordBatch
    ) {
        let isOneReceipt = path.isFound && (format(of: path) ?? .file) == .file && !mayHoldMore
        if let failure, !isOneReceipt { fail(CorpusFailure.cannotRead(path.name, failure).message) }
        let isMissing = path.app != nil && failure?.isAbsence ?? false
        append(path.name, isMissing ? .noAppReceipt : .cannotRead, &batch)
    }

    /// Appends a record with a fault, for a source without a readable record. Does nothing after an
    /// interrupt.
    mutating func append(_ name: FileName, _ fault: Refusal.Code, _ batch: inout RecordBatch) {
        // An interrupt may have ended the source early. A later run reads it again.
        guard !System.isInterrupted else { return }
        batch.append(
            RecordBatch.Record(
                origin: origin(of: name, RecordLayout(.file), options.fields),
                number: options.firstRecord,
                offset: options.firstOffset,
                fault: fault
            )
        )
    }

    /// The format that the caller gave; nil if none was given. The receipt of an app is always a whole file.
    func format(of path: Path) -> CorpusFormat? { path.app == nil ? options.format : .file }

    /// The ending of a compressed file's name, and the program that decompresses it, with its arguments; nil
    /// for any other name.
    static func decompressor(_ name: FileName) -> (suffix: String, program: [String])? {
        [(".gz", ["gzip", "-dc"]), (".zst", ["zstd", "-dcq"])].first { suffix, _ in
            name.bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        }
    }

    /// The facts that all records of a source share. `options.name`, if given, replaces its name.
    func origin(of name: FileName, _ layout: RecordLayout, _ fields: RecordFields) -> RecordOrigin {
        RecordOrigin(source: (options.name ?? name).exactText, layout: layout, fields: fields)
    }

    private func cutter(_ origin: RecordOrigin) -> RecordCutter {
        RecordCutter(origin, firstRecord: options.firstRecord, firstOffset: options.firstOffset)
    }

    private mutating func start(
        _ path: Path,
        _ descriptor: Int32,
        size: Int? = nil,
        child: System.Child? = nil,
        _ batch: inout RecordBatch
    ) {
        var open = OpenSource(
            name: path.name,
            descriptor: descriptor,
            child: child,
            size: size,
            cutter: cutter(origin(of: path.name, RecordLayout(.file), options.fields)),
            head: options.isTracked && size == nil ? [] : nil
        )
        do throws(CorpusFailure) {
            open.cutter = cutter(try describe(path, &open))
            current = open
        } catch {
            fail(error.message)
            _ = close(open)
            append(path.name, .sourceNotRead, &batch)
        }
    }
}
