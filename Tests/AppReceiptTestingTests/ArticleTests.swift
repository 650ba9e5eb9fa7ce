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
        let sources = try ["ProScreenTests", "TokenScenarioTests"].map {
            try text("Tests/AppReceiptTestingTests/\($0).swift")
        }
        let parts = article.components(separatedBy: "```")
        // Every second part is the inside of a block.
        let blocks = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
        #expect(blocks.count == 3)
        for block in blocks {
            #expect(block.hasPrefix("swift\n"))
            let code = String(block.dropFirst("swift\n".count))
            #expect(sources.contains { $0.contains(code) }, "the article's code is in no test:\n\(code)")
        }
    }
}
