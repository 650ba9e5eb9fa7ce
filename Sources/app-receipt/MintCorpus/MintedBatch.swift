/// Some records that follow each other, made and written at once.
struct MintedBatch: Sendable {
    /// The numbers of the records.
    let numbers: ClosedRange<Int>
    /// The records in their format.
    private(set) var text: [UInt8] = []
    /// Where each record ends in the text.
    private(set) var ends: [Int] = []
    /// Their lines of the truth file.
    private(set) var truth: [UInt8] = []

    /// Enough that tasks and writing cost nothing beside the signatures; in most formats half a megabyte.
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
    /// Makes the batches, so many at a time, and hands them over in order.
    ///
    /// No batch is begun that is further ahead of the last one handed over than four for every job: memory
    /// does not grow where one takes longer than those after it, or where writing does.
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
