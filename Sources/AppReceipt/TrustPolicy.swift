import DER
import PKIX
import SHA

/// Whom to believe. Chosen by the app, never by what a receipt says of itself.
public struct TrustPolicy: Sendable {
    var anchors: [TrustAnchor]
    /// Whether Apple's marker extensions are asked of the intermediate's and the signer's certificate.
    var requiresMarkers: Bool
    let certificateCount: ClosedRange<Int>
    let purpose: PathPolicy.Purpose

    /// The App Store: Apple's three published roots, as apple.com/certificateauthority has them, by SHA-256
    /// fingerprint; exactly signer, intermediate and root; both markers. Where signer or issuer has an
    /// extended key usage, it must name anyExtendedKeyUsage.
    ///
    /// The root must come with the receipt, as it always does. G3's key is on P-384, which nothing here
    /// verifies yet: a receipt under it would be refused as unsupported.
    public static var appStore: Self {
        Self(
            anchors: [
                // Apple Root CA
                anchor(
                    0xb0b1_730e_cbc7_ff45,
                    0x0514_2c49_f129_5e6e,
                    0xda6b_caed_7e2c_68c5,
                    0xbe91_b5a1_1001_f024
                ),
                // Apple Root CA - G2
                anchor(
                    0xc2b9_b042_dd57_830e,
                    0x7d11_7dac_55ac_8ae1,
                    0x9407_d38e_41d8_8f32,
                    0x15bc_3a89_0444_a050
                ),
                // Apple Root CA - G3
                anchor(
                    0x6334_3abf_b89a_6a03,
                    0xebb5_7e9b_3f5f_a7be,
                    0x7c4f_5c75_6f30_17b3,
                    0xa8c4_88c3_653e_9179
                ),
            ].compactMap { $0 },
            requiresMarkers: true,
            certificateCount: 3...3,
            purpose: .permitted(.anyExtendedKeyUsage)
        )
    }

    /// StoreKit testing in Xcode: the one certificate that every Xcode has, its private key included. It
    /// signs receipts itself. Whoever accepts this outside of tests accepts anything.
    public static var xcode: Self {
        Self(
            anchors: [
                // StoreKit, 2020 to 2040
                anchor(
                    0xff0b_a36e_721d_2db7,
                    0x41d2_aa11_e611_2ef7,
                    0x8bf7_131b_46c7_f035,
                    0xb008_91d0_45c8_64fe
                )
            ].compactMap { $0 },
            requiresMarkers: false,
            certificateCount: 1...1,
            purpose: .required(.codeSigning)
        )
    }

    /// Other roots in place of Apple's, for tests and private PKIs; all else as for the App Store, Apple's
    /// markers included, which ``withoutMarkers`` leaves out.
    public static func pinned(_ anchors: [TrustAnchor]) -> Self {
        var policy = appStore
        policy.anchors = anchors
        return policy
    }

    /// Another self-signed certificate in place of Xcode's, for tests.
    public static func xcode(pinned anchors: [TrustAnchor]) -> Self {
        var policy = xcode
        policy.anchors = anchors
        return policy
    }

    /// The same, without Apple's markers: then every developer's certificate signs receipts.
    public var withoutMarkers: Self {
        var policy = self
        policy.requiresMarkers = false
        return policy
    }

    private static func anchor(_ words: UInt64...) -> TrustAnchor? {
        let bytes = words.flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
        return Digest(.sha256, bytes: bytes.span).flatMap { TrustAnchor(fingerprint: $0) }
    }

    /// Whether a path that one policy accepted is accepted by the other: the same roots, at hand or not.
    func isSame(as other: Self) -> Bool {
        anchors.elementsEqual(other.anchors) { one, another in
            one.fingerprint == another.fingerprint && one.isAtHand == another.isAtHand
        }
            && requiresMarkers == other.requiresMarkers && certificateCount == other.certificateCount
            && purpose == other.purpose
    }
}

/// When the certificates must be valid.
public enum PathTime: Sendable, Hashable {
    /// At the receipt's creation date, as Apple judges: no signer's certificate seen is valid today.
    case creationDate
    /// At this time.
    case at(Timestamp)
}

extension ObjectIdentifier {
    /// The marker of a certificate that signs receipts, an extension of its own.
    static var receiptSigningMarker: Self { Self(1, 2, 840, 113635, 100, 6, 11, 1) }
    /// The marker of Apple's Worldwide Developer Relations intermediates, an extension of its own.
    static var intermediateMarker: Self { Self(1, 2, 840, 113635, 100, 6, 2, 1) }
}
