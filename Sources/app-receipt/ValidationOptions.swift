import AppReceipt
import Basics
import Processor
import ReceiptCorpus
import SHA
import SignedPayloads
import SystemCalls

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
              path; if-present refuses a certificate that is revoked. Evidence must be fresh at --now, or else at
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
    /// Returns the policy for receipts that the options ask for. If no option gives the expected value of a
    /// check, the policy leaves the check out.
    ///
    /// - Parameters:
    ///   - files: the contents of the files of `--root`, `--issuer`, `--ocsp` and `--crl`. If nil, the files
    ///     are read now.
    ///   - present: the time that "now" stands for, and that evidence must be fresh at without `--now`.
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

    /// Returns the processor's instructions that `--portable` and `--without` leave. Throws a usage `Failure`
    /// if `--without` names an instruction set that `Acceleration.flags` does not list.
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

    /// The values that an option on the command line gives as the accepted ones. Nil means that all are
    /// accepted: without the option, and for `any`. Throws if the option has `any` and another value.
    private func expected(_ option: String) throws(Failure) -> [String]? {
        let values = all(option).map(\.text)
        guard values.contains("any") else { return values.isEmpty ? nil : values }
        guard values.allSatisfy({ $0 == "any" }) else {
            throw .usage("\(option) any accepts everything; leave out the other values of \(option)")
        }
        return nil
    }

    /// Whether the names of environments may be those of tokens: with `--kind`, and without it for
    /// commands that recognise tokens. A corpus without `--kind` has receipts alone.
    private var hasTokens: Bool {
        func declares(_ name: String) -> Bool { options.contains { $0.name == name } }
        return has("--kind") || declares("--kind") && !declares("--field")
    }

    /// The names that `--environment` on the command line gives as the accepted ones, of environments of
    /// receipts or tokens; nil for `any`, or without the option. Throws for an unknown name, and for one
    /// that contradicts `--xcode-testing`.
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

    /// The time that an option gives: a date, or `present` for `now`. Nil without the option. Throws for
    /// other words.
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
}
