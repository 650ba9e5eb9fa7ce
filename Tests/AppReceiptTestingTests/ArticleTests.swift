import Foundation
import TestSupport
import Testing

@Suite("The article of AppReceiptTesting")
struct ArticleTests {
    @Test("shows code that the tests compile and run")
    func blocks() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: SharedData.packageRoot.appending(path: path), encoding: .utf8)
        }
        let article = try text("Sources/AppReceiptTesting/AppReceiptTesting.docc/AppReceiptTesting.md")
        let source = try text("Tests/AppReceiptTestingTests/ProScreenTests.swift")
        let parts = article.components(separatedBy: "```")
        // Every second part is the inside of a block.
        let blocks = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
        #expect(blocks.count == 2)
        for block in blocks {
            #expect(block.hasPrefix("swift\n"))
            let code = String(block.dropFirst("swift\n".count))
            #expect(source.contains(code), "the article's code is not in ProScreenTests.swift:\n\(code)")
        }
    }
}
