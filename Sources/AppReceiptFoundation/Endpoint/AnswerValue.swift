import AppReceipt
import DER
import JSONText

/// A JSON value of an answer, as a range of its text. Apple writes many numbers and flags as strings, so each
/// kind is read from both.
struct AnswerValue {
    private let bytes: [UInt8]
    private let range: Range<Int>

    /// The largest number of objects in a list. A subscription that is renewed every week for 20 years has
    /// 1040; the bound keeps an answer of 16 MiB from becoming a gigabyte of transactions.
    static let maximumCount = 1 << 16

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// The members of an object; nil for other values, and for text that is not JSON.
    ///
    /// - Parameter names: the names of the wanted members. If several members have one name, the last counts.
    func object(_ names: [String]) -> AnswerObject? {
        var reader = JSONReader(bytes, in: range)
        let wanted = names.map { [UInt8]($0.utf8) }
        guard let members = try? reader.members(named: wanted) else { return nil }
        var values: [String: AnswerValue] = [:]
        for member in members {
            for (name, octets) in zip(names, wanted) where JSONReader.isName(member.name, octets, bytes) {
                values[name] = AnswerValue(bytes, member.value)
            }
        }
        return AnswerObject(values: values)
    }

    /// The objects of an array, or an object itself as the only one. Other elements are passed over.
    ///
    /// - Throws: `listTooLong` if there are more elements than ``maximumCount``.
    func objects(_ names: [String]) throws(VerifyReceiptClient.Failure) -> [AnswerObject] {
        if let object = object(names) { return [object] }
        var reader = JSONReader(bytes, in: range)
        guard let elements = try? reader.elements() else { return [] }
        guard elements.count <= Self.maximumCount else { throw .listTooLong(limit: Self.maximumCount) }
        return elements.compactMap { AnswerValue(bytes, $0).object(names) }
    }

    /// The number; nil for any other value, and for a number that is not an integer of 64 bits.
    var number: Int64? {
        Int64(String(decoding: bytes[range], as: UTF8.self))
    }

    /// The text of a string, or the digits of a number.
    var text: String? {
        if let octets = JSONReader.string(range, bytes) { return String(decoding: octets, as: UTF8.self) }
        return number.map { String($0) }
    }

    /// The number, or the number in a string.
    var integer: Int64? { text.flatMap { Int64($0) } }

    /// The flag, which may be `true`, `"true"`, `1` or `"1"`, and likewise for false.
    var flag: Bool? {
        switch text ?? String(decoding: bytes[range], as: UTF8.self) {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// The time in milliseconds since 1970.
    var time: Timestamp? { integer.map { Timestamp(millisecondsSince1970: $0) } }
}

/// The wanted members of a JSON object.
struct AnswerObject {
    let values: [String: AnswerValue]

    /// The value of a member; nil if the object lacks it.
    subscript(_ name: String) -> AnswerValue? { values[name] }
}
