/// Sees to it that nothing is written to what is read.
struct OutputGuard {
    private let inputs: Set<System.FileIdentity>
    private let walked: Set<System.FileIdentity>
    /// Where messages go, or results.
    private let streams: Set<System.FileIdentity>
    /// The files that are written, by themselves and by their place.
    private(set) var files: Set<System.FileIdentity> = []
    private var places: Set<Place> = []
    /// The directories that the results are in, from the nearest to the root.
    private(set) var directories: Set<System.FileIdentity> = []

    /// Where a file is, be it there or not.
    private struct Place: Hashable {
        let directory: System.FileIdentity
        let name: [UInt8]
    }

    /// - Parameter sources: as they were named.
    init(_ sources: [Argument], _ arguments: Arguments) throws(Failure) {
        var inputs: Set<System.FileIdentity> = []
        var walked: Set<System.FileIdentity> = []
        for source in sources {
            let status =
                source.isStandardInput
                ? try? System.status(descriptor: System.standardInput)
                : try? System.status(path: source.bytes)
            switch status?.kind {
            case .directory: walked.formUnion(status.map { [$0.identity] } ?? [])
            // Reading a terminal or a pipe takes nothing from what is written to it.
            case .regular: inputs.formUnion(status.map { [$0.identity] } ?? [])
            case .other, nil: break
            }
        }
        (self.inputs, self.walked) = (inputs, walked)
        let streams = [System.standardOutput, System.standardError].map(Self.regular)
        self.streams = Set(streams.compactMap { $0 })
        guard let out = arguments.last(CorpusOptions.out) else {
            if let output = streams[0] {
                guard !inputs.contains(output) else {
                    throw .usage("standard output is a file that is one of the sources")
                }
                files.insert(output)
            }
            try takeSummary(arguments)
            return
        }
        try take(out, CorpusOptions.out)
        for name in CheckpointFile(beside: out).names { try take(name, CorpusOptions.out) }
        directories = Set(Self.directories(above: Self.resolved(out)))
        try takeSummary(arguments)
    }

    private mutating func takeSummary(_ arguments: Arguments) throws(Failure) {
        if let summary = arguments.last(CorpusOptions.summary) { try take(summary, CorpusOptions.summary) }
    }

    /// - Throws: `Failure` of usage where a file must not be written.
    private mutating func take(_ name: Argument, _ option: Option) throws(Failure) {
        guard !name.isStandardInput else {
            throw .usage("\(option.name) - is no file: without --out, results go to standard output")
        }
        let words = "\(option.name) \(name.printable)"
        let path = Self.resolved(name)
        let status = try? System.status(path: path)
        if let status, status.kind == .regular {
            guard !inputs.contains(status.identity) else { throw .usage("\(words) is one of the sources") }
            guard option.name == CorpusOptions.summary.name || !streams.contains(status.identity) else {
                throw .usage("\(words) is where standard output or standard error goes")
            }
            guard files.insert(status.identity).inserted else {
                throw .usage("\(words) is a file that is written already")
            }
        } else if status == nil, System.isLink(path: name.bytes) {
            throw .usage("\(words) is a link to what is not there")
        }
        let directories = Self.directories(above: path)
        guard walked.isDisjoint(with: directories) else {
            throw .usage("\(words) is inside of a directory that is read")
        }
        let slash = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        guard let directory = directories.first else { return }
        guard places.insert(Place(directory: directory, name: Array(path[slash...]))).inserted else {
            throw .usage("\(words) is a file that is written already")
        }
    }

    private static func regular(_ descriptor: Int32) -> System.FileIdentity? {
        guard let status = try? System.status(descriptor: descriptor), status.kind == .regular else {
            return nil
        }
        return status.identity
    }

    /// What is there, without the links that lead to it.
    private static func resolved(_ name: Argument) -> [UInt8] { System.realPath(name.bytes) ?? name.bytes }

    /// Upwards, until the root, which is its own parent.
    private static func directories(above path: [UInt8]) -> [System.FileIdentity] {
        let slash = UInt8(ascii: "/")
        var directory = path.lastIndex(of: slash).map { Array(path[...$0]) } ?? Array("./".utf8)
        var identities: [System.FileIdentity] = []
        while let identity = try? System.status(path: directory).identity, identity != identities.last {
            identities.append(identity)
            directory += Array("../".utf8)
        }
        return identities
    }
}
