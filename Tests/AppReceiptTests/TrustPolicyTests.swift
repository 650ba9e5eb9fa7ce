import AppReceiptMint
import PKIX
import TestSupport
import Testing

@testable import AppReceipt

@Suite("Whom to believe")
struct TrustPolicyTests {
    /// The fingerprints come from apple.com/certificateauthority.
    @Test("the App Store: Apple's three roots, which come with the receipt; three certificates; both markers")
    func appStore() {
        let policy = TrustPolicy.appStore
        #expect(
            policy.anchors.map(\.fingerprint.bytes) == [
                hex("b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"),
                hex("c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050"),
                hex("63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"),
            ]
        )
        #expect(policy.anchors.allSatisfy { !$0.isAtHand })
        #expect(policy.requiresMarkers && policy.certificateCount == 3...3)
        #expect(policy.purpose == .permitted(.anyExtendedKeyUsage))
        #expect(policy.onlyEnvironment == nil)
    }

    @Test("pinned roots replace Apple's, and every other rule is the same unless markers are not required")
    func pinned() throws {
        let anchors = [try TrustAnchor(certificate: Minted.mint.root)]
        #expect(TrustPolicy.pinned(anchors) != .appStore)
        #expect(TrustPolicy.pinned(TrustPolicy.appStore.anchors) == .appStore)
        let unmarked = TrustPolicy.pinned(anchors, requiringMarkers: false)
        #expect(unmarked != .pinned(anchors) && !unmarked.requiresMarkers)
        #expect(unmarked.certificateCount == 3...3 && unmarked.onlyEnvironment == nil)
        let byFingerprint = Minted.fingerprints(Minted.mint.root)
        #expect(Set([.pinned(anchors), .pinned(anchors), byFingerprint, unmarked, .appStore]).count == 4)
    }

    @Test("Xcode: the one certificate that it has, which signs itself, for code; no markers; its environment")
    func xcodeTesting() throws {
        let policy = TrustPolicy.xcodeTesting
        let fingerprint = hex("ff0ba36e721d2db741d2aa11e6112ef78bf7131b46c7f035b00891d045c864fe")
        #expect(policy.anchors.map(\.fingerprint.bytes) == [fingerprint])
        #expect(policy == .xcodeTesting(pinned: policy.anchors))
        for policy in [policy, .xcodeTesting(pinned: [try TrustAnchor(certificate: Minted.mint.root)])] {
            #expect(!policy.requiresMarkers && policy.certificateCount == 1...1)
            #expect(policy.purpose == .required(.codeSigning))
            #expect(policy.onlyEnvironment == .xcode)
        }
    }

    private static let xcodeMint = ReceiptMint.xcodeLike(Keys.bits2048)

    /// The outcome under Xcode's policy of a receipt that names an environment.
    private static func verdict(_ environment: String?, _ expectation: EnvironmentExpectation) throws
        -> Verdict
    {
        let bytes = xcodeMint.receipt(bundleIdentifier: "com.example.app") { $0.environment = environment }
        let validator = ReceiptValidator(
            ReceiptPolicy(
                environments: expectation,
                bundleIdentifier: .any,
                trust: .xcodeTesting(pinned: [try TrustAnchor(certificate: xcodeMint.root)])
            )
        )
        let verdict = Verdict(validator, bytes)
        // A cache and a batch give the same verdict.
        var cache = ValidationCache()
        for _ in 0..<2 { #expect(Verdict(validator, bytes, &cache) == verdict) }
        var batch = ReceiptBatch()
        batch.append(bytes, for: validator, cache: &cache)
        #expect(batch.judge(cache: &cache).map { Verdict($0) } == [verdict])
        return verdict
    }

    @Test("Xcode's policy accepts only the environment Xcode, with any expectation of the app")
    func xcodeEnvironment() throws {
        let expectations: [EnvironmentExpectation] = [
            .any, .only(.xcode), .only(ReceiptEnvironment.allCases),
        ]
        for expectation in expectations {
            #expect(try Self.verdict("Xcode", expectation).isAccepted)
            for name in ["Production", "ProductionSandbox", "xcode", "Xcode ", "Moon"] {
                let verdict = try Self.verdict(name, expectation)
                #expect(verdict.step == .environment && verdict.code == .environmentMismatch, "\(name)")
            }
            for missing in [nil, ""] as [String?] {
                let verdict = try Self.verdict(missing, expectation)
                #expect(verdict.step == .environment && verdict.code == .missingEnvironment)
            }
        }
        for name in ["Xcode", "Production"] {
            let verdict = try Self.verdict(name, .only(.production))
            #expect(verdict.step == .environment && verdict.code == .environmentMismatch)
        }
    }

    @Test("under Xcode's policy the environment counts as checked")
    func xcodeNotChecked() throws {
        guard case .accepted(_, _, _, _, let notChecked) = try Self.verdict("Xcode", .any) else {
            Issue.record("refused")
            return
        }
        #expect(notChecked.contains(.intermediateMarker) && !notChecked.contains(.environment))
    }

    @Test("the verdict does not depend on the order of two intermediates, one of which lacks its marker")
    func orderOfIntermediates() throws {
        var options = PrivatePKI.Options()
        options.markers = .leafOnly
        let unmarked = PrivatePKI(Keys.pki, options: options)
            .reissued(.intermediate) { $0.serialNumber = [77] }.intermediate.certificate
        let (leaf, marked) = (Minted.pki.leaf.certificate, Minted.pki.intermediate.certificate)
        for certificates in [[leaf, unmarked, marked], [leaf, marked, unmarked], [unmarked, marked, leaf]] {
            let verdict = Verdict(
                Minted.validator,
                Minted.receipt(carrying: certificates + [Minted.mint.root])
            )
            #expect(verdict.isAccepted, "\(verdict)")
        }
        // The only intermediate lacks the marker.
        let refused = Verdict(Minted.validator, Minted.receipt(carrying: [leaf, unmarked, Minted.mint.root]))
        #expect(refused.step == .intermediateMarker && refused.code == .missingIntermediateMarker)
        // Neither of two intermediates has the marker.
        let another = PrivatePKI(Keys.pki, options: options)
            .reissued(.intermediate) { $0.serialNumber = [78] }.intermediate.certificate
        for certificates in [[leaf, unmarked, another], [leaf, another, unmarked]] {
            let verdict = Verdict(
                Minted.validator,
                Minted.receipt(carrying: certificates + [Minted.mint.root])
            )
            #expect(verdict.step == .intermediateMarker && verdict.code == .missingIntermediateMarker)
        }
    }
}
