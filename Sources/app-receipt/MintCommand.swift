import AppReceipt
import AppReceiptMint
import Bytes
import DER
import ReceiptCorpus
import ReceiptResults
import SHA
import SystemCalls

extension Command {
    /// `mint`: makes a receipt or a private PKI for tests.
    static var mint: Command {
        Command(
            name: "mint",
            summary: "make a receipt, or a private PKI, for tests",
            examples: [
                Example(
                    line:
                        "app-receipt mint --bundle-id com.example.app --out receipt.der --root-out root.der",
                    says: "a receipt, and the root to verify it with: --root root.der"
                ),
                Example(
                    line:
                        "app-receipt mint --product com.example.pro --subscription com.example.monthly=2030-01-01",
                    says: "a receipt with two purchases, as base64 on the terminal"
                ),
                Example(
                    line: "app-receipt mint --seed 7 --pki pki",
                    says: "certificates and private keys in a new directory"
                ),
            ],
            operands: .none,
            options: [
                seed, MintOptions.bits, MintOptions.digest, MintOptions.markers, MintOptions.xcodeLike,
                MintOptions.bundleIdentifier, MintOptions.environment, MintOptions.appVersion,
                MintOptions.device, MintOptions.creationDate, MintOptions.expirationDate,
                MintOptions.product, MintOptions.subscription, payload, base64, out, rootOut, pki,
            ],
            notes: [
                "The same options make the same bytes. The keys are made from the seed, which is easy to guess, so their",
                "signatures prove nothing outside of a test.",
                "",
                "Exit status: 0, 2 the command line is wrong, 3 a file could not be read or written, 141 the reader of",
                "the output has gone.",
            ],
            run: run
        )
    }

    private static let seed = Option(
        "--seed",
        value: "NUMBER",
        "The number that the keys are made from; 1 by default."
    )
    private static let payload = Option(
        "--payload",
        value: "FILE",
        "Sign the contents of this file as the payload, in place of a payload made from the options."
    )
    private static let base64 = Option("--base64", "Write base64. On a terminal this is the default.")
    private static let out = Option(
        "--out",
        value: "FILE",
        "Where to write the receipt; standard output by default."
    )
    private static let rootOut = Option(
        "--root-out",
        value: "FILE",
        "Write the root's certificate here, in DER."
    )
    private static let pki = Option(
        "--pki",
        value: "DIRECTORY",
        "Make this directory, and write the certificates (DER) and private keys (PKCS #8, DER) to it.",
        "A receipt is then written only with --out."
    )

    private static func run(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus {
        try OutputFile.requireDistinct([out, rootOut, pki], arguments)
        let seed = try MintOptions.number(arguments.last(seed), seed, default: 1)
        let identities = try MintOptions.identities(arguments, seed: seed)
        if let file = arguments.last(rootOut) { try OutputFile.write(identities.mint.root, to: file) }
        if let directory = arguments.last(pki) {
            guard let pki = identities.pki else {
                throw .usage(
                    "--xcode-like makes no PKI; leave out --pki, or write --root-out for the certificate"
                )
            }
            try write(pki, to: directory)
            guard arguments.has(out) else { return .valid }
        }
        let receipt: [UInt8]
        if let file = arguments.last(payload) {
            do throws(Fault) {
                receipt = identities.mint.message.signed(payload: try Input.read(file))
            } catch {
                throw Failure(status: error.exitStatus, message: error.message.printable)
            }
        } else {
            let payload = try MintOptions.payload(arguments)
            let validity = PrivatePKI.Options()
            if let date = payload.creationDate, date < validity.notBefore || date > validity.notAfter {
                console.report(
                    "at its creation date, \(date), the receipt's certificates are not valid: "
                        + "they are from \(validity.notBefore) to \(validity.notAfter)"
                )
            }
            receipt = identities.mint.receipt(payload)
        }
        guard let file = arguments.last(out) else {
            let isText = arguments.has(base64) || System.isTerminal(System.standardOutput)
            console.output.write(bytes: isText ? receipt.base64Lines : receipt)
            return .valid
        }
        try OutputFile.write(arguments.has(base64) ? receipt.base64Lines : receipt, to: file)
        return .valid
    }

    private static func write(_ pki: PrivatePKI, to directory: Argument) throws(Failure) {
        do throws(System.Failure) {
            try System.makeDirectory(directory.bytes)
        } catch {
            throw .cannotWrite(directory, error)
        }
        for (name, identity) in [
            ("root", pki.root), ("intermediate", pki.intermediate), ("leaf", pki.leaf),
        ] {
            for (suffix, bytes) in [
                (".der", identity.certificate), (".key.der", identity.key.privateKeyInfo),
            ] {
                let file = Argument(bytes: directory.bytes + Array("/\(name)\(suffix)".utf8))
                try OutputFile.write(bytes, to: file)
            }
        }
    }
}

/// The options of `mint`, and the signer and payload that they describe.
enum MintOptions {
    static let bits = Option(
        "--bits",
        value: "NUMBER",
        "The size of every RSA key: 1024 to 4096; 2048 by default."
    )
    static let digest = Option(
        "--digest",
        value: "NAME",
        "The hash for content and certificates: sha1, sha256, sha384 or sha512; sha256 by default."
    )
    static let markers = Option(
        "--markers",
        value: "WHERE",
        "The certificates with Apple's marker extensions: apple (each in its own, the default), none,",
        "intermediate-only, leaf-only, swapped, in-policies."
    )
    static let xcodeLike = Option(
        "--xcode-like",
        "Sign with one self-signed certificate, and write the envelope in BER, as Xcode does."
    )
    static let bundleIdentifier = Option(
        "--bundle-id",
        value: "IDENTIFIER",
        "The app's bundle identifier; com.example.app by default."
    )
    static let environment = Option(
        "--environment",
        value: "NAME",
        "The environment, written as given; Production by default, Xcode with --xcode-like."
    )
    static let appVersion = Option("--app-version", value: "VERSION", "The app's version; 1 by default.")
    static let device = Option(
        "--device-id",
        value: "HEX|UUID",
        "The device for the hash; zero bytes by default, as in receipts fetched from a server."
    )
    static let creationDate = Option(
        "--creation-date",
        value: "DATE",
        "The creation date; 2024-06-01T12:00:00Z by default. Certificates are valid from 2000 through 2049."
    )
    static let expirationDate = Option(
        "--expiration-date",
        value: "DATE",
        "The expiration date of a Volume Purchase receipt; none by default."
    )
    static let product = Option(
        "--product",
        value: "IDENTIFIER",
        isRepeatable: true,
        "Add a purchase of a non-consumable product."
    )
    static let subscription = Option(
        "--subscription",
        value: "IDENTIFIER=DATE",
        isRepeatable: true,
        "Add a purchase of an auto-renewable subscription that expires at the date."
    )

    /// Returns the mint and its PKI. The PKI is nil for `--xcode-like`.
    static func identities(
        _ arguments: Arguments,
        seed: UInt64
    ) throws(Failure) -> (mint: ReceiptMint, pki: PrivatePKI?) {
        let bitCount = Int(clamping: try number(arguments.last(bits), bits, default: 2048))
        guard bitCount <= 4096, let parameters = KeyParameters(bits: bitCount) else {
            throw .usage("--bits \(bitCount) is not an even number from 1024 to 4096")
        }
        let hash = try choice(
            arguments.last(digest),
            digest,
            [("sha256", HashAlgorithm.sha256), ("sha1", .sha1), ("sha384", .sha384), ("sha512", .sha512)]
        )
        var options = PrivatePKI.Options()
        options.hash = hash
        options.markers = try choice(
            arguments.last(markers),
            markers,
            [
                ("apple", PrivatePKI.Markers.apple), ("none", .none), ("swapped", .swapped),
                ("intermediate-only", .intermediateOnly), ("leaf-only", .leafOnly),
                ("in-policies", .inCertificatePolicies),
            ]
        )
        guard !arguments.has(xcodeLike) else {
            try refuseBesideXcodeLike(digest, arguments)
            try refuseBesideXcodeLike(markers, arguments)
            return (.xcodeLike(PrivateKey(parameters, seed: seed)), nil)
        }
        let pki = PrivatePKI(PrivatePKI.Keys(parameters, seed: seed), options: options)
        return (ReceiptMint(pki, digest: hash), pki)
    }

    /// Refuses an option that has no meaning with `--xcode-like`.
    ///
    /// With a loop over both options, Swift 6.3.1 ordered the caller's instructions at random. Two builds
    /// differed: see `Bindings/Release/README.md`.
    @inline(never)
    private static func refuseBesideXcodeLike(_ option: Option, _ arguments: Arguments) throws(Failure) {
        guard !arguments.has(option) else {
            throw .usage("\(option.name) does not apply to --xcode-like; leave one of them out")
        }
    }

    static func payload(_ arguments: Arguments) throws(Failure) -> PayloadTemplate {
        var payload = PayloadTemplate()
        if let word = arguments.last(bundleIdentifier) { payload.bundleIdentifier = word.text }
        if arguments.has(xcodeLike) { payload.environment = ReceiptEnvironment.xcode.name }
        if let word = arguments.last(environment) { payload.environment = word.text }
        if let word = arguments.last(appVersion) { payload.appVersion = word.text }
        if let word = arguments.last(device) {
            payload.deviceIdentifier = try ValidationOptions.device(word).bytes
        }
        if let word = arguments.last(creationDate) {
            payload.creationDate = try ValidationOptions.time(word, creationDate)
        }
        if let word = arguments.last(expirationDate) {
            payload.expirationDate = try ValidationOptions.time(word, expirationDate)
        }
        for word in arguments.all(product) {
            payload.purchases.append(purchase(word.text, .nonConsumable, payload.purchases.count))
        }
        for word in arguments.all(subscription) {
            let parts = word.bytes.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .usage(
                    "--subscription \(word.printable) is not IDENTIFIER=DATE, such as com.example.monthly=2030-01-01"
                )
            }
            var purchase = purchase(
                String(decoding: parts[0], as: UTF8.self),
                .autoRenewableSubscription,
                payload.purchases.count
            )
            purchase.expiresDate = try ValidationOptions.time(
                Argument(bytes: [UInt8](parts[1])),
                subscription
            )
            payload.purchases.append(purchase)
        }
        return payload
    }

    /// Returns a purchase. Its transaction identifier counts from 1000000000000001.
    private static func purchase(
        _ product: String,
        _ type: InAppPurchase.ProductType,
        _ index: Int
    ) -> PurchaseTemplate {
        var purchase = PurchaseTemplate(
            productIdentifier: product,
            transactionIdentifier: String(1_000_000_000_000_001 + Int64(index))
        )
        purchase.productType = type.rawValue
        return purchase
    }

    /// Returns the number that a word stands for, or the default without a word.
    static func number(
        _ word: Argument?,
        _ option: Option,
        default value: UInt64
    ) throws(Failure) -> UInt64 {
        guard let word else { return value }
        guard let number = UInt64(word.text) else {
            throw .usage("\(option.name) \(word.printable) is not a whole number of 0 or more")
        }
        return number
    }

    /// Returns the choice that a word names, or the first choice without a word.
    static func choice<Value>(
        _ word: Argument?,
        _ option: Option,
        _ choices: [(name: String, value: Value)]
    ) throws(Failure) -> Value {
        guard let word else { return choices[0].value }
        guard let chosen = choices.first(where: { $0.name == word.text }) else {
            let names = choices.map(\.name).joined(separator: ", ")
            throw .usage("\(option.name) \(word.printable) is none of \(names)")
        }
        return chosen.value
    }
}

extension Array<UInt8> {
    /// Base64 in lines of 76 characters (RFC 2045 §6.8).
    fileprivate var base64Lines: [UInt8] {
        var text: [UInt8] = []
        for start in stride(from: 0, to: count, by: 57) {
            text.append(base64: self[start..<Swift.min(start + 57, count)])
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }
}
