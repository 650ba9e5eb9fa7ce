/// Consecutive records that are made and written together.
struct MintedBatch: Sendable {
    /// The numbers of the records.
    let numbers: ClosedRange<Int>
    /// The records in their format.
    private(set) var text: [UInt8] = []
    /// Where each record ends in the text.
    private(set) var ends: [Int] = []
    /// The records' lines of the truth file.
    private(set) var truth: [UInt8] = []

    /// The number of records in a batch. Half a megabyte in most formats: so much that the cost of tasks and
    /// of writing does not matter beside the signatures.
    static let recordCount = 64

    init(_ numbers: ClosedRange<Int>, of plan: CorpusPlan, _ chains: CorpusChains, as format: MintedFormat) {
        self.numbers = numbers
        for number in numbers {
            let record = MintedRecord(number, of: plan, chains)
            format.append(record, to: &text)
            ends.append(text.count)
            record.appendTruth(to: &truth)
        }
    }
}

extension CorpusPlan {
    /// Makes the batches, `jobs` of them at a time, and calls the body with each in order.
    ///
    /// At most four batches for each job are made ahead of the body. This bounds memory when one batch takes
    /// longer than the next ones, or when writing takes longer than making.
    func forEachBatch<Failure: Error>(
        _ chains: CorpusChains,
        as format: MintedFormat,
        jobs: Int,
        _ body: (MintedBatch) throws(Failure) -> Void
    ) async throws(Failure) {
        let batchCount = (count + MintedBatch.recordCount - 1) / MintedBatch.recordCount
        let result = await withTaskGroup(of: (Int, MintedBatch).self) { group in
            var finished: [Int: MintedBatch] = [:]
            var (begun, running, written) = (0, 0, 0)
            while written < batchCount {
                while running < jobs, begun < min(batchCount, written + 4 * jobs) {
                    let index = begun
                    group.addTask {
                        (index, MintedBatch(numbers(ofBatch: index), of: self, chains, as: format))
                    }
                    begun += 1
                    running += 1
                }
                if let (index, batch) = await group.next() {
                    finished[index] = batch
                    running -= 1
                }
                while let batch = finished.removeValue(forKey: written) {
                    do throws(Failure) {
                        try body(batch)
                    } catch {
                        return Result<Void, Failure>.failure(error)
                    }
                    written += 1
                }
            }
            return .success(())
        }
        try result.get()
    }

    private func numbers(ofBatch index: Int) -> ClosedRange<Int> {
        let first = index * MintedBatch.recordCount + 1
        return first...min(count, first + MintedBatch.recordCount - 1)
    }
}
