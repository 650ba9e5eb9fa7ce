import JSONText
import ReceiptCorpus
import SystemCalls

/// Shows the progress of a run on standard error: a line for a person, JSON for a program, or nothing.
///
/// `--progress auto` shows the line if standard error is a terminal, and nothing otherwise.
struct CorpusProgress: CorpusObserver {
    /// The kind of reports: `auto` for a line, `json` or `none`. Without a terminal, `none` replaces `auto`.
    private let kind: ProgressKind
    /// The size of all sources in bytes; nil if it is unknown.
    private let totalByteCount: Int?
    private let start: UInt64
    private var last: UInt64
    private var isShowing = false
    private var errors = Output(System.standardError)

    /// Begins to measure. `nanoseconds` is the duration of the earlier runs that this run continues.
    init(_ kind: ProgressKind, totalByteCount: Int?, after nanoseconds: UInt64) {
        self.kind = kind == .auto && !System.isTerminal(System.standardError) ? .none : kind
        self.totalByteCount = totalByteCount
        last = System.monotonicNanoseconds
        start = last &- nanoseconds
    }

    mutating func update(_ tally: CorpusTally, bytes: Int) {
        guard kind != .none else { return }
        let now = System.monotonicNanoseconds
        guard now &- last >= (kind == .auto ? 200_000_000 : 1_000_000_000) else { return }
        last = now
        let seconds = max(1e-9, Double(now &- start) / 1e9)
        let rate = Self.integer(Double(tally.read) / seconds)
        let left = totalByteCount.flatMap { total -> Int? in
            bytes > 0 ? Self.integer(seconds * Double(max(0, total - bytes)) / Double(bytes)) : nil
        }
        if kind == .json {
            let object = JSONWriter.object { object in
                object.member("records", Int64(tally.read))
                object.member("statuses", tally.statuses)
                object.member("bytes", Int64(bytes))
                object.member("total_bytes", totalByteCount.map { Int64($0) })
                object.member("records_per_second", Int64(rate))
                object.member("seconds_left", left.map { Int64($0) })
            }
            errors.line(json: object)
        } else {
            isShowing = true
            let done = totalByteCount.flatMap { total in
                total > 0 ? ", \(Self.integer(Double(min(bytes, total)) * 100 / Double(total))) % done" : nil
            }
            let counts = tally.statuses.bySize.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
            let parts = [
                "\(tally.read) records\(done ?? "")", left.map { ", \($0) s left" } ?? "",
                "; \(counts)", "; \(rate) per second",
            ]
            // Without a width, the line fits the narrowest usual terminal.
            let width = System.terminalWidth(System.standardError) ?? 80
            errors.write("\r\u{1B}[K" + Self.line(parts, width: width))
        }
        errors.flush()
    }

    /// Returns a line of the first parts that fit into `width` - 1 Unicode scalars. The first part is
    /// cut to fit. The last column is for the cursor: a longer line would wrap, and the next update could not
    /// clear it.
    static func line(_ parts: [String], width: Int) -> String {
        let room = max(0, width - 1)
        var line = String(parts.first?.unicodeScalars.prefix(room) ?? "".unicodeScalars.prefix(0))
        for part in parts.dropFirst() {
            guard line.unicodeScalars.count + part.unicodeScalars.count <= room else { break }
            line += part
        }
        return line
    }

    /// A number without its fraction, limited to 0 through 10^18, because one beyond `Int` would trap.
    static func integer(_ number: Double) -> Int { Int(max(0, min(number, 1e18))) }

    mutating func finish() {
        guard isShowing else { return }
        isShowing = false
        errors.write("\r\u{1B}[K")
        errors.flush()
    }

    mutating func report(_ message: String) {
        finish()
        errors.line("app-receipt: \(message)")
        errors.flush()
    }
}

extension JSONWriter {
    /// Writes a member that is an object: each counted name with its count, the largest count first.
    mutating func member(_ name: MemberName, _ counts: Counts) {
        member(name) { for (name, count) in counts.bySize { $0.member(.given(name), Int64(count)) } }
    }
}

/// The values of `--progress`.
enum ProgressKind: String {
    case auto
    case json
    case none
}
