import AppReceipt
import Basics
import DER
import JSONText
import Processor

/// The members `receipt-data` and `password` of a request, located in its body.
struct Request {
    private let body: [UInt8]
    /// The range in `body` of the value of the last `receipt-data`, with a string's quotes; nil if absent.
    private let receiptData: Range<Int>?
    /// The password with its escapes decoded, and the offset of its opening quote in the body. Nil unless
    /// the last `password` is a string. The text is nil if the string holds half of a surrogate pair, and
    /// then equals no secret.
    let password: (text: ArraySlice<UInt8>?, offset: Int)?

    /// Locates the members `receipt-data` and `password` in a body.
    ///
    /// - Parameter form: the accepted forms of base64. With `.repairing`, strings may hold line breaks.
    /// - Throws: status 21000 if the body is too long, is not a JSON object, or nests values too deep.
    init(_ body: [UInt8], _ form: ReceiptEndpoint.Base64) throws(Refused) {
        guard body.count <= ReceiptEndpoint.bodyBytes else {
            throw Refused(
                .unreadableRequest,
                .request(Refusal(.requestTooLarge, at: ReceiptEndpoint.bodyBytes, reading: "body"))
            )
        }
        let (receiptDataName, passwordName) = ([UInt8](utf8: "receipt-data"), [UInt8](utf8: "password"))
        var text = JSONReader(body, in: 0..<body.count, allowsLineBreaks: form == .repairing)
        let members: [JSONReader.Member]?
        do throws(Refusal) {
            members = try text.members(named: JSONNames([receiptDataName, passwordName]))
        } catch {
            throw Self.unreadable(text.lineBreak == nil ? .requestNotAnObject : .lineBreak, at: error.offset)
        }
        guard let members else { throw Self.unreadable(.requestNotAnObject, at: 0) }
        self.body = body
        receiptData = members.first { JSONReader.isName($0.name, receiptDataName, body) }?.value
        let password = members.first { JSONReader.isName($0.name, passwordName, body) }?.value
        self.password = password.flatMap { value in
            guard body[value.lowerBound] == UInt8(ascii: "\"") else { return nil }
            return (JSONReader.string(value, body), value.lowerBound)
        }
    }

    private static func unreadable(_ code: Refusal.Code, at offset: Int) -> Refused {
        Refused(.unreadableRequest, .request(Refusal(code, at: offset, reading: "body")))
    }

    /// A receipt after base64 and other encodings are removed.
    enum DecodedReceipt {
        /// Decoded bytes that begin like a SEQUENCE, as the container of an app receipt does.
        case container([UInt8])
        /// Decoded bytes that begin like the property list of a transaction receipt.
        case propertyList([UInt8])
    }

    /// Decodes the receipt. Bytes after a container whose length is definite and minimal, as in DER, are
    /// left out, because Apple's endpoint ignores them.
    ///
    /// - Throws: status 21002 if `receipt-data` is absent, or is neither a string nor, with the form
    ///   `.repairing`, an object that has a receipt. Status 21002 with the code of `ReceiptInput` if the
    ///   text is no receipt in any form, or with `.receiptDataNotBase64` if it has half of a surrogate
    ///   pair. With the form `.strict`, status 21002 also unless the text is strict base64 of bytes for which
    ///   ``isReceipt(_:)`` is true.
    func receipt(
        _ form: ReceiptEndpoint.Base64,
        _ policy: ReceiptPolicy
    ) throws(Refused) -> DecodedReceipt {
        var string = receiptData
        if form == .repairing, let value = receiptData, body[value.lowerBound] == UInt8(ascii: "{") {
            string = JSONObjectForm(body, in: value, isInner: true)?.receipt
        }
        guard let value = string, body[value.lowerBound] == UInt8(ascii: "\"") else {
            throw Self.invalid(.missingReceiptData, at: receiptData?.lowerBound ?? 0)
        }
        let contents = (value.lowerBound + 1)..<(value.upperBound - 1)
        let acceleration = policy.acceleration
        // No base64 has a backslash, so most text is decoded without a search for escapes.
        if let bytes = try? ReceiptInput.decodeStrictBase64(body[contents], acceleration: acceleration),
            Self.isReceipt(bytes)
        {
            return Self.decoded(bytes)
        }
        let hasEscapes = body.borrowedSpan.firstIndex(of: UInt8(ascii: "\\"), in: contents) != nil
        guard let text = JSONReader.unescaped(contents, body) else {
            throw Self.invalid(.receiptDataNotBase64, at: contents.lowerBound)
        }
        func offset(of fault: Int) -> Int { contents.lowerBound + (hasEscapes ? 0 : fault) }
        if hasEscapes, let bytes = try? ReceiptInput.decodeStrictBase64(text, acceleration: acceleration),
            Self.isReceipt(bytes)
        {
            return Self.decoded(bytes)
        }
        let container: [UInt8]
        do throws(ReceiptError) {
            container = try ReceiptInput.container(text, limits: policy.limits, acceleration: acceleration)
        } catch {
            throw Self.invalid(error.code, at: offset(of: error.offset))
        }
        guard form == .repairing else { throw strictRefusal(text, offset(of:), acceleration) }
        return Self.decoded(container)
    }

    /// The refusal `.receiptDataNotBase64`, at the offset that `ReceiptInput.decodeStrictBase64` throws for
    /// the text; at the text's start if that function throws nothing.
    ///
    /// - Parameter offset: turns an offset in the text into an offset in the body.
    private func strictRefusal(
        _ text: ArraySlice<UInt8>,
        _ offset: (Int) -> Int,
        _ acceleration: Acceleration
    ) -> Refused {
        do throws(Refusal) {
            _ = try ReceiptInput.decodeStrictBase64(text, acceleration: acceleration)
            return Self.invalid(.receiptDataNotBase64, at: offset(0))
        } catch {
            return Self.invalid(.receiptDataNotBase64, at: offset(error.offset))
        }
    }

    /// Whether decoded bytes begin like a container or a property list, so that they need no more decoding.
    private static func isReceipt(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "{")
            ? ReceiptInput.beginsPropertyList(bytes.borrowedSpan)
            : ReceiptInput.isContainer(bytes.borrowedSpan)
    }

    private static func decoded(_ bytes: [UInt8]) -> DecodedReceipt {
        ReceiptInput.isPropertyList(bytes) ? .propertyList(bytes) : .container(withoutTrailingBytes(bytes))
    }

    private static func invalid(_ code: Refusal.Code, at offset: Int) -> Refused {
        Refused(.invalidReceipt, .request(Refusal(code, at: offset, reading: "receipt-data")))
    }

    /// The SEQUENCE that the bytes begin with, if its length is definite and minimal, as in DER; all bytes
    /// otherwise.
    private static func withoutTrailingBytes(_ bytes: [UInt8]) -> [UInt8] {
        var reader = Reader(bytes.borrowedSpan)
        guard let contents = try? reader.read(.sequence, "ContentInfo"), contents.upperBound < bytes.count
        else { return bytes }
        return Array(bytes[..<contents.upperBound])
    }
}
