import AppReceipt
import CorpusRecords
import DER
import PKIX
import SHA

/// What a person may ask of a receipt: the options that `verify` and `inspect` share, and the validator they
/// make.
enum ValidationOptions {
    static let bundleIdentifier = Option(
        "--bundle-id",
        value: "IDENTIFIER",
        isRepeatable: true,
        "The app's bundle identifier, byte for byte; of several one must match."
    )
    static let environment = Option(
        "--environment",
        value: "NAME",
        isRepeatable: true,
        "Where the receipt may come from; of several one must match. App Review and TestFlight use",
        "ProductionSandbox. One of \(environmentNames)."
    )
    static let appVersion = Option("--app-version", value: "VERSION", "The app's version, byte for byte.")
    static let deviceIdentifier = Option(
        "--device-id",
        value: "HEX|UUID",
        isRepeatable: true,
        "The device: identifierForVendor, or a network interface's address in hexadecimal;",
        "of several one must match."
    )
    static let root = Option(
        "--root",
        value: "FILE|FINGERPRINT",
        isRepeatable: true,
        "A root to trust in place of Apple's: a certificate in DER or PEM, or its SHA-256",
        "fingerprint in hexadecimal, with or without colons."
    )
    static let noMarkers = Option(
        "--no-markers",
        "Do not ask for Apple's marker extensions: under Apple's roots every developer's",
        "certificate can then sign receipts."
    )
    static let xcode = Option(
        "--xcode",
        "Trust Xcode's StoreKit certificate, which signs test receipts, in place of Apple's roots;",
        "with --root, another self-signed certificate of that kind."
    )
    static let at = Option(
        "--at",
        value: "creation|now|DATE",
        "When the certificates must be valid. By default at the receipt's creation date, as Apple",
        "judges. A DATE is 2023-02-22T14:30:15Z, or 2023-02-22 for its first moment."
    )
    static let now = Option(
        "--now",
        value: "now|DATE",
        "The time to hold a Volume Purchase receipt's expiration date against."
    )
    static let requireSHA256 = Option("--require-sha256", "Refuse signatures over SHA-1.")

    static let portable = Option(
        "--portable",
        "Use none of the processor's own instructions for hashing, RSA and base64. The verdicts are the same."
    )

    static let all = [
        bundleIdentifier, environment, appVersion, deviceIdentifier, root, noMarkers, xcode, at, now,
        requireSHA256, portable,
    ]

    private static let any = "any"
    private static var environmentNames: String {
        (ReceiptEnvironment.allCases.map(\.name) + [any]).joined(separator: ", ")
    }

    /// The validator that was asked for. What the app expects and nobody said is not checked, which the
    /// results show.
    ///
    /// - Parameters:
    ///   - anchors: what ``anchors(_:)`` read; it is read now where it is nil.
    ///   - present: what "now" means.
    static func validator(
        _ arguments: Arguments,
        anchors: [TrustAnchor]? = nil,
        at present: Timestamp = System.now
    ) throws(Failure) -> ReceiptValidator {
        let identifiers = arguments.all(bundleIdentifier).map(\.text)
        let roots: [TrustAnchor]
        if let anchors { roots = anchors } else { roots = try Self.anchors(arguments) }
        return ReceiptValidator(
            environments: try environments(arguments),
            bundleIdentifier: identifiers.isEmpty ? .any : .oneOf(identifiers),
            trust: trust(arguments, roots),
            appVersion: arguments.last(appVersion)?.text,
            deviceIdentifiers: try devices(arguments),
            now: try arguments.last(now).map { word throws(Failure) in try time(word, Self.now, present) },
            minimumDigest: arguments.has(requireSHA256) ? .sha256 : .sha1,
            pathTime: try pathTime(arguments, present),
            acceleration: arguments.has(portable) ? .none : System.acceleration
        )
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
                throw .usage("--environment \(word.printable) is none of \(environmentNames)\(advice)")
            }
        }
        return isAny ? .any : .only(accepted)
    }

    /// A slip of the finger, another case, or the end of a name alone, such as Sandbox.
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
            throw .usage("\(option.name) \(word.text.printable) is no date such as 2023-02-22T14:30:15Z")
        }
        return time
    }

    // MARK: Trust

    /// The roots that options name: reads the files, which may give their bytes only once.
    static func anchors(_ arguments: Arguments) throws(Failure) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for word in arguments.all(root) { anchors += try trustAnchors(word) }
        return anchors
    }

    private static func trust(_ arguments: Arguments, _ anchors: [TrustAnchor]) -> TrustPolicy {
        let policy: TrustPolicy
        if arguments.has(xcode) {
            policy = anchors.isEmpty ? .xcode : .xcode(pinned: anchors)
        } else {
            policy = anchors.isEmpty ? .appStore : .pinned(anchors)
        }
        return arguments.has(noMarkers) ? policy.withoutMarkers : policy
    }

    /// Whom the options say to trust, for a sentence.
    static func roots(_ arguments: Arguments) -> String {
        if arguments.has(root) { return "the roots that --root names" }
        return arguments.has(xcode) ? "Xcode's certificate, which signs anything for tests" : "Apple's roots"
    }

    private static func trustAnchors(_ word: Argument) throws(Failure) -> [TrustAnchor] {
        if let digest = fingerprint(word), let anchor = TrustAnchor(fingerprint: digest) { return [anchor] }
        let bytes: [UInt8]
        do throws(Fault) {
            bytes = try Input.read(word)
        } catch {
            guard !word.bytes.allSatisfy({ $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") }) else {
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

    /// SHA-256 in hexadecimal digits, with colons between the bytes or without. Nil for anything else.
    private static func fingerprint(_ word: Argument) -> Digest? {
        let digits = word.bytes.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 64, word.bytes.count == 64 || word.bytes.count == 95 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexadecimalValue, let low = digits[index + 1].hexadecimalValue
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return Digest(.sha256, bytes: bytes.span)
    }
}
