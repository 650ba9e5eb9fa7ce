/// A repeatable operation to be timed.
protocol Workload {
    /// The mean number of bytes that one operation reads.
    var byteCount: Double { get }
    /// The number of operations to run before the first timed one. They fill the cache, if there is one.
    var warmUpOperations: Int { get }
    /// The number of inputs. After that many operations the inputs start again with the first.
    var inputCount: Int { get }

    /// Performs the given number of operations, each on the next input.
    ///
    /// - Returns: how many of the operations succeeded.
    mutating func run(_ operations: Int) -> Int
}

extension Workload {
    var warmUpOperations: Int { 1 }
    var inputCount: Int { 1 }
}
