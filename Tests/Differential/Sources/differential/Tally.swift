/// Counts of inputs, by everything that distinguishes cases.
struct Tally {
    struct Key: Hashable {
        let kind: Kind
        let outcome: Outcome
        /// The class. Empty if the two agree.
        let disagreement: String
        /// Step, code and offset of our refusal, for inputs that only they accept.
        let ours: String
        /// The reasons of their refusal, for inputs that only we accept.
        let theirs: String
    }

    private(set) var counts: [Key: Int] = [:]
    private(set) var total = 0

    mutating func count(_ key: Key) {
        counts[key, default: 0] += 1
        total += 1
    }

    /// The counts as tab-separated text, one line for each key.
    var text: String {
        counts.map { key, count in
            let fields = [
                "\(count)", key.kind.rawValue, key.outcome.rawValue, key.disagreement, key.ours, key.theirs,
            ]
            return fields.joined(separator: "\t") + "\n"
        }.sorted().joined()
    }
}
