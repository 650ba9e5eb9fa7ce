import AppReceipt
import AppReceiptMint
import Basics
import PKIX
import ReceiptCorpus
import ReceiptResults
import SystemCalls

extension Command {
    /// `mint`: makes a receipt or a private PKI for tests.
    static var mint: Command {
        Command(
            help: """
                app-receipt mint: make a receipt, or a private PKI, for tests

                  app-receipt mint --bundle-id com.example.app --out receipt.der --root-out root.der
                      a receipt, and the root to verify it with: --root root.der
                  app-receipt mint --product com.example.pro --subscription com.example.monthly=2030-01-01
                      a receipt with two purchases, as base64 on the terminal
                  app-receipt mint --bits 4096 --digest sha512 --valid-until 9999-12-31 --root-out root.der > receipt
                      a receipt as a future certificate might sign it
                  app-receipt mint --seed 7 --pki pki
                      certificates and private keys in a new directory

                usage: app-receipt mint [OPTION…]

                  --seed NUMBER
                      The number that the keys are made from; 1 by default.
                  --bits NUMBER
                      The size of every RSA key: 1024 to 8192; 2048 by default. Keys of 8192 bits take half a minute to make.
                  --digest sha1|sha256|sha384|sha512
                      The hash for content and certificates; sha256 by default.
                  --certificate-digest sha1|sha256|sha384|sha512
                      The hash for the certificates, if it is another one than the content's.
                  --valid-until DATE
                      The last second of the certificates; 2049-12-31T23:59:59Z by default.
                  --markers apple|critical|none|intermediate-only|leaf-only|swapped|in-policies
                      The certificates with Apple's marker extensions; apple, each in its own, by default.
                  --signer-identifier issuer-and-serial-number|subject-key-identifier
                      The way the signer names its certificate; the first by default.
                  --signed-attributes
                      Sign the content's type and digest, in attributes, instead of the content itself.
                  --xcode-like
                      Sign with one self-signed certificate, and write the envelope in BER, as Xcode does.
                  --bundle-id IDENTIFIER
                      The app's bundle identifier; com.example.app by default.
                  --environment NAME
                      The environment, written as given; Production by default, Xcode with --xcode-like.
                  --app-version VERSION
                      The app's version; 1 by default.
                  --device-id HEX|UUID
                      The device for the hash; zero bytes by default, as in receipts fetched from a server.
                  --creation-date DATE
                      The creation date; 2024-06-01T12:00:00Z by default. Certificates are valid from 2000 on.
                  --expiration-date DATE
                      The expiration date of a Volume Purchase receipt; none by default.
                  --product IDENTIFIER  (repeatable)
                      Add a purchase of a non-consumable product.
                  --subscription IDENTIFIER=DATE  (repeatable)
                      Add a purchase of an auto-renewable subscription that expires at the date.
                  --payload FILE
                      Sign the contents of this file as the payload, in place of a payload made from the options.
                  --out FILE
                      Where to write the receipt; standard output by default. A terminal shows it as base64.
                \(rootOutOption)
                \(pkiOption("receipt"))
                \(commonOptions)

                \(seedNote)
                """,
            run: mint
        )
    }

    static let rootOutOption = """
          --root-out FILE
              Write the root's certificate here, in DER.
        """

    /// The help of the option that writes the PKI under which a receipt or token is signed.
    static func pkiOption(_ subject: String) -> String {
        """
          --pki DIRECTORY
              Make this directory, and write the certificates (DER) and private keys (PKCS #8, DER) to it.
              A \(subject) is then written only with --out.
        """
    }

    /// The paragraph about the seed in the help of the commands that mint one receipt or token.
    static let seedNote = """
        The same options make the same bytes. The keys are made from the seed, which is easy to guess, so their
        signatures prove nothing outside of a test.
        """

    private static func mint(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus {
        try OutputFile.requireDistinct(["--out", "--root-out", "--pki"], arguments)
        let seed = try arguments.number("--seed", 0...UInt64.max) ?? 1
        let options = try arguments.certificateOptions()
        let (mint, pki) = try arguments.identities(options, seed: seed)
        try OutputFile.write(mint.root, to: arguments.last("--root-out"))
        if let directory = arguments.last("--pki") {
            guard let pki else {
                throw .usage(
                    "--xcode-like makes no PKI; leave out --pki, or write --root-out for the certificate"
                )
            }
            try write(pki, to: directory)
            guard arguments.has("--out") else { return .valid }
        }
        let receipt: [UInt8]
        if let file = arguments.last("--payload") {
            receipt = mint.message.signed(payload: try Input.file(file))
        } else {
            let payload = try arguments.payload()
            console.warn(of: payload.creationDate, "receipt", "creation date", root: mint.root)
            receipt = mint.receipt(payload)
        }
        try OutputFile.write(receipt, to: arguments.last("--out"))
        if !arguments.has("--out") {
            let isText = System.isTerminal(System.standardOutput)
            console.output.write(bytes: isText ? receipt.base64Lines : receipt)
        }
        return .valid
    }

    /// Makes a directory with the certificates and the private keys of a PKI.
    static func write<Key>(_ pki: KeyedPKI<Key>, to directory: Argument) throws(Failure) {
        do throws(System.Failure) {
            try System.makeDirectory(directory.bytes)
        } catch {
            throw .cannotWrite(directory, error)
        }
        let identities = [("root", pki.root), ("intermediate", pki.intermediate), ("leaf", pki.leaf)]
        for (name, identity) in identities {
            let path = directory.bytes + Array("/\(name)".utf8)
            let (certificate, key) = (path + Array(".der".utf8), path + Array(".key.der".utf8))
            try OutputFile.write(identity.certificate, to: Argument(bytes: certificate))
            try OutputFile.write(identity.key.privateKeyInfo, to: Argument(bytes: key))
        }
    }
}

/// The signer and the payload that the options of `mint` describe.
extension Arguments {
    /// Returns the mint that the options describe, and its PKI, which is nil for `--xcode-like`.
    fileprivate func identities(
        _ options: PrivatePKI.Options,
        seed: UInt64
    ) throws(Failure) -> (mint: ReceiptMint, pki: PrivatePKI?) {
        let bitCount = try number("--bits", 1024...8192) ?? 2048
        guard let parameters = KeyParameters(bits: bitCount) else {
            throw .usage("--bits \(bitCount) is not an even number from 1024 to 8192")
        }
        let identifiers = ["issuer-and-serial-number": false, "subject-key-identifier": true]
        let usesKeyIdentifier = try choice("--signer-identifier") { identifiers[$0] } ?? false
        guard !has("--xcode-like") else {
            for option in [
                "--digest", "--certificate-digest", "--valid-until", "--markers", "--signer-identifier",
                "--signed-attributes",
            ] where has(option) {
                throw .usage("\(option) does not apply to --xcode-like; leave one of them out")
            }
            return (.xcodeLike(PrivateKey(parameters, seed: seed)), nil)
        }
        let pki = PrivatePKI(PrivatePKI.Keys(parameters, seed: seed), options: options)
        var mint = ReceiptMint(pki, digest: try hash("--digest"))
        if usesKeyIdentifier {
            mint.message.signers[0].identifier = .subjectKeyIdentifier(pki.leaf.key.keyIdentifier)
        }
        if has("--signed-attributes") { mint.message.signers[0].signedAttributes = .standard }
        return (mint, pki)
    }

    fileprivate func certificateOptions() throws(Failure) -> PrivatePKI.Options {
        var options = PrivatePKI.Options()
        options.hash = try hash(has("--certificate-digest") ? "--certificate-digest" : "--digest")
        if let word = last("--valid-until") {
            options.notAfter = try Self.time(word, "--valid-until")
            guard options.notAfter > options.notBefore else {
                throw .usage("--valid-until \(word.printable) is before \(options.notBefore)")
            }
        }
        let kinds: [String: PrivatePKI.Markers] = [
            "apple": .apple, "critical": .critical, "none": .none, "swapped": .swapped,
            "intermediate-only": .intermediateOnly, "leaf-only": .leafOnly,
            "in-policies": .inCertificatePolicies,
        ]
        options.markers = try choice("--markers") { kinds[$0] } ?? .apple
        return options
    }

    private func hash(_ option: String) throws(Failure) -> HashAlgorithm {
        let hashes: [String: HashAlgorithm] = [
            "sha1": .sha1, "sha256": .sha256, "sha384": .sha384, "sha512": .sha512,
        ]
        return try choice(option) { hashes[$0] } ?? .sha256
    }

    fileprivate func payload() throws(Failure) -> PayloadTemplate {
        var payload = PayloadTemplate()
        if has("--xcode-like") { payload.environment = ReceiptEnvironment.xcode.name }
        if let word = last("--bundle-id") { payload.bundleIdentifier = word.text }
        if let word = last("--environment") { payload.environment = word.text }
        if let word = last("--app-version") { payload.appVersion = word.text }
        if let word = last("--device-id") { payload.deviceIdentifier = try Self.device(word).bytes }
        if let date = try time("--creation-date") { payload.creationDate = date }
        payload.expirationDate = try time("--expiration-date")
        for word in all("--product") { payload.add(word.text, .nonConsumable) }
        for word in all("--subscription") {
            let parts = word.bytes.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
                .map { Argument(bytes: Array($0)) }
            guard parts.count == 2, !parts[0].bytes.isEmpty else {
                throw .usage(
                    "--subscription \(word.printable) is not IDENTIFIER=DATE, such as com.example.monthly=2030-01-01"
                )
            }
            let date = try Self.time(parts[1], "--subscription")
            payload.add(parts[0].text, .autoRenewableSubscription, until: date)
        }
        return payload
    }
}

extension PayloadTemplate {
    /// Adds a purchase. If `date` is given, the purchase expires then. Transaction identifiers count from
    /// 1000000000000001.
    fileprivate mutating func add(
        _ product: String,
        _ type: InAppPurchase.ProductType,
        until date: Timestamp? = nil
    ) {
        var purchase = PurchaseTemplate(
            productIdentifier: product,
            transactionIdentifier: String(1_000_000_000_000_001 + Int64(purchases.count))
        )
        purchase.productType = type.rawValue
        purchase.expiresDate = date
        purchases.append(purchase)
    }
}

extension Array<UInt8> {
    /// The bytes as base64, in lines of at most 76 characters (RFC 2045 §6.8). Each line ends with a line
    /// feed alone.
    fileprivate var base64Lines: [UInt8] {
        var text: [UInt8] = []
        for start in stride(from: 0, to: count, by: 57) {
            text.append(base64: self[start..<Swift.min(start + 57, count)])
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }
}

extension Console {
    /// Says on standard error that the certificates of a receipt or token are not valid at its date. Says
    /// nothing if they are valid then, or if there is no date.
    ///
    /// - Parameter root: the root, in DER. The other certificates must be valid for the same time as the
    ///   root.
    mutating func warn(of date: Timestamp?, _ subject: String, _ name: String, root: [UInt8]) {
        guard let date, let certificate = (try? TrustAnchor(certificate: root))?.certificate else { return }
        let validity = certificate.view.fields.validity
        guard !validity.holds(at: date) else { return }
        report(
            "at its \(name), \(date), the \(subject)'s certificates are not valid: "
                + "they are from \(validity.notBefore) to \(validity.notAfter)"
        )
    }
}
