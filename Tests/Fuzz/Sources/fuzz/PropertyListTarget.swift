import AppReceipt
import AppReceiptMint
import Bytes
import DER
import PKIX
import TransactionReceipt

/// Checks property lists, and the transaction receipts that contain them.
///
/// The reader agrees with a plain one. A list that is written again reads the same. As a purchase-info under
/// a good signature over another one it is never accepted, and as a whole receipt it never traps.
func fuzzPropertyList(_ input: [UInt8]) {
    let limit = TransactionReceiptLimits.standard.entries
    let plain = PlainPropertyList.entries(input)
    do throws(Refusal) {
        let list = try PropertyList(input.borrowedSpan, limit: limit)
        let entries = list.entries.map { [Array(input[$0.key]), Array(input[$0.value])] }
        require(entries == plain, "the plain reader reads the same entries")
        require(entries.count <= limit, "the limit on entries")
        let again = written(entries)
        let second = try PropertyList(again.borrowedSpan, limit: limit)
        require(
            second.entries.map { [Array(again[$0.key]), Array(again[$0.value])] } == entries,
            "written and read again"
        )
    } catch {
        require(error.offset >= 0 && error.offset <= input.count, "\(error) lies outside")
        require(plain == nil || error.code == .tooManyEntries, "\(error), and the plain reader accepts")
    }
    fuzzReceipt(input)
    fuzzInfo(input)
}

/// The input as a whole receipt. Nothing but the minted receipt is accepted.
private func fuzzReceipt(_ input: [UInt8]) {
    do throws(ReceiptError) {
        let purchase = try Minted.validator.validate(input)
        require(purchase.signedBytes == Minted.signed, "only what the mint signed is accepted")
    } catch {
        require(error.offset >= 0 && error.offset <= input.count, "\(error) lies outside")
    }
    if let claims = try? UnverifiedPurchaseInfo(unverified: input) {
        require(!claims.productIdentifier.isEmpty && !claims.transactionIdentifier.isEmpty, "required values")
        require(claims.entries.contains { $0.key == "product-id" }, "the product stands in an entry")
    }
}

/// The input as the purchase-info of a minted receipt whose signature covers another one.
private func fuzzInfo(_ input: [UInt8]) {
    var template = Minted.template
    template.writtenInfo = input
    let list = template.propertyList()
    do throws(ReceiptError) {
        let purchase = try Minted.validator.validate(list)
        require(purchase.signedBytes == Minted.signed && input == Minted.signed, "a forged purchase-info")
    } catch {
        require(error.offset >= 0 && error.offset <= list.count, "\(error) lies outside")
        let steps: [ReceiptError.Step] = [.input, .container, .creationDate, .certificatePath, .signature]
        require(steps.contains(error.step), "\(error) before the signature")
    }
}

private enum Minted {
    static let mint = TransactionReceiptMint(.three)
    static let signed = TransactionReceiptTemplate.propertyList(mint.template().entries)
    /// The mint's receipt with its signature, so that no input is signed.
    static let template = {
        var template = mint.template()
        template.signature = Array(template.signatureBlob()[1..<257])
        return template
    }()
    static let validator = TransactionReceiptValidator(
        environments: .any,
        bundleIdentifier: .any,
        trust: .pinned([try? TrustAnchor(certificate: mint.root)].compactMap { $0 }),
        issuers: [try? IssuerCertificate(mint.intermediate)].compactMap { $0 }
    )
}

private func written(_ entries: [[[UInt8]]]) -> [UInt8] {
    var list = Array("{".utf8)
    for entry in entries {
        list += Array("\"".utf8) + entry[0] + Array("\"=\"".utf8) + entry[1] + Array("\";".utf8)
    }
    return list + Array("}".utf8)
}

/// A plain reader of property lists: cuts the bytes into tokens, and then compares their sequence.
enum PlainPropertyList {
    enum Token: Equatable {
        case punctuation(UInt8)
        case string([UInt8])
    }

    /// The keys and values; nil for anything that is no list.
    static func entries(_ bytes: [UInt8]) -> [[[UInt8]]]? {
        guard var tokens = tokens(bytes)?[...], tokens.popFirst() == .punctuation(UInt8(ascii: "{")),
            tokens.popLast() == .punctuation(UInt8(ascii: "}")), tokens.count % 4 == 0
        else { return nil }
        var entries: [[[UInt8]]] = []
        var keys: Set<[UInt8]> = []
        while let first = tokens.popFirst() {
            guard case .string(let key) = first, tokens.popFirst() == .punctuation(UInt8(ascii: "=")),
                case .string(let value)? = tokens.popFirst(),
                tokens.popFirst() == .punctuation(UInt8(ascii: ";")), !key.isEmpty,
                keys.insert(key).inserted
            else { return nil }
            entries.append([key, value])
        }
        return entries
    }

    private static func tokens(_ bytes: [UInt8]) -> [Token]? {
        var tokens: [Token] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20: continue
            case UInt8(ascii: "\""):
                guard let end = rest.firstIndex(of: byte) else { return nil }
                let text = rest[..<end]
                guard text.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x5C }) else { return nil }
                tokens.append(.string(Array(text)))
                rest = rest[(end + 1)...]
            default: tokens.append(.punctuation(byte))
            }
        }
        return tokens
    }
}
