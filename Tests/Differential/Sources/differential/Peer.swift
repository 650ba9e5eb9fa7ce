import Basics
import DER
import Foundation

/// Another implementation, in a process that judges batches. `Peer/peer.c` describes the protocol.
final class Peer {
    /// The peer's verdict on a message.
    enum Verdict {
        /// The message is accepted; the value is the signed content.
        case accepted(content: [UInt8])
        case refused(reasons: String)

        /// The reasons. Empty if the message was accepted.
        var reasons: String {
            if case .refused(let reasons) = self { reasons } else { "" }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The library's name and version, and the name of its verifying function.
    private(set) var version = ""
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var answers: [UInt8] = []
    private var position = 0

    /// Starts a program and sends it the certificates to trust.
    init(_ program: URL, roots: [[UInt8]]) throws {
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = program
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try send(roots.map { (UInt32.max, Timestamp(millisecondsSince1970: 0), $0) })
        for _ in roots {
            if case .accepted(let name) = try answer() { version = String(decoding: name, as: UTF8.self) }
        }
    }

    /// Sends a batch. The answers come in the order of the batch.
    func send(_ messages: [(root: UInt32, time: Timestamp, octets: [UInt8])]) throws {
        var batch: [UInt8] = []
        batch.append(littleEndian: UInt32(messages.count))
        for message in messages {
            batch.append(littleEndian: message.root)
            batch.append(littleEndian: message.time.seconds)
            batch.append(littleEndian: UInt32(message.octets.count))
            batch += message.octets
        }
        do {
            try input.fileHandleForWriting.write(contentsOf: Data(batch))
        } catch {
            throw Failure(description: "the peer accepts no more input: \(error)")
        }
    }

    /// The next answer.
    func answer() throws -> Verdict {
        let header = try read(5)
        let count = header[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
        let octets = try read(count)
        return header[0] == 1
            ? .accepted(content: octets) : .refused(reasons: String(decoding: octets, as: UTF8.self))
    }

    private func read(_ count: Int) throws -> [UInt8] {
        while answers.count - position < count {
            answers.removeSubrange(..<position)
            position = 0
            // `read(upToCount:)` waits for all bytes.
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Failure(description: "the peer ended in the middle of a batch")
            }
            answers += more
        }
        defer { position += count }
        return [UInt8](answers[position..<(position + count)])
    }

    /// Ends the process.
    func finish() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
