import Testing

@testable import TestSupport

@Suite("Tests that need ../shared")
struct SharedDataTests {
    @Test("the line about skipped suites takes their names from the sources")
    func names() {
        let condition = ".enabled(if: " + "SharedData.isExpected, \"../shared is not beside this checkout\")"
        let source = """
            @Suite("One", \(condition))
            struct One {}
            @Suite(
                "Two",
                \(condition)
            )
            struct Two {}
            @Suite("Three")
            struct Three {
                @Test("a claim", \(condition))
                func claim() {}
                @Test("another claim")
                func another() {}
            }
            """
        #expect(SharedData.dependents(inSource: source) == ["“One”", "“Two”", "“a claim”"])
        #expect(SharedData.dependents(inSource: "@Suite(\"One\")").isEmpty)
    }

    @Test("finds the suites in the sources of this package")
    func dependents() {
        #expect(SharedData.dependents.contains("“NIST's CAVP vectors”, "))
        #expect(SharedData.dependents.contains("“PKITS”, "))
    }
}
