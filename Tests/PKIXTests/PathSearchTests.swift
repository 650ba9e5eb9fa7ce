import Basics
import DER
import PKIX
import TestSupport
import Testing

private typealias Builder = CertificateBuilder

private let leaf = Builder("Leaf", issuer: "Authority")
private let authority = Builder.authority("Authority", issuer: "Root")
private let root = Builder.authority("Root", issuer: "Root")

/// Authorities of one name, with keys and signatures that lead nowhere, told apart by their serial numbers.
private func lookAlikes(_ count: Int, extensions: [[UInt8]] = []) -> [Builder] {
    (0..<count).map { index in
        Builder.authority("Authority", issuer: "Root", key: "Impostor \(index)", and: extensions).with {
            $0.serialNumber = [2, UInt8(index)]
        }
    }
}

@Suite("The search for a path (RFC 5280 §6.1, §4.2.1.1)")
struct PathSearchTests {
    @Test("the issuer is found among look-alikes with one name and key identifier")
    func lookAlike() throws {
        let identifier = Builder.subjectKeyIdentifier([1, 2, 3, 4])
        let wanted = authority.with { $0.extensions?.append(identifier) }
        let first = leaf.with { $0.extensions = [Builder.authorityKeyIdentifier([1, 2, 3, 4])] }
        let bag = try Bag([first] + lookAlikes(14, extensions: [identifier]) + [wanted])
        var keys = KeyCache<NameKey>()
        let path = try bag.path(to: [root.given], keys: &keys)
        #expect(path.indices == [0, 15])
        #expect(keys.calls == 16)
    }

    @Test("with as many look-alikes as signature checks, the search gives up after sixteen")
    func tooManyLookAlikes() throws {
        let bag = try Bag([leaf] + lookAlikes(16) + [authority, root])
        let anchor = try root.pinned
        var keys = KeyCache<NameKey>()
        refuses(.tooManySignatureChecks, at: 0) { () throws(Refusal) in
            try bag.path(to: [anchor], keys: &keys)
        }
        #expect(keys.calls == 16)
    }

    @Test("look-alikes that fail a cheaper check cost no signature check")
    func cheapChecksFirst() throws {
        let bag = try Bag(
            [leaf] + lookAlikes(16).map { builder in builder.with { $0.extensions?.remove(at: 0) } }
                + lookAlikes(16).map { builder in builder.with { $0.notAfter = Builder.time("100102000000Z") }
                }
                + [authority, root]
        )
        var keys = KeyCache<NameKey>()
        #expect(try bag.path(to: [root.pinned], keys: &keys).indices == [0, 33, 34])
        #expect(keys.calls == 2)
    }

    @Test("look-alikes that lead on to look-alikes are bounded as well")
    func deepLookAlikes() throws {
        // Every one of them issued every other.
        let web = (0..<8).map { index in
            Builder.authority("Authority", issuer: "Authority", key: "Same").with {
                $0.serialNumber = [UInt8(index)]
                $0.signatureValue = [UInt8]("Same".utf8)
            }
        }
        let bag = try Bag([leaf.with { $0.signatureValue = [UInt8]("Same".utf8) }] + web)
        let anchor = try root.given
        var keys = KeyCache<NameKey>()
        refuses(.tooManySignatureChecks) { () throws(Refusal) in
            try bag.path(to: [anchor], keys: &keys)
        }
        #expect(keys.calls == 16)
    }

    @Test(
        "a check by an expensive key counts as often as its weight, up to the limit of sixteen",
        arguments: [
            ([14], true, 3), ([7, 7], true, 4), ([13, 1], true, 4), ([15], false, 2), ([14, 1], false, 3),
            ([16], false, 1), ([17], false, 0), ([8, 9], false, 1), ([1, 16], false, 1), ([.max], false, 0),
            ([1, .max], false, 1),
        ] as [([Int], Bool, Int)]
    )
    func weights(weightsOfLookAlikes: [Int], isFound: Bool, calls: Int) throws {
        let heavy = weightsOfLookAlikes.enumerated().map { index, weight in
            Builder.authority("Authority", issuer: "Root", key: "Impostor x\(weight)").with {
                $0.serialNumber = [2, UInt8(index)]
            }
        }
        let bag = try Bag([leaf] + heavy + [authority, root])
        let anchor = try root.pinned
        var keys = KeyCache<NameKey>()
        if isFound {
            #expect(try bag.path(to: [anchor], keys: &keys).count == 3)
        } else {
            refuses(.tooManySignatureChecks) { () throws(Refusal) in
                try bag.path(to: [anchor], keys: &keys)
            }
        }
        #expect(keys.calls == calls)
    }

    @Test("the refusal is that of the path that went furthest")
    func furthest() throws {
        let bag = try Bag([leaf] + lookAlikes(2) + [authority])
        let anchor = try root.pinned
        refuses(.issuerNotFound, at: bag.certificates[3].issuer.range.lowerBound) { () throws(Refusal) in
            try bag.path(to: [anchor])
        }
    }

    @Test("two authorities that issued each other are a loop without a root, and it ends")
    func loop() throws {
        let one = Builder.authority("One", issuer: "Two")
        let two = Builder.authority("Two", issuer: "One")
        let bag = try Bag([Builder("Leaf", issuer: "One"), one, two])
        let anchor = try root.given
        var keys = KeyCache<NameKey>()
        refuses(.issuerNotFound, at: bag.certificates[2].issuer.range.lowerBound) { () throws(Refusal) in
            try bag.path(to: [anchor], keys: &keys)
        }
        #expect(keys.calls == 2)
    }

    @Test("no certificate stands in a path twice, though it comes several times")
    func repeated() throws {
        // Two authorities that issued each other, and copies of both; the signer's is pinned.
        let one = Builder.authority("One", issuer: "Two").with {
            $0.extensions?[1] = Builder.keyUsage([0x86], unusedBits: 1)
        }
        let two = Builder.authority("Two", issuer: "One")
        let bag = try Bag([one, two, one, two])
        for anchor in [try one.pinned, try one.given] {
            var keys = KeyCache<NameKey>()
            refuses(.issuerNotFound, at: bag.certificates[1].issuer.range.lowerBound) { () throws(Refusal) in
                try bag.path(to: [anchor], policy: .any(3...3), keys: &keys)
            }
            #expect(keys.calls == 1)
        }
        // The signer's copy may come before it as well.
        let anchor = try one.given
        refuses(.issuerNotFound) { () throws(Refusal) in
            try bag.path(to: [anchor], from: 2, policy: .any(3...3))
        }
        // Copies elsewhere do no harm.
        let copies = try Bag([leaf, authority, authority, root, leaf, root])
        #expect(try copies.path(to: [root.pinned], from: 4).indices == [4, 1, 3])
    }

    private static let marker = ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 1)
    private static let marked = authority.with { $0.extensions?.append(Builder.extension(marker, [5, 0])) }

    private static func preferring(_ checks: Int = 16) -> PathPolicy {
        PathPolicy(
            certificateCount: 1...10,
            purpose: .permitted(.anyExtendedKeyUsage),
            signatureChecks: checks,
            preferredIssuerExtension: marker
        )
    }

    @Test("an issuer with the preferred extension is tried first in any order")
    func preferredIssuer() throws {
        for (builders, place) in [
            ([leaf, authority, Self.marked, root], 2), ([leaf, Self.marked, authority, root], 1),
        ] {
            var keys = KeyCache<NameKey>()
            let path = try Bag(builders).path(to: [root.pinned], policy: Self.preferring(2), keys: &keys)
            #expect(path.indices == [0, place, 3])
            #expect(keys.calls == 2)
        }
    }

    @Test("an issuer without the preferred extension serves if no issuer with it leads to a root")
    func unpreferredIssuer() throws {
        #expect(
            try Bag([leaf, authority, root]).path(to: [root.pinned], policy: Self.preferring()).indices == [
                0, 1, 2,
            ]
        )
        let expired = Self.marked.with { $0.notAfter = Builder.time("100102000000Z") }
        let impostor = Self.marked.with { $0.signatureValue = [UInt8]("Impostor".utf8) }
        for wrong in [expired, impostor] {
            for (builders, place) in [
                ([leaf, authority, wrong, root], 1), ([leaf, wrong, authority, root], 2),
            ] {
                let path = try Bag(builders).path(to: [root.pinned], policy: Self.preferring())
                #expect(path.indices == [0, place, 3])
            }
        }
    }

    @Test("the preference is for the signer's issuer alone")
    func preferenceAtOnePlace() throws {
        // The upper authorities have one name and key; the first one lacks the extension, and is taken.
        let lower = Builder.authority("Lower", issuer: "Authority")
        let first = Builder("Leaf", issuer: "Lower")
        let path = try Bag([first, lower, authority, Self.marked, root])
            .path(to: [root.pinned], policy: Self.preferring())
        #expect(path.indices == [0, 1, 2, 4])
    }

    @Test("a cross-certificate that leads nowhere does not hide the way to the root")
    func crossCertificate() throws {
        let cross = Builder.authority("Authority", issuer: "Elsewhere")
        let elsewhere = Builder.authority("Elsewhere", issuer: "Elsewhere")
        let bag = try Bag([leaf, cross, elsewhere, authority, root])
        #expect(try bag.path(to: [root.pinned]).indices == [0, 3, 4])
    }

    @Test("distinguishes an old and a new key of one authority, each issued by the other")
    func rollover() throws {
        let old = Builder.authority("Authority", issuer: "Root", key: "Old")
        let new = Builder.authority("Authority", issuer: "Authority", key: "New", signedBy: "Old")
        let bag = try Bag([leaf.with { $0.signatureValue = [UInt8]("New".utf8) }, old, new, root])
        let path = try bag.path(to: [root.pinned])
        #expect(path.indices == [0, 2, 1, 3])
    }

    /// How a child names its issuer, and how the issuer is called.
    struct KeyIdentifiers: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let child: [UInt8]
        let issuer: [[UInt8]]
        let isIssuer: Bool
    }

    @Test(
        "an authority key identifier names the issuer by key, or by issuer and serial number",
        arguments: [
            KeyIdentifiers(
                testDescription: "the same key identifier",
                child: Builder.authorityKeyIdentifier([1, 2]),
                issuer: [Builder.subjectKeyIdentifier([1, 2])],
                isIssuer: true
            ),
            KeyIdentifiers(
                testDescription: "another key identifier",
                child: Builder.authorityKeyIdentifier([1, 2]),
                issuer: [Builder.subjectKeyIdentifier([1, 3])],
                isIssuer: false
            ),
            KeyIdentifiers(
                testDescription: "the beginning of a key identifier",
                child: Builder.authorityKeyIdentifier([1, 2]),
                issuer: [Builder.subjectKeyIdentifier([1])],
                isIssuer: false
            ),
            KeyIdentifiers(
                testDescription: "an issuer without a key identifier",
                child: Builder.authorityKeyIdentifier([1, 2]),
                issuer: [],
                isIssuer: true
            ),
            KeyIdentifiers(
                testDescription: "issuer and serial number",
                child: Builder.authorityKeyIdentifier(issuer: "Root", serialNumber: [1]),
                issuer: [],
                isIssuer: true
            ),
            KeyIdentifiers(
                testDescription: "another serial number",
                child: Builder.authorityKeyIdentifier(issuer: "Root", serialNumber: [2]),
                issuer: [],
                isIssuer: false
            ),
            KeyIdentifiers(
                testDescription: "another issuer",
                child: Builder.authorityKeyIdentifier(issuer: "Authority", serialNumber: [1]),
                issuer: [],
                isIssuer: false
            ),
            KeyIdentifiers(
                testDescription: "the right key, another serial number",
                child: Builder.authorityKeyIdentifier([1], issuer: "Root", serialNumber: [2]),
                issuer: [Builder.subjectKeyIdentifier([1])],
                isIssuer: false
            ),
            KeyIdentifiers(
                testDescription: "an empty authority key identifier",
                child: Builder.authorityKeyIdentifier(),
                issuer: [Builder.subjectKeyIdentifier([1])],
                isIssuer: true
            ),
        ]
    )
    func authorityKeyIdentifier(case: KeyIdentifiers) throws {
        let child = leaf.with { $0.extensions = [`case`.child] }
        let issuer = authority.with { $0.extensions? += `case`.issuer }
        let rootOfIssuer = try issuer.given
        for bag in [try Bag([child, issuer, root]), try Bag([child])] {
            let anchor = bag.certificates.count == 1 ? rootOfIssuer : try root.pinned
            if `case`.isIssuer {
                #expect(try bag.path(to: [anchor]).count == max(bag.certificates.count, 2))
            } else {
                refuses(.issuerNotFound, at: bag.certificates[0].issuer.range.lowerBound) {
                    () throws(Refusal) in try bag.path(to: [anchor])
                }
            }
        }
    }
}
