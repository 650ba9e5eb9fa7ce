/// Counts, by all that tells cases apart.
struct Tally {
    struct Key: Hashable {
        let kind: Kind
        let outcome: Outcome
        /// Empty where the two agree.
        let disagreement: String
        /// Step, code and place of our refusal, for those that only they accept.
        let ours: String
        /// Reasons of their refusal, for those that only we accept.
        let theirs: String
    }

    private(set) var counts: [Key: Int] = [:]
    private(set) var total = 0

    mutating func count(_ key: Key) {
        counts[key, default: 0] += 1
        total += 1
    }

    /// Tab-separated, one line for each key.
    var text: String {
        counts.map { key, count in
            let fields = [
                "\(count)", key.kind.rawValue, key.outcome.rawValue, key.disagreement, key.ours, key.theirs,
            ]
            return fields.joined(separator: "\t") + "\n"
        }.sorted().joined()
    }
}
