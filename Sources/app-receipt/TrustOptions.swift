import AppReceipt
import Basics
import PKIX
import ReceiptCorpus
import Revocation
import SHA

// The options about certificates: which ones to trust, which are distrusted, and which are revoked.

extension Arguments {
    /// The certificates of `--root` and `--issuer`, and the evidence about revocation of `--ocsp` and
    /// `--crl`. The files are read once, because a file may be a pipe.
    struct Certificates {
        /// The trusted roots that `--root` gives, as certificates or fingerprints.
        private(set) var anchors: [TrustAnchor] = []
        /// The certificates that `--issuer` gives: issuers that transaction receipts do not contain.
        private(set) var issuers: [IssuerCertificate] = []
        /// The evidence about revocation that `--ocsp` and `--crl` give; nil without these options.
        private(set) var evidence: RevocationEvidence?
        /// The OCSP responses and CRLs of the evidence, in DER, with the option that gave each.
        private(set) var pieces: [(option: String, bytes: [UInt8])] = []

        init(_ arguments: Arguments) throws(Failure) {
            for word in arguments.all("--root") { anchors += try trustAnchors(word) }
            for word in arguments.all("--issuer") {
                issuers += try decoded("--issuer", word, try Input.file(word)) { bytes throws(Refusal) in
                    try IssuerCertificate(bytes)
                }
            }
            try readEvidence("--ocsp", arguments) { (word) throws(Failure) in
                [try Input.file(word)]
            } add: { (evidence, piece) throws(Refusal) in
                try evidence.add(ocspResponse: piece)
            }
            try readEvidence("--crl", arguments) { (word) throws(Failure) in
                let bytes = try Input.file(word, limit: 2 * RevocationLimits.standard.listBytes)
                return try decoded("--crl", word, bytes, .revocationList) { $0 }
            } add: { (evidence, piece) throws(Refusal) in
                try evidence.add(revocationList: piece)
            }
        }

        /// Adds the evidence in the files of an option. An error names the file of the piece that is refused.
        private mutating func readEvidence(
            _ option: String,
            _ arguments: Arguments,
            pieces contents: (Argument) throws(Failure) -> [[UInt8]],
            add: (inout RevocationEvidence, [UInt8]) throws(Refusal) -> Void
        ) throws(Failure) {
            for word in arguments.all(option) {
                for piece in try contents(word) {
                    var evidence = evidence ?? RevocationEvidence(limits: .standard)
                    do throws(Refusal) {
                        try add(&evidence, piece)
                    } catch {
                        throw .usage(
                            "\(option) \(word.printable) cannot be used: \(error.code.meaning) "
                                + "(\(error.code.name) at byte \(error.offset))"
                        )
                    }
                    self.evidence = evidence
                    pieces.append((option, piece))
                }
            }
        }
    }

    /// Returns the trust policy that the options ask for. Throws a usage `Failure` for `--without-markers`
    /// without `--root` or with `--xcode-testing`.
    func trust(_ anchors: [TrustAnchor]) throws(Failure) -> TrustPolicy {
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

    /// The SHA-256 fingerprints of certificates and keys that `--distrust` gives. Throws a usage `Failure`
    /// for a word that is no fingerprint.
    func distrusted() throws(Failure) -> DistrustList {
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
    /// Throws a usage `Failure` for `--revocation` without evidence or with an unknown value, and, if there
    /// is evidence, for a `--now` that is no time.
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
    /// Reads a SHA-256 digest of 64 hexadecimal digits, with or without a colon between each two octets. Nil
    /// for any other word.
    static func fingerprint(_ word: Argument) -> Digest? {
        let parts = word.bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.allSatisfy({ $0.count == 2 }) else { return nil }
        let octets = Hexadecimal.bytes(of: Array(parts.joined()))
        return octets.flatMap { $0.count == 32 ? Digest(.sha256, bytes: $0.borrowedSpan) : nil }
    }
}

/// The kinds of contents that `decoded` reads from a file.
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
/// Skips blocks whose label names something else. A file without blocks counts as DER. Throws if a block
/// is not closed, if all blocks are skipped, if a block that is not skipped holds no SEQUENCE, or if
/// `decode` throws.
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
