import AppReceipt
import AppReceiptMint
import Basics
import CMS
import PKIX
import RSA
import SHA
import TestSupport
import Testing

/// Two validations with one cache: `learnt` fills the cache, and `asked` is validated afterwards.
struct Recollection: Sendable, CustomTestStringConvertible {
    struct Question: Sendable {
        let validator: ReceiptValidator
        let bytes: @Sendable () -> [UInt8]
    }

    let testDescription: String
    let learnt: Question
    let asked: Question
    /// The step that refuses `asked`; nil if it is accepted.
    let step: ReceiptError.Step?
    let code: Refusal.Code?

    init(
        _ description: String,
        learnt: (ReceiptValidator, @Sendable () -> [UInt8]) = (Minted.validator, { Minted.receipt }),
        asked: (ReceiptValidator, @Sendable () -> [UInt8]),
        _ step: ReceiptError.Step? = nil,
        _ code: Refusal.Code? = nil
    ) {
        testDescription = description
        self.learnt = Question(validator: learnt.0, bytes: learnt.1)
        self.asked = Question(validator: asked.0, bytes: asked.1)
        self.step = step
        self.code = code
    }
}

extension Recollection {
    private static func validator(
        _ trust: TrustPolicy,
        minimumDigest: HashAlgorithm = .sha1,
        pathTime: Timestamp? = nil,
        limits: Limits = .standard
    ) -> ReceiptValidator {
        ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: trust,
                minimumDigest: minimumDigest,
                pathTime: pathTime,
                limits: limits
            )
        )
    }

    private static func under(
        _ pathTime: Timestamp? = nil,
        _ change: (inout Limits) -> Void = { _ in }
    ) -> ReceiptValidator {
        var limits = Limits.standard
        change(&limits)
        return validator(fingerprints, pathTime: pathTime, limits: limits)
    }

    private static let receipt: @Sendable () -> [UInt8] = { Minted.receipt }
    private static let fingerprints = Minted.fingerprints(Minted.mint.root)
    private static let atHand = Minted.atHand(Minted.mint.root)
    private static let rootless: @Sendable () -> [UInt8] = {
        Minted.receipt(carrying: [Minted.pki.leaf.certificate, Minted.pki.intermediate.certificate])
    }
    private static let unmarked: @Sendable () -> [UInt8] = {
        var options = PrivatePKI.Options()
        options.markers = .none
        return ReceiptMint(PrivatePKI(Keys.pki, options: options)).receipt(
            bundleIdentifier: "com.example.app"
        )
    }
    private static let unmarkedAnchors: [TrustAnchor] = {
        var options = PrivatePKI.Options()
        options.markers = .none
        return Minted.anchors([PrivatePKI(Keys.pki, options: options).root.certificate])
    }()

    private static func created(_ year: Int) -> @Sendable () -> [UInt8] {
        {
            Minted.mint.receipt(bundleIdentifier: "com.example.app") {
                $0.creationDate = Timestamp(year: year, month: 6, day: 1)
            }
        }
    }

    static let policies: [Recollection] = [
        Recollection("the same once more", asked: (Minted.validator, receipt)),
        Recollection(
            "the root at hand, then by its fingerprint, where the message carries it",
            learnt: (validator(atHand), receipt),
            asked: (validator(fingerprints), receipt)
        ),
        Recollection("the root by its fingerprint, then at hand", asked: (validator(atHand), receipt)),
        Recollection(
            "the root at hand, then by its fingerprint, where the message lacks it",
            learnt: (validator(atHand), rootless),
            asked: (validator(fingerprints), rootless),
            .certificatePath,
            .issuerNotFound
        ),
        Recollection(
            "another root",
            asked: (validator(Minted.fingerprints(Minted.impostor.root)), receipt),
            .root,
            .untrustedRoot
        ),
        Recollection(
            "another root at hand",
            asked: (validator(Minted.atHand(Minted.impostor.root)), receipt),
            .root,
            .untrustedRoot
        ),
        Recollection(
            "a further root before this one",
            asked: (validator(Minted.fingerprints(Minted.impostor.root, Minted.mint.root)), receipt)
        ),
        Recollection(
            "no root at all",
            asked: (validator(Minted.fingerprints()), receipt),
            .root,
            .untrustedRoot
        ),
        Recollection(
            "markers no longer asked for",
            asked: (validator(Minted.fingerprints(Minted.mint.root, requiresMarkers: false)), receipt)
        ),
        Recollection(
            "markers asked for that were not",
            learnt: (validator(.pinned(unmarkedAnchors, requiringMarkers: false)), unmarked),
            asked: (validator(.pinned(unmarkedAnchors)), unmarked),
            .intermediateMarker,
            .missingIntermediateMarker
        ),
        Recollection(
            "Xcode's policy",
            asked: (
                ReceiptValidator(
                    ReceiptPolicy(
                        environments: .any,
                        bundleIdentifier: .any,
                        trust: .xcodeTesting(pinned: Minted.anchors([Minted.mint.root]))
                    )
                ), receipt
            ),
            .certificatePath,
            .pathTooLong
        ),
        Recollection(
            "a minimum that is met",
            asked: (validator(fingerprints, minimumDigest: .sha256), receipt)
        ),
        Recollection(
            "a minimum that is not met",
            asked: (validator(fingerprints, minimumDigest: .sha384), receipt),
            .certificatePath,
            .weakSignatureHash
        ),
        Recollection(
            "a time before the validity",
            asked: (under(Timestamp(millisecondsSince1970: 0)), receipt),
            .certificatePath,
            .notYetValid
        ),
        Recollection(
            "a time after the validity",
            asked: (under(Timestamp(millisecondsSince1970: .max)), receipt),
            .certificatePath,
            .expired
        ),
        Recollection(
            "a time within the validity, whatever the creation date",
            asked: (under(Minted.creationDate), created(1999))
        ),
        Recollection(
            "fewer certificates allowed",
            asked: (under { $0.message.certificates = 2 }, receipt),
            .certificatePath,
            .tooManyCertificates
        ),
        Recollection(
            "fewer signature checks allowed",
            asked: (under { $0.signatureChecks = 1 }, receipt),
            .certificatePath,
            .tooManySignatureChecks
        ),
        Recollection(
            "smaller keys allowed",
            asked: (under { $0.key.modulusBits = 2047 }, receipt),
            .certificatePath,
            .modulusTooLarge
        ),
    ]

    /// The certificates of the PKI, and a second leaf with a key and serial number of its own.
    private static let twoLeaves: (pki: PrivatePKI, second: Identity) = {
        var keys = Keys.pki
        keys.leaf = Keys.impostors.leaf
        let second = PrivatePKI(keys).reissued(.leaf) { $0.serialNumber = [9] }.leaf
        return (Minted.pki, second)
    }()

    /// A leaf without its marker, by the key of the usual one.
    private static let unmarkedLeaf: Identity = {
        var options = PrivatePKI.Options()
        options.markers = .intermediateOnly
        return PrivatePKI(Keys.pki, options: options).reissued(.leaf) { $0.serialNumber = [9] }.leaf
    }()

    private static func signed(
        by identity: Identity,
        certificates: [[UInt8]] = [twoLeaves.second.certificate] + Minted.pki.certificates,
        _ change: (inout SignerTemplate) -> Void = { _ in }
    ) -> [UInt8] {
        var mint = Minted.mint
        mint.message.certificates = certificates
        mint.message.signers = [SignerTemplate(identity)]
        change(&mint.message.signers[0])
        return mint.receipt(bundleIdentifier: "com.example.app")
    }

    /// 2015-12-31T00:00:00Z.
    private static let end2015 = Timestamp(millisecondsSince1970: 1_451_520_000_000)

    /// An intermediate without its marker, which was valid until the end of 2015, before the usual one: of
    /// one name, and by one key.
    private static let unmarkedBefore: [[UInt8]] = {
        var options = PrivatePKI.Options()
        options.markers = .leafOnly
        let unmarked = PrivatePKI(Keys.pki, options: options).reissued(.intermediate) {
            $0.notAfter = end2015
        }
        return [Minted.pki.leaf.certificate, unmarked.intermediate.certificate]
            + Minted.pki.certificates.dropFirst()
    }()

    /// Two intermediates with one name and key. The first lacks the marker. The second has it, and is valid
    /// from the end of 2015 on.
    private static let markedSince2016: [[UInt8]] = {
        var options = PrivatePKI.Options()
        options.markers = .leafOnly
        let unmarked = PrivatePKI(Keys.pki, options: options).reissued(.intermediate) {
            $0.serialNumber = [77]
        }
        let marked = Minted.pki.reissued(.intermediate) { $0.notBefore = end2015 }
        return [Minted.pki.leaf.certificate, unmarked.intermediate.certificate]
            + marked.certificates.dropFirst()
    }()

    /// Three intermediates by another key, which were valid until the end of 2015, before the usual one.
    private static let lookAlikesBefore: [[UInt8]] = {
        let lookAlikes = (UInt8(10)..<13).map { number in
            Minted.impostors.reissued(.intermediate) { ($0.serialNumber, $0.notAfter) = ([number], end2015) }
        }
        return [Minted.pki.leaf.certificate] + lookAlikes.map(\.intermediate.certificate)
            + Minted.pki.certificates.dropFirst()
    }()

    private static func created(_ year: Int, carrying certificates: [[UInt8]]) -> @Sendable () -> [UInt8] {
        {
            var mint = Minted.mint
            mint.message.certificates = certificates
            return mint.receipt(bundleIdentifier: "com.example.app") {
                $0.creationDate = Timestamp(year: year, month: 6, day: 1)
            }
        }
    }

    static let messages: [Recollection] = [
        Recollection(
            "a date at which an intermediate without its marker is valid too",
            learnt: (Minted.validator, created(2016, carrying: unmarkedBefore)),
            asked: (Minted.validator, created(2012, carrying: unmarkedBefore))
        ),
        Recollection(
            "a date at which another path is found, without its marker",
            learnt: (Minted.validator, created(2016, carrying: markedSince2016)),
            asked: (Minted.validator, created(2012, carrying: markedSince2016)),
            .intermediateMarker,
            .missingIntermediateMarker
        ),
        Recollection(
            "a date at which the path is found after more signature checks than are allowed",
            learnt: (under { $0.signatureChecks = 4 }, created(2016, carrying: lookAlikesBefore)),
            asked: (under { $0.signatureChecks = 4 }, created(2012, carrying: lookAlikesBefore)),
            .certificatePath,
            .tooManySignatureChecks
        ),
        Recollection("another creation date", asked: (Minted.validator, created(2010))),
        Recollection(
            "a creation date before the validity",
            asked: (Minted.validator, created(1999)),
            .certificatePath,
            .notYetValid
        ),
        Recollection(
            "a creation date after the validity",
            asked: (Minted.validator, created(2050)),
            .certificatePath,
            .expired
        ),
        Recollection(
            "a creation date after the validity of a root that is at hand",
            learnt: (validator(atHand), rootless),
            asked: (
                validator(atHand),
                {
                    var mint = Minted.mint
                    mint.message.certificates.removeLast()
                    return mint.receipt(bundleIdentifier: "com.example.app") {
                        $0.creationDate = Timestamp(year: 2050, month: 1, day: 1)
                    }
                }
            ),
            .certificatePath,
            .expired
        ),
        Recollection(
            "another signer among the same certificates",
            learnt: (Minted.validator, { signed(by: Minted.pki.leaf) }),
            asked: (Minted.validator, { signed(by: twoLeaves.second) })
        ),
        Recollection(
            "another certificate of the same key, without its marker",
            learnt: (
                Minted.validator,
                {
                    signed(
                        by: Minted.pki.leaf,
                        certificates: [unmarkedLeaf.certificate] + Minted.pki.certificates
                    )
                }
            ),
            asked: (
                Minted.validator,
                {
                    signed(
                        by: unmarkedLeaf,
                        certificates: [unmarkedLeaf.certificate] + Minted.pki.certificates
                    )
                }
            ),
            .leafMarker,
            .missingLeafMarker
        ),
        Recollection(
            "a signer that names another's certificate",
            learnt: (Minted.validator, { signed(by: Minted.pki.leaf) }),
            asked: (
                Minted.validator,
                {
                    signed(by: twoLeaves.second) {
                        $0.identifier = SignerTemplate(Minted.pki.leaf).identifier
                    }
                }
            ),
            .signature,
            // The other leaf's modulus is larger, and so is its signature.
            .signatureOutOfRange
        ),
        Recollection(
            "the intermediate as the signer",
            asked: (
                Minted.validator,
                { signed(by: Minted.pki.intermediate, certificates: Minted.pki.certificates) }
            ),
            .certificatePath,
            .missingDigitalSignature
        ),
        Recollection(
            "the root as the signer",
            asked: (
                Minted.validator, { signed(by: Minted.pki.root, certificates: Minted.pki.certificates) }
            ),
            .certificatePath,
            .missingDigitalSignature
        ),
        Recollection(
            "a signer whose certificate is not in the message",
            asked: (
                Minted.validator, { signed(by: twoLeaves.second, certificates: Minted.pki.certificates) }
            ),
            .certificatePath,
            .signerCertificateNotFound
        ),
        Recollection(
            "a tampered signature",
            asked: (
                Minted.validator,
                {
                    signed(by: Minted.pki.leaf, certificates: Minted.pki.certificates) {
                        $0.forgery = { digest, key in
                            var signature = key.sign(digest)
                            signature[255] ^= 1
                            return signature
                        }
                    }
                }
            ),
            .signature,
            .signatureMismatch
        ),
        Recollection(
            "a signature over SHA-1",
            asked: (
                Minted.validator,
                { signed(by: Minted.pki.leaf, certificates: Minted.pki.certificates) { $0.digest = .sha1 } }
            )
        ),
        Recollection(
            "a signature over a weaker digest than the policy asks for",
            learnt: (validator(fingerprints, minimumDigest: .sha256), receipt),
            asked: (
                validator(fingerprints, minimumDigest: .sha256),
                { signed(by: Minted.pki.leaf, certificates: Minted.pki.certificates) { $0.digest = .sha1 } }
            ),
            .signature,
            .weakDigest
        ),
        Recollection(
            "look-alike certificates",
            asked: (Minted.validator, { Minted.impostor.receipt(bundleIdentifier: "com.example.app") }),
            .root,
            .untrustedRoot
        ),
        Recollection(
            "look-alike certificates under the true root",
            asked: (
                Minted.validator,
                {
                    var mint = Minted.impostor
                    mint.message.certificates[2] = Minted.mint.root
                    return mint.receipt(bundleIdentifier: "com.example.app")
                }
            ),
            .certificatePath,
            .signatureMismatch
        ),
        Recollection(
            "a look-alike leaf under the true intermediate",
            asked: (
                Minted.validator,
                {
                    var mint = Minted.impostor
                    mint.message.certificates.replaceSubrange(1..., with: Minted.pki.certificates[1...])
                    return mint.receipt(bundleIdentifier: "com.example.app")
                }
            ),
            .certificatePath,
            .signatureMismatch
        ),
        Recollection(
            "the true certificates, the signature a look-alike's",
            asked: (
                Minted.validator,
                { signed(by: Minted.impostors.leaf, certificates: Minted.pki.certificates) }
            ),
            .signature,
            .signatureOutOfRange
        ),
        Recollection(
            "the same certificates in another order",
            asked: (
                Minted.validator,
                { signed(by: Minted.pki.leaf, certificates: Minted.pki.certificates.reversed()) }
            )
        ),
        Recollection(
            "one bit of the root turned",
            asked: (
                Minted.validator,
                {
                    var certificates = Minted.pki.certificates
                    certificates[2][certificates[2].count - 1] ^= 1
                    return signed(by: Minted.pki.leaf, certificates: certificates)
                }
            ),
            .root,
            .untrustedRoot
        ),
    ]
}
