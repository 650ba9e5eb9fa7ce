import AppReceipt

/// An input that costs as much as an input of its size can, in one way.
struct Attack: Sendable {
    /// What is done with it, and counted.
    enum Work: Sendable {
        /// A validator that checks all there is reads it, with nothing remembered.
        case validate
        /// The same with a cache that is full of others which differ in their last byte only.
        case validateAmongOthers
        /// It is base64, or is taken for it.
        case decode
        /// It is valid, and a shop asks everything that can be asked of a receipt. Only that is counted.
        case ask
    }

    let name: String
    /// The largest size that the limits allow, in bytes.
    let largest: Int
    /// The most instructions that a byte may cost, between two sizes: a tenth more than were counted.
    let ceiling: Int
    /// The most bytes of memory that a byte may take at once, beyond what any receipt takes.
    let memory: Int
    /// What becomes of it: `accepted`, or the code of the refusal.
    let outcome: String
    let work: Work
    let about: String
    /// Makes it, of about so many bytes.
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

    static let all: [Attack] = envelopes + certificates + payloads + texts
}
