import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import TransactionReceipt

/// Checks property lists, and the transaction receipts that contain them.
///
/// The reader agrees with a plain one. A list that is written again reads the same. As a purchase-info under
/// a good signature over another one it is never accepted, and as a whole receipt it never traps.
func fuzzPropertyList(_ input: [UInt8]) {
    // The default of `PropertyList`.
    let limit = 128
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

/// The input as a whole receipt. Nothing but the minted receipts is accepted.
private func fuzzReceipt(_ input: [UInt8]) {
    do throws(ReceiptError) {
        let purchase = try Minted.validator.validate(input)
        require(
            Minted.all.contains { $0.isSigned(purchase.signedBytes, purchase.signatureVersion) },
            "only what the mint signed is accepted"
        )
    } catch {
        require(error.offset >= 0 && error.offset <= input.count, "\(error) lies outside")
    }
    if let claims = try? UnverifiedPurchaseInfo(unverified: input) {
        require(!claims.productIdentifier.isEmpty && !claims.transactionIdentifier.isEmpty, "required values")
        require(claims.entries.contains { $0.key == "product-id" }, "the product stands in an entry")
    }
}

/// The input as the purchase-info of minted receipts whose signatures cover another one.
private func fuzzInfo(_ input: [UInt8]) {
    for minted in Minted.all { fuzzInfo(input, minted) }
}

private func fuzzInfo(_ input: [UInt8], _ minted: Minted) {
    var template = minted.template
    template.writtenInfo = input
    let list = template.propertyList()
    do throws(ReceiptError) {
        let purchase = try Minted.validator.validate(list)
        require(
            minted.isSigned(purchase.signedBytes, purchase.signatureVersion) && input == minted.signed,
            "a forged purchase-info"
        )
    } catch {
        require(error.offset >= 0 && error.offset <= list.count, "\(error) lies outside")
        let steps: [ReceiptError.Step] = [.input, .container, .creationDate, .certificatePath, .signature]
        require(steps.contains(error.step), "\(error) before the signature")
    }
}

/// A minted receipt of version 3 or 4. Version 2 has another key and the same code as version 3.
private struct Minted {
    let mint: TransactionReceiptMint
    let signed: [UInt8]
    /// The mint's receipt with its signature, so that no input is signed.
    let template: TransactionReceiptTemplate

    static let all = [Minted(.three), Minted(.four)]
    static let validator = TransactionReceiptValidator(
        ReceiptPolicy(
            environments: .any,
            bundleIdentifier: .any,
            trust: .pinned(all.compactMap { try? TrustAnchor(certificate: $0.mint.root) }),
            issuers: all.compactMap { try? IssuerCertificate($0.mint.intermediate) }
        )
    )

    private init(_ version: TransactionReceiptMint.Version) {
        mint = TransactionReceiptMint(version)
        var template = mint.template()
        template.signature = Array(template.signatureBlob()[1..<257])
        signed = TransactionReceiptTemplate.propertyList(template.entries)
        self.template = template
    }

    func isSigned(_ bytes: [UInt8], _ version: SignatureVersion) -> Bool {
        bytes == signed && version.rawValue == mint.version.rawValue
    }
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
