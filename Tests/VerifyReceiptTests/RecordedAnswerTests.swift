import AppReceipt
import Basics
import Foundation
import TestSupport
import Testing
import VerifyReceipt

/// A request that was sent to Apple's endpoint, with Apple's answer.
struct RecordedAnswer: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    let answer: [UInt8]

    var testDescription: String { name }
    var endpoint: ReceiptEndpoint {
        ReceiptEndpoint(name.contains("-to-production-") ? .production : .sandbox)
    }

    /// All pairs of unified receipts. Empty if the data is missing; the tests are skipped then.
    static let all: [RecordedAnswer] = {
        let names = (try? SharedData.files(in: "verify-receipt", suffix: ".b64")) ?? []
        return names.filter { !$0.hasPrefix("ios6-") }.compactMap { file in
            let name = String(file.dropLast(4))
            guard let text = try? SharedData.bytes("verify-receipt/\(file)"),
                let answer = try? SharedData.bytes("verify-receipt/\(name).response.json")
            else { return nil }
            let trimmed = String(decoding: text, as: UTF8.self).trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            return RecordedAnswer(name: name, text: trimmed, answer: answer)
        }
    }()
    static let valid = all.filter { (try? OrderedJSON($0.answer))?["status"] == .number("0") }
    static let refused = all.filter { (try? OrderedJSON($0.answer))?["status"] != .number("0") }

    func answered() throws -> Answer {
        let time = try OrderedJSON(answer)["receipt"]?["request_date_ms"]?.string.flatMap { Int64($0) }
        var cache = ValidationCache()
        return endpoint.answer(
            request(text: text),
            at: Timestamp(millisecondsSince1970: time ?? 1_538_738_661_611),
            cache: &cache
        )
    }
}

@Suite(
    "Answers equal the answers that Apple's endpoint gave",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct RecordedAnswerTests {
    @Test("finds the recordings")
    func dataIsThere() {
        #expect(RecordedAnswer.valid.count == 13)
        #expect(RecordedAnswer.refused.count == 3)
    }

    /// Apple answered "false" in November 2016 and "true" for the same purchase from 2017 on. Attribute 1713
    /// is 1.
    private static let changedTrial = "1000000248850692"
    private static let changedIn = [
        "linjunpop-griddiary-2016-to-sandbox-20161109", "linjunpop-griddiary-2016-to-sandbox-20161111",
    ]

    @Test(
        "the object receipt has Apple's keys, values, types and order, the request's date included",
        arguments: RecordedAnswer.valid
    )
    func receipt(_ recorded: RecordedAnswer) throws {
        let answer = try recorded.answered()
        #expect(answer.status == .valid && answer.error == nil)
        let found = try answer.receipt
        let expected = try #require(try OrderedJSON(recorded.answer)["receipt"])
        #expect(found.names == expected.names)
        for (one, other) in zip(found.without(["in_app"]).members, expected.without(["in_app"]).members) {
            #expect(one == other)
        }
        let (purchases, theirs) = (found["in_app"]?.elements ?? [], expected["in_app"]?.elements ?? [])
        #expect(purchases.count == theirs.count)
        var exceptions = 0
        for (one, other) in zip(purchases, theirs) where one != other {
            #expect(one["transaction_id"] == .string(Self.changedTrial), "\(one) is not \(other)")
            #expect(one["is_trial_period"] == .string("true") && other["is_trial_period"] == .string("false"))
            #expect(one.names == other.names)
            #expect(one.without(["is_trial_period"]) == other.without(["is_trial_period"]))
            exceptions += 1
        }
        #expect(exceptions == (Self.changedIn.contains(recorded.name) ? 1 : 0))
        #expect(try answer.json["environment"] == OrderedJSON(recorded.answer)["environment"])
        #expect(try answer.json["status"] == OrderedJSON(recorded.answer)["status"])
    }

    @Test("a refusal is Apple's, byte for byte", arguments: RecordedAnswer.refused)
    func refusal(_ recorded: RecordedAnswer) throws {
        let answer = try recorded.answered()
        let expected = String(decoding: recorded.answer, as: UTF8.self)
        #expect(answer.text == expected.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(answer.error != nil)
    }

    @Test("a recorded receipt with one changed byte gets 21002", arguments: RecordedAnswer.valid)
    func tampered(_ recorded: RecordedAnswer) throws {
        var receipt = base64(recorded.text)
        // A byte of the payload, which is the first half of every receipt.
        receipt[receipt.count / 3] ^= 1
        let answer = recorded.endpoint.answer(receipt: receipt)
        #expect(answer.text == "{\"status\":21002}")
    }
}
