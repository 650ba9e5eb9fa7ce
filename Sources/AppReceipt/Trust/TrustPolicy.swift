import Basics
import DER
import PKIX
import SHA

/// Which roots to trust, and what a certification path to them must satisfy.
///
/// The app chooses the policy. A receipt never does.
public struct TrustPolicy: Sendable, Hashable {
    /// The trusted roots.
    package let anchors: [TrustAnchor]
    /// Whether the intermediate's and the signer's certificate must have Apple's marker extensions.
    package let requiresMarkers: Bool
    /// How many certificates the path may have, from the signer's to the root's, both included.
    package let certificateCount: ClosedRange<Int>
    /// The purpose that the extended key usages of the path's certificates must permit, and whether the
    /// signer's certificate must have an extended key usage.
    package let purpose: PathPolicy.Purpose
    /// The only environment that a receipt under this policy may name; nil for no such restriction.
    package let onlyEnvironment: ReceiptEnvironment?

    /// The App Store: Apple's three published roots.
    ///
    /// The roots are known by the SHA-256 fingerprints of the certificates that
    /// apple.com/certificateauthority offers. The path has exactly three certificates: signer, intermediate
    /// and root. The signer's and the intermediate's certificate have Apple's markers. If the signer's or an
    /// issuer's certificate has an extended key usage, it must name anyExtendedKeyUsage.
    ///
    /// The policy has no root's certificate, so an app receipt must contain it. Transaction receipts do not
    /// contain it: the certificate of Apple Root CA is built in, and the certificates of the two other roots
    /// must be in ``ReceiptPolicy/issuers``. The key of Apple Root CA - G3 is on the curve P-384. Receipts
    /// are verified by RSA only, so a receipt under this root is refused as unsupported.
    public static var appStore: Self { pinned(appleRoots) }

    /// StoreKit testing in Xcode. Use this policy in tests only.
    ///
    /// The one trusted certificate comes with Xcode, its private key included, and signs receipts
    /// itself. Anyone can mint such a receipt with any contents, so the policy refuses every environment but
    /// `Xcode`, even one that ``ReceiptPolicy/environments`` allows.
    public static var xcodeTesting: Self {
        xcodeTesting(
            pinned: [
                // StoreKit, 2020 to 2040
                anchor(
                    0xff0b_a36e_721d_2db7,
                    0x41d2_aa11_e611_2ef7,
                    0x8bf7_131b_46c7_f035,
                    0xb008_91d0_45c8_64fe
                )
            ].compactMap { $0 }
        )
    }

    /// Other roots instead of Apple's, for tests and private PKIs.
    ///
    /// - Parameters:
    ///   - anchors: the trusted roots. Every rule that these parameters do not set is the same as for
    ///     ``appStore``.
    ///   - requiresMarkers: whether the path must have Apple's markers. If false, a certificate that an
    ///     intermediate of these roots issued for another use can sign receipts, if it satisfies the other
    ///     rules.
    public static func pinned(
        _ anchors: [TrustAnchor],
        requiringMarkers requiresMarkers: Bool = true
    ) -> Self {
        Self(
            anchors: anchors,
            requiresMarkers: requiresMarkers,
            certificateCount: 3...3,
            purpose: .permitted(.anyExtendedKeyUsage),
            onlyEnvironment: nil
        )
    }

    /// A policy for tests with the rules of ``xcodeTesting``. It trusts these self-signed certificates
    /// instead of Xcode's.
    public static func xcodeTesting(pinned anchors: [TrustAnchor]) -> Self {
        Self(
            anchors: anchors,
            requiresMarkers: false,
            certificateCount: 1...1,
            purpose: .required(.codeSigning),
            onlyEnvironment: .xcode
        )
    }

    private static var appleRoots: [TrustAnchor] {
        [
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
            .appleRootG3,
        ].compactMap { $0 }
    }

    fileprivate static func anchor(_ words: UInt64...) -> TrustAnchor? {
        let bytes = words.flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
        return Digest(.sha256, bytes: bytes.borrowedSpan).flatMap { TrustAnchor(fingerprint: $0) }
    }
}

extension TrustAnchor? {
    /// Apple Root CA - G3, which is also the root for the signers of StoreKit 2's tokens. Never nil.
    package static var appleRootG3: TrustAnchor? {
        TrustPolicy.anchor(
            0x6334_3abf_b89a_6a03,
            0xebb5_7e9b_3f5f_a7be,
            0x7c4f_5c75_6f30_17b3,
            0xa8c4_88c3_653e_9179
        )
    }
}

extension TrustPolicy {
    /// If the policy requires markers, checks the markers of the signer's certificate and of its issuer's.
    ///
    /// - Parameters:
    ///   - intermediate: the issuer's marker, and the code to throw if the issuer or its marker is missing.
    ///   - leaf: the marker of the signer's certificate, and the code to throw if it is missing.
    ///   - step: the current step, which is set to the step of each check.
    package func checkMarkers(
        of path: CertificationPath,
        _ certificates: CertificateList,
        intermediate marker: (ObjectIdentifier, Refusal.Code),
        signer leaf: (ObjectIdentifier, Refusal.Code),
        _ step: inout ReceiptError.Step
    ) throws(Refusal) {
        guard requiresMarkers else { return }
        step = .intermediateMarker
        let signer = certificates[path.indices[0]]
        let hasIssuer = path.indices.count > 1
        let intermediate = hasIssuer ? certificates[path.indices[1]] : signer
        guard hasIssuer, intermediate.extension(marker.0) != nil else {
            throw Refusal(marker.1, at: intermediate.fields.range.lowerBound, reading: "extensions")
        }
        step = .leafMarker
        guard signer.extension(leaf.0) != nil else {
            throw Refusal(leaf.1, at: signer.fields.range.lowerBound, reading: "extensions")
        }
    }
}
