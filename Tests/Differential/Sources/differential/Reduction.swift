import Basics
import CMS
import DER

/// A message without an unsigned part that this package ignores. If the two agree on the rest, they disagree
/// about the removed part.
struct Reduction {
    /// The class of a disagreement that disappears with the part.
    let disagreement: String
    let octets: [UInt8]

    /// All reductions of a message. Empty if the message cannot be read.
    static func all(of octets: [UInt8]) -> [Reduction] {
        let normalised = (try? Envelope(octets.span))?.der
        // Takes apart the envelope only, because a deep part that is not DER would hide the parts around it.
        guard var message = Node.envelope(normalised ?? octets) else { return [] }
        var reductions = normalised.map { [Reduction(disagreement: "BER", octets: $0)] } ?? []
        let parts = message.children[1].children[0].children
        guard parts.count >= 4, let signer = parts[parts.count - 1].children.first else { return [] }

        if let last = signer.children.last, last.tag == 0xA1 || parts.contains(where: { $0.tag == 0xA1 }) {
            var reduced = message
            reduced[[1, 0]].children.removeAll { $0.tag == 0xA1 }
            let count = reduced[[1, 0]].children.count
            if last.tag == 0xA1 { reduced[[1, 0, count - 1, 0]].children.removeLast() }
            reductions.append(Reduction(disagreement: "unsigned parts", octets: reduced.encoded))
            message = reduced
        }
        if message[[1, 0]].children.count >= 5 {
            let certificates = message[[1, 0, 3]].children
            var others = message
            others[[1, 0, 3]].children.removeAll { $0.tag != 0x30 }
            reductions.append(Reduction(disagreement: "spare certificates", octets: others.encoded))
            for index in certificates.indices {
                var reduced = message
                reduced[[1, 0, 3]].children.remove(at: index)
                reductions.append(Reduction(disagreement: "spare certificates", octets: reduced.encoded))
            }
        }
        // Keeps only the signer's algorithm of the listed ones. Then removes everything at once.
        if signer.children.count > 2, message[[1, 0, 1]].encodedContents != signer.children[2].encoded {
            var reduced = message
            reduced[[1, 0, 1]].children = [signer.children[2]]
            reductions.append(Reduction(disagreement: "algorithms", octets: reduced.encoded))
            if reduced[[1, 0]].children.count >= 5 {
                reduced[[1, 0, 3]].children.removeAll { $0.tag != 0x30 }
                reductions.append(Reduction(disagreement: "unsigned parts", octets: reduced.encoded))
            }
        }
        return reductions
    }
}

extension Node {
    /// A message, taken apart down to the parts of its SignedData and of its first SignerInfo. Their contents
    /// stay octets.
    fileprivate static func envelope(_ octets: [UInt8]) -> Node? {
        guard var message = one(octets), message.open(), message.children.count == 2 else { return nil }
        guard message.children[1].open(), message.children[1].children.count == 1,
            message.children[1].children[0].open()
        else { return nil }
        let last = message[[1, 0]].children.count - 1
        // Algorithms, certificates, signers.
        for index in Set([1, 3, last]) where index <= last {
            if message[[1, 0, index]].tag == 0xA1 { continue }
            guard message[[1, 0, index]].open() else { return nil }
        }
        guard last >= 3, !message[[1, 0, last]].children.isEmpty else { return nil }
        return message.children[1].children[0].children[last].children[0].open() ? message : nil
    }

    private static func one(_ octets: [UInt8]) -> Node? {
        guard let all = decode(octets, maximumDepth: 0), all.count == 1 else { return nil }
        return all[0]
    }

    /// Takes octets apart down one level.
    private mutating func open() -> Bool {
        guard case .octets(let octets) = contents, let inner = Node.decode(octets, maximumDepth: 0) else {
            return false
        }
        contents = .elements(inner)
        return true
    }
}
