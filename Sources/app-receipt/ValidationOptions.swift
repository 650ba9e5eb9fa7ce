import AppReceipt
import Bytes
import DER
import PKIX
import Processor
import ReceiptCorpus
import ReceiptResults
import SHA
import SystemCalls
import TransactionReceipt

/// The options that `verify`, `corpus verify` and `inspect` share, and the validator that they make.
enum ValidationOptions {
    static let bundleIdentifier = Option(
        "--bundle-id",
        value: "IDENTIFIER|any",
        isRepeatable: true,
        "The app's bundle identifier, byte for byte. If several are given, one of them must match.",
        "any accepts the receipts of every app."
    )
    static let environment = Option(
        "--environment",
        value: "NAME|any",
        isRepeatable: true,
        "The environment of the receipt. If several are given, one of them must match. TestFlight and App",
        "Review use ProductionSandbox. One of \(environmentNames).",
        "any accepts every environment, the free ones too."
    )
    static let appVersion = Option("--app-version", value: "VERSION", "The app's version, byte for byte.")
    static let deviceIdentifier = Option(
        "--device-id",
        value: "HEX|UUID",
        isRepeatable: true,
        "The device: identifierForVendor, or the address of the network interface in hexadecimal.",
        "If several are given, one of them must match."
    )
    static let root = Option(
        "--root",
        value: "FILE|FINGERPRINT",
        isRepeatable: true,
        "A root to trust in place of Apple's: a certificate in DER or PEM, or its SHA-256",
        "fingerprint in hexadecimal, with or without colons."
    )
    static let issuer = Option(
        "--issuer",
        value: "FILE",
        isRepeatable: true,
        "A certificate in DER or PEM between a transaction receipt's signer and a root. Transaction receipts do",
        "not contain it. Apple's are built in."
    )
    static let withoutMarkers = Option(
        "--without-markers",
        "Only with --root: accept certificates without Apple's marker extensions, as a private PKI has them."
    )
    static let xcodeTesting = Option(
        "--xcode-testing",
        "Trust the certificate of StoreKit testing in Xcode, and accept the environment Xcode alone. Anybody",
        "can make such receipts. With --root: another self-signed certificate of that kind."
    )
    static let at = Option(
        "--at",
        value: "creation|now|DATE",
        "When the certificates must be valid; by default at the receipt's creation date, as Apple",
        "judges. A DATE is 2023-02-22T14:30:15Z, or 2023-02-22 for its first moment."
    )
    static let now = Option(
        "--now",
        value: "now|DATE",
        "The time that the expiration date of a Volume Purchase receipt is compared with."
    )
    static let requireSHA256 = Option("--require-sha256", "Refuse signatures over SHA-1.")

    static let portable = Option(
        "--portable",
        "Hash, verify and decode base64 without special instructions of the processor. Verdicts do not change."
    )

    static let without = Option(
        "--without",
        value: "INSTRUCTIONS",
        isRepeatable: true,
        "Do without these instructions of the processor, to see what they gain. On this architecture:",
        Acceleration.flags.joined(separator: ", ") + ". Verdicts do not change."
    )

    static let all = [
        bundleIdentifier, environment, appVersion, deviceIdentifier, root, issuer, withoutMarkers,
        xcodeTesting, at, now, requireSHA256, portable, without,
    ]

    private static let any = "any"
    private static var environmentNames: String {
        ReceiptEnvironment.allCases.map(\.name).joined(separator: ", ")
    }

    /// Returns the validator that the options ask for. If no option gives the expected value of a check, the
    /// validator leaves the check out, and the results list it.
    ///
    /// - Parameters:
    ///   - anchors: the result of ``anchors(_:)``. If nil, the files are read now.
    ///   - present: the time that "now" stands for.
    /// - Throws: `Failure` for an option whose value makes no sense or whose file cannot be read.
    static func validator(
        _ arguments: Arguments,
        anchors: [TrustAnchor]? = nil,
        at present: Timestamp = System.now
    ) throws(Failure) -> ReceiptValidator {
        let roots: [TrustAnchor]
        if let anchors { roots = anchors } else { roots = try Self.anchors(arguments) }
        return ReceiptValidator(
            environments: try environments(arguments),
            bundleIdentifier: try bundleIdentifiers(arguments),
            trust: try trust(arguments, roots),
            appVersion: arguments.last(appVersion)?.text,
            deviceIdentifiers: try devices(arguments),
            now: try arguments.last(now).map { word throws(Failure) in try time(word, Self.now, present) },
            minimumDigest: arguments.has(requireSHA256) ? .sha256 : .sha1,
            pathTime: try pathTime(arguments, present),
            acceleration: try acceleration(arguments)
        )
    }

    /// Returns the instructions of this processor that the options allow.
    static func acceleration(_ arguments: Arguments) throws(Failure) -> Acceleration {
        var allowed = arguments.has(portable) ? .none : System.acceleration
        for word in arguments.all(without) {
            for flag in word.text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let others = allowed.without(String(flag)) else {
                    throw .usage(
                        "\(without.name) \(word.printable): the instructions are \(Acceleration.flags.joined(separator: ", "))"
                    )
                }
                allowed = others
            }
        }
        return allowed
    }

    /// Returns the judge that the options ask for: ``validator(_:anchors:at:)`` with the issuers.
    static func judge(_ arguments: Arguments) throws(Failure) -> ReceiptJudge {
        ReceiptJudge(try validator(arguments), issuers: try issuers(arguments))
    }

    // MARK: Expectations

    /// Refuses a command line that does not say which environment and bundle identifier it expects.
    ///
    /// - Parameter fields: the options that may stand in place of `--environment` and `--bundle-id`.
    static func requireExpectations(
        _ arguments: Arguments,
        orFields fields: (environment: Option, bundleIdentifier: Option)? = nil
    ) throws(Failure) {
        var (examples, alternatives): ([String], [String]) = ([], [])
        func require(_ option: Option, _ example: String, or field: Option?) {
            guard !arguments.has(option), field.map({ !arguments.has($0) }) ?? true else { return }
            examples.append("\(option.name) \(example)")
            if let field { alternatives.append(field.name) }
        }
        require(bundleIdentifier, "com.example.app", or: fields?.bundleIdentifier)
        require(environment, "Production", or: fields?.environment)
        guard !examples.isEmpty else { return }
        let verb = alternatives.count > 1 ? "read them" : "reads it"
        let alternative =
            alternatives.isEmpty
            ? "" : ", and \(alternatives.joined(separator: " and ")) \(verb) from each record"
        throw .usage(
            "say which receipts to accept: add for example \(examples.joined(separator: " ")) "
                + "(any accepts all\(alternative))"
        )
    }

    private static func bundleIdentifiers(
        _ arguments: Arguments
    ) throws(Failure) -> BundleIdentifierExpectation {
        let identifiers = arguments.all(bundleIdentifier).map(\.text)
        guard !identifiers.isEmpty else { return .any }
        guard identifiers.contains(any) else { return .oneOf(identifiers) }
        guard identifiers.count == 1 else { throw anyIsNotAlone(bundleIdentifier) }
        return .any
    }

    private static func environments(_ arguments: Arguments) throws(Failure) -> EnvironmentExpectation {
        var accepted: [ReceiptEnvironment] = []
        var isAny = !arguments.has(environment)
        for word in arguments.all(environment) {
            if word.text == any {
                isAny = true
            } else if let known = ReceiptEnvironment(name: word.text) {
                accepted.append(known)
            } else {
                let advice = nearestEnvironment(word.text).map { " (did you mean \($0)?)" } ?? ""
                throw .usage("--environment \(word.printable) is none of \(environmentNames), any\(advice)")
            }
        }
        guard !isAny || accepted.isEmpty else { throw anyIsNotAlone(environment) }
        guard arguments.has(xcodeTesting) else { return isAny ? .any : .only(accepted) }
        guard accepted.allSatisfy({ $0 == .xcode }) else {
            throw .usage("--xcode-testing accepts one environment; write --environment Xcode")
        }
        return .only(.xcode)
    }

    private static func anyIsNotAlone(_ option: Option) -> Failure {
        .usage("\(option.name) any accepts everything; leave out the other values of \(option.name)")
    }

    /// The name that a misspelt word probably means: other case, up to two wrong letters, or the end of the
    /// name alone, such as Sandbox.
    private static func nearestEnvironment(_ word: String) -> String? {
        let word = word.lowercased()
        let names = ReceiptEnvironment.allCases.map(\.name)
        return names.first { $0.lowercased().distance(to: word) <= 2 }
            ?? names.first { word.utf8.count > 2 && $0.lowercased().hasSuffix(word) }
    }

    private static func devices(_ arguments: Arguments) throws(Failure) -> [DeviceIdentifier]? {
        guard arguments.has(deviceIdentifier) else { return nil }
        var devices: [DeviceIdentifier] = []
        for word in arguments.all(deviceIdentifier) { devices.append(try device(word)) }
        return devices
    }

    static func device(_ word: Argument) throws(Failure) -> DeviceIdentifier {
        guard let device = DeviceIdentifier(word.text) else {
            throw .usage("--device-id \(word.printable) is neither a UUID nor 32 or 12 hexadecimal digits")
        }
        return device
    }

    // MARK: Time

    private static func pathTime(_ arguments: Arguments, _ present: Timestamp) throws(Failure) -> PathTime {
        guard let word = arguments.last(at), word.text != "creation" else { return .creationDate }
        return .at(try time(word, at, present))
    }

    static func time(
        _ word: Argument,
        _ option: Option,
        _ present: Timestamp = System.now
    ) throws(Failure) -> Timestamp {
        if word.text == "now" { return present }
        let isDateAlone = word.bytes.count == 10
        guard let time = Timestamp(rfc3339: isDateAlone ? word.text + "T00:00:00Z" : word.text) else {
            throw .usage(
                "\(option.name) \(word.text.printable) is no date; write for example 2023-02-22T14:30:15Z"
            )
        }
        return time
    }

    // MARK: Trust

    /// Reads the roots that options name. A file may be a pipe, which gives its bytes only once.
    static func anchors(_ arguments: Arguments) throws(Failure) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for word in arguments.all(root) { anchors += try trustAnchors(word) }
        return anchors
    }

    /// Reads the certificates of `--issuer`. A file may be a pipe, which gives its bytes only once.
    static func issuers(_ arguments: Arguments) throws(Failure) -> [IssuerCertificate] {
        var issuers: [IssuerCertificate] = []
        for word in arguments.all(issuer) {
            let bytes: [UInt8]
            do throws(Fault) {
                bytes = try Input.read(word)
            } catch {
                throw Failure(status: error.exitStatus, message: error.message.printable)
            }
            do throws(Refusal) {
                for certificate in PEM.certificates(bytes[...]) ?? [bytes] {
                    issuers.append(try IssuerCertificate(certificate))
                }
            } catch {
                throw .usage(
                    "--issuer \(word.printable) is not a certificate in DER or PEM (\(error.code.name) at byte "
                        + "\(error.offset))"
                )
            }
        }
        return issuers
    }

    /// The one place that turns the options into the library's policies.
    private static func trust(
        _ arguments: Arguments,
        _ anchors: [TrustAnchor]
    ) throws(Failure) -> TrustPolicy {
        if arguments.has(withoutMarkers) {
            guard arguments.has(root) else {
                throw .usage(
                    "--without-markers is for a private PKI: add --root FILE (under Apple's roots, the certificate "
                        + "of every developer could sign receipts)"
                )
            }
            guard !arguments.has(xcodeTesting) else {
                throw .usage("--xcode-testing asks for no markers; leave out --without-markers")
            }
        }
        if arguments.has(xcodeTesting) {
            return anchors.isEmpty ? .xcodeTesting : .xcodeTesting(pinned: anchors)
        }
        guard !anchors.isEmpty else { return .appStore }
        return .pinned(anchors, requiringMarkers: !arguments.has(withoutMarkers))
    }

    /// The trusted roots, for a sentence.
    static func roots(_ arguments: Arguments) -> String {
        if arguments.has(root) { return "the given roots" }
        return arguments.has(xcodeTesting)
            ? "Xcode's certificate, with which anybody can sign" : "Apple's roots"
    }

    private static func trustAnchors(_ word: Argument) throws(Failure) -> [TrustAnchor] {
        if let digest = fingerprint(word), let anchor = TrustAnchor(fingerprint: digest) { return [anchor] }
        let bytes: [UInt8]
        do throws(Fault) {
            bytes = try Input.read(word)
        } catch {
            guard !word.bytes.allSatisfy({ Hexadecimal.value(of: $0) != nil || $0 == UInt8(ascii: ":") })
            else {
                throw .usage(
                    "--root \(word.printable) is neither a file that can be read nor a SHA-256 fingerprint of 64 "
                        + "hexadecimal digits"
                )
            }
            throw Failure(status: error.exitStatus, message: error.message.printable)
        }
        var anchors: [TrustAnchor] = []
        do throws(Refusal) {
            for certificate in PEM.certificates(bytes[...]) ?? [bytes] {
                anchors.append(try TrustAnchor(certificate: certificate))
            }
        } catch {
            throw .usage(
                "--root \(word.printable) is not a certificate in DER or PEM (\(error.code.name) at byte "
                    + "\(error.offset))"
            )
        }
        guard !anchors.isEmpty else {
            throw .usage("--root \(word.printable) is not a certificate in DER or PEM")
        }
        return anchors
    }

    /// Reads a SHA-256 in hexadecimal, with or without colons between the bytes. Returns nil for other words.
    private static func fingerprint(_ word: Argument) -> Digest? {
        let digits = word.bytes.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 64, word.bytes.count == 64 || word.bytes.count == 95 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Hexadecimal.value(of: digits[index]),
                let low = Hexadecimal.value(of: digits[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return Digest(.sha256, bytes: bytes.borrowedSpan)
    }
}
