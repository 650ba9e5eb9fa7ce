import AppReceipt
import AppReceiptMint
import Basics
import PKIX
import TestSupport
import Testing
import TransactionReceipt

@Suite("Forged transaction receipts")
struct TransactionForgeryTests {
    @Test("each forgery is refused at its step, with its code", arguments: TransactionForgery.all)
    func refused(_ forgery: TransactionForgery) throws {
        let mint = Minted.mint(forgery.version)
        let receipt = mint.receipt { forgery.change(&$0, mint) }
        let validator = try Minted.validator(mint)
        let error = try #require(Minted.error(validator, receipt), "accepted")
        #expect(error.step == forgery.step && error.code == forgery.code, "\(error)")
        #expect(error.offset >= 0 && error.offset <= receipt.count)
    }

    @Test("the names of the forgeries are unique, and there are more than 160")
    func table() {
        let names = TransactionForgery.all.map(\.testDescription)
        #expect(Set(names).count == names.count && names.count > 160)
    }

    @Test("an intermediate without the marker is refused, and so is one with the other version's marker")
    func intermediateMarkers() throws {
        for version in SignatureVersion.allCases {
            for marker: ExtensionTemplate? in [
                nil, version == .two ? .intermediateMarker : .iTunesStoreMarker,
                version == .two ? .purchaseReceiptMarker : .leafMarker,
            ] {
                var mint = Minted.mint(version)
                mint.pki = mint.pki.reissued(.intermediate) {
                    TransactionForgery.without(.intermediateMarker, &$0)
                    TransactionForgery.without(.iTunesStoreMarker, &$0)
                    if let marker { $0.extensions.append(marker) }
                }
                let error = Minted.error(try Minted.validator(mint), mint.receipt())
                #expect(error?.step == .intermediateMarker)
                #expect(error?.code == .missingVersionIntermediateMarker)
                // The issuer is the first of the certificates that are given to the validator. The offset is
                // the start of the signer's certificate, because the issuer is not in the receipt.
                #expect(error?.certificateIndex == 1)
                let unmarked = Minted.mint(version)
                let receipt = unmarked.receipt {
                    $0.certificate = TransactionForgery.reissue(unmarked) {
                        TransactionForgery.without(.purchaseReceiptMarker, &$0)
                        TransactionForgery.without(.leafMarker, &$0)
                    }
                }
                let atLeaf = Minted.error(try Minted.validator(unmarked), receipt)
                #expect(atLeaf?.step == .leafMarker && atLeaf?.offset == error?.offset)
                let lenient = try Minted.validator(mint, requiringMarkers: false)
                let purchase = try lenient.validate(mint.receipt())
                let skipped: [ReceiptError.Step] = [.revocation, .intermediateMarker, .leafMarker]
                #expect(Array(purchase.notChecked.prefix(3)) == skipped)
            }
        }
    }

    @Test("the markers of a version may be critical, and those of another version may not")
    func criticalMarkers() throws {
        let markers: [ExtensionTemplate] = [
            .intermediateMarker, .iTunesStoreMarker, .leafMarker, .purchaseReceiptMarker,
        ]
        for version in SignatureVersion.allCases {
            let wanted: [PrivatePKI.Role: ExtensionTemplate] = [
                .intermediate: version == .two ? .iTunesStoreMarker : .intermediateMarker,
                .leaf: version == .two ? .purchaseReceiptMarker : .leafMarker,
            ]
            for (role, right) in wanted {
                for marker in markers {
                    var mint = Minted.mint(version)
                    mint.pki = mint.pki.reissued(role) {
                        TransactionForgery.without(marker, &$0)
                        $0.extensions.append(.marker(marker.identifier, isCritical: true))
                    }
                    let error = Minted.error(try Minted.validator(mint), mint.receipt())
                    let isRight = marker.identifier == right.identifier
                    #expect(error?.code == (isRight ? nil : .unknownCriticalExtension))
                    let lenient = try Minted.validator(mint, requiringMarkers: false)
                    #expect(Minted.error(lenient, mint.receipt())?.code == .unknownCriticalExtension)
                }
            }
        }
    }

    @Test(
        "a signer of version 2 cannot sign receipts of another version, nor the reverse",
        arguments: [SignatureVersion.three, .four]
    )
    func crossed(_ version: SignatureVersion) throws {
        // The signature is as long as the signer's key. The written version requires another length, so the
        // blob is cut elsewhere.
        for (signer, written) in [(SignatureVersion.two, version), (version, .two)] {
            let mint = Minted.mint(signer)
            let crossed = mint.receipt { $0.sign(as: written) }
            #expect(Minted.error(try Minted.validator(mint), crossed)?.step == .container)
        }
        // A key of the right length under the other version's markers.
        let two = TransactionReceiptMint(.two, Keys.pki)
        let asOther = two.receipt { $0.sign(as: version) }
        #expect(Minted.error(try Minted.validator(two), asOther)?.step == .intermediateMarker)
        let other = TransactionReceiptMint(Minted.mint(version).version, Minted.keys(leaf: Keys.bits1024))
        let asTwo = other.receipt { $0.sign(as: .two) }
        #expect(Minted.error(try Minted.validator(other), asTwo)?.step == .intermediateMarker)
    }

    @Test(
        "what the signer of app receipts signed for one format is refused in the other format",
        arguments: [SignatureVersion.three, .four]
    )
    func otherFormat(_ version: SignatureVersion) throws {
        let mint = Minted.mint(version)
        let message = ReceiptMint(mint.pki, digest: version.digestAlgorithm).message
        let appReceipts = ReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([try TrustAnchor(certificate: mint.root)])
            )
        )
        // The octets that a transaction receipt signs, as the content of an app receipt.
        let signed = [version.rawValue] + TransactionReceiptTemplate.propertyList(mint.template().entries)
        let atPayload = try #require(throws: ReceiptError.self) {
            try appReceipts.validate(message.signed(payload: signed))
        }
        #expect(atPayload.step == .creationDate)
        // The payload of an app receipt, whose first octet stands for the version.
        let payload = PayloadTemplate(bundleIdentifier: "com.example.app").encoded()
        #expect(throws: Never.self) { try appReceipts.validate(message.signed(payload: payload)) }
        let receipt = mint.receipt {
            $0.version = payload[0]
            $0.signedInfo = Array(payload.dropFirst())
        }
        #expect(Minted.error(try Minted.validator(mint), receipt)?.code == .unsupportedSignatureVersion)
    }

    @Test("an issuer with a key of 1024 bits is refused in every version")
    func shortIssuer() throws {
        let keys = PrivatePKI.Keys(root: Keys.pki.root, intermediate: Keys.bits1024, leaf: Keys.bits1024)
        for version in TransactionReceiptMint.Version.allCases {
            var wanted = keys
            if version != .two { wanted.leaf = Keys.pki.leaf }
            let mint = TransactionReceiptMint(version, wanted)
            let error = Minted.error(try Minted.validator(mint), mint.receipt())
            #expect(error?.step == .certificatePath && error?.code == .keyTooSmall)
        }
    }

    @Test("a path to a root that is not pinned is refused, whether the root is given or not")
    func otherRoot() throws {
        for version in SignatureVersion.allCases {
            let mint = Minted.mint(version)
            let intermediate = try IssuerCertificate(mint.intermediate)
            let root = try IssuerCertificate(mint.root)
            for (issuers, step, code) in [
                ([intermediate, root], ReceiptError.Step.root, Refusal.Code.untrustedRoot),
                ([intermediate], .certificatePath, .issuerNotFound),
                ([], .certificatePath, .issuerNotFound),
            ] {
                let validator = TransactionReceiptValidator(
                    ReceiptPolicy(environments: .any, bundleIdentifier: .any, issuers: issuers)
                )
                let error = Minted.error(validator, mint.receipt())
                #expect(error?.step == step && error?.code == code, "\(String(describing: error))")
            }
        }
    }

    @Test("a look-alike's receipts are refused under the genuine root")
    func lookAlike() throws {
        for version in SignatureVersion.allCases {
            let mint = Minted.mint(version)
            var impostor = mint
            impostor.pki = mint.pki.lookAlike(Keys.impostors)
            let receipt = impostor.receipt { if version == .two { $0.key = Keys.bits1024 } }
            #expect(Minted.error(try Minted.validator(mint), receipt)?.step == .certificatePath)
        }
    }
}
