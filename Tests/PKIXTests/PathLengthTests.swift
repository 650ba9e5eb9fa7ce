import AppReceiptMint
import Basics
import PKIX
import TestSupport
import Testing

private typealias Builder = CertificateBuilder

@Suite("Path length (RFC 5280 §4.2.1.9, §6.1.4 l, m)")
struct PathLengthTests {
    /// Leaf, intermediates below one another, root.
    private static func builders(lengths: [Int64?], root rootLength: Int64?, selfIssued: Bool = false)
        -> [Builder]
    {
        var builders: [Builder] = []
        for (index, length) in lengths.enumerated() {
            let isLast = index == lengths.count - 1
            let issuer = isLast ? "Root" : selfIssued ? "Authority" : "Authority \(index + 1)"
            let subject = selfIssued ? "Authority" : "Authority \(index)"
            builders.append(
                Builder.authority(
                    subject,
                    issuer: issuer,
                    key: "Key \(index)",
                    signedBy: isLast ? "Root" : "Key \(index + 1)",
                    pathLength: length
                )
            )
        }
        let first = Builder("Leaf", issuer: selfIssued ? "Authority" : "Authority 0", signedBy: "Key 0")
        return [first] + builders + [Builder.authority("Root", issuer: "Root", pathLength: rootLength)]
    }

    @Test(
        "pathLenConstraint bounds the intermediates below; the signer's certificate does not count",
        arguments: [
            ([0], nil, nil), ([0], 1, nil), ([0], 0, 2), ([0, 0], nil, 2), ([0, 1], nil, nil),
            ([nil, nil, 1], nil, 3), ([nil, nil, 2], 3, nil), ([nil, nil, 2], 2, 4), ([9, 0, 9], nil, 2),
        ] as [([Int64?], Int64?, Int?)]
    )
    func lengths(lengths: [Int64?], root: Int64?, refusedAt: Int?) throws {
        let builders = Self.builders(lengths: lengths, root: root)
        let bag = try Bag(builders)
        let anchor = try builders[builders.count - 1].pinned
        guard let refusedAt else {
            #expect(try bag.path(to: [anchor]).count == builders.count)
            return
        }
        refuses(.pathLengthConstraint, at: bag.certificates[refusedAt].range.lowerBound) {
            () throws(Refusal) in try bag.path(to: [anchor])
        }
    }

    @Test("a self-issued intermediate does not count")
    func selfIssued() throws {
        // The root issued the last of the three, which counts.
        for (root, isAccepted) in [(Int64(0), false), (1, true)] {
            let builders = Self.builders(lengths: [0, 0, 0], root: root, selfIssued: true)
            let bag = try Bag(builders)
            let anchor = try builders[4].given
            if isAccepted {
                #expect(try bag.path(to: [anchor]).indices == [0, 1, 2, 3, 4])
            } else {
                refuses(.pathLengthConstraint, at: bag.certificates[4].range.lowerBound) {
                    () throws(Refusal) in try bag.path(to: [anchor])
                }
            }
        }
    }

    @Test("an authority that signs content does not count as an intermediate of its own path")
    func authorityAsSigner() throws {
        let upper = Builder.authority("Authority", issuer: "Root", pathLength: 0)
        let lower = Builder.authority("Lower", issuer: "Authority", pathLength: 0).with {
            $0.extensions?[1] = Builder.keyUsage([0x84], unusedBits: 2)
        }
        let root = Builder.authority("Root", issuer: "Root")
        #expect(try Bag([lower, upper, root]).path(to: [root.pinned]).count == 3)
    }
}
