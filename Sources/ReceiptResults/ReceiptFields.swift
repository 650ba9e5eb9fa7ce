import AppReceipt
import Basics
import JSONText
import Processor
import SHA
import SignedPayloads
import TransactionReceipt

/// One input and the verdict about it, for results. `Vectors/schema/result.schema.json` describes the members
/// of results.
package struct ResultHead {
    /// The hash whose first 16 bytes are the record's key, see ``ResultKey``; nil for an input that is no
    /// record.
    package var key: Digest?
    /// The number of the purchase that the line is about, from 1. Nil for a line about the whole record.
    package var purchase: Int?
    /// The name that the caller gives the source, or else the file's name; `-` for standard input. Nil if the
    /// input has no name.
    package var source: String?
    /// The number of the record in its source: from 1, or from the number that an option gives the first
    /// record.
    package var record: Int?
    /// The offset in bytes of the record in its source, after decompression: of its first byte, or of the
    /// length before it. The option for the offset of a part of a corpus is added.
    package var offset: Int?
    /// SHA-256 of the receipt's container or of the token's characters; nil if there is neither.
    package var digest: Digest?
    /// The valid receipt; nil if the input was refused, or is a token.
    package var receipt: ValidReceipt?
    /// The kind of a token's payload; nil for a receipt.
    package var kind: SignedPayloadKind?
    /// The valid signed payload; nil if the input was refused, or is a receipt.
    package var payload: ValidPayload?
    package var fault: Fault?
    package var mismatch: Mismatch?

    package init() {}

    /// The status: `valid`, or the one of the fault. Nil if there is neither, as in the header of CSV.
    var status: String? { receipt == nil && payload == nil ? fault?.status : "valid" }
}

/// Makes the `key` of a result.
///
/// A key is the first 16 bytes of a SHA-256, in hexadecimal. The hash covers the source's name, zero bytes
/// (at least one) up to the next multiple of 64 bytes, and the record's number and offset in eight octets
/// each. Then comes an octet 1 with the SHA-256 of the receipt's container or of the token, or an octet 0 if
/// there is no such digest. Then come further bytes of the record:
///
/// - all bytes, if there is no digest, or if the place of the receipt or token among the record's fields is
///   not known: in a line of NDJSON, for example, if the value of the field is a JSON object that holds it
/// - no bytes, if the receipt or token was found in a record without fields, such as a file
/// - otherwise the bytes before and after the receipt or token
///
/// A record that was not kept, because it is too large for example, adds no bytes. The keys of lines for
/// purchases end in `-` and the number of the purchase.
///
/// Two lines of one run never have the same key, because source, number or purchase differ, unless a source
/// is read twice. In several runs over parts of a corpus, two lines have the same key only if two conditions
/// hold. Their sources' names, their numbers, their offsets and their purchases' numbers are equal. And
/// either both records have the same digest, or none, and the same further bytes, or neither record was kept.
///
/// Runs that name the parts with `--source`, `--first-record` and `--first-offset` write the keys of one run
/// over the whole.
package struct ResultKey: Sendable {
    private var function: HashFunction

    /// Begins a key with the source's name.
    ///
    /// The keys of a source share this beginning. It consists of whole blocks of SHA-256, so the key of a
    /// record that is nothing but a receipt takes one block more.
    package init(source: String, acceleration: Acceleration) {
        function = HashFunction(.sha256, acceleration: acceleration)
        var name = [UInt8](utf8: source)
        name.append(contentsOf: repeatElement(0, count: 64 - name.count % 64))
        function.update(name.borrowedSpan)
    }

    /// Adds the record's number and offset. Then adds 1 and the digest of its receipt or token, or only 0 if
    /// the digest is nil.
    package mutating func add(record: Int, offset: Int, digest: Digest?) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(17 + (digest?.count ?? 0))
        for number in [UInt64(record), UInt64(offset)] {
            for place in 1...8 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(64 - 8 * place))) }
        }
        bytes.append(digest == nil ? 0 : 1)
        if let digest { bytes += digest.bytes }
        add(bytes[...])
    }

    /// Adds further bytes of the record, which ``ResultKey`` describes. Call it after the number is added.
    package mutating func add(_ bytes: ArraySlice<UInt8>) { function.update(bytes.borrowedSpan) }

    /// The whole hash of everything added so far. The key is its first 16 bytes.
    package consuming func finalize() -> Digest { function.finalize() }
}

/// The members of results.
///
/// A value that Apple's `verifyReceipt` answers has Apple's name. Unless a function says otherwise, an absent
/// value is null. A documented attribute of an app receipt is null, too, if it is an empty text or an empty
/// date. Given nil, the functions write the names with null, which makes the header of CSV.
extension Fields {
    /// Writes key, source, record, offset and the verdict.
    @_specialize(where Self == JSONWriter)
    package mutating func head(_ head: ResultHead) {
        let key = head.key?.bytes.prefix(16)
        if let key, let purchase = head.purchase {
            member("key", "\(Hexadecimal.digits(of: key.borrowedSpan))-\(purchase)")
        } else {
            member("key", hex: key)
        }
        member("source", head.source)
        member("record", head.record.map { Int64($0) })
        member("offset", head.offset.map { Int64($0) })
        verdict(head)
    }

    /// Writes the members of a verdict: sha256, status, step, code, not_checked, error if there is a fault,
    /// and kind if the input is a token. CSV always has the cells of error.
    @_specialize(where Self == JSONWriter)
    package mutating func verdict(_ head: ResultHead) {
        member("sha256", hex: head.digest?.bytes[...])
        member("status", head.status)
        member("step", head.fault?.stepName)
        member("code", head.fault?.code.name.description)
        if let payload = head.payload {
            member("not_checked", array: payload.notChecked) { $0.element($1.rawValue) }
        } else {
            member("not_checked", array: head.receipt?.notChecked) { $0.element($1.rawValue) }
        }
        member("error", isThere: head.fault != nil) { error in
            error.member("message", head.fault?.message)
            error.member("offset", head.fault?.offset.map { Int64($0) })
            error.member("certificate", head.fault?.certificate.map { Int64($0) })
            error.member("reading", head.fault?.reading)
            error.member("found", head.mismatch?.found)
            error.member("expected", array: head.mismatch?.expected) { $0.element($1) }
            if head.kind == .notification { error.member("nested_token", head.fault?.nestedToken) }
        }
        if let kind = head.kind { member("kind", kind.rawValue) }
    }

    /// Writes all values of a receipt, valid or not; null for each if the receipt is nil.
    ///
    /// - Parameters:
    ///   - contentDigest: the SHA-256 digest of the signed content; nil if the receipt is not verified.
    ///   - transaction: a transaction receipt, for a table of both formats; nil for none. Its bundle
    ///     identifier and app version are written instead of the receipt's, and its digest if `contentDigest`
    ///     is nil.
    @_specialize(where Self == JSONWriter)
    package mutating func receipt(
        _ receipt: UnverifiedReceipt?,
        contentDigest: Digest?,
        transaction: PurchaseInfo? = nil
    ) {
        for one in ReceiptAttribute.allCases { member(one, of: receipt?.values, transaction) }
        member("content_sha256", hex: (contentDigest ?? transaction?.contentDigest)?.bytes[...])
        member("in_app", array: receipt?.unverifiedInAppPurchases) { array, purchase in
            array.element { object in
                object.purchase(purchase.values)
                object.undocumented(purchase.attributes)
            }
        }
        member("malformed_in_app", array: receipt?.malformedInAppPurchases) { array, malformed in
            array.element { object in
                object.member("code", malformed.refusal.code.name.description)
                object.member("value", hex: malformed.value)
            }
        }
        undocumented(receipt?.attributes)
    }

    /// Writes the environment, bundle identifier, app version, creation date, App Store identifier and
    /// number of decoded purchases of a valid receipt; null for each if the receipt is nil.
    ///
    /// - Parameter transaction: a transaction receipt; nil for none. Its bundle identifier and app version
    ///   are written instead of the receipt's, and 1 as the number of purchases if the receipt is nil.
    @_specialize(where Self == JSONWriter)
    package mutating func brief(_ receipt: Receipt?, transaction: PurchaseInfo? = nil) {
        let values = receipt?.values
        member(.environment, of: values)
        member(.bundleIdentifier, of: values, transaction)
        member(.appVersion, of: values, transaction)
        member(.creationDate, of: values)
        member(.appStoreIdentifier, of: values)
        member("in_app_count", receipt.map { Int64($0.inAppPurchaseCount) } ?? transaction.map { _ in 1 })
    }

    /// Writes the values of a purchase, or null for each, without its undocumented attributes.
    package mutating func purchase(_ values: AttributeValues?) {
        for one in PurchaseAttribute.allCases { member(one.row, of: values) }
    }

    /// Writes an attribute's value. If there is a transaction receipt, its bundle identifier and its app
    /// version are written instead of the two attributes of these names.
    private mutating func member(
        _ one: ReceiptAttribute,
        of values: AttributeValues?,
        _ transaction: PurchaseInfo? = nil
    ) {
        switch (one, transaction) {
        case (.bundleIdentifier, let info?): member(.fixed(one.row.json), info.bundleIdentifier.orNil)
        case (.appVersion, let info?): member(.fixed(one.row.json), info.appVersion.orNil)
        default: member(one.row, of: values)
        }
    }

    /// Writes the value of an attribute in the form that its row says; null if there is no value.
    mutating func member(_ row: AttributeRow, of values: AttributeValues?) {
        let name = MemberName.fixed(row.json)
        switch row.kind {
        case .text, .ascii: member(name, values?.string(row))
        case .number: member(name, values?.number(row))
        case .identifier: member(name, identifier: values?.number(row))
        case .ownership: member(name, values?.ownership(row)?.answerName.description)
        case .flag: member(name, values?.flag(row))
        case .date: member(name, values?.date(row))
        case .octets: member(name, hex: values?.octets(row))
        }
    }

    /// Writes the attributes whose types have no row in the attribute table (not `hasRow`); null for nil.
    @_specialize(where Self == JSONWriter)
    package mutating func undocumented(_ attributes: [AppReceipt.Attribute]?) {
        let unnamed = attributes?.filter { !$0.hasRow }
        member("undocumented_attributes", array: unnamed) { array, attribute in
            array.element { object in
                object.member("type", attribute.type)
                object.member("version", attribute.version)
                object.member("value", hex: attribute.value)
            }
        }
    }
}
