import AppReceipt
import Basics

/// The error with which the tool ends: an exit status and a message.
package struct GuardFailure: Error, Hashable {
    /// The exit status: 2 if the command line or a line in a file of options is wrong, 3 if a file cannot
    /// be read or written, is too large, is not a certificate in DER, or must not be overwritten.
    package let status: Int32
    /// One sentence that says what is wrong and, if the tool knows it, how to put it right.
    package let message: String

    /// A failure of status 2, with a message: the command line, or a file of options, is wrong.
    package static func usage(_ message: String) -> Self { Self(status: 2, message: message) }

    /// A failure of status 3, with a message: a file cannot be read or written, is too large, is not a
    /// certificate in DER, or is one that the tool must not overwrite.
    package static func file(_ message: String) -> Self { Self(status: 3, message: message) }
}

/// A command line of receipt-guard, parsed.
package struct GuardRequest: Sendable {
    /// The values that the app expects of a receipt. ``readRoots(reading:)`` adds the roots of ``rootFiles``.
    package var expectations: GuardExpectations
    /// The names of files with root certificates in DER to trust; none by default.
    package var rootFiles: [String] = []
    /// The name of the function that the app calls and the written file declares.
    package var function = "guardedReceipt"
    /// The seed of all random choices; nil for a seed that the tool chooses.
    package var seed: UInt64?
    /// The name of the file to write; nil for standard output.
    package var output: String?
    /// The name of a file to write a new random number to in each run with an ``output``; nil for none.
    package var stamp: String?

    /// Returns the bytes of the file with a name.
    package typealias FileReader = (String) throws(GuardFailure) -> [UInt8]

    /// The options that may be given once at most. ``repeatable`` has the other options with a value.
    private static let single: Set<String> = [
        "--bundle-id", "--app-version", "--function", "--seed", "--output", "--stamp",
    ]
    private static let repeatable: Set<String> = ["--environment", "--root", "--root-sha256", "--options"]
    /// The longest bundle identifier, version or function's name, in bytes. The App Store's identifiers have
    /// at most 155.
    private static let longestText = 255
    /// The largest file of `--options`, in bytes: 64 KiB.
    private static let longestOptions = 1 << 16

    /// Parses a command line.
    ///
    /// - Parameters:
    ///   - words: the words after the tool's name. `--options FILE` stands for the words in a file.
    ///   - read: returns the bytes of a file of options. The files of `--root` are not read yet.
    /// - Throws: `GuardFailure`, whose message names the wrong, repeated or missing option, or the file.
    package init(_ words: [String], reading read: FileReader) throws(GuardFailure) {
        expectations = GuardExpectations(bundleIdentifier: "")
        var words = words[...]
        var environments: [ReceiptEnvironment] = []
        var digests: [Digest] = []
        var given: Set<String> = []
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard Self.single.contains(name) || Self.repeatable.contains(name) else {
                throw .usage("unknown option \(name.printable); --help lists the options")
            }
            let inline = parts.count == 2 ? String(parts[1]) : nil
            // The word after an option is its value, even if it looks like an option.
            guard let value = inline ?? words.popFirst(), !value.isEmpty else {
                throw .usage("\(name) needs a value; see --help")
            }
            guard given.insert(name).inserted || Self.repeatable.contains(name) else {
                throw .usage("\(name) is given more than once; give one value")
            }
            switch name {
            case "--bundle-id": expectations.bundleIdentifier = try Self.bundleIdentifier(value)
            case "--app-version": expectations.appVersion = try Self.version(value)
            case "--environment": environments.append(try Self.environment(value))
            case "--root": rootFiles.append(value)
            case "--root-sha256": digests.append(try Self.fingerprint(value))
            case "--function": function = try Self.identifier(value)
            case "--seed": seed = try Self.number(value)
            case "--stamp": stamp = value
            case "--options": words = try Self.options(in: read(value), of: value) + words
            default: output = value
            }
        }
        guard !expectations.bundleIdentifier.isEmpty else {
            throw .usage("--bundle-id is missing; add --bundle-id with the app's bundle identifier")
        }
        guard stamp == nil || output != nil else {
            throw .usage("--stamp needs --output; add --output with the name of the file to write")
        }
        if !environments.isEmpty { expectations.environments = environments }
        if !digests.isEmpty || !rootFiles.isEmpty { expectations.roots = digests }
    }

    /// Adds the SHA-256 fingerprint of the certificate, in DER, in each of ``rootFiles`` to the expected
    /// roots. Throws if a file cannot be read, or is not one certificate in DER.
    package mutating func readRoots(reading read: FileReader) throws(GuardFailure) {
        for name in rootFiles {
            let bytes = try read(name)
            do throws(Refusal) {
                expectations.roots.append(try TrustAnchor(certificate: bytes).fingerprint)
            } catch {
                throw .file(
                    "\(name.printable) is not one certificate in DER (\(error.code.name) at byte \(error.offset)); "
                        + "for PEM run: openssl x509 -outform der -in FILE -out FILE.der"
                )
            }
        }
    }

    /// Returns the words of a file of options: option, value, option, value and so on.
    ///
    /// A line has one option and its value, with spaces, tabs or carriage returns between them. Blank lines,
    /// and lines whose first other character is `#`, do not count. A relative name after `--root` is relative
    /// to the file's directory. Throws for any other line, also for `--name=VALUE`, for `--options`,
    /// `--output` and `--stamp`, and for a file of more than 64 KiB. Whether an option exists is not checked
    /// here.
    private static func options(in bytes: [UInt8], of file: String) throws(GuardFailure) -> [String] {
        guard bytes.count <= longestOptions else {
            throw .file("\(file.printable) has more than \(longestOptions) bytes; it is no file of options")
        }
        let directory = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        var result: [String] = []
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            let words = line.split(maxSplits: 1) { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
                .map { String(decoding: $0, as: UTF8.self) }
            guard let name = words.first, !name.hasPrefix("#") else { continue }
            // With `--name=VALUE`, a second option could follow.
            guard name.hasPrefix("--"), !name.utf8.contains(0x3d), words.count == 2,
                !["--options", "--output", "--stamp"].contains(name)
            else {
                throw .usage(
                    "\(file.printable), line \(index + 1): write one option and its value, "
                        + "such as --bundle-id com.example.app; --options, --output and --stamp may not stand here"
                )
            }
            let value = trimmed(words[1])
            result += [name, name == "--root" && !value.hasPrefix("/") ? directory + value : value]
        }
        return result
    }

    private static func trimmed(_ text: String) -> String {
        var bytes = Array(text.utf8)[...]
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return String(decoding: bytes.drop { $0 <= 0x20 }, as: UTF8.self)
    }

    // MARK: Values

    private static func bundleIdentifier(_ value: String) throws(GuardFailure) -> String {
        let isPlain = value.utf8.allSatisfy { $0.isAlphanumeric || "-._".utf8.contains($0) }
        guard isPlain, value.utf8.count <= longestText else {
            throw .usage(
                "--bundle-id \(value.printable) is no bundle identifier: use letters, digits, '-', '.' and '_', "
                    + "as in com.example.app"
            )
        }
        return value
    }

    private static func version(_ value: String) throws(GuardFailure) -> String {
        guard value.utf8.count <= longestText, value.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
            throw .usage(
                "--app-version \(value.printable) is no version: give CFBundleVersion on iOS, "
                    + "CFBundleShortVersionString on macOS"
            )
        }
        return value
    }

    private static func environment(_ value: String) throws(GuardFailure) -> ReceiptEnvironment {
        guard let environment = ReceiptEnvironment(name: value) else {
            let names = ReceiptEnvironment.allCases.map { $0.name }.joined(separator: ", ")
            throw .usage("--environment \(value.printable) is none of \(names)")
        }
        return environment
    }

    private static func fingerprint(_ value: String) throws(GuardFailure) -> Digest {
        let digits = value.utf8.filter { $0 != UInt8(ascii: ":") }
        guard let bytes = Hexadecimal.bytes(of: digits), let anchor = TrustAnchor(sha256: bytes) else {
            throw .usage(
                "--root-sha256 \(value.printable) is not 64 hexadecimal digits; get them with "
                    + "openssl x509 -inform der -in FILE -noout -fingerprint -sha256"
            )
        }
        return anchor.fingerprint
    }

    private static func identifier(_ value: String) throws(GuardFailure) -> String {
        let bytes = Array(value.utf8)
        let isName = bytes.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") }
        guard isName, let first = bytes.first, first < 0x30 || first > 0x39, bytes.count <= longestText,
            bytes != [UInt8(ascii: "_")], !GuardHelp.keywords.contains(value)
        else {
            throw .usage(
                "--function \(value.printable) is no name for a function: use letters, digits and '_', "
                    + "no digit at the beginning, and no keyword of Swift"
            )
        }
        return value
    }

    private static func number(_ value: String) throws(GuardFailure) -> UInt64 {
        guard let number = UInt64(value) else {
            throw .usage("--seed \(value.printable) is not a whole number from 0 to \(UInt64.max)")
        }
        return number
    }
}

extension UInt8 {
    /// Whether the byte is a letter or a digit of ASCII.
    fileprivate var isAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self)
    }
}

extension String {
    /// The first 80 Unicode scalars of the text, for a message. Control characters are replaced by `?`.
    package var printable: String {
        let scalars = unicodeScalars.prefix(80).map { scalar -> Character in
            scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) ? "?" : Character(scalar)
        }
        return String(scalars)
    }
}
