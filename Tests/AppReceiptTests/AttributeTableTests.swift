import Basics
import Testing

@testable import AppReceipt

@Suite("The table of attributes")
struct AttributeTableTests {
    private let receipt = ReceiptAttribute.allCases.map(\.row)
    private let purchase = PurchaseAttribute.allCases.map(\.row)

    @Test("has its rows in the order of results, and room for their values")
    func positions() {
        #expect(receipt.map(\.position) == Array(receipt.indices))
        #expect(purchase.map(\.position) == Array(purchase.indices))
        #expect(max(receipt.count, purchase.count) <= AttributeWords.count)
        for row in receipt { #expect(ReceiptAttribute(position: row.position)?.row.type == row.type) }
        for row in purchase { #expect(PurchaseAttribute(position: row.position)?.row.type == row.type) }
        #expect(ReceiptAttribute(position: receipt.count) == nil && PurchaseAttribute(position: -1) == nil)
    }

    @Test("has numbers that fit the walk's bits, and no number or name twice at one level")
    func numbers() {
        #expect(receipt.allSatisfy { (0..<64).contains($0.type) && $0.type != 17 })
        #expect(purchase.allSatisfy { (1701..<1764).contains($0.type) })
        for rows in [receipt, purchase] {
            #expect(Set(rows.map { "\($0.name)" }).count == rows.count)
            #expect(Set(rows.map { "\($0.json)" }).count == rows.count)
        }
    }

    @Test("has the numbers and kinds of Apple's guide and of genuine receipts")
    func documented() {
        let kinds: [(AttributeKind, [Int64])] = [
            (.text, [0, 2, 3, 19, 1702, 1703, 1705, 1721]), (.ascii, [10]),
            (.number, [25, 1701, 1707, 1720]), (.identifier, [1, 11, 15, 16, 1711]), (.flag, [1713, 1719]),
            (.date, [8, 12, 18, 21, 32, 1704, 1706, 1708, 1712]), (.octets, [4, 5]), (.ownership, [1722]),
        ]
        #expect(kinds.map(\.1.count).reduce(0, +) == receipt.count + purchase.count)
        for (kind, types) in kinds {
            for type in types {
                #expect((receipt + purchase).first { $0.type == type }?.kind == kind, "\(type)")
            }
        }
    }

    @Test("names observed attributes without a row, and nothing else")
    func names() {
        let observed: [Int64: String] = [9: "tool version", 13: "system version", 14: "counter"]
        for (type, name) in observed { #expect(Attribute.name(ofType: type).map { "\($0)" } == name) }
        for type in [9, 13, 14, 6, 7, 20, 1709, -1, .max] as [Int64] {
            #expect(!Attribute(type: type, version: 1, value: []).hasRow)
        }
        for type in [6, 7, 20, 1700, 1709, 1723, -1, .max] as [Int64] {
            #expect(Attribute.name(ofType: type) == nil)
        }
        for row in receipt + purchase {
            #expect(Attribute.name(ofType: row.type).map { "\($0)" } == "\(row.name)")
        }
        #expect(Attribute(type: 17, version: 1, value: []).hasRow)
        #expect(Attribute.name(ofType: 17).map { "\($0)" } == "in-app purchase")
        #expect(purchase[9].meaning(of: 1).map { "\($0)" } == "consumable")
        #expect(purchase[9].meaning(of: 3).map { "\($0)" } == "auto-renewable subscription")
        #expect(purchase[0].meaning(of: 1) == nil)
        let meanings = (receipt + purchase).flatMap { row in
            (0...3).compactMap { number in
                row.meaning(of: number).map { "\(row.type) \(number) \($0)" }
            }
        }
        #expect(
            meanings.sorted() == [
                "1707 0 non-consumable", "1707 1 consumable", "1707 2 non-renewing subscription",
                "1707 3 auto-renewable subscription", "1720 0 another reason",
                "1720 1 a problem with the app", "1722 0 purchased", "1722 1 shared by the family",
                "25 2 macOS", "25 3 iOS",
            ]
        )
    }
}

@Suite("Values in eight bytes")
struct AttributeWordsTests {
    @Test("return the value that was set, and nil before")
    func kept() {
        #expect(MemoryLayout<AttributeWords>.size == 8 * AttributeWords.count)
        let none = AttributeWord()
        #expect(none.range == nil && none.number == nil && none.date == nil)
        for range in [0..<0, 7..<7, 0..<1, 5..<9, 0..<Int(UInt32.max), Int(UInt32.max)..<Int(UInt32.max)] {
            #expect(AttributeWord(range).range == range)
        }
        for number in [0, 1, .max, -1, .min + 1] as [Int64] {
            #expect(AttributeWord(number).number == number)
            let time = Timestamp(millisecondsSince1970: number)
            #expect(AttributeWord(time).date == time)
        }
        #expect(
            AttributeWord(nil as Timestamp?).date == nil && AttributeWord(nil as Range<Int>?).range == nil
        )
    }

    @Test("keep each position apart")
    func positions() {
        var words = AttributeWords()
        for position in 0..<AttributeWords.count { words[position] = AttributeWord(Int64(position)) }
        for position in 0..<AttributeWords.count { #expect(words[position].number == Int64(position)) }
        words[AttributeWords.count] = AttributeWord(7 as Int64)
        #expect(words[AttributeWords.count].number == nil && words[-1].number == nil)
    }
}
