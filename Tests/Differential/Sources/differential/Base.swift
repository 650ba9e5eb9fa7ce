import AppReceipt
import AppReceiptMint
import Basics
import DER
import Foundation
import PKIX
import Processor
import SHA

/// A message that inputs are made from, and how it is judged.
struct Base {
    /// The part of this package that judges.
    enum Judge {
        /// The validators with and without Apple's markers.
        case receipt(strict: ReceiptValidator, lenient: ReceiptValidator)
        case message(TrustAnchor)
    }

    let name: String
    let octets: [UInt8]
    /// The elements of the message, if it is DER.
    let nodes: [Node]?
    /// The message with parts that can be signed again.
    let signed: SignedMessage?
    /// The index of the root among the roots of the bases.
    let root: Int
    let judge: Judge
    /// The time for judging it, unless the input contains another.
    let time: Timestamp
    /// This time and times near it, in the forms of certificates and receipts.
    let times: [[UInt8]]

    init(
        _ name: String,
        _ octets: [UInt8],
        signed: SignedMessage? = nil,
        root: Int,
        _ judge: Judge,
        at time: Timestamp
    ) {
        self.name = name
        self.octets = signed?.contentInfo.encoded ?? octets
        nodes = Node.decode(self.octets)
        self.signed = signed
        self.root = root
        self.judge = judge
        self.time = time
        times = [-1000, -1, 0, 1, 999, 1000].flatMap { Self.spellings(time.millisecondsSince1970 + $0) }
    }

    private static func spellings(_ milliseconds: Int64) -> [[UInt8]] {
        let date = Timestamp(millisecondsSince1970: milliseconds).description
        let digits = [UInt8](date.utf8.prefix(19).filter { (0x30...0x39).contains($0) }) + [0x5A]
        return [[UInt8](date.utf8), digits, [UInt8](digits.dropFirst(2))]
    }
}

/// All bases, their roots, and elements that can replace others.
struct Bases {
    private(set) var roots: [[UInt8]] = []
    /// The indexes of the roots that are judged as Xcode's.
    private(set) var xcodeRoots: Set<Int> = []
    /// The bases that can be signed again.
    private(set) var signed: [Base] = []
    /// The other bases: minted, from the vectors, genuine, and PKITS's. Each group makes equally many inputs.
    private(set) var groups: [[Base]] = []
    private(set) var donors: [Node] = []
    /// Makes good receipts with the mint.
    private(set) var mint: GoodReceipts

    /// - Parameters:
    ///   - vectors: this project's `Vectors`.
    /// - shared: the folder of genuine receipts and of the standards' vectors. Nil for none.
    init(vectors: URL, shared: URL?) throws {
        mint = GoodReceipts()
        try addGroup { try $0.addSigned() }
        try addGroup { try $0.addVectors(vectors) }
        if let shared {
            try addGroup { try $0.addGenuine(shared) }
            try addGroup { try $0.addMessages(shared) }
        }
        var seen: Set<[UInt8]> = []
        donors = donors.filter { seen.insert($0.encoded).inserted }
    }

    private mutating func rootIndex(_ certificate: [UInt8]) -> Int {
        if let index = roots.firstIndex(of: certificate) { return index }
        roots.append(certificate)
        return roots.count - 1
    }

    /// The judge of receipts under a root.
    mutating func receiptJudge(_ certificate: [UInt8], isXcode: Bool = false) throws -> (Int, Base.Judge) {
        let anchor = try TrustAnchor(certificate: certificate)
        func validator(_ trust: TrustPolicy) -> ReceiptValidator {
            ReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: trust,
                    acceleration: acceleration
                )
            )
        }
        let judge: Base.Judge =
            isXcode
            ? .receipt(
                strict: validator(.xcodeTesting(pinned: [anchor])),
                lenient: validator(.xcodeTesting(pinned: [anchor]))
            )
            : .receipt(
                strict: validator(.pinned([anchor])),
                lenient: validator(.pinned([anchor], requiringMarkers: false))
            )
        let index = rootIndex(certificate)
        if isXcode { xcodeRoots.insert(index) }
        return (index, judge)
    }

    private mutating func addGroup(_ add: (inout Self) throws -> Void) throws {
        groups.append([])
        try add(&self)
    }

    private mutating func add(_ base: Base) {
        groups[groups.count - 1].append(base)
        for node in base.nodes ?? [] { collect(node) }
    }

    /// Elements that are small enough to insert anywhere.
    private mutating func collect(_ node: Node) {
        if node.encoded.count <= 600 { donors.append(node) }
        for child in node.children { collect(child) }
    }

    // MARK: Minted, with keys that sign fast

    private mutating func addSigned() throws {
        let keys = SignedMessage.Keys()
        for index in 0..<48 {
            var random = Mutator(seed: UInt64(index), donors: [])
            let (octets, time) = mint.receipt(&random, isSimple: true)
            guard let message = SignedMessage(octets, keys: keys) else { continue }
            let root = message[SignedMessage.certificate(.root)].encoded
            let (number, judge) = try receiptJudge(root)
            let base = Base("minted \(index)", [], signed: message, root: number, judge, at: time)
            signed.append(base)
            add(base)
        }
    }

    // MARK: From files

    private mutating func addVectors(_ vectors: URL) throws {
        let rows = try table(vectors.appendingPathComponent("receipts.tsv"))
        var names: Set<String> = []
        for row in rows {
            guard let file = row["file"], let root = row["root"], file.hasSuffix("er"),
                names.insert(file + root).inserted
            else { continue }
            let octets = try read(vectors.appendingPathComponent("receipts/\(file)"))
            guard octets.count <= 20_000 else { continue }
            let certificate = try read(vectors.appendingPathComponent("certificates/\(root)"))
            let (number, judge) = try receiptJudge(certificate, isXcode: root == "storekit.der")
            let time = (try? UnverifiedReceipt(unverified: octets).creationDate) ?? Self.vectorTime
            add(Base("Vectors \(file) under \(root)", octets, root: number, judge, at: time))
        }
    }

    /// 2025-06-15T12:00:00Z, the creation date of the vectors.
    private static var vectorTime: Timestamp { Timestamp(millisecondsSince1970: 1_749_988_800_000) }

    private mutating func addGenuine(_ shared: URL) throws {
        let apple = try read(shared.appendingPathComponent("roots/AppleIncRootCertificate.cer"))
        let directory = shared.appendingPathComponent("receipts")
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        where name.hasSuffix(".der") {
            let octets = try read(directory.appendingPathComponent(name))
            guard let time = try UnverifiedReceipt(unverified: octets).creationDate else { continue }
            let isXcode = name.hasSuffix("xcode.der")
            let root = isXcode ? try GoodReceipts.certificates(in: octets).first ?? [] : apple
            let (number, judge) = try receiptJudge(root, isXcode: isXcode)
            add(Base("genuine \(name)", octets, root: number, judge, at: time))
        }
    }

    /// The S/MIME messages of NIST's PKITS, with their content inside.
    private mutating func addMessages(_ shared: URL) throws {
        let certificates = try table(shared.appendingPathComponent("vectors/x509/pkits-certs.tsv"))
        guard let row = certificates.first(where: { $0["name"] == "TrustAnchorRootCertificate" }) else {
            return
        }
        let root = decodedBase64(row["der_b64"])
        let judge = Base.Judge.message(try TrustAnchor(certificate: root))
        let number = rootIndex(root)
        for row in try table(shared.appendingPathComponent("vectors/cms/pkits-smime.tsv")) {
            let content = decodedBase64(row["detached_content_b64"])
            guard var node = Node.decode(decodedBase64(row["signeddata_der_b64"]))?.first else { continue }
            let inside = Node([0xA0], .elements([Node([0x04], .octets(content))]))
            node[[1, 0, 2]].children.append(inside)
            // 2011-04-15, the date that PKITS gives.
            let time = Timestamp(millisecondsSince1970: 1_302_825_600_000)
            add(Base("PKITS \(row["name"] ?? "")", node.encoded, root: number, judge, at: time))
        }
    }
}

private func read(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }

private func decodedBase64(_ text: String?) -> [UInt8] {
    text.flatMap { Data(base64Encoded: $0) }.map([UInt8].init) ?? []
}

/// Reads a tab-separated table. Its first line names the columns, up to a parenthesis.
private func table(_ url: URL) throws -> [[String: String]] {
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    guard let header = lines.first else { return [] }
    let names = header.drop { $0 == "#" }.split(separator: "\t", omittingEmptySubsequences: false)
    return lines.dropFirst().map { line in
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        return Dictionary(zip(names, fields).map { (String($0), String($1)) }) { first, _ in first }
    }
}
