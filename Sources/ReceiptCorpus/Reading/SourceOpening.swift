import Bytes
import SHA
import SystemCalls

/// Opening of files, standard input and decompressors, and the walk of directories.
extension CorpusSources {
    /// The action for a name.
    enum Step {
        case nothing
        case standardInput
        case file(System.FileStatus)
        case unreadable(System.Failure?)
    }

    /// Processes a name up to the point where it would be opened. A directory is walked.
    mutating func step(_ path: Path) -> Step {
        passed.passed += 1
        guard !path.name.isStandardInput else { return .standardInput }
        do throws(System.Failure) {
            let status = try System.status(path: path.name.bytes, followsLinks: follows(path))
            guard status.kind != .link else {
                ignoreLink(path.name)
                return .nothing
            }
            guard !options.outputs.contains(status.identity) else {
                fail("\(path.name.printable) leads to a file that this run writes, and is not read")
                return .nothing
            }
            if status.kind == .directory {
                walk(path, status.identity)
                return .nothing
            }
            if path.isFound { note(SourceIdentity(of: path.name, head: SourceIdentity.foundHead)) }
            // Opening a pipe or a device that was found could wait for ever.
            return status.kind == .regular || !path.isFound ? .file(status) : .unreadable(nil)
        } catch {
            if path.isFound { note(SourceIdentity(of: path.name, head: SourceIdentity.foundHead)) }
            // Without a status, the name may be a directory with many records.
            guard error.isAbsence || !path.isFound else {
                fail("cannot read \(path.name.printable): \(error.message)")
                return .nothing
            }
            return .unreadable(error)
        }
    }

    /// Whether the name may be a symbolic link. A name that the caller passed may always be one.
    private func follows(_ path: Path) -> Bool { !path.isFound || options.followsLinks }

    private mutating func ignoreLink(_ name: FileName) {
        note(SourceIdentity(ofLink: name))
        ignoredLinks += 1
        // A directory may hold very many links. The end of the run counts them.
        guard ignoredLinks == 1 else { return }
        messages.append("\(name.printable) is a symbolic link and is not followed: see --follow-links")
    }

    private mutating func note(_ identity: @autoclosure () -> SourceIdentity) {
        guard options.isTracked else { return }
        passed.chain = SHA256.digest(of: (passed.chain + identity().bytes).borrowedSpan).bytes
    }

    /// Opens a source. A file of a directory that cannot be opened becomes a record of the batch.
    mutating func open(_ path: Path, _ batch: inout RecordBatch) {
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
        let descriptor = try System.openFile(
            path: path.name.bytes,
            waits: false,
            followsLinks: follows(path)
        )
        guard let program = Self.decompressor(path.name) else {
            let isRegular = status.kind == .regular
            let size = isRegular ? status.size : nil
            return start(path, descriptor: descriptor, mayWait: !isRegular, size: size, child: nil)
        }
        defer { try? System.closeDescriptor(descriptor) }
        // The program would take a pipe that has no writer yet for a pipe that has ended.
        while !System.isReadable(descriptor, milliseconds: 100), !System.isInterrupted {}
        do throws(System.Failure) {
            let child = try System.start(program, input: descriptor)
            start(path, descriptor: child.output, mayWait: true, size: nil, child: child)
        } catch {
            fail("\(path.name.printable) needs \(program[0]): \(error.message)")
        }
    }

    private mutating func walk(_ path: Path, _ identity: System.FileIdentity) {
        // Links may lead back to a directory that was walked.
        if !path.isFound { visited = [] }
        guard visited.insert(identity).inserted else { return }
        let separator = path.name.bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        let names: [[UInt8]]
        do throws(System.Failure) {
            names = try System.names(inDirectory: path.name.bytes, followsLinks: follows(path))
        } catch {
            // The number of records in the directory is unknown.
            return fail("cannot read \(path.name.printable): \(error.message)")
        }
        note(SourceIdentity(ofDirectory: path.name, names: names))
        for name in names.reversed() {
            paths.append(Path(name: FileName(bytes: path.name.bytes + separator + name), isFound: true))
        }
    }

    /// Reports a file that cannot be read: as a record if the file is one receipt, and as a failed source
    /// otherwise, because the number of its records is unknown.
    private mutating func reportUnreadable(
        _ path: Path,
        _ failure: System.Failure?,
        _ batch: inout RecordBatch
    ) {
        if !path.isFound || (options.format ?? .file) != .file, let failure {
            return fail("cannot read \(path.name.printable): \(failure.message)")
        }
        let origin = RecordOrigin(
            source: path.name.exactText,
            layout: RecordLayout(.file),
            fields: options.fields
        )
        batch.append([], in: 0..<0, origin, number: 1, offset: 0, fault: .cannotRead)
    }

    /// The program that decompresses a file, by the file's name; nil for a file that is not compressed.
    static func decompressor(_ name: FileName) -> [String]? {
        if name.hasSuffix(".gz") { return ["gzip", "-dc"] }
        if name.hasSuffix(".zst") { return ["zstd", "-dcq"] }
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
        fail(problem)
        close(open)
    }
}
