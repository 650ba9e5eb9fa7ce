import AppReceiptMint
import PKIX
import SHA
import TestSupport
import Testing

@testable import AppReceipt

@Suite("Whom to believe")
struct TrustPolicyTests {
    /// As apple.com/certificateauthority has them.
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
        #expect(!policy.withoutMarkers.requiresMarkers)
    }

    @Test("other roots in place of Apple's are asked the same")
    func pinned() throws {
        let anchors = [try TrustAnchor(certificate: Minted.mint.root)]
        #expect(!TrustPolicy.pinned(anchors).isSame(as: .appStore))
        var policy = TrustPolicy.pinned(anchors)
        policy.anchors = TrustPolicy.appStore.anchors
        #expect(policy.isSame(as: .appStore))
        #expect(!TrustPolicy.pinned(anchors).withoutMarkers.isSame(as: .pinned(anchors)))
    }

    @Test("Xcode: the one certificate that it has, which signs itself, for code; no markers")
    func xcode() {
        let policy = TrustPolicy.xcode
        let fingerprint = hex("ff0ba36e721d2db741d2aa11e6112ef78bf7131b46c7f035b00891d045c864fe")
        #expect(policy.anchors.map(\.fingerprint.bytes) == [fingerprint])
        #expect(!policy.requiresMarkers && policy.certificateCount == 1...1)
        #expect(policy.purpose == .required(.codeSigning))
    }
}
