import AppReceipt

/// An input built to be as expensive as an input of its size can be, in one particular way.
struct Attack: Sendable {
    /// The operation whose cost is counted.
    enum Work: Sendable {
        /// Validates the input with every expectation set and without a cache.
        case validate
        /// Validates the input with a cache full of paths that differ from its path in the last byte only.
        case validateAmongOthers
        /// Decodes the input as base64.
        case decode
        /// Asks the validated receipt every question that `Receipt` answers. The validation is not counted.
        case query
        /// Validates the input as a token of a kind without a cache, and decodes every documented member. The
        /// limit on the token's bytes is the default if it is nil.
        case token(Token.Kind, limit: Int? = 1 << 20)
        /// Parses the input as an OCSP response, and asks for the status of the certificate that signs
        /// tokens.
        case response
        /// Parses the input as a revocation list, and asks for the status of the certificate that signs
        /// tokens.
        case list
        /// Validates a token with a cache, under a policy that has judged the input as a revocation list. The
        /// header of the token is new to the cache.
        case tokenAfterList
    }

    let name: String
    /// The largest size that the limits allow, in bytes.
    let largest: Int
    /// The most instructions that one more byte of input may cost. Set to a tenth more than was counted.
    let ceiling: Int
    /// The most bytes of memory that may be held at one time for each byte of input, beyond what any receipt
    /// takes.
    let memory: Int
    /// The expected outcome: `accepted`, or the name of the error code.
    let outcome: String
    let work: Work
    let about: String
    /// Builds the input with approximately the given number of bytes.
    let make: @Sendable (AttackMint, Int) -> [UInt8]

    init(
        _ name: String,
        _ about: String,
        upTo largest: Int = 8_388_000,
        ceiling: Int,
        memory: Int = 0,
        outcome: String = "accepted",
        work: Work = .validate,
        make: @escaping @Sendable (AttackMint, Int) -> [UInt8]
    ) {
        self.name = name
        self.largest = largest
        self.ceiling = ceiling
        self.memory = memory
        self.outcome = outcome
        self.work = work
        self.about = about
        self.make = make
    }

    static let all: [Attack] = envelopes + certificates + payloads + texts + tokens + evidence
}
