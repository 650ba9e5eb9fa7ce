import AppReceiptMint
import Basics
import DER
import TestSupport
import Testing

@testable import AppReceipt

@Suite("Collections of purchases")
struct PurchaseCollectionTests {
    private static func receipt(_ purchases: [[UInt8]]) throws -> Receipt {
        let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
            $0.isSorted = false
            $0.rawAttributes = purchases.map { AttributeTemplate(17, value: $0) }
        }
        return try Minted.validator.validate(bytes)
    }

    private static func purchase(
        _ product: String,
        _ change: (inout PurchaseTemplate) -> Void = { _ in }
    ) -> [UInt8] {
        var purchase = PurchaseTemplate(productIdentifier: product, transactionIdentifier: product)
        change(&purchase)
        return purchase.encoded()
    }

    private static let malformed: [UInt8] = [0x31, 0x00]

    @Test("give access by index to the purchases that decode, verified or not")
    func randomAccess() throws {
        let values = [
            Self.malformed, Self.purchase("a"), Self.purchase("b"), Self.malformed, Self.purchase("c"),
        ]
        let receipt = try Self.receipt(values)
        let purchases = receipt.inAppPurchases
        #expect(purchases.count == 3 && purchases.startIndex == 0 && purchases.endIndex == 3)
        #expect(purchases[1].productIdentifier == "b" && purchases.last?.productIdentifier == "c")
        #expect(purchases.reversed().map(\.productIdentifier) == ["c", "b", "a"])
        #expect(purchases[1...].map(\.productIdentifier) == ["b", "c"])
        #expect(receipt.malformedInAppPurchases.count == 2)
        #expect(receipt.inAppPurchaseCount == 3 && receipt.purchaseAttributeCount == 5)
        var products: [String?] = []
        receipt.forEachPurchase { products.append($0.string(PurchaseAttribute.productIdentifier.row)) }
        #expect(products == ["a", "b", "c"])

        let bytes = values.map { AttributeTemplate(17, value: $0) }.encodedSet(sorted: false)
        let unverified = try UnverifiedReceipt(unverifiedPayload: bytes).unverifiedInAppPurchases
        #expect(unverified.count == 3 && unverified[2].productIdentifier == "c")
        #expect(unverified.map(\.productIdentifier) == purchases.map(\.productIdentifier))
    }

    @Test("are empty if no purchase decodes")
    func empty() throws {
        for values in [[], [Self.malformed], [Self.malformed, Self.malformed]] {
            let receipt = try Self.receipt(values)
            #expect(receipt.inAppPurchases.isEmpty)
            #expect(receipt.inAppPurchases.first == nil && receipt.inAppPurchases.count == 0)
            #expect(receipt.inAppPurchaseCount == 0 && receipt.purchaseAttributeCount == values.count)
        }
    }

    @Test("treat purchases with equal octets as equal, in any receipt and at any position")
    func equality() throws {
        let one = try Self.receipt([Self.purchase("a"), Self.purchase("b"), Self.purchase("a")])
        let other = try Self.receipt([Self.malformed, Self.purchase("b"), Self.purchase("a")])
        let (mine, theirs) = (one.inAppPurchases, other.inAppPurchases)
        #expect(mine[0] == mine[2] && mine[0] != mine[1])
        #expect(mine[1] == theirs[0] && mine[0] == theirs[1] && mine[0].hashValue == theirs[1].hashValue)
        #expect(Set(mine).count == 2 && Set(mine) == Set(theirs))
        #expect(mine[0].hashValue != mine[1].hashValue)
        // One more undocumented attribute makes another purchase.
        let more = try Self.receipt([
            Self.purchase("a") { $0.rawAttributes = [AttributeTemplate(1709, value: [])] }
        ])
        #expect(more.inAppPurchases[0] != mine[0])
    }

    @Test(
        "compare malformed purchases by their octets, and attributes by all their parts"
    )
    func otherEquality() throws {
        let receipt = try Self.receipt([Self.malformed, [0x31, 0x01], Self.malformed])
        let malformed = receipt.malformedInAppPurchases
        #expect(malformed[0] == malformed[2] && malformed[0] != malformed[1] && Set(malformed).count == 2)
        #expect(malformed[0].hashValue != malformed[1].hashValue)
        let attributes = [
            AttributeTemplate(6, value: [1]), AttributeTemplate(6, value: [1]),
            AttributeTemplate(7, value: [1]), AttributeTemplate(6, version: 2, value: [1]),
            AttributeTemplate(6, value: [2]),
        ].encodedSet(sorted: false)
        let read = try UnverifiedReceipt(unverifiedPayload: attributes).attributes
        #expect(read[0] == read[1] && Set(read).count == 4)
        for other in read[2...] { #expect(other != read[0]) }
    }

    @Test("walk the attributes of all purchases with the number of the purchase")
    func attributes() throws {
        let receipt = try Self.receipt([Self.purchase("a"), Self.malformed, Self.purchase("b")])
        var types: [Int: [Int64]] = [:]
        receipt.forEachPurchaseAttribute { purchase, type, _, _ in types[purchase, default: []].append(type) }
        #expect(types[0] == receipt.inAppPurchases[0].attributes.map(\.type) && types[1] == nil)
        #expect(types[2] == receipt.inAppPurchases[1].attributes.map(\.type))
    }

    @Test("do not decode if an attribute is malformed, which the refusal names")
    func malformedAttributes() throws {
        let names: [(type: Int64, name: String)] = [
            (1701, "quantity"), (1702, "product identifier"), (1703, "transaction identifier"),
            (1704, "purchase date"), (1705, "original transaction identifier"),
            (1706, "original purchase date"), (1707, "product type"),
            (1708, "subscription expiration date"), (1711, "web order line item id"),
            (1712, "cancellation date"), (1713, "is in trial period"),
            (1719, "is in introductory offer period"), (1720, "cancellation reason"),
            (1721, "promotional offer identifier"),
        ]
        for (type, name) in names {
            // NULL is the value of no attribute.
            let purchase = [AttributeTemplate(type, value: [0x05, 0x00])].encodedSet()
            let receipt = try Self.receipt([purchase])
            let refusal = try #require(receipt.malformedInAppPurchases.first?.refusal)
            #expect(refusal.code == .unexpectedTag && "\(refusal.reading)" == name, "\(type): \(refusal)")
            #expect(receipt.inAppPurchases.isEmpty && receipt.inAppPurchaseCount == 0)
        }
    }

    // MARK: Types that Apple does not document

    @Test(
        "read the ownership; a malformed or repeated one is nil and refuses nothing",
        arguments: [
            ([[0x02, 0x01, 0x00]], 0, .purchased), ([[0x02, 0x01, 0x01]], 1, .familyShared),
            ([[0x02, 0x01, 0x02]], 2, nil), ([], nil, nil), ([[0x02, 0x01, 0xFF]], nil, nil),
            ([[]], nil, nil),
            ([[0x0C, 0x01, 0x30]], nil, nil), ([[0x02, 0x01, 0x01], [0x02, 0x01, 0x01]], nil, nil),
            ([[0x02, 0x01, 0x01], [], [0x02, 0x01, 0x01]], nil, nil),
        ] as [([[UInt8]], Int64?, InAppPurchase.Ownership?)]
    )
    func ownership(_ values: [[UInt8]], _ number: Int64?, _ ownership: InAppPurchase.Ownership?) throws {
        let receipt = try Self.receipt([
            Self.purchase("a") { $0.rawAttributes = values.map { AttributeTemplate(1722, value: $0) } }
        ])
        let purchase = try #require(receipt.inAppPurchases.first)
        #expect(purchase.values.number(.ownership) == number && purchase.ownership == ownership)
        #expect(purchase.attributes.filter { $0.type == 1722 }.count == values.count)
        let bytes = purchase.attributes.map { AttributeTemplate($0.type, value: Array($0.value)) }
        let set = [AttributeTemplate(17, value: bytes.encodedSet(sorted: false))].encodedSet()
        let unverified = try UnverifiedReceipt(unverifiedPayload: set).unverifiedInAppPurchases
        #expect(unverified.map { $0.values.number(.ownership) } == [number])
    }

    @Test("read the preorder date; a malformed or repeated one is nil and refuses nothing")
    func preorderDate() throws {
        let date = AttributeTemplate.date(32, Minted.creationDate)
        let cases: [([AttributeTemplate], Timestamp?)] = [
            ([date], Minted.creationDate), ([], nil), ([.ia5String(32, "")], nil), ([date, date], nil),
            ([.integer(32, 1)], nil), ([AttributeTemplate(32, value: [])], nil), ([date, date, date], nil),
        ]
        for (attributes, expected) in cases {
            let bytes = Minted.mint.receipt(bundleIdentifier: "com.example.app") {
                $0.rawAttributes = attributes
            }
            let receipt = try Minted.validator.validate(bytes)
            #expect(receipt.preorderDate == expected && receipt.malformedAttributeCount == 0)
            #expect(receipt.attributes.filter { $0.type == 32 }.count == attributes.count)
            #expect(try UnverifiedReceipt(unverified: bytes).preorderDate == expected)
        }
    }
}
