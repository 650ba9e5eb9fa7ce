import Basics
import ECDSA
import PKIX
import Processor
import SHA

/// The results that a validator keeps between tokens: decoded keys, verdicts about revocation, and signers
/// whose path was valid.
///
/// A signer is remembered under the exact text of the header, and only after its path, the markers and the
/// signature of one token were found valid. A signer is not remembered if its header is longer than 16 KiB,
/// or if `x5c` lacks the root. If the same header comes again with a time at which every certificate of the
/// path is valid, the header is not read again; the signature over the token always is verified. Apple has
/// used three signers since 2021.
///
/// For a signer of many tokens the cache makes a table of multiples of the signer's key, by which the
/// signer's next signatures are verified. A table takes 88 KB; there are five at most, for four signers and
/// for the base point. Only tokens with a valid signature count, so that forged tokens cannot cause this
/// work.
///
/// The cache forgets everything when it is used under another trust policy, other limits, another list of
/// distrusted certificates or another policy of revocation. At most 16 signers are remembered: a further one
/// replaces the oldest. A cache is a value without locks: each worker has its own and passes it in.
public struct SignedPayloadCache: Sendable {
    /// A signer, and what its path proved.
    struct Signer: Sendable {
        /// The public key of the signer's certificate.
        let key: ECDSASignatureKey
        /// The SHA-256 fingerprint of the trusted root that the path ends at.
        let root: Digest
        /// The validities of the path's certificates; nil if `x5c` lacks the root.
        let validities: [Validity]?
        /// Whether evidence proves, for each certificate of the path other than the root's, that it is not
        /// revoked. False if the policy does not check revocation.
        let isProvenUnrevoked: Bool
        /// The state of SHA-256 after the token's first segment, the header; nil if the signer is not
        /// remembered.
        fileprivate(set) var header: HashFunction?
        /// How many tokens with the signer's header were verified after the signer was remembered. The
        /// count stops when the signer has a table, or when the maximum number of signers have tables.
        fileprivate(set) var tokenCount = 0
        /// The key with tables of multiples; nil if it has none.
        fileprivate(set) var tabulated: TabulatedKey?

        init(key: ECDSASignatureKey, root: Digest, validities: [Validity]?, isProvenUnrevoked: Bool) {
            (self.key, self.root, self.validities) = (key, root, validities)
            self.isProvenUnrevoked = isProvenUnrevoked
        }

        /// Whether every certificate of the path is valid at a time. False if `x5c` lacks the root.
        func holds(at time: Timestamp) -> Bool { validities?.allSatisfy { $0.holds(at: time) } ?? false }
    }

    /// Everything besides the header and the time that decides whether a path is valid.
    struct Rules: Sendable, Equatable {
        let trust: TokenTrust
        let distrusted: DistrustList
        let revocation: RevocationPolicy<ECDSASignatureKey>?
        let limits: TokenLimits

        init(_ policy: SignedPayloadPolicy) {
            (trust, distrusted) = (policy.trust, policy.distrusted)
            (revocation, limits) = (policy.revocation, policy.limits)
        }
    }

    /// The decoded keys, and the verdicts about revocation.
    var keys = KeyCache<ECDSASignatureKey>(ECDSASignatureKey.Requirements())
    /// The texts of the tokens' headers for which signers are remembered. They are a list of their own, in
    /// the same order as ``signers``.
    private var headers = RecentElements<[UInt8]>(capacity: 16)
    private var signers = RecentElements<Signer>(capacity: 16)
    /// The rules of the validations that filled the cache; nil before the first call of ``prepare(for:)``.
    private var rules: Shared<Rules>?
    /// The multiples of the base point, which are computed for the first table.
    private var baseMultiples: P256Multiples?

    /// The number of tokens that are verified after their signer was remembered and before the signer's
    /// table is made. Verifying them takes longer than making the signer's table and the base point's
    /// table. So no sequence of tokens takes twice the time that it would take if no tables were made.
    private static var tokensBeforeTable: Int { 16 }
    /// The maximum number of signers with tables. A table has 88 KB, and Apple has used three signers since
    /// 2021. Tokens of further signers are verified without tables. Embedded Swift makes no tables, because
    /// the machine may have less memory than they take.
    private static var maximumTables: Int {
        #if hasFeature(Embedded)
            0
        #else
            4
        #endif
    }
    /// The maximum length of a header that is remembered. Apple's have 4,400 bytes.
    private static var maximumHeader: Int { 16 << 10 }

    /// Creates an empty cache.
    public init() {}

    /// Prepares the cache for a validation by these rules. Empties the cache if it was filled under other
    /// rules.
    mutating func prepare(for rules: Shared<Rules>) {
        // Most tokens come to one validator, which has its rules once.
        if let former = self.rules, former === rules || former.value == rules.value { return }
        self = SignedPayloadCache()
        self.rules = rules
    }

    /// The signer that is remembered for the header of a token; nil if none is.
    func signer(of jws: CompactSerialisation) -> Signer? { index(of: jws).map { signers.elements[$0] } }

    /// The index of the signer that is remembered for the header of a token; nil if none is.
    private func index(of jws: CompactSerialisation) -> Int? {
        let token = jws.token.borrowedSpan
        for index in headers.elements.indices {
            let header = headers.elements[index]
            if token.holds(jws.header, sameAs: header.borrowedSpan, header.indices) { return index }
        }
        return nil
    }

    /// Remembers the signer of a token whose signature is valid, unless the token's header is too long or
    /// `x5c` lacks the root. If a signer is already remembered for the header, the token may count towards
    /// the number of tokens after which a table is made.
    mutating func remember(
        _ signer: Signer,
        of jws: CompactSerialisation,
        _ acceleration: Acceleration
    ) {
        if let index = index(of: jws) { return tabulate(index) }
        guard signer.validities != nil, jws.header.count <= Self.maximumHeader else { return }
        headers.append([UInt8](jws.token.borrowedSpan, in: jws.header))
        var signer = signer
        signer.header = jws.hashedHeader(acceleration)
        signers.append(signer)
    }

    /// Counts a token of a signer, and makes the signer's table after enough tokens. Does nothing if the
    /// signer has a table, or if the maximum number of signers have tables.
    private mutating func tabulate(_ index: Int) {
        let signer = signers.elements[index]
        guard signer.tabulated == nil, tableCount < Self.maximumTables else { return }
        signers.elements[index].tokenCount += 1
        guard signer.tokenCount + 1 == Self.tokensBeforeTable else { return }
        let base = baseMultiples ?? .ofBasePoint
        baseMultiples = base
        signers.elements[index].tabulated = TabulatedKey(signer.key.key, base: base)
    }

    /// How many signers have tables.
    package var tableCount: Int { signers.elements.count { $0.tabulated != nil } }
}
