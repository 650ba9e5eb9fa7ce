/// Something to time.
protocol Workload {
    /// The mean number of bytes that one operation is about.
    var byteCount: Double { get }
    /// How many operations come before the first that counts: what is to be remembered is met in them.
    var operationsToLearn: Int { get }
    /// After so many operations the inputs begin anew.
    var operationsOfOneRound: Int { get }

    /// Works so many times, each time on the next input.
    ///
    /// - Returns: how many of the operations succeeded.
    mutating func run(_ operations: Int) -> Int
}

extension Workload {
    var operationsToLearn: Int { 1 }
    var operationsOfOneRound: Int { 1 }
}
