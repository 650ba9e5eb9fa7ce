import AppReceiptMint
import Basics
import DER
import SHA

/// A minted receipt whose parts can be changed and signed again with fast keys.
struct SignedMessage: Sendable {
    /// The owner of a certificate, by its index in the message.
    enum Role: Int, Sendable {
        case leaf, intermediate, root
    }

    /// The keys of the path.
    struct Keys: Sendable {
        let leaf = SmoothKey(seed: 1)
        let intermediate = SmoothKey(seed: 2)
        let root = SmoothKey(seed: 3)

        fileprivate func key(_ role: Role) -> SmoothKey {
            switch role {
            case .leaf: leaf
            case .intermediate: intermediate
            case .root: root
            }
        }

        fileprivate func issuer(of role: Role) -> SmoothKey { role == .leaf ? intermediate : root }
    }

    /// The whole message. The signed parts stay at the paths below while only their contents change.
    ///
    /// Large unchanged parts stay octets, which saves time for each input. ``part(_:)`` returns their
    /// elements.
    private(set) var contentInfo: Node
    private var parts: [[Int]: Node] = [:]
    private let keys: Keys

    static let signedData = [1, 0]
    static let content = [1, 0, 2, 1, 0]
    static let certificates = [1, 0, 3]
    static let signer = [1, 0, 4, 0]
    static func certificate(_ role: Role) -> [Int] { certificates + [role.rawValue] }
    static func tbsCertificate(_ role: Role) -> [Int] { certificate(role) + [0] }

    /// Reads a DER message with three certificates, leaf first, and one signer. Nil for anything else. Each
    /// certificate gets its fast key and is signed again.
    init?(_ octets: [UInt8], keys: Keys) {
        guard let nodes = Node.decode(octets), nodes.count == 1, nodes[0].children.count == 2,
            nodes[0].children[1].children.count == 1,
            nodes[0][Self.signedData[...]].children.count == 5,
            nodes[0][Self.certificates[...]].children.count == 3,
            nodes[0][Self.signedData[...]].children[4].children.count == 1
        else { return nil }
        contentInfo = nodes[0]
        self.keys = keys
        for role in [Role.root, .intermediate, .leaf] {
            guard let information = Node.decode(keys.key(role).subjectPublicKeyInfo)?.first else {
                return nil
            }
            self[Self.tbsCertificate(role) + [6]] = information
            sign(role)
        }
        sign()
        let large = [Self.content] + [Role.root, .intermediate, .leaf].map(Self.tbsCertificate)
        for path in large {
            parts[path] = self[path]
            self[path].contents = .octets(self[path].encodedContents)
        }
    }

    subscript(path: [Int]) -> Node {
        get { contentInfo[path] }
        set { contentInfo[path] = newValue }
    }

    /// The elements of one of the parts.
    func part(_ path: [Int]) -> Node {
        let part = self[path]
        return part.isNested ? part : parts[path] ?? part
    }

    // MARK: Signatures

    /// Signs a certificate with the hash that its signature algorithm names.
    mutating func sign(_ role: Role) {
        var certificate = self[Self.certificate(role)]
        let hash = hash(namedBy: certificate.children[1])
        let signature = keys.issuer(of: role).sign(hash.digest(of: certificate.children[0].encoded.span))
        certificate.children[2].contents = .octets([0] + signature)
        self[Self.certificate(role)] = certificate
    }

    /// Signs the signed attributes, or the content if there are none, with the hash that the digest algorithm
    /// names.
    mutating func sign() {
        var signer = self[Self.signer]
        let digest: Digest
        if var attributes = attributes {
            attributes.identifier = [0x31]
            digest = hash.digest(of: attributes.encoded.span)
        } else {
            digest = contentDigest
        }
        signer.children[signer.children.count - 1].contents = .octets(keys.leaf.sign(digest))
        self[Self.signer] = signer
    }

    private var hash: HashAlgorithm { hash(namedBy: self[Self.signer].children[2]) }
    private var contentDigest: Digest { hash.digest(of: self[Self.content].encodedContents.span) }

    /// The named hash algorithm, or SHA-256.
    private func hash(namedBy algorithm: Node) -> HashAlgorithm {
        guard case .octets(let identifier)? = algorithm.children.first?.contents else { return .sha256 }
        return HashAlgorithm.allCases.first { candidate in
            identifier == AlgorithmTemplate.digest(candidate).identifier.octets
                || identifier == AlgorithmTemplate.rsaSignature(candidate).identifier.octets
        } ?? .sha256
    }

    // MARK: Signed attributes

    /// The signed attributes. Nil if there are none.
    var attributes: Node? {
        get {
            let children = self[Self.signer].children
            return children.count > 3 && children[3].tag == 0xA0 ? children[3] : nil
        }
        set {
            guard attributes != nil, let newValue else { return }
            self[Self.signer + [3]] = newValue
        }
    }

    /// Puts the content's digest into the attribute messageDigest.
    mutating func correctMessageDigest() {
        guard var attributes else { return }
        let messageDigest = ObjectIdentifier(1, 2, 840, 113549, 1, 9, 4).octets
        for index in attributes.children.indices {
            guard case .octets(messageDigest)? = attributes.children[index].children.first?.contents,
                attributes.children[index].children.count == 2
            else { continue }
            let value = Node([0x04], .octets(contentDigest.bytes))
            attributes.children[index].children[1].contents = .elements([value])
        }
        self.attributes = attributes
    }

    /// Puts the attributes in the order of DER (X.690 §11.6).
    mutating func sortAttributes() {
        guard var attributes else { return }
        attributes.children.sort { $0.encoded.lexicographicallyPrecedes($1.encoded) }
        self.attributes = attributes
    }

    // MARK: Related fields

    /// Sets the leaf's issuer to the intermediate's current subject.
    mutating func followIntermediate() {
        let tbs = part(Self.tbsCertificate(.intermediate)).children
        guard tbs.count == 8, part(Self.tbsCertificate(.leaf)).children.count == 8 else { return }
        var leaf = part(Self.tbsCertificate(.leaf))
        leaf.children[3] = tbs[5]
        self[Self.tbsCertificate(.leaf)] = leaf
    }

    /// Sets the signer's identifier to the leaf's current issuer and serial number.
    mutating func followLeaf() {
        let tbs = part(Self.tbsCertificate(.leaf)).children
        guard tbs.count > 3, self[Self.signer].children[1].tag == 0x30 else { return }
        self[Self.signer + [1]].children = [tbs[3], tbs[1]]
    }

    /// Copies a certificate's inner signature algorithm to the outer one.
    mutating func followAlgorithm(_ role: Role) {
        let tbs = part(Self.tbsCertificate(role)).children
        guard tbs.count > 2 else { return }
        self[Self.certificate(role) + [1]] = tbs[2]
    }

    // MARK: BER

    /// Encodes the envelope in BER. Some elements around the signed parts get indefinite or padded lengths,
    /// and the content gets segments (X.690 §8.1.3, §8.7.3). Parts that are signed byte for byte stay
    /// unchanged.
    mutating func loosen(_ mutator: inout Mutator) {
        let envelope = [
            [], [1], Self.signedData, [1, 0, 1], [1, 0, 2], [1, 0, 2, 1], Self.certificates,
            [1, 0, 4], Self.signer, Self.signer + [2],
        ]
        for path in envelope where !mutator.oneIn(3) {
            self[path].length = mutator.oneIn(3) ? .padded(1 + mutator.below(3)) : .indefinite
        }
        guard !mutator.oneIn(3) else { return }
        var rest = self[Self.content].encodedContents[...]
        var segments: [Node] = []
        while !rest.isEmpty {
            let count = min(rest.count, 1 + mutator.below(mutator.oneIn(4) ? 8 : 2000))
            segments.append(Node([0x04], .octets([UInt8](rest.prefix(count)))))
            rest = rest.dropFirst(count)
        }
        if mutator.oneIn(4) { segments = [Node([0x24], .elements(segments))] }
        var content = Node([0x24], .elements(segments))
        content.length = mutator.oneIn(3) ? .minimal : .indefinite
        self[Self.content] = content
    }
}
