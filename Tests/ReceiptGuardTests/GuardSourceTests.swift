import AppReceipt
import Foundation
import ReceiptGuard
import SHA
import TestSupport
import Testing

@Suite("The generated code")
struct GuardSourceTests {
    static let expectations: GuardExpectations = {
        var expectations = GuardExpectations(bundleIdentifier: "com.example.app")
        expectations.appVersion = "2.10.1"
        return expectations
    }()

    static func text(seed: UInt64, _ expectations: GuardExpectations = expectations) -> String {
        GuardSource.text(expectations, function: "guardedReceipt", seed: seed)
    }

    /// The identifiers and numbers of a text.
    static func words(_ text: String) -> Set<Substring> {
        Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    }

    @Test("is the same for the same seed", arguments: [0, 1, 2, UInt64.max])
    func deterministic(_ seed: UInt64) {
        #expect(Self.text(seed: seed) == Self.text(seed: seed))
    }

    @Test("shares no long number and no random name with the code of another seed")
    func differs() {
        let (one, other) = (Self.words(Self.text(seed: 1)), Self.words(Self.text(seed: 2)))
        let shared = one.intersection(other)
        #expect(shared.filter { $0.hasPrefix("0x") && $0 != "0xffff" } == [])
        // A random name ends in a digit. The others are types and the words of the comments.
        let names = shared.filter { $0.last?.isNumber == true && $0.first?.isLowercase == true }
        #expect(names == ["utf8", "sha256", "base64"] as Set<Substring>)
    }

    @Test("has none of the expectations as text", arguments: 0..<20 as Range<UInt64>)
    func hides(_ seed: UInt64) {
        let text = Self.text(seed: seed)
        for secret in ["com.example", "example.app", "2.10.1", "2.10"] { #expect(!text.contains(secret)) }
        for root in Self.expectations.roots {
            let digits = root.description
            for start in stride(from: 0, to: 64, by: 16) {
                let word = digits.dropFirst(start).prefix(16)
                #expect(!text.contains(word))
            }
        }
    }

    @Test("declares the function that the app calls once, and everything else as private")
    func declarations() {
        let text = GuardSource.text(Self.expectations, function: "check_42", seed: 3)
        let functions = text.split(separator: "\n").filter { $0.contains("func ") }
        #expect(functions.count { !$0.contains("private func") } == 1)
        #expect(functions.contains { $0.hasPrefix("func check_42(") })
        #expect(functions.count == 4)
        #expect(text.components(separatedBy: "@inline(__always)").count == 5)
    }

    @Test("begins with the line that allows the tool to overwrite it")
    func marker() {
        #expect(Self.text(seed: 1).hasPrefix(GuardSource.marker + "\n"))
    }

    @Test("does not compare the version if no version is expected")
    func withoutVersion() {
        let text = Self.text(seed: 1, GuardExpectations(bundleIdentifier: "com.example.app"))
        #expect(!text.contains("appVersion"))
        #expect(Self.text(seed: 1).contains("appVersion:"))
    }

    @Test("never names the expected environments apart from the others")
    func environments() {
        var production = Self.expectations
        production.environments = [.production]
        for environment in ReceiptEnvironment.allCases {
            let count = Self.text(seed: 1, production).components(separatedBy: ".\(environment)").count
            let other = Self.text(seed: 1).components(separatedBy: ".\(environment)").count
            #expect(count == other, "\(environment)")
        }
    }

    @Test("expects Apple's roots, and App Review's sandbox, unless it is told otherwise")
    func defaults() {
        let expectations = GuardExpectations(bundleIdentifier: "com.example.app")
        #expect(expectations.environments == [.production, .productionSandbox])
        #expect(
            expectations.roots.map(\.description) == [
                "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
                "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
                "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
            ]
        )
    }
}
