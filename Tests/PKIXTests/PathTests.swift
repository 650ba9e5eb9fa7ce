import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import RSA
import TestSupport
import Testing

private typealias Builder = CertificateBuilder

private let leaf = Builder("Leaf", issuer: "Authority")
private let authority = Builder.authority("Authority", issuer: "Root")
private let root = Builder.authority("Root", issuer: "Root")

@Suite("Certification path (RFC 5280 §6)")
struct PathTests {
    @Test(
        "finds a path in any order of the certificates",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    )
    func order(order: [Int]) throws {
        let bag = try Bag(order.map { [leaf, authority, root][$0] })
        let signer = try #require(order.firstIndex(of: 0))
        let path = try bag.path(to: [root.pinned], from: signer)
        #expect(path.indices.map { order[$0] } == [0, 1, 2])
        #expect(path.anchor == 0 && !path.endsOutside && path.count == 3)
    }

    @Test("a path ends outside if the root comes from the caller")
    func rootFromCaller() throws {
        let other = Builder.authority("Other", issuer: "Other")
        let path = try Bag([leaf, authority]).path(to: [other.given, root.given])
        #expect(path.indices == [0, 1])
        #expect(path.anchor == 1 && path.endsOutside && path.count == 3)
    }

    @Test("prefers the offered root to the caller's copy")
    func rootBothWays() throws {
        let path = try Bag([leaf, authority, root]).path(to: [root.given])
        #expect(path.indices == [0, 1, 2] && !path.endsOutside)
    }

    @Test("refuses a path whose root is not offered and not in the anchor")
    func rootMissing() throws {
        let bag = try Bag([leaf, authority])
        let offset = bag.certificates[1].issuer.range.lowerBound
        let anchor = try root.pinned
        refuses(.issuerNotFound, at: offset) { () throws(Refusal) in try bag.path(to: [anchor]) }
    }

    @Test("an anchor says whether its certificate is at hand")
    func isAtHand() throws {
        #expect(try root.given.isAtHand && !root.pinned.isAtHand)
        // Such anchors are unequal, and have unequal hash values.
        #expect(try root.given != root.pinned && root.given.hashValue != root.pinned.hashValue)
        #expect(try root.given == root.given && root.given.hashValue == root.given.hashValue)
    }

    @Test("a fingerprint is a digest of SHA-256 and of no other hash algorithm")
    func fingerprint() {
        let message: [UInt8] = []
        for hash in HashAlgorithm.allCases {
            let digest = hash.digest(of: message.span)
            #expect((TrustAnchor(fingerprint: digest) != nil) == (hash == .sha256))
        }
    }

    @Test("the bytes of a fingerprint are 32, and make the anchor that the digest makes")
    func fingerprintBytes() {
        let message: [UInt8] = []
        let digest = HashAlgorithm.sha256.digest(of: message.span)
        #expect(TrustAnchor(sha256: digest.bytes) == TrustAnchor(fingerprint: digest))
        let (one, other) = (TrustAnchor(fingerprint: digest), TrustAnchor(sha256: digest.bytes.reversed()))
        #expect(one != other && one.hashValue != other.hashValue)
        for count in [0, 20, 31, 33, 64] {
            #expect(TrustAnchor(sha256: [UInt8](repeating: 0, count: count)) == nil)
        }
    }

    @Test("points at a wrong issuer key, or at the child's signature if the issuer was not offered")
    func wrongKey() throws {
        // A key of these builders is no RSAPublicKey, except this one.
        let leaf = leaf.with { $0.subjectPublicKeyInfo = Builder.keyInfo([0x30, 6, 2, 1, 0, 2, 1, 1]) }
        let inside = try Bag([leaf, authority])
        let key = inside.certificates[1].subjectPublicKeyInfo
        let offset = try #require(inside.bytes[key].firstRange(of: Array("Authority".utf8))?.lowerBound)
        refuses(.unexpectedTag, at: offset) { () throws(Refusal) in
            var keys = KeyCache<SigningKey>()
            return try inside.path(to: [], keys: &keys)
        }
        let outside = try Bag([leaf])
        let anchor = try authority.given
        refuses(.unexpectedTag, at: outside.certificates[0].signatureValue.lowerBound) {
            () throws(Refusal) in
            var keys = KeyCache<SigningKey>()
            return try outside.path(to: [anchor], keys: &keys)
        }
    }

    @Test("checks every signature of the path over its tbsCertificate, except the root's own")
    func signatures() throws {
        let bag = try Bag([leaf, authority, root.with { $0.signatureValue = [] }])
        var keys = KeyCache<NameKey>()
        let anchor = try root.with { $0.signatureValue = [] }.pinned
        _ = try bag.path(to: [anchor], keys: &keys)
        #expect(keys.calls == 2)
        let signed = bag.certificates.prefix(2).map { [UInt8](bag.bytes[$0.tbsCertificate]) }
        #expect(keys.digests == signed.map { HashAlgorithm.sha256.digest(of: $0.span) })
    }

    @Test("refuses a signature that another key made, at the signature", arguments: [0, 1])
    func wrongSignature(position: Int) throws {
        var builders = [leaf, authority, root]
        builders[position].signatureValue = [UInt8]("Impostor".utf8)
        let bag = try Bag(builders)
        let offset = bag.certificates[position].signatureValue.lowerBound
        let anchor = try root.pinned
        refuses(.signatureMismatch, at: offset) { () throws(Refusal) in try bag.path(to: [anchor]) }
        // The issuer lies in another buffer.
        let outside = try Bag([builders[position].with { $0.extensions = nil }])
        let issuer = try builders[position + 1].given
        refuses(.signatureMismatch, at: outside.certificates[0].signatureValue.lowerBound) {
            () throws(Refusal) in try outside.path(to: [issuer])
        }
    }

    @Test("refuses an unpinned root though all signatures hold")
    func untrustedRoot() throws {
        let bag = try Bag([leaf, authority, root])
        let anchor = try root.with { $0.serialNumber = [2] }.pinned
        let offset = bag.certificates[2].issuer.range.lowerBound
        refuses(.untrustedRoot, at: offset) { () throws(Refusal) in try bag.path(to: [anchor]) }
        refuses(.untrustedRoot, at: offset) { () throws(Refusal) in try bag.path(to: []) }
        // The root is not trusted, although the path could not go on either.
        refuses(.untrustedRoot, at: bag.certificates[2].range.lowerBound) { () throws(Refusal) in
            try bag.path(to: [anchor], policy: .any(3...3))
        }
    }

    @Test("a pinned certificate may be the signer if the policy allows a path of one")
    func selfSigned() throws {
        let signing = root.with { $0.extensions?[1] = Builder.keyUsage([0x86], unusedBits: 1) }
        let anchor = try signing.pinned
        let bag = try Bag([signing])
        let path = try bag.path(to: [anchor], policy: .any(1...1))
        #expect(path.indices == [0] && path.count == 1)
        refuses(.pathTooShort, at: 0) { () throws(Refusal) in
            try bag.path(to: [anchor], policy: .any(2...3))
        }
    }

    @Test("refuses a path shorter than the policy requires, the root offered or at hand")
    func tooShort() throws {
        let direct = Builder("Leaf", issuer: "Root")
        let anchor = try root.given
        for bag in [try Bag([direct, root]), try Bag([direct])] {
            #expect(try bag.path(to: [anchor], policy: .any(2...3)).count == 2)
            let last = bag.certificates.count - 1
            refuses(.pathTooShort, at: bag.certificates[last].range.lowerBound) { () throws(Refusal) in
                try bag.path(to: [anchor], policy: .any(3...3))
            }
        }
    }

    @Test("refuses a path longer than the policy allows, the root offered or at hand")
    func tooLong() throws {
        let lower = Builder.authority("Lower", issuer: "Authority")
        let first = Builder("Leaf", issuer: "Lower")
        let anchor = try root.given
        for bag in [try Bag([first, lower, authority, root]), try Bag([first, lower, authority])] {
            #expect(try bag.path(to: [anchor], policy: .any(4...4)).count == 4)
            refuses(.pathTooLong, at: bag.certificates[2].range.lowerBound) { () throws(Refusal) in
                try bag.path(to: [anchor], policy: .any(3...3))
            }
        }
    }

    @Test("a pinned intermediate ends the path, though its issuer was offered")
    func pinnedIntermediate() throws {
        for count in [1...10, 2...2] {
            let path = try Bag([leaf, authority, root]).path(to: [authority.pinned], policy: .any(count))
            #expect(path.indices == [0, 1])
        }
    }

    @Test("refuses a certificate without its issuer, at the issuer's name")
    func issuerMissing() throws {
        let bag = try Bag([leaf, root])
        let anchor = try root.pinned
        refuses(.issuerNotFound, at: bag.certificates[0].issuer.range.lowerBound) { () throws(Refusal) in
            try bag.path(to: [anchor])
        }
    }

    @Test("names are compared as bytes: another string type or letter case is another name")
    func names() throws {
        let printable = Builder.name("Authority").map { $0 == 0x0C ? 0x13 : $0 }
        for name in [printable, Builder.name("authority"), Builder.name("Authority ")] {
            let bag = try Bag([leaf, authority.with { $0.subject = name }, root])
            let anchor = try root.pinned
            refuses(.issuerNotFound) { () throws(Refusal) in try bag.path(to: [anchor]) }
        }
    }
}

@Suite("Validity (RFC 5280 §4.1.2.5, §6.1.3 a 2)")
struct ValidityTests {
    private static let notBefore =
        Timestamp(year: 2020, month: 1, day: 1, hour: 12)?.millisecondsSince1970 ?? 0
    private static let notAfter =
        Timestamp(year: 2020, month: 12, day: 31, hour: 12)?.millisecondsSince1970 ?? 0

    @Test("both ends are included, to the second, at every position", arguments: [0, 1, 2])
    func ends(position: Int) throws {
        var builders = [leaf, authority, root]
        builders[position].notBefore = Builder.time("200101120000Z")
        builders[position].notAfter = Builder.time("20201231120000Z")
        let inside = try Bag(builders)
        let anchor = try builders[2].given
        let outside = try Bag([UInt8](0..<2).map { builders[Int($0)] })
        for bag in [inside, outside] {
            let isOutside = position == 2 && bag.certificates.count == 2
            let offset =
                isOutside
                ? bag.certificates[1].issuer.range.lowerBound
                : bag.certificates[position].validity.range.lowerBound
            for (milliseconds, code) in [
                (Self.notBefore - 1, Refusal.Code.notYetValid), (Self.notBefore, nil), (Self.notAfter, nil),
                (Self.notAfter + 999, nil), (Self.notAfter + 1000, .expired),
            ] {
                let time = Timestamp(millisecondsSince1970: milliseconds)
                let findsSamePath = CertificationPath.findsSamePath(
                    at: time,
                    as: noon,
                    among: bag.certificates,
                    to: [anchor]
                )
                #expect(findsSamePath == (code == nil))
                guard let code else {
                    _ = try bag.path(to: [anchor], at: time)
                    continue
                }
                refuses(code, at: offset) { () throws(Refusal) in try bag.path(to: [anchor], at: time) }
            }
        }
    }

    @Test("judges the earliest and the latest time")
    func extremes() throws {
        let bag = try Bag([leaf, authority, root])
        let anchor = try root.pinned
        for (time, code) in [(Int64.min, Refusal.Code.notYetValid), (.max, .expired)] {
            refuses(code, at: bag.certificates[0].validity.range.lowerBound) { () throws(Refusal) in
                try bag.path(to: [anchor], at: Timestamp(millisecondsSince1970: time))
            }
        }
    }
}

@Suite("The requirements of a path on each certificate (RFC 5280 §6.1.3, §6.1.4)")
struct PathConstraintTests {
    @Test("an unknown critical extension refuses the path at every position", arguments: [0, 1, 2])
    func unknownCritical(position: Int) throws {
        var builders = [leaf, authority, root]
        builders[position].extensions =
            (builders[position].extensions ?? []) + [
                Builder.unknownExtension(critical: true)
            ]
        let bag = try Bag(builders)
        let anchor = try builders[2].given
        let offset = try #require(bag.certificates[position].unknownCriticalExtension)
        refuses(.unknownCriticalExtension, at: offset) { () throws(Refusal) in try bag.path(to: [anchor]) }
        let outside = try Bag([builders[0], builders[1]])
        refuses(.unknownCriticalExtension) { () throws(Refusal) in try outside.path(to: [anchor]) }
        builders[position].extensions?.removeLast()
        builders[position].extensions?.append(Builder.unknownExtension(critical: false))
        #expect(try Bag(builders).path(to: [builders[2].pinned]).count == 3)
    }

    /// Extensions that a caller may enforce.
    private static let markers = [
        ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 1), ObjectIdentifier(1, 3, 6, 1, 4, 1, 55738, 2),
    ]

    @Test("a critical extension that the caller enforces is known in its place and in no other")
    func enforcedExtensions() throws {
        var policy = PathPolicy.any()
        (policy.signerExtension, policy.preferredIssuerExtension) = (Self.markers[0], Self.markers[1])
        for position in 0..<3 {
            for (index, marker) in Self.markers.enumerated() {
                var builders = [leaf, authority, root]
                builders[position].extensions =
                    (builders[position].extensions ?? []) + [
                        Builder.extension(marker, critical: true, [0x05, 0x00])
                    ]
                let bag = try Bag(builders)
                let anchors = [try builders[2].given]
                let offset = try #require(bag.certificates[position].unknownCriticalExtension)
                if position == index {
                    #expect(try bag.path(to: anchors, policy: policy).count == 3)
                } else {
                    refuses(.unknownCriticalExtension, at: offset) { () throws(Refusal) in
                        try bag.path(to: anchors, policy: policy)
                    }
                }
                refuses(.unknownCriticalExtension, at: offset) { () throws(Refusal) in
                    try bag.path(to: anchors)
                }
            }
        }
    }

    @Test("an unknown critical extension is found behind one that the caller enforces, and is named")
    func unknownBehindEnforced() throws {
        let enforced = Builder.extension(Self.markers[0], critical: true, [0x05, 0x00])
        let unknown = Builder.unknownExtension(critical: true)
        var policy = PathPolicy.any()
        policy.signerExtension = Self.markers[0]
        for extensions in [[enforced, unknown], [unknown, enforced]] {
            let builder = leaf.with {
                $0.extensions =
                    [Builder.basicConstraints(isAuthority: false)] + extensions
                    + [Builder.subjectKeyIdentifier([1])]
            }
            let bag = try Bag([builder, authority, root])
            let anchor = try root.given
            let offset = try #require(bag.bytes.firstRange(of: unknown)?.lowerBound)
            refuses(.unknownCriticalExtension, at: offset) { () throws(Refusal) in
                try bag.path(to: [anchor], policy: policy)
            }
        }
    }

    /// An issuer that may not be one.
    struct NoIssuer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Refusal.Code
        let change: @Sendable (inout CertificateBuilder) -> Void
    }

    @Test(
        "an issuer that may not sign certificates is refused, intermediate or root",
        arguments: [
            NoIssuer(testDescription: "version 1", code: .notCertificateAuthority) {
                $0.version = nil
                $0.extensions = nil
            },
            NoIssuer(testDescription: "no basic constraints", code: .notCertificateAuthority) {
                $0.extensions?.remove(at: 0)
            },
            NoIssuer(testDescription: "cA FALSE", code: .notCertificateAuthority) {
                $0.extensions?[0] = Builder.basicConstraints(isAuthority: false)
            },
            NoIssuer(testDescription: "no keyCertSign", code: .missingKeyCertSign) {
                $0.extensions?[1] = Builder.keyUsage([0x82], unusedBits: 1)
            },
            NoIssuer(testDescription: "another purpose only", code: .extendedKeyUsageNotPermitted) {
                $0.extensions?.append(Builder.extendedKeyUsage(ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1)))
            },
        ],
        [1, 2]
    )
    func noIssuer(case: NoIssuer, position: Int) throws {
        var builders = [leaf, authority, root]
        `case`.change(&builders[position])
        let bag = try Bag(builders)
        let anchor = try builders[2].given
        let policy = PathPolicy.any(purpose: .permitted(.codeSigning))
        refuses(`case`.code, at: bag.certificates[position].range.lowerBound) { () throws(Refusal) in
            try bag.path(to: [anchor], policy: policy)
        }
        let outside = try Bag([builders[0], builders[1]])
        let place =
            position == 1
            ? outside.certificates[1].range.lowerBound : outside.certificates[1].issuer.range.lowerBound
        refuses(`case`.code, at: place) { () throws(Refusal) in
            try outside.path(to: [anchor], policy: policy)
        }
    }

    @Test("an authority needs no key usage, and its basic constraints need not be critical")
    func plainAuthority() throws {
        let plain = authority.with { $0.extensions = [Builder.basicConstraints(critical: false)] }
        #expect(try Bag([leaf, plain, root]).path(to: [root.pinned]).count == 3)
    }

    @Test("the signer's key usage, if present, includes digitalSignature")
    func digitalSignature() throws {
        let signing = leaf.with { $0.extensions = [Builder.keyUsage([0x80], unusedBits: 7)] }
        #expect(try Bag([signing, authority, root]).path(to: [root.pinned]).count == 3)
        let agreeing = leaf.with { $0.extensions = [Builder.keyUsage([0x7F, 0x80], unusedBits: 7)] }
        let bag = try Bag([agreeing, authority, root])
        let anchor = try root.pinned
        refuses(.missingDigitalSignature, at: 0) { () throws(Refusal) in try bag.path(to: [anchor]) }
    }

    private static let serverAuthentication = ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1)

    @Test(
        "the signer's extended key usage names the purpose or any; a policy may require the extension",
        arguments: [
            ([], true, false), ([.codeSigning], true, true), ([.anyExtendedKeyUsage], true, true),
            ([serverAuthentication], false, false), ([serverAuthentication, .codeSigning], true, true),
        ] as [([ObjectIdentifier], Bool, Bool)]
    )
    func purpose(purposes: [ObjectIdentifier], isPermitted: Bool, isEnough: Bool) throws {
        let value = Builder.encode { writer in
            writer.nest(.sequence) { for purpose in purposes { $0.writeObjectIdentifier(purpose) } }
        }
        let usage = Builder.extension(ObjectIdentifier(2, 5, 29, 37), critical: true, value)
        let bag = try Bag([leaf.with { $0.extensions = purposes.isEmpty ? nil : [usage] }, authority, root])
        let anchor = try root.pinned
        for (purpose, accepts) in [
            (PathPolicy.Purpose.permitted(.codeSigning), isPermitted), (.required(.codeSigning), isEnough),
        ] {
            let policy = PathPolicy.any(purpose: purpose)
            if accepts {
                #expect(try bag.path(to: [anchor], policy: policy).count == 3)
            } else {
                refuses(.extendedKeyUsageNotPermitted, at: 0) { () throws(Refusal) in
                    try bag.path(to: [anchor], policy: policy)
                }
            }
        }
    }

    @Test("refuses another root for the root and not for the purpose")
    func purposeComesLast() throws {
        let usage = Builder.extendedKeyUsage(Self.serverAuthentication, critical: true)
        let bag = try Bag([leaf.with { $0.extensions = [usage] }, authority, root])
        refuses(.untrustedRoot) { () throws(Refusal) in
            try bag.path(to: [], policy: .any(purpose: .required(.codeSigning)))
        }
    }

    @Test(
        "a hash weaker than the policy's is refused in any certificate but the root",
        arguments: [0, 1, 2]
    )
    func weakHash(position: Int) throws {
        var builders = [leaf, authority, root]
        builders[position].signature = Builder.algorithm(Builder.sha1WithRSAEncryption)
        let bag = try Bag(builders)
        let anchor = try builders[2].pinned
        #expect(try bag.path(to: [anchor], policy: .any(minimumHash: .sha1)).count == 3)
        guard position < 2 else {
            #expect(try bag.path(to: [anchor], policy: .any(minimumHash: .sha256)).count == 3)
            return
        }
        let offset = bag.certificates[position].signatureAlgorithm.range.lowerBound
        refuses(.weakSignatureHash, at: offset) { () throws(Refusal) in
            try bag.path(to: [anchor], policy: .any(minimumHash: .sha256))
        }
    }
}
