import AppReceipt
import Basics
import PKIX
import ReceiptCorpus
import ReceiptResults
import SHA
import SystemCalls
import TransactionReceipt

/// The options that only `corpus verify` has.
extension Arguments {
    /// The names of all sources, from operands and from `--files-from`. Throws if there is none, if the list
    /// cannot be read or has 1 GiB or more, or if standard input is both the list and a source.
    func sources() throws(Failure) -> [FileName] {
        var names = operands
        if let list = last("--files-from") {
            // The limit is more than the names of ten million files take.
            let bytes = try Input.file(list, of: "--files-from", limit: 1 << 30, "larger than 1 GiB")
            let separator: UInt8 = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
            names += bytes.split(separator: separator).map { FileName(bytes: Array($0)) }
            guard !list.isStandardInput || !names.contains(where: \.isStandardInput) else {
                throw .usage("standard input is the list of --files-from, and no source")
            }
            guard !names.isEmpty else {
                throw .usage("--files-from \(list.printable) names no source")
            }
        }
        guard !names.isEmpty else { throw .usage("which source? Name one, or - for standard input") }
        return names
    }

    func corpusJudge(_ certificates: Certificates, at present: Timestamp) throws(Failure) -> CorpusJudge {
        for option in ["--environment", "--bundle-id", "--device-id"]
        where has(option) && has("\(option)-field") {
            throw .usage("\(option) and \(option)-field exclude each other")
        }
        if has("--xcode-testing"), has("--environment-field") {
            throw .usage("--xcode-testing accepts the environment Xcode alone; leave out --environment-field")
        }
        let policy = try policy(certificates, at: present)
        return CorpusJudge(
            policy: policy,
            tokenPolicy: try tokenPolicy(policy, certificates, at: present),
            form: ResultForm(
                detail: try choice("--fields", ReceiptDetail.init(rawValue:)) ?? .brief,
                rows: try choice("--rows", ResultRows.init(rawValue:)) ?? .records,
                isCSV: has("--csv"),
                kept: try recordFields().kept,
                kind: try tokenKind()
            ),
            isOnlyInvalid: has("--only-invalid")
        )
    }

    /// The options that must be unchanged when a run is continued: one text for each value of an option, or
    /// for an option that takes no value. The value of a certificate, an OCSP response or a CRL is its
    /// SHA-256 digest.
    func settings(_ certificates: Certificates) -> [String] {
        // These options do not influence the results. For `--files-from`, the sources are compared. A
        // certificate is compared by its content, not by its file's name.
        let others = [
            "--jobs", "--out", "--resume", "--checkpoint-every", "--summary", "--progress", "--quiet",
            "--allow-unreadable", "--fail-on", "--files-from", "--portable", "--without", "--root",
            "--issuer", "--ocsp",
            "--crl",
        ]
        let given = options.map(\.name).filter { !others.contains($0) && has($0) }.flatMap { option in
            all(option).isEmpty ? [option] : all(option).map { "\(option) \($0.exactText)" }
        }
        let issuers = certificates.issuers.map { HashAlgorithm.sha256.digest(of: $0.bytes.borrowedSpan) }
        return given + certificates.anchors.map { "--root of SHA-256 \($0.fingerprint)" }
            + issuers.map { "--issuer of SHA-256 \($0)" }
            + certificates.pieces.map { option, bytes in
                "\(option) of SHA-256 \(HashAlgorithm.sha256.digest(of: bytes.borrowedSpan))"
            }
    }

    func corpusOptions(_ names: [FileName]) throws(Failure) -> CorpusVerification.Options {
        var options = CorpusVerification.Options()
        options.sources = try sourceOptions(isOneFile: names.count == 1 && !Self.isDirectory(names[0]))
        options.jobs = min(try number("--jobs", 1...Self.largest) ?? System.processorCount, 256)
        options.checkpointInterval = try number("--checkpoint-every", 0...Self.largest) ?? 5
        options.out = last("--out")
        for option in ["--resume", "--checkpoint-every"] where has(option) && options.out == nil {
            throw .usage("\(option) is for a run with --out")
        }
        options.isResuming = has("--resume")
        options.summary = last("--summary")
        options.inputs = all("--files-from")
        options.isQuiet = has("--quiet")
        options.allowsUnreadable = has("--allow-unreadable")
        return options
    }

    private static func isDirectory(_ name: FileName) -> Bool {
        !name.isStandardInput && (try? System.status(path: name.bytes))?.kind == .directory
    }

    private func sourceOptions(isOneFile: Bool) throws(Failure) -> CorpusSources.Options {
        var options = CorpusSources.Options()
        if let word = last("--format") {
            guard let format = CorpusFormat(rawValue: word.text) else {
                throw .usage("--format is none of \(CorpusFormat.names)")
            }
            options.format = format
        }
        options.delimiter = try delimiter()
        if let format = options.format, options.delimiter != nil, !format.hasColumns {
            throw .usage("--delimiter is for csv, tsv and pgcopy, and not for \(format.rawValue)")
        }
        options.fields = try recordFields()
        options.hasHeader = !has("--no-header")
        options.name = last("--source")
        options.firstRecord = try number("--first-record", 1...Self.largest) ?? 1
        options.firstOffset = try number("--first-offset", 0...Self.largest) ?? 0
        for option in ["--source", "--first-record", "--first-offset"] where has(option) && !isOneFile {
            throw .usage("\(option) is for one source that is no directory")
        }
        return options
    }

    /// The largest number that `--jobs`, `--checkpoint-every`, `--first-record` and `--first-offset`
    /// accept. Checkpoints hold numbers up to 2^53.
    private static let largest = 1 << 52

    /// The fields that options name. Throws if `--keep` has an empty name, one name twice, or more than 256
    /// names. Also throws what ``tokenKind()`` throws.
    private func recordFields() throws(Failure) -> RecordFields {
        func name(_ option: String) -> FieldName? { last(option).map { FieldName($0.text) } }
        var fields = RecordFields(for: try tokenKind())
        fields.receipt = name("--field")
        fields.environment = name("--environment-field")
        fields.bundleIdentifier = name("--bundle-id-field")
        fields.deviceIdentifier = name("--device-id-field")
        for word in all("--keep") {
            for name in word.text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
                guard !name.isEmpty else {
                    throw .usage("--keep \(word.printable) names a field without characters")
                }
                guard !fields.kept.contains(where: { $0.text.hasSameBytes(as: name) }) else {
                    throw .usage("--keep names \(name.printable) twice")
                }
                fields.kept.append(FieldName(name))
                guard fields.kept.count <= RecordFields.maximumKept else {
                    throw .usage("--keep names more than \(RecordFields.maximumKept) fields")
                }
            }
        }
        return fields
    }

    /// The byte that `--delimiter` names, or nil without that option.
    ///
    /// Accepts `tab`, `\t`, a tab, a space, and one punctuation character of ASCII other than `"` and `\`.
    /// Throws a usage `Failure` for anything else.
    private func delimiter() throws(Failure) -> UInt8? {
        guard let word = last("--delimiter") else { return nil }
        if word.text == "tab" || word.text == "\\t" { return UInt8(ascii: "\t") }
        // A quote, a backslash, a line end and a letter or digit have another meaning in these formats.
        guard word.bytes.count == 1, let byte = word.bytes.first, byte == 9 || (0x20..<0x7F).contains(byte),
            Hexadecimal.value(of: byte) == nil, !"\"\\".utf8.contains(byte),
            !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        else {
            throw .usage("--delimiter \(word.printable) is not one punctuation character, nor tab")
        }
        return byte
    }
}
