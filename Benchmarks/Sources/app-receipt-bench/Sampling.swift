import AllocationCounter

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Returns the nanoseconds of a clock that is never set back.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns the processor time of this process in nanoseconds. Other processes on the machine do not count.
func processorNanoseconds() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// How many samples to take, and how long they take together.
struct Sampling {
    let samples: Int
    /// The duration of all samples together.
    let milliseconds: Int

    struct Result {
        /// The number of operations in each sample.
        let operations: Int
        /// The time of one operation, for each sample.
        let nanoseconds: [Double]
        /// The allocations of one operation, averaged over all inputs. Nil if allocations cannot be counted.
        let allocations: Double?
    }

    /// Times the workload, then counts its allocations.
    ///
    /// - Throws: if any operation failed.
    func measure(_ workload: inout some Workload) throws -> Result {
        var attempted = 0
        var succeeded = 0
        func nanoseconds(_ operations: Int) -> Double {
            let start = processorNanoseconds()
            let count = workload.run(operations)
            let end = processorNanoseconds()
            attempted += operations
            succeeded += count
            return Double(end - start)
        }

        _ = nanoseconds(workload.warmUpOperations)
        // The warm-up doubles the number of operations until it knows how many fill a sample.
        let wanted = Double(milliseconds) * 1e6 / Double(samples)
        var operations = 1
        var elapsed = nanoseconds(operations)
        while elapsed < wanted / 2 {
            operations *= 2
            elapsed = nanoseconds(operations)
        }
        operations = max(1, Int(Double(operations) * wanted / elapsed))

        let times = (0..<samples).map { _ in nanoseconds(operations) / Double(operations) }
        let round = workload.inputCount
        let before = allocation_count()
        _ = nanoseconds(round)
        let allocated = allocation_count() - before
        guard succeeded == attempted else {
            throw Failure.work("\(attempted - succeeded) of \(attempted) operations failed")
        }
        let allocations = before > 0 ? Double(allocated) / Double(round) : nil
        return Result(operations: operations, nanoseconds: times, allocations: allocations)
    }
}
