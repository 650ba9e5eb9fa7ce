import AllocationCounter

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Nanoseconds of a clock that nobody sets.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// How often, and for how long.
struct Sampling {
    let samples: Int
    /// All samples together.
    let milliseconds: Int

    struct Result {
        /// In each sample.
        let operations: Int
        /// Of one operation, for each sample.
        let nanoseconds: [Double]
        /// Of one operation, over all inputs; nil where they cannot be counted.
        let allocations: Double?
    }

    /// - Throws: where an operation did not succeed.
    func measure(_ workload: inout some Workload) throws -> Result {
        var attempted = 0
        var succeeded = 0
        func nanoseconds(_ operations: Int) -> Double {
            let start = monotonicNanoseconds()
            let count = workload.run(operations)
            let end = monotonicNanoseconds()
            attempted += operations
            succeeded += count
            return Double(end - start)
        }

        _ = nanoseconds(workload.operationsToLearn)
        // The warm-up finds out how many operations fill a sample.
        let wanted = Double(milliseconds) * 1e6 / Double(samples)
        var operations = 1
        var elapsed = nanoseconds(operations)
        while elapsed < wanted / 2 {
            operations *= 2
            elapsed = nanoseconds(operations)
        }
        operations = max(1, Int(Double(operations) * wanted / elapsed))

        let times = (0..<samples).map { _ in nanoseconds(operations) / Double(operations) }
        let round = workload.operationsOfOneRound
        let before = allocation_count()
        _ = nanoseconds(round)
        let allocated = allocation_count() - before
        guard succeeded == attempted else {
            throw Failure.work("\(attempted - succeeded) of \(attempted) operations did not succeed")
        }
        let allocations = before > 0 ? Double(allocated) / Double(round) : nil
        return Result(operations: operations, nanoseconds: times, allocations: allocations)
    }
}
