import AppReceipt
import JSONText
import ReceiptCorpus
import ReceiptResults

/// The summary of a run, for people and as JSON.
struct CorpusSummary {
    let tally: CorpusTally
    /// The duration, in nanoseconds, of this run and of the earlier runs that it continues. An earlier run
    /// counts up to its last checkpoint.
    let nanoseconds: UInt64
    /// The number of bytes consumed by this run and the earlier runs that it continues, after decompression.
    let byteCount: Int
    let jobs: Int
    let status: ExitStatus

    private var perSecond: Int {
        CorpusProgress.integer(Double(tally.read) / (Double(max(1, nanoseconds)) / 1e9))
    }

    private var counts: [(title: String, counts: Counts)] {
        CorpusTally.tables.map { ($0.name, tally[keyPath: $0.counts]) }
    }

    func show(_ output: inout Output) {
        for (title, counts) in counts where !counts.isEmpty {
            output.line(title, .bold)
            for (name, count) in counts.bySize.prefix(Self.shownCount) {
                output.line("\("\(count)".aligned(to: 12))  \(name.printable)")
            }
            let rest = counts.count - Self.shownCount
            if rest > 0 { output.line("\("…".aligned(to: 12))  and \(rest) more, which --summary writes") }
        }
        if !tally.slowest.isEmpty { output.line("slowest, in milliseconds", .bold) }
        for slow in tally.slowest {
            let time = Self.decimal(slow.nanoseconds / 1000).aligned(to: 12)
            output.line("\(time)  record \(slow.record) of \(slow.source.printable)")
        }
        output.line(
            """
            \(tally.read) read = \(tally.written) written + \(tally.filtered) filtered\
            \(tally.isReconciled ? "" : ", which does not add up")
            """
        )
        output.line(
            """
            \(byteCount) bytes in \(Self.decimal(nanoseconds / 1_000_000)) seconds: \(perSecond) records per \
            second, \(jobs) job\(jobs == 1 ? "" : "s")
            """
        )
        output.flush()
    }

    /// The largest number of names of a table that are shown to people. The JSON has all.
    private static let shownCount = 20

    /// A number of thousandths as a decimal number: 1234 becomes 1.234.
    private static func decimal(_ value: UInt64) -> String {
        let rest = "\(value % 1000)"
        return "\(value / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
    }

    var json: JSONWriter {
        .object { object in
            object.member("read", Int64(tally.read))
            object.member("written", Int64(tally.written))
            object.member("filtered", Int64(tally.filtered))
            object.member("reconciled", tally.isReconciled)
            for (title, counts) in counts { object.member(.given(title), counts) }
            object.member("bytes", Int64(byteCount))
            object.member("milliseconds", Int64(clamping: nanoseconds / 1_000_000))
            object.member("records_per_second", Int64(perSecond))
            object.member("jobs", Int64(jobs))
            object.member("exit_status", Int64(status.rawValue))
            object.member("slowest", array: tally.slowest) { array, slow in
                array.element { element in
                    element.member("microseconds", Int64(clamping: slow.nanoseconds / 1000))
                    element.member("source", slow.source)
                    element.member("record", Int64(slow.record))
                }
            }
        }
    }
}
