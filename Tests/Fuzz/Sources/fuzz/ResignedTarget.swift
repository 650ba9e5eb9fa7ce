import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import SHA

/// Checks certificates and signed attributes that are signed again after mutation, so that genuine
/// verification reaches the steps after a signature. Accepted messages meet plain rules (RFC 5280 §6.1, RFC
/// 5652 §5.4 and §11) over certificates that are read element by element. The verdict is the same with a
/// cache that knows them.
///
/// An input has two bytes of choices, then elements. Each SEQUENCE is the signed part of a certificate: first
/// the signer's, then the intermediate's, then roots. A SET holds the signed attributes. The target inserts
/// keys, signs each certificate with the key of the next one, and puts the content's digest into the
/// attributes.
func fuzzResigned(_ input: [UInt8]) {
    guard input.count > 2, let parts = elements(input, in: 2..<input.count) else { return }
    let choices = Choices(rawValue: input[0])
    let tbs = parts.filter { $0.tag == .sequence }.prefix(6).map { Array(input[$0.range]) }
    guard !tbs.isEmpty else { return }
    let certificates = tbs.enumerated().map { ResignedCertificate($1, role: $0) }
    let time = Resigning.time(input[1], certificates)
    var attributes: [UInt8]?
    if let set = parts.first(where: { $0.tag == .set }) { attributes = Array(input[set.contents]) }
    let message = ResignedMessage(certificates, attributes, time, choices)
    guard let anchor = Resigning.anchor(certificates, choices) else { return }
    let validator = ReceiptValidator(
        ReceiptPolicy(
            environments: .any,
            bundleIdentifier: .any,
            trust: Resigning.policy(anchor, choices),
            minimumDigest: choices.contains(.minimumDigest) ? .sha256 : .sha1
        )
    )
    var cache = ValidationCache()
    let verdict = ResignedVerdict(validator, message.bytes, &cache)
    for _ in 0..<2 {
        let again = ResignedVerdict(validator, message.bytes, &cache)
        require(again == verdict, "\(again) with a cache, \(verdict) before")
    }
    switch verdict {
    case .refused(_, let offset):
        require((0...message.bytes.count).contains(offset), "\(verdict) lies outside")
    case .accepted(let root, let signer):
        check(certificates, message, choices, time, anchor, root, signer)
        if let attributes = message.attributes { checkAttributes(attributes, message.contentDigest) }
        require(!choices.contains(.minimumDigest) || !choices.contains(.sha1), "a digest that is too short")
    }
}

/// The choices in the first byte of an input.
private struct Choices: OptionSet {
    let rawValue: UInt8
    static let anchorAtHand = Choices(rawValue: 1)
    static let xcode = Choices(rawValue: 2)
    static let withoutMarkers = Choices(rawValue: 4)
    static let rootLeftOut = Choices(rawValue: 8)
    static let sha1 = Choices(rawValue: 16)
    static let keyIdentifier = Choices(rawValue: 32)
    static let minimumDigest = Choices(rawValue: 64)
    static let otherAnchor = Choices(rawValue: 128)
}

private enum ResignedVerdict: Equatable {
    case accepted(root: Digest, signer: [UInt8])
    case refused(String, offset: Int)

    init(_ validator: ReceiptValidator, _ message: [UInt8], _ cache: inout ValidationCache) {
        do throws(ReceiptError) {
            let receipt = try validator.validate(message, cache: &cache)
            self = .accepted(root: receipt.rootFingerprint, signer: Array(receipt.signingCertificate))
        } catch {
            self = .refused("\(error.step.rawValue): \(error.code.name)", offset: error.offset)
        }
    }
}

// MARK: Signing

private enum Resigning {
    /// The keys of the signer, the intermediate and the root.
    static let keys = (1...3).map { PrivateKey(seed: $0) }

    /// The modulus, taken from a SubjectPublicKeyInfo that ends with the exponent 65537.
    static func modulus(_ role: Int) -> [UInt8] {
        keys[min(role, 2)].subjectPublicKeyInfo.suffix(261).dropLast(5)
    }

    /// Signatures by their signed bytes. A signature depends only on these bytes, so each is made once.
    private nonisolated(unsafe) static var signatures: [[UInt8]: [UInt8]] = [:]

    static func sign(_ digest: Digest, role: Int) -> [UInt8] {
        let role = min(role, 2)
        let name = [UInt8(role)] + digest.bytes
        // Only one thread runs.
        if let signature = unsafe signatures[name] { return signature }
        let signature = keys[role].sign(digest)
        if unsafe signatures.count >= 1000 { unsafe signatures.removeAll() }
        unsafe signatures[name] = signature
        return signature
    }

    /// The creation date of the receipt: a fixed day, or a time at which a certificate's validity begins or
    /// ends.
    static func time(_ choice: UInt8, _ certificates: [ResignedCertificate]) -> String {
        let some = "20240601120000"
        let all = [some, some] + certificates.compactMap(\.plain).flatMap { [$0.notBefore, $0.notAfter] }
        let time = all[Int(choice) % all.count]
        return Timestamp(rfc3339: date(time)) == nil ? some : time
    }

    static func date(_ time: String) -> String {
        var parts: [Substring] = []
        var rest = time[...]
        for count in [4, 2, 2, 2, 2, 2] {
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z"
    }

    static func anchor(_ certificates: [ResignedCertificate], _ choices: Choices) -> TrustAnchor? {
        let index = choices.contains(.xcode) ? 0 : choices.contains(.otherAnchor) ? 1 : 2
        let bytes = certificates[min(index, certificates.count - 1)].bytes
        if choices.contains(.anchorAtHand), let anchor = try? TrustAnchor(certificate: bytes) {
            return anchor
        }
        return TrustAnchor(fingerprint: HashAlgorithm.sha256.digest(of: bytes.span))
    }

    static func policy(_ anchor: TrustAnchor, _ choices: Choices) -> TrustPolicy {
        if choices.contains(.xcode) { return .xcodeTesting(pinned: [anchor]) }
        return .pinned([anchor], requiringMarkers: !choices.contains(.withoutMarkers))
    }
}

/// A certificate that is signed again.
private struct ResignedCertificate {
    let role: Int
    let bytes: [UInt8]
    /// The decoded certificate. Nil if it does not decode.
    let plain: PlainCertificate?

    /// - Parameter tbs: the signed part, in which the role's key replaces the key.
    init(_ tbs: [UInt8], role: Int) {
        self.role = role
        var tbs = tbs
        if let plain = PlainCertificate(tbsCertificate: tbs) {
            let key = Resigning.keys[min(role, 2)].subjectPublicKeyInfo
            var contents = Array(tbs[..<plain.subjectPublicKeyInfo.lowerBound]) + key
            contents += tbs[plain.subjectPublicKeyInfo.upperBound...]
            let header = elements(tbs)?.first?.contents.lowerBound ?? 0
            var writer = Writer()
            writer.write(.sequence, Array(contents[header...]))
            tbs = writer.bytes
        }
        let plain = PlainCertificate(tbsCertificate: tbs)
        self.plain = plain
        let hashes = HashAlgorithm.allCases
        let hash =
            hashes.first { AlgorithmTemplate.rsaSignature($0).encoded() == plain?.signature } ?? .sha256
        var writer = Writer()
        writer.nest(.sequence) { certificate in
            certificate.writeEncoded(tbs)
            certificate.writeEncoded(plain?.signature ?? AlgorithmTemplate.rsaSignature(hash).encoded())
            certificate.writeBitString(Resigning.sign(hash.digest(of: tbs.span), role: role + 1))
        }
        bytes = writer.bytes
    }
}

private struct ResignedMessage {
    let bytes: [UInt8]
    let contentDigest: Digest
    /// The contents of the SET, with the right digest.
    let attributes: [UInt8]?

    init(_ certificates: [ResignedCertificate], _ attributes: [UInt8]?, _ time: String, _ choices: Choices) {
        var template = PayloadTemplate()
        template.creationDate = Timestamp(rfc3339: Resigning.date(time))
        let payload = template.encoded()
        let hash = choices.contains(.sha1) ? HashAlgorithm.sha1 : .sha256
        let contentDigest = hash.digest(of: payload.span)
        self.contentDigest = contentDigest
        var signed = contentDigest
        let mended = attributes.map { Self.withDigest(contentDigest, $0) }
        self.attributes = mended
        if let mended {
            var set = Writer()
            set.write(.set, mended)
            signed = hash.digest(of: set.bytes.span)
        }
        var signer = Writer()
        let leaf = certificates[0].plain
        let keyIdentifier = choices.contains(.keyIdentifier) ? leaf?.value(.subjectKeyIdentifier) : nil
        signer.writeInteger(keyIdentifier == nil ? 1 : 3)
        if let keyIdentifier {
            signer.write(
                .primitive(0),
                elements(keyIdentifier)?.first.map { Array(keyIdentifier[$0.contents]) } ?? []
            )
        } else {
            signer.nest(.sequence) { both in
                both.writeEncoded(leaf?.issuer ?? [])
                both.write(.integer, leaf?.serialNumber ?? [0])
            }
        }
        signer.writeEncoded(AlgorithmTemplate.digest(hash).encoded())
        if let mended { signer.write(.constructed(0), mended) }
        signer.writeEncoded(AlgorithmTemplate.rsaEncryption.encoded())
        signer.writeOctetString(Resigning.sign(signed, role: 0))

        let isShort = choices.contains(.rootLeftOut) && certificates.count > 1
        let included = isShort ? certificates.dropLast() : certificates[...]
        var message = Writer()
        message.nest(.sequence) { contentInfo in
            contentInfo.writeObjectIdentifier(ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2))
            contentInfo.nest(.constructed(0)) { explicit in
                explicit.nest(.sequence) { signedData in
                    signedData.writeInteger(keyIdentifier == nil ? 1 : 3)
                    signedData.write(.set, AlgorithmTemplate.digest(hash).encoded())
                    signedData.nest(.sequence) { content in
                        content.writeObjectIdentifier(ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1))
                        content.nest(.constructed(0)) { $0.writeOctetString(payload) }
                    }
                    signedData.write(.constructed(0), included.flatMap(\.bytes))
                    signedData.nest(.set) { $0.write(.sequence, signer.bytes) }
                }
            }
        }
        bytes = message.bytes
    }

    /// The attributes, with the content's digest in each messageDigest of its length.
    private static func withDigest(_ digest: Digest, _ attributes: [UInt8]) -> [UInt8] {
        let count = UInt8(digest.bytes.count)
        let head: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 13, 1, 9, 4, 0x31, count + 2, 4, count]
        var attributes = attributes
        for start in attributes.indices where attributes[start...].starts(with: head) {
            let place = (start + head.count)..<(start + head.count + Int(count))
            if place.upperBound <= attributes.count { attributes.replaceSubrange(place, with: digest.bytes) }
        }
        return attributes
    }
}

// MARK: What holds

/// Checks that plain rules find a path from the one named certificate to the anchor.
private func check(
    _ certificates: [ResignedCertificate],
    _ message: ResignedMessage,
    _ choices: Choices,
    _ time: String,
    _ anchor: TrustAnchor,
    _ root: Digest,
    _ signer: [UInt8]
) {
    require(root == anchor.fingerprint, "the root is the anchor")
    let leaf = certificates[0]
    require(signer == leaf.bytes, "the signer's certificate is the named one")
    func isAnchor(_ certificate: ResignedCertificate) -> Bool {
        HashAlgorithm.sha256.digest(of: certificate.bytes.span) == anchor.fingerprint
    }
    if choices.contains(.xcode) {
        require(isAnchor(leaf), "the signer is the anchor")
        require(problem(leaf, at: time) == nil, "the signer \(problem(leaf, at: time) ?? "")")
        require(leaf.plain?.value(.extendedKeyUsage) != nil, "a purpose is named")
        return
    }
    var problems: [String] = []
    for intermediate in certificates.dropFirst() {
        for root in certificates.dropFirst() where isAnchor(root) && root.bytes != intermediate.bytes {
            guard let problem = problem([leaf, intermediate, root], choices, at: time) else { return }
            problems.append(problem)
        }
    }
    require(false, "plain rules find a path: \(problems)")
}

/// The reason why a certificate may not sign at a time, or nil.
///
/// - Parameter marker: the marker that the certificate must have in its role; nil for none.
private func problem(
    _ certificate: ResignedCertificate,
    at time: String,
    marker: [UInt8]? = nil
) -> String? {
    guard let plain = certificate.plain else { return "is no certificate" }
    guard plain.notBefore <= time, time <= plain.notAfter else { return "is not valid" }
    let known: [[UInt8]] =
        [
            .subjectKeyIdentifier, .keyUsage, .basicConstraints, .authorityKeyIdentifier, .extendedKeyUsage,
            .certificatePolicies,
        ] + (marker.map { [$0] } ?? [])
    guard plain.extensions.allSatisfy({ !$0.isCritical || known.contains($0.identifier) }) else {
        return "has a critical extension that is not known"
    }
    guard Set(plain.extensions.map(\.identifier)).count == plain.extensions.count else {
        return "has an extension twice"
    }
    guard plain.isPermitted(purposes: [.anyExtendedKeyUsage, .codeSigning]) else {
        return "is for other purposes"
    }
    return certificate.role > 0 || plain.isPermitted(bit: 0) ? nil : "signs nothing"
}

/// The reason why a path of signer, intermediate and root is invalid, or nil.
private func problem(_ path: [ResignedCertificate], _ choices: Choices, at time: String) -> String? {
    let markers: [[UInt8]] = choices.contains(.withoutMarkers) ? [] : [.leafMarker, .intermediateMarker]
    for (place, certificate) in path.enumerated() {
        let marker = place < markers.count ? markers[place] : nil
        if let problem = problem(certificate, at: time, marker: marker) { return "\(place) \(problem)" }
        guard let plain = certificate.plain else { return "\(place) is none" }
        guard plain.isPermitted(purposes: [.anyExtendedKeyUsage]) else {
            return "\(place) is for other purposes"
        }
        guard place > 0, let child = path[place - 1].plain else { continue }
        guard child.mayBeIssued(by: plain) else { return "\(place) is not whom \(place - 1) names" }
        // The next role's key made the signature.
        guard min(path[place - 1].role + 1, 2) == min(certificate.role, 2),
            certificate.bytes.contains(Resigning.modulus(certificate.role))
        else { return "\(place) did not sign \(place - 1)" }
        let below = place == 2 && path[1].plain?.isSelfIssued == false ? 1 : 0
        if let problem = plain.problemAsIssuer(below: below) { return "\(place) \(problem)" }
    }
    guard !choices.contains(.withoutMarkers) else { return nil }
    guard path[0].plain?.value(.leafMarker) != nil else { return "the signer has no marker" }
    return path[1].plain?.value(.intermediateMarker) == nil ? "the intermediate has no marker" : nil
}

/// Checks that the attributes are in the order of DER and contain one right contentType and one right
/// messageDigest (RFC 5652 §11.1, §11.2).
private func checkAttributes(_ set: [UInt8], _ digest: Digest) {
    guard let attributes = elements(set) else { return require(false, "signed attributes are elements") }
    let encodings = attributes.map { Array(set[$0.range]) }
    for (one, next) in zip(encodings, encodings.dropFirst()) {
        let isAscending = !next.lexicographicallyPrecedes(one) || one.starts(with: next)
        require(isAscending, "signed attributes are in order: \(one), \(next)")
    }
    let pkcs9: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 13, 1, 9]
    let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 13, 1, 7, 1]
    for (type, tag, expected) in [(3, Tag.objectIdentifier, data), (4, .octetString, digest.bytes)] {
        let values = attributes.compactMap { attribute -> [Element]? in
            guard let parts = elements(set, in: attribute.contents), parts.count == 2, parts[1].tag == .set,
                Array(set[parts[0].contents]) == pkcs9 + [UInt8(type)]
            else { return nil }
            return elements(set, in: parts[1].contents)
        }
        require(values.count == 1 && values[0].count == 1, "attribute \(type) occurs once, with one value")
        require(values.allSatisfy { $0[0].tag == tag }, "attribute \(type) has its type")
        require(values.allSatisfy { Array(set[$0[0].contents]) == expected }, "attribute \(type) is right")
    }
}
