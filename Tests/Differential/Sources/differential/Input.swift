import AppReceipt
import AppReceiptMint
import Basics
import DER

/// The kind of change to a message.
enum Kind: String, CaseIterable {
    /// A minted receipt of any shape, unchanged.
    case good
    /// Octets were changed blindly.
    case blind
    /// Elements were changed, and the lengths around them corrected.
    case structure
    /// The unsigned envelope was changed; the signature stays valid.
    case envelope
    /// The content was changed and signed again. The following kinds are signed again, too.
    case content
    /// The signed attributes were changed.
    case attributes
    /// The signer's certificate was changed.
    case leaf
    /// The intermediate's certificate was changed.
    case intermediate
    /// The signer's algorithms or its certificate's name were changed.
    case signer
    /// Several of these were changed.
    case several

    /// Whether signatures are made after the change.
    var isSignedAgain: Bool {
        switch self {
        case .good, .blind, .structure, .envelope: false
        case .content, .attributes, .leaf, .intermediate, .signer, .several: true
        }
    }

    fileprivate static func any(_ mutator: inout Mutator) -> Kind {
        switch mutator.below(1000) {
        case 0: .good
        case 1..<130: .blind
        case 130..<280: .structure
        case 280..<380: .envelope
        case 380..<520: .content
        case 520..<640: .attributes
        case 640..<770: .leaf
        case 770..<880: .intermediate
        case 880..<930: .signer
        default: .several
        }
    }
}

/// One input. A seed and an index determine it.
struct Input {
    let index: UInt64
    let kind: Kind
    let origin: String
    let octets: [UInt8]
    let root: Int
    let judge: Base.Judge
    /// The time if the input contains none.
    let time: Timestamp
    /// Whether Apple's markers are required.
    let isStrict: Bool

    /// The input with other octets.
    func with(_ octets: [UInt8]) -> Input {
        Input(
            index: index,
            kind: kind,
            origin: origin,
            octets: octets,
            root: root,
            judge: judge,
            time: time,
            isStrict: isStrict
        )
    }

    func judgement() -> Judgement {
        switch judge {
        case .receipt(let strict, let lenient):
            Judgement(receipt: octets, isStrict ? strict : lenient, otherwise: time)
        case .message(let anchor): Judgement(message: octets, anchor: anchor, at: time)
        }
    }
}

/// Makes inputs.
struct Inputs {
    private let bases: Bases
    private let groups: [[Base]]
    private let goodJudges: [(root: Int, judge: Base.Judge)]
    private let seed: UInt64
    /// The trusted roots. Inputs refer to them by index.
    let roots: [[UInt8]]
    /// The indexes of the roots that are judged as Xcode's.
    let xcodeRoots: Set<Int>

    init(_ bases: Bases, seed: UInt64) throws {
        var bases = bases
        goodJudges = try bases.mint.roots.map { try bases.receiptJudge($0.certificate, isXcode: $0.isXcode) }
        roots = bases.roots
        xcodeRoots = bases.xcodeRoots
        groups = bases.groups
        self.bases = bases
        self.seed = seed
    }

    func input(_ index: UInt64) -> Input {
        // SplitMix64 gives the same sequence, shifted, for seeds that differ by a multiple of its step.
        var scatter = SeededGenerator(seed: seed ^ (index << 1).byteSwapped)
        var mutator = Mutator(seed: scatter.next(), donors: bases.donors)
        let kind = Kind.any(&mutator)
        if kind == .good {
            let (octets, place, time) = bases.mint.anyReceipt(&mutator)
            let (root, judge) = goodJudges[place]
            return Input(
                index: index,
                kind: kind,
                origin: "mint",
                octets: octets,
                root: root,
                judge: judge,
                time: time,
                isStrict: true
            )
        }
        let base: Base
        let octets: [UInt8]
        if kind.isSignedAgain || kind == .envelope && mutator.oneIn(2) {
            base = mutator.choice(bases.signed)
        } else {
            base = mutator.choice(mutator.choice(groups))
        }
        mutator.times = base.times
        let times = mutator.oneIn(3) ? 1 + mutator.below(4) : 1
        switch kind {
        case .blind: octets = Self.blind(base, times, &mutator)
        case .structure: octets = Self.structure(base, times, &mutator)
        case .envelope: octets = Self.envelope(base, times, &mutator)
        default: octets = Self.signed(base, kind, times, &mutator)
        }
        return Input(
            index: index,
            kind: kind,
            origin: base.name,
            octets: octets,
            root: base.root,
            judge: base.judge,
            time: base.time,
            isStrict: mutator.oneIn(2)
        )
    }

    // MARK: Not signed again

    private static func blind(_ base: Base, _ times: Int, _ mutator: inout Mutator) -> [UInt8] {
        var octets = base.octets
        for _ in 0..<times { mutator.mutate(&octets) }
        return octets
    }

    private static func structure(_ base: Base, _ times: Int, _ mutator: inout Mutator) -> [UInt8] {
        guard var nodes = base.nodes else { return blind(base, times, &mutator) }
        for _ in 0..<times { mutator.mutate(&nodes) }
        return nodes.flatMap(\.encoded)
    }

    /// Changes unsigned parts: listed algorithms, order and number of certificates, revocation lists,
    /// unsigned attributes, versions.
    private static func envelope(_ base: Base, _ times: Int, _ mutator: inout Mutator) -> [UInt8] {
        if var message = base.signed, mutator.oneIn(4) {
            message.loosen(&mutator)
            return message.contentInfo.encoded
        }
        guard var node = base.nodes?.first, node.children.count == 2, node.children[1].children.count == 1
        else { return blind(base, times, &mutator) }
        for _ in 0..<times {
            var signedData = node[[1, 0]]
            let last = signedData.children.count - 1
            guard last >= 2, let signer = signedData.children[last].children.first, signer.isNested else {
                break
            }
            switch mutator.below(8) {
            case 0:
                let extra = (0...mutator.below(3)).map { _ in mutator.choice(mutator.donors) }
                signedData.children.insert(Node([0xA1], .elements(extra)), at: last)
            case 1:
                let extra = (0...mutator.below(2)).map { _ in mutator.choice(mutator.donors) }
                signedData.children[last].children[0].children.append(Node([0xA1], .elements(extra)))
            case 2:
                var attribute = [mutator.identifierOfDonor()]
                attribute.append(Node([0x31], .elements([mutator.choice(mutator.donors)])))
                let set = Node([0xA1], .elements([Node([0x30], .elements(attribute))]))
                signedData.children[last].children[0].children.append(set)
            case 3...4 where last >= 3:
                rearrange(&signedData.children[3], &mutator)
            case 5: mutator.mutate(&signedData.children[1].children)
            case 6:
                var version = [signedData.children[0]]
                mutator.mutate(&version)
                signedData.children.replaceSubrange(0...0, with: version)
            default:
                rearrange(&signedData.children[mutator.below(last + 1)], &mutator)
            }
            node[[1, 0]] = signedData
        }
        return node.encoded
    }

    /// Exchanges, doubles, removes or adds elements inside one element.
    private static func rearrange(_ node: inout Node, _ mutator: inout Mutator) {
        guard node.isNested, !node.children.isEmpty else { return }
        let index = mutator.below(node.children.count)
        switch mutator.below(5) {
        case 0: node.children.swapAt(index, mutator.below(node.children.count))
        case 1: node.children.insert(node.children[index], at: mutator.below(node.children.count + 1))
        case 2: node.children.remove(at: index)
        case 3: node.children[index].identifier = [UInt8(0xA0 | mutator.below(6))]
        default: node.children.insert(mutator.choice(mutator.donors), at: index)
        }
    }

    // MARK: Signed again

    private static func signed(_ base: Base, _ kind: Kind, _ times: Int, _ mutator: inout Mutator) -> [UInt8]
    {
        guard var message = base.signed else { return base.octets }
        var changes: [Kind] = [kind]
        if kind == .several {
            changes = [.content, .attributes, .leaf, .intermediate, .signer].filter { _ in mutator.oneIn(2) }
        }
        var signsLeaf = false
        for change in changes {
            for _ in 0..<times { Self.change(&message, change, &mutator) }
        }
        if changes.contains(.intermediate) {
            if mutator.oneIn(2) { message.followAlgorithm(.intermediate) }
            message.sign(.intermediate)
            if mutator.oneIn(2) {
                message.followIntermediate()
                signsLeaf = true
            }
        }
        if changes.contains(.leaf) || signsLeaf {
            if mutator.oneIn(2) { message.followAlgorithm(.leaf) }
            message.sign(.leaf)
            if !mutator.oneIn(3) { message.followLeaf() }
        }
        if changes.contains(.content) || changes.contains(.signer), !mutator.oneIn(16) {
            message.correctMessageDigest()
        }
        if changes.contains(.attributes), !mutator.oneIn(3) { message.sortAttributes() }
        message.sign()
        if mutator.oneIn(6) { message.loosen(&mutator) }
        return message.contentInfo.encoded
    }

    private static func change(_ message: inout SignedMessage, _ change: Kind, _ mutator: inout Mutator) {
        let path: [Int]
        switch change {
        case .content: path = SignedMessage.content
        case .attributes: path = SignedMessage.signer + [3]
        case .leaf: path = SignedMessage.tbsCertificate(.leaf)
        case .intermediate: path = SignedMessage.tbsCertificate(.intermediate)
        default: path = SignedMessage.signer + [mutator.oneIn(2) ? 1 : 2]
        }
        if change == .attributes, message.attributes == nil { return }
        var part = message.part(path)
        if change == .content, mutator.oneIn(8) {
            var octets = part.encodedContents
            mutator.mutate(&octets)
            part.contents = .octets(octets)
        } else if !part.isNested {
            return
        } else if change == .leaf || change == .intermediate, part.children.count > 3, !mutator.oneIn(4) {
            // Chooses a field first, because the extensions would get nearly all changes otherwise.
            let index = mutator.below(part.children.count + 1)
            if index < part.children.count, part.children[index].isNested {
                mutator.mutate(&part.children[index].children)
            } else {
                mutator.mutate(&part.children)
            }
        } else {
            mutator.mutate(&part.children)
        }
        message[path] = part
    }
}
