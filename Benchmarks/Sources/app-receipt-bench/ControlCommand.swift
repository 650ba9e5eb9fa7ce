/// Arithmetic and nothing else, to compare one process alone with several at once.
func control(_ arguments: Arguments) throws {
    let seconds = try arguments.number("--seconds", or: 1)
    let start = monotonicNanoseconds()
    let end = start + UInt64(seconds) * 1_000_000_000
    var state: UInt64 = start
    var steps = 0
    while monotonicNanoseconds() < end {
        // xorshift64 (Marsaglia 2003): each step waits for the one before.
        for _ in 0..<100_000 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
        }
        steps += 100_000
    }
    consume(Int(truncatingIfNeeded: state))
    var object = JSONObject()
    object.add("operations", steps)
    object.add("nanoseconds", Int(monotonicNanoseconds() - start))
    object.write()
}
