/// Runs arithmetic for the given number of seconds and prints how much was done. The harness runs one such
/// process, then several at once, to find how much the machine gains from several processes.
func control(_ arguments: Arguments) throws {
    let seconds = try arguments.number("--seconds", or: 1)
    let start = monotonicNanoseconds()
    let end = start + UInt64(seconds) * 1_000_000_000
    var state: UInt64 = start
    var steps = 0
    while monotonicNanoseconds() < end {
        // xorshift64 (Marsaglia 2003). Each step depends on the step before it.
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
