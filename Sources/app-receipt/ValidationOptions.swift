import AppReceipt
import Basics
import PKIX
import Processor
import ReceiptCorpus
import ReceiptResults
import Revocation
import SHA
import SignedPayloads
import SystemCalls
import TransactionReceipt

// The options that `verify`, `corpus verify` and `inspect` share, and the policy that they make.

extension Command {
    static var validationOptions: String {
        """
          --bundle-id IDENTIFIER|any  (repeatable)
              The app's bundle identifier, byte for byte. If several are given, one of them must match.
              any accepts the receipts of every app.
          --environment NAME|any  (repeatable)
              The environment of the receipt. If several are given, one of them must match. TestFlight and App
              Review use ProductionSandbox. One of \(environmentNames).
              any accepts every environment, the free ones too.
          --app-version VERSION
              The app's version, byte for byte.
          --device-id HEX|UUID  (repeatable)
              The device: identifierForVendor, or the address of the network interface in hexadecimal.
              If several are given, one of them must match.
        \(rootOption)
          --issuer FILE  (repeatable)
              A certificate in DER or PEM between a transaction receipt's signer and a root. Transaction receipts do
              not contain it. Apple's are built in.
        \(distrustOption)
          --ocsp FILE  (repeatable)
              An OCSP response in DER about a certificate of the path. Nothing is fetched.
          --crl FILE  (repeatable)
              A revocation list in DER or PEM.
          --revocation required|if-present
              With --ocsp or --crl: required, the default, refuses what lacks fresh evidence for a certificate of the
              path; if-present refuses only a certificate that is revoked. Evidence must be fresh at --now, or else at
              the present time.
          --without-markers
              Only with --root: accept certificates without Apple's marker extensions, as a private PKI has them.
          --xcode-testing
              Trust the certificate of StoreKit testing in Xcode, and accept the environment Xcode alone. Anybody
              can make such receipts. With --root: another self-signed certificate of that kind.
          --at creation|now|DATE
              When the certificates must be valid; by default at the receipt's creation date, as Apple
              judges. A DATE is 2023-02-22T14:30:15Z, or 2023-02-22 for its first moment.
          --now now|DATE
              The time that the expiration date of a Volume Purchase receipt is compared with.
          --require-sha256
              Refuse signatures over SHA-1.
        \(instructionOptions)
        """
    }

    static let rootOption = """
          --root FILE|FINGERPRINT  (repeatable)
              A root to trust in place of Apple's: a certificate in DER or PEM, or its SHA-256
              fingerprint in hexadecimal, with or without colons.
        """

    static let distrustOption = """
          --distrust FINGERPRINT  (repeatable)
              Refuse what was signed under a certificate, or a SubjectPublicKeyInfo, with this SHA-256 fingerprint in
              hexadecimal, whatever date it claims.
        """

    static let instructionOptions = """
          --portable
              Hash, verify and decode base64 without special instructions of the processor. Verdicts do not change.
          --without INSTRUCTIONS  (repeatable)
              Do without these instructions of the processor, to see what they gain. On this architecture:
              \(instructionNames). Verdicts do not change.
        """
}

private var environmentNames: String { ReceiptEnvironment.allCases.map(\.name).joined(separator: ", ") }
private var instructionNames: String { Acceleration.flags.joined(separator: ", ") }

extension Arguments {
    /// Returns the policy that the options ask for. If no option gives the expected value of a check, the
    /// policy leaves the check out, and the results list it.
    ///
    /// - Parameters:
    ///   - files: the certificates that `--root` and `--issuer` name. If nil, their files are read now.
    ///   - present: the time that "now" stands for.
    /// - Throws: `Failure` for an option whose value makes no sense or whose file cannot be read.
    func policy(
        _ files: Certificates? = nil,
        at present: Timestamp = System.now
    ) throws(Failure) -> ReceiptPolicy {
        let given: Certificates
        if let files { given = files } else { given = try Certificates(self) }
        return ReceiptPolicy(
            environments: try environments(),
            bundleIdentifier: try expected("--bundle-id").map { .oneOf($0) } ?? .any,
            trust: try trust(given.anchors),
            issuers: given.issuers,
            appVersion: last("--app-version")?.text,
            deviceIdentifiers: has("--device-id") ? try all("--device-id").map(Self.device) : nil,
            now: try time("--now", present),
            minimumDigest: has("--require-sha256") ? .sha256 : .sha1,
            distrusted: try distrusted(),
            revocation: try revocation(given, at: present),
            pathTime: last("--at")?.text == "creation" ? nil : try time("--at", present),
            acceleration: try acceleration()
        )
    }

    /// Returns the processor's instructions that `--portable` and `--without` leave, or throws.
    private func acceleration() throws(Failure) -> Acceleration {
        var allowed = has("--portable") ? .none : System.acceleration
        for word in all("--without") {
            for flag in word.text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let others = allowed.without(String(flag)) else {
                    throw .usage("--without \(word.printable): the instructions are \(instructionNames)")
                }
                allowed = others
            }
        }
        return allowed
    }

    // MARK: Expectations

    /// Refuses a command line that does not say which environment and bundle identifier it expects: by an
    /// option, or by an option for the field of a record, if the command has such options.
    func requireExpectations() throws(Failure) {
        let missing = [("--bundle-id", "com.example.app"), ("--environment", "Production")]
            .filter { option, _ in !has(option) && !has("\(option)-field") }
        guard !missing.isEmpty else { return }
        let fields = missing.map { "\($0.0)-field" }.filter { field in options.contains { $0.name == field } }
        let verb = fields.count > 1 ? "read them" : "reads it"
        let alternative =
            fields.isEmpty ? "" : ", and \(fields.joined(separator: " and ")) \(verb) from each record"
        let examples = missing.map { "\($0.0) \($0.1)" }.joined(separator: " ")
        throw .usage(
            "say which receipts to accept: add for example \(examples) (any accepts all\(alternative))"
        )
    }

    /// The accepted values of an option; nil, for all, without the option or for `any`, which stands alone.
    private func expected(_ option: String) throws(Failure) -> [String]? {
        let values = all(option).map(\.text)
        guard values.contains("any") else { return values.isEmpty ? nil : values }
        guard values.allSatisfy({ $0 == "any" }) else {
            throw .usage("\(option) any accepts everything; leave out the other values of \(option)")
        }
        return nil
    }

    /// Whether an input can be a token: a corpus without `--kind` has receipts alone.
    private var hasTokens: Bool {
        func declares(_ name: String) -> Bool { options.contains { $0.name == name } }
        return has("--kind") || declares("--kind") && !declares("--field")
    }

    /// The names of the accepted environments, of receipts or tokens; nil for all. Throws for other names.
    func expectedEnvironments() throws(Failure) -> [String]? {
        guard let names = try expected("--environment") else { return nil }
        for name in names { try checkEnvironment(name) }
        guard has("--xcode-testing") else { return names }
        let accepted = hasTokens ? ["Xcode", "LocalTesting"] : ["Xcode"]
        guard names.allSatisfy(accepted.contains) else {
            throw .usage("--xcode-testing accepts one environment; write --environment Xcode")
        }
        return names
    }

    private func environments() throws(Failure) -> EnvironmentExpectation {
        let accepted = try expectedEnvironments()?.compactMap(ReceiptEnvironment.init(name:))
        return accepted.map { .only($0) } ?? (has("--xcode-testing") ? .only(.xcode) : .any)
    }

    /// The names that an environment can have: the names in tokens, the names in receipts, or both.
    private var knownEnvironments: [String] {
        let ofTokens = StoreEnvironment.allCases.map(\.name)
        guard !has("--kind") else { return ofTokens }
        let others = hasTokens ? ofTokens.filter { ReceiptEnvironment(name: $0) == nil } : []
        return ReceiptEnvironment.allCases.map(\.name) + others
    }

    /// Throws unless a word is the name of an environment. The error proposes the name that a misspelt word
    /// probably means: other case, up to two wrong letters, or the end of the name alone, such as Sandbox.
    private func checkEnvironment(_ word: String) throws(Failure) {
        let names = knownEnvironments
        guard !names.contains(where: { $0.hasSameBytes(as: word) }) else { return }
        let lower = word.lowercased()
        let nearest =
            names.first { lower.nearest(in: [$0.lowercased()]) != nil }
            ?? names.first { lower.utf8.count > 2 && $0.lowercased().hasSuffix(lower) }
        let advice = nearest.map { " (did you mean \($0)?)" } ?? ""
        throw .usage(
            "--environment \(word.printable) is none of \(names.joined(separator: ", ")), any\(advice)"
        )
    }

    static func device(_ word: Argument) throws(Failure) -> DeviceIdentifier {
        guard let device = DeviceIdentifier(word.text) else {
            throw .usage("--device-id \(word.printable) is neither a UUID nor 32 or 12 hexadecimal digits")
        }
        return device
    }

    // MARK: Time

    /// The time that an option gives, `present` for `now`; nil without the option. Throws for other words.
    func time(_ option: String, _ present: Timestamp = System.now) throws(Failure) -> Timestamp? {
        guard let word = last(option) else { return nil }
        return try Self.time(word, option, present)
    }

    static func time(
        _ word: Argument,
        _ option: String,
        _ present: Timestamp = System.now
    ) throws(Failure) -> Timestamp {
        if word.text == "now" { return present }
        let isDateAlone = word.bytes.count == 10
        guard let time = Timestamp(rfc3339: isDateAlone ? word.text + "T00:00:00Z" : word.text) else {
            throw .usage(
                "\(option) \(word.text.printable) is no date; write for example 2023-02-22T14:30:15Z"
            )
        }
        return time
    }

    // MARK: Trust

    /// The certificates of `--root` and `--issuer`, read once, because a file may be a pipe.
    struct Certificates {
        /// The trusted roots that `--root` gives, as certificates or fingerprints.
        private(set) var anchors: [TrustAnchor] = []
        /// The intermediate certificates of transaction receipts that `--issuer` gives.
        private(set) var issuers: [IssuerCertificate] = []
        /// The evidence about revocation that `--ocsp` and `--crl` give; nil without these options.
        private(set) var evidence: RevocationEvidence?
        /// The pieces of the evidence, with the option that gave each.
        private(set) var pieces: [(option: String, bytes: [UInt8])] = []

        init(_ arguments: Arguments) throws(Failure) {
            for word in arguments.all("--root") { anchors += try trustAnchors(word) }
            for word in arguments.all("--issuer") {
                issuers += try decoded("--issuer", word, try Input.file(word)) { bytes throws(Refusal) in
                    try IssuerCertificate(bytes)
                }
            }
            try readEvidence(arguments)
        }

        /// Reads the evidence. An error names the file of the piece that is refused.
        private mutating func readEvidence(_ arguments: Arguments) throws(Failure) {
            var (responses, lists): ([[UInt8]], [[UInt8]]) = ([], [])
            var files: (responses: [Argument], lists: [Argument]) = ([], [])
            for word in arguments.all("--ocsp") {
                responses.append(try Input.file(word))
                files.responses.append(word)
            }
            for word in arguments.all("--crl") {
                let found = try decoded("--crl", word, try Input.file(word), .revocationList) { $0 }
                lists += found
                files.lists += found.map { _ in word }
            }
            guard !responses.isEmpty || !lists.isEmpty else { return }
            pieces = responses.map { ("--ocsp", $0) } + lists.map { ("--crl", $0) }
            do throws(RevocationEvidenceError) {
                evidence = try RevocationEvidence(ocspResponses: responses, revocationLists: lists)
            } catch {
                let place = "(\(error.refusal.code.name) at byte \(error.refusal.offset))"
                let reason = "\(error.refusal.code.meaning) \(place)"
                switch error.piece {
                case .ocspResponse(let index)?:
                    throw .usage("--ocsp \(files.responses[index].printable) cannot be used: \(reason)")
                case .revocationList(let index)?:
                    throw .usage("--crl \(files.lists[index].printable) cannot be used: \(reason)")
                case nil: throw .usage("the evidence cannot be used: \(reason)")
                }
            }
        }
    }

    /// Returns the trust policy that the options ask for, or throws if they exclude each other.
    private func trust(_ anchors: [TrustAnchor]) throws(Failure) -> TrustPolicy {
        if has("--without-markers") {
            guard has("--root") else {
                throw .usage(
                    "--without-markers is for a private PKI: add --root FILE (under Apple's roots, the certificate "
                        + "of every developer could sign receipts)"
                )
            }
            guard !has("--xcode-testing") else {
                throw .usage("--xcode-testing asks for no markers; leave out --without-markers")
            }
        }
        if has("--xcode-testing") {
            return anchors.isEmpty ? .xcodeTesting : .xcodeTesting(pinned: anchors)
        }
        guard !anchors.isEmpty else { return .appStore }
        return .pinned(anchors, requiringMarkers: !has("--without-markers"))
    }

    /// The certificates and keys that `--distrust` names.
    private func distrusted() throws(Failure) -> DistrustList {
        var digests: [Digest] = []
        for word in all("--distrust") {
            guard let digest = Self.fingerprint(word) else {
                throw .usage(
                    "--distrust \(word.printable) is not a SHA-256 fingerprint of 64 hexadecimal digits"
                )
            }
            digests.append(digest)
        }
        return DistrustList(digests)
    }

    /// The policy of revocation that the options ask for, for any kind of key; nil if none is asked for.
    func revocation<Key: SignatureKey>(
        _ files: Certificates,
        at present: Timestamp
    ) throws(Failure) -> RevocationPolicy<Key>? {
        let choice = last("--revocation")
        guard let evidence = files.evidence else {
            guard choice == nil else {
                throw .usage("--revocation needs evidence: add --ocsp FILE or --crl FILE")
            }
            return nil
        }
        let now = try time("--now", present) ?? present
        switch choice?.text {
        case nil, "required": return .required(evidence, now: now)
        case "if-present": return .ifPresent(evidence, now: now)
        default: throw .usage("--revocation \(choice?.printable ?? "") is neither required nor if-present")
        }
    }

    /// The trusted roots in words, such as `Apple's roots`, for a sentence.
    var trustedRoots: String {
        if has("--root") { return "the given roots" }
        return has("--xcode-testing")
            ? "Xcode's certificate, with which anybody can sign" : "Apple's roots"
    }
}

// MARK: Certificates in files

private func trustAnchors(_ word: Argument) throws(Failure) -> [TrustAnchor] {
    if let digest = Arguments.fingerprint(word), let anchor = TrustAnchor(fingerprint: digest) {
        return [anchor]
    }
    let bytes: [UInt8]
    do throws(Failure) {
        bytes = try Input.file(word)
    } catch {
        guard !word.bytes.allSatisfy({ Hexadecimal.value(of: $0) != nil || $0 == UInt8(ascii: ":") }) else {
            throw .usage(
                "--root \(word.printable) is neither a file that can be read nor a SHA-256 fingerprint of 64 "
                    + "hexadecimal digits"
            )
        }
        throw error
    }
    return try decoded("--root", word, bytes) { bytes throws(Refusal) in try TrustAnchor(certificate: bytes) }
}

extension Arguments {
    /// Reads a SHA-256 digest of 64 hexadecimal digits, with colons between bytes or without; else nil.
    static func fingerprint(_ word: Argument) -> Digest? {
        let digits = word.bytes.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 64, word.bytes.count == 64 || word.bytes.count == 95 else { return nil }
        return Hexadecimal.bytes(of: digits).flatMap { Digest(.sha256, bytes: $0.borrowedSpan) }
    }
}

/// The contents of a file that an option names.
private enum FileContents {
    case certificate, revocationList

    /// The labels in PEM (RFC 7468) of blocks that hold such contents.
    var labels: [String] {
        switch self {
        case .certificate: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        case .revocationList: ["X509 CRL"]
        }
    }

    var name: String {
        switch self {
        case .certificate: "certificate"
        case .revocationList: "revocation list"
        }
    }
}

/// Decodes the certificates or lists in the file that an option names: those in PEM, or one in DER.
///
/// Skips blocks whose label names something else. Throws if a block is not closed or no base64 of a SEQUENCE,
/// if a certificate does not decode, or if there is none.
private func decoded<Value>(
    _ option: String,
    _ word: Argument,
    _ bytes: [UInt8],
    _ contents: FileContents = .certificate,
    _ decode: ([UInt8]) throws(Refusal) -> Value
) throws(Failure) -> [Value] {
    let blocks =
        ReceiptInput.isContainer(bytes.borrowedSpan)
        ? [] : PEM.blocks(bytes.borrowedSpan, in: bytes.indices, limit: bytes.count)
    var values: [Value] = []
    var place = ""
    do throws(Refusal) {
        if blocks.isEmpty { values.append(try decode(bytes)) }
        for block in blocks {
            guard block.isClosed else { throw Refusal(.unclosedBlock, at: block.start, reading: "PEM") }
            let label = String(decoding: bytes[block.label], as: UTF8.self)
            guard contents.labels.contains(label) else { continue }
            values.append(try decode(try certificate(bytes[block.body])))
        }
    } catch {
        place = " (\(error.code.name) at byte \(error.offset))"
    }
    guard place.isEmpty, !values.isEmpty else {
        throw .usage("\(option) \(word.printable) is not a \(contents.name) in DER or PEM\(place)")
    }
    return values
}

/// Decodes the base64 of a PEM block. The offset of an error counts from the start of the file.
private func certificate(_ body: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
    do throws(ReceiptError) {
        return try ReceiptInput.decode([UInt8](body))
    } catch {
        throw error.refusal.moved(to: body.startIndex + error.offset)
    }
}
