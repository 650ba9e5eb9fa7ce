import AppReceipt
import Basics
import CMS
import DER
import PKIX
import RSA
import TestSupport
import Testing

@Suite("The published list of codes")
struct CodesTests {
    /// The codes that a module publishes, and its range of numbers and prefixes.
    struct Module: Sendable, CustomTestStringConvertible {
        let codes: [Refusal.Code]
        let numbers: Range<UInt16>
        let prefixes: Set<String>

        var testDescription: String { prefixes.sorted().joined(separator: ", ") }
    }

    static let modules = [
        Module(codes: Refusal.Code.der, numbers: 100..<200, prefixes: ["der", "ber"]),
        Module(codes: Refusal.Code.rsa, numbers: 200..<300, prefixes: ["rsa"]),
        Module(codes: Refusal.Code.pkix, numbers: 300..<400, prefixes: ["pkix"]),
        Module(codes: Refusal.Code.cms, numbers: 400..<500, prefixes: ["cms"]),
        Module(codes: Refusal.Code.appReceipt, numbers: 500..<600, prefixes: ["input", "receipt"]),
    ]

    @Test("it holds the codes of every module, in their order, and each number and name once")
    func unique() {
        let all = Refusal.Code.all
        #expect(all == Self.modules.flatMap(\.codes))
        #expect(Set(all.map(\.number)).count == all.count)
        #expect(Set(all.map { "\($0.name)" }).count == all.count)
        #expect(Set(all.map { "\($0.meaning)" }).count == all.count)
    }

    @Test(
        "each module's numbers and names are its own, the numbers ascending without a gap",
        arguments: modules
    )
    func ranges(_ module: Module) throws {
        let (codes, numbers) = (module.codes, module.numbers)
        let first = try #require(codes.first).number
        #expect(numbers.contains(first) && codes.allSatisfy { numbers.contains($0.number) })
        #expect(codes.map(\.number) == (0..<UInt16(codes.count)).map { first + $0 })
        for code in codes {
            let parts = "\(code.name)".split(separator: ".", omittingEmptySubsequences: false)
            try #require(parts.count == 2, "\(code.name)")
            #expect(module.prefixes.contains(String(parts[0])), "\(code.name)")
            #expect(parts[1].wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(code.name)")
        }
    }

    @Test("each meaning is a sentence that ends with a full stop", arguments: Refusal.Code.all)
    func meaning(_ code: Refusal.Code) throws {
        let meaning = "\(code.meaning)"
        #expect(meaning.hasSuffix(".") && !meaning.hasSuffix("..") && meaning.count > 10)
        #expect(try #require(meaning.first).isUppercase)
        #expect(!meaning.contains("  ") && !meaning.contains("\n"))
    }
}
