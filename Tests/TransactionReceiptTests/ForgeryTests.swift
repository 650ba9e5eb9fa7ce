import AppReceipt
import AppReceiptMint
import DER
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

    @Test("the names of the forgeries are unique, and there are more than 90")
    func table() {
        let names = TransactionForgery.all.map(\.testDescription)
        #expect(Set(names).count == names.count && names.count > 90)
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
                // that of the signer's certificate, because the issuer is not in the receipt.
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
                #expect(Array(purchase.notChecked.prefix(2)) == [.intermediateMarker, .leafMarker])
            }
        }
    }

    @Test("a signer of one version cannot sign receipts of the other")
    func crossed() throws {
        // The signer of version 3 signs a blob of version 2, and the reverse. The signature's length is that
        // of the key, so the blob is cut elsewhere.
        for version in SignatureVersion.allCases {
            let mint = Minted.mint(version)
            let crossed = mint.receipt { $0.version = 5 - version.rawValue }
            let error = try #require(Minted.error(try Minted.validator(mint), crossed))
            #expect(error.step == .container)
        }
        // A key of the right length under the other version's markers.
        let two = TransactionReceiptMint(.two, Keys.pki)
        let asThree = two.receipt { $0.version = 3 }
        #expect(Minted.error(try Minted.validator(two), asThree)?.step == .intermediateMarker)
        let three = TransactionReceiptMint(.three, Minted.keys(leaf: Keys.bits1024))
        let asTwo = three.receipt { $0.version = 2 }
        #expect(Minted.error(try Minted.validator(three), asTwo)?.step == .intermediateMarker)
    }

    @Test("an issuer with a key of 1024 bits is refused in both versions")
    func shortIssuer() throws {
        let keys = PrivatePKI.Keys(root: Keys.pki.root, intermediate: Keys.bits1024, leaf: Keys.bits1024)
        for version in TransactionReceiptMint.Version.allCases {
            var wanted = keys
            if version == .three { wanted.leaf = Keys.pki.leaf }
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
                    environments: .any,
                    bundleIdentifier: .any,
                    issuers: issuers
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
