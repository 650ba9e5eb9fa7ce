import AppReceipt
import Bytes
import DER
import JSONText
import Processor
import TransactionReceipt

/// The members of a request that decide its answer, located in the body.
struct Request {
    private let body: [UInt8]
    /// The string `receipt-data` with its quotes and escapes.
    private let receiptData: Range<Int>?
    /// The password without its escapes, and its offset in the body; nil unless the last `password` is a
    /// string.
    let password: (text: [UInt8], offset: Int)?

    /// Locates the members.
    ///
    /// - Throws: status 21000 if the body is too long or is not a JSON object.
    init(_ body: [UInt8]) throws(Refused) {
        guard body.count <= ReceiptEndpoint.bodyBytes else {
            throw Refused(
                .unreadableRequest,
                .request(Refusal(.requestTooLarge, at: ReceiptEndpoint.bodyBytes, reading: "body"))
            )
        }
        let (receiptDataName, passwordName) = ([UInt8](utf8: "receipt-data"), [UInt8](utf8: "password"))
        var text = JSONReader(body, in: 0..<body.count)
        let members: [JSONReader.Member]?
        do throws(Refusal) {
            members = try text.members(named: [receiptDataName, passwordName])
        } catch {
            throw Self.notAnObject(at: error.offset)
        }
        guard let members else { throw Self.notAnObject(at: 0) }
        self.body = body
        receiptData = members.first { JSONReader.isName($0.name, receiptDataName, body) }?.value
        let password = members.first { JSONReader.isName($0.name, passwordName, body) }?.value
        self.password = password.flatMap { value in
            JSONReader.string(value, body).map { ($0, value.lowerBound) }
        }
    }

    private static func notAnObject(at offset: Int) -> Refused {
        Refused(.unreadableRequest, .request(Refusal(.requestNotAnObject, at: offset, reading: "body")))
    }

    /// A receipt without its base64.
    enum DecodedReceipt {
        /// The container of a receipt, or anything else but a property list.
        case container([UInt8])
        /// The property list of a transaction receipt.
        case propertyList([UInt8])
    }

    /// Decodes the receipt. Bytes after a container are left out, because Apple's endpoint ignores them.
    ///
    /// - Throws: status 21002 if there is no base64 to decode.
    func receipt(
        _ form: ReceiptEndpoint.Base64,
        _ limits: Limits,
        _ acceleration: Acceleration
    ) throws(Refused) -> DecodedReceipt {
        guard let value = receiptData, body[value.lowerBound] == UInt8(ascii: "\"") else {
            throw Self.invalid(.missingReceiptData, at: receiptData?.lowerBound ?? 0)
        }
        let contents = (value.lowerBound + 1)..<(value.upperBound - 1)
        // No base64 has a backslash, so most text is decoded without a search for escapes.
        if let bytes = try? ReceiptInput.decodeStrictBase64(body[contents], acceleration: acceleration) {
            return Self.decoded(bytes)
        }
        let hasEscapes = body.borrowedSpan.firstIndex(of: UInt8(ascii: "\\"), in: contents) != nil
        let text = hasEscapes ? (JSONReader.string(value, body) ?? [])[...] : body[contents]
        func offset(of fault: Int) -> Int { contents.lowerBound + (hasEscapes ? 0 : fault) }
        do throws(Refusal) {
            return Self.decoded(try ReceiptInput.decodeStrictBase64(text, acceleration: acceleration))
        } catch {
            guard form == .repairing else {
                throw Self.invalid(.receiptDataNotBase64, at: offset(of: error.offset))
            }
        }
        do throws(ReceiptError) {
            // A property list without base64 is not a damaged request.
            if text.first != UInt8(ascii: "{"), TransactionReceiptInput.isLikely(text) {
                return .propertyList(
                    try TransactionReceiptInput.decode(Array(text), acceleration: acceleration)
                )
            }
            return .container(
                Self.withoutTrailingBytes(
                    try ReceiptInput.decode(text, limits: limits, acceleration: acceleration)
                )
            )
        } catch {
            throw Self.invalid(error.code, at: offset(of: error.offset))
        }
    }

    private static func decoded(_ bytes: [UInt8]) -> DecodedReceipt {
        bytes.first == UInt8(ascii: "{") ? .propertyList(bytes) : .container(withoutTrailingBytes(bytes))
    }

    private static func invalid(_ code: Refusal.Code, at offset: Int) -> Refused {
        Refused(.invalidReceipt, .request(Refusal(code, at: offset, reading: "receipt-data")))
    }

    /// The element of definite length that the bytes begin with; all bytes if they begin with something else.
    private static func withoutTrailingBytes(_ bytes: [UInt8]) -> [UInt8] {
        var reader = Reader(bytes.borrowedSpan)
        guard let contents = try? reader.read(.sequence, "ContentInfo"), contents.upperBound < bytes.count
        else { return bytes }
        return Array(bytes[..<contents.upperBound])
    }
}
