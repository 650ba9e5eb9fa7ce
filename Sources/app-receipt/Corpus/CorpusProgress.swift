/// What a person or a machine learns of a run on standard error while it lasts.
struct CorpusProgress {
    private enum Style {
        case none
        case line
        case json
    }

    private let style: Style
    /// Nil where it is not known.
    private let totalByteCount: Int?
    private let start: UInt64
    private var last: UInt64
    private var isShowing = false

    /// - Parameter nanoseconds: how long earlier runs took.
    init(_ kind: ProgressKind, totalByteCount: Int?, after nanoseconds: UInt64) {
        style =
            switch kind {
            case .json: .json
            case .auto where System.isTerminal(System.standardError): .line
            case .auto, .none: .none
            }
        self.totalByteCount = totalByteCount
        last = System.monotonicNanoseconds
        start = last &- nanoseconds
    }

    /// How long it took so far, with the earlier runs.
    var nanoseconds: UInt64 { System.monotonicNanoseconds &- start }

    mutating func update(_ tally: CorpusTally, bytes: Int) {
        guard style != .none else { return }
        let now = System.monotonicNanoseconds
        guard now &- last >= (style == .line ? 200_000_000 : 1_000_000_000) else { return }
        last = now
        let seconds = Double(now &- start) / 1e9
        let rate = Int(Double(tally.read) / seconds)
        let left = totalByteCount.flatMap { total -> Int? in
            bytes > 0 ? Int(seconds * Double(max(0, total - bytes)) / Double(bytes)) : nil
        }
        if style == .json {
            let object = JSON.object { object in
                object.member("records", Int64(tally.read))
                object.member("statuses") { statuses in
                    for (status, count) in Self.counts(tally) { statuses.member(status, Int64(count)) }
                }
                object.member("bytes", Int64(bytes))
                object.member("total_bytes", totalByteCount.map { Int64($0) })
                object.member("records_per_second", Int64(rate))
                object.member("seconds_left", left.map { Int64($0) })
            }
            write(String(decoding: object.bytes, as: UTF8.self) + "\n")
        } else {
            isShowing = true
            let counts = Self.counts(tally).map { "\($1) \($0)" }.joined(separator: ", ")
            let done = totalByteCount.map { $0 > 0 ? ", \(min(bytes, $0) * 100 / $0) % done" : "" } ?? ""
            let rest = left.map { ", \($0) s left" } ?? ""
            write("\r\u{1B}[K\(tally.read) records: \(counts); \(rate) per second\(done)\(rest)")
        }
    }

    /// The most frequent status first.
    private static func counts(_ tally: CorpusTally) -> [(String, Int)] {
        tally.statuses.map { ($0, $1) }.sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0 < $1.0 }
    }

    /// Takes the line away.
    mutating func clear() {
        guard isShowing else { return }
        isShowing = false
        write("\r\u{1B}[K")
    }

    mutating func report(_ message: String) {
        clear()
        write("app-receipt: \(message)\n")
    }

    private func write(_ text: String) {
        // If this cannot be written, there is nobody left to tell.
        try? System.write([UInt8](text.utf8), to: System.standardError)
    }
}
