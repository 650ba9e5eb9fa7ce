import AppReceipt
import AppReceiptMint
import Basics
import DER
import PKIX
import Revocation
import SHA
import TestSupport
import Testing
import TransactionReceipt

@Suite("The validator of transaction receipts")
struct TransactionReceiptValidatorTests {
    @Test(
        "accepts a receipt of each version, as base64 and as a property list",
        arguments: SignatureVersion.allCases
    )
    func accepts(_ version: SignatureVersion) throws {
        let mint = Minted.mint(version)
        let validator = try Minted.validator(mint)
        let template = mint.template()
        for input in [template.base64(), template.propertyList(), template.propertyList() + [0x0A]] {
            let purchase = try validator.validate(input)
            #expect(purchase.signatureVersion == version)
            #expect(purchase.productIdentifier == "com.example.app.pro")
            #expect(purchase.purchaseDate.description == "2015-06-01T12:00:00Z")
            #expect(purchase.entries.map(\.key) == template.entries.map(\.key))
            #expect(purchase.entries.map(\.value) == template.entries.map(\.value))
            #expect([UInt8](purchase.signingCertificate) == template.certificate)
            #expect(purchase.signedBytes == TransactionReceiptTemplate.propertyList(template.entries))
            #expect(purchase.notChecked == [.revocation, .appVersion, .deviceHash])
        }
    }

    @Test("refuses a path with a listed certificate or key", arguments: SignatureVersion.allCases)
    func distrust(_ version: SignatureVersion) throws {
        let mint = Minted.mint(version)
        for (index, certificate) in mint.pki.certificates.enumerated() {
            var reader = Reader(certificate.span)
            let key = try Certificate(&reader).subjectPublicKeyInfo
            for range in [certificate.indices, key] {
                let list: DistrustList = [HashAlgorithm.sha256.digest(of: certificate[range].span)]
                let validator = try Minted.validator(mint, distrusted: list)
                let receipt = mint.template().propertyList()
                let error = try #require(Minted.error(validator, receipt))
                #expect(error.step == .distrust && error.code == .distrusted, "\(error)")
                // The root is at hand, and the refusal concerns the certificate below it.
                #expect(error.certificateIndex == min(index, 1))
            }
            let cutOff = Array(certificate.dropLast())
            let other: DistrustList = [HashAlgorithm.sha256.digest(of: cutOff.span)]
            _ = try Minted.validator(mint, distrusted: other).validate(mint.receipt())
        }
    }

    @Test("refuses a revoked certificate, and does not listen to a distrusted responder")
    func revocation() throws {
        let (mint, now) = (Minted.three, Timestamp(millisecondsSince1970: 1_800_000_000_000))
        let (pki, dates) = (mint.pki, (now - .days(1), now + .days(6)))
        let responder = pki.intermediate.responder(Keys.impostors.leaf)
        let list: DistrustList = [HashAlgorithm.sha256.digest(of: responder.certificate.span)]
        for isRevoked in [false, true] {
            let response = pki.intermediate.response(
                about: pki.leaf,
                isRevoked: isRevoked,
                by: responder,
                dates.0,
                until: dates.1
            )
            let evidence = try RevocationEvidence(
                ocspResponses: [response],
                revocationLists: [pki.root.revocationList([], dates.0, until: dates.1)]
            )
            let required = RevocationPolicy<SigningKey>.required(evidence, now: now)
            let plain = Minted.error(try Minted.validator(mint, revocation: required), mint.receipt())
            #expect(plain?.code == (isRevoked ? .certificateRevoked : nil))
            let distrusting = try Minted.validator(mint, distrusted: list, revocation: required)
            let error = try #require(Minted.error(distrusting, mint.receipt()))
            #expect(error.step == .revocation && error.certificateIndex == 0, "\(error)")
            #expect("\(error.code.name)" == "ocsp.distrusted-responder")
            let lenient = RevocationPolicy<SigningKey>.ifPresent(evidence, now: now)
            _ = try Minted.validator(mint, distrusted: list, revocation: lenient).validate(mint.receipt())
        }
    }

    @Test("accepts base64 in lines, in the other alphabet, and without padding")
    func base64Forms() throws {
        let validator = try Minted.validator(Minted.three)
        let text = String(decoding: Minted.three.receipt(), as: UTF8.self)
        let lines = text.enumerated().map { $0.offset % 76 == 75 ? "\($0.element)\r\n" : "\($0.element)" }
            .joined()
        let urlSafe = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : "\($0)" }.joined()
        let unpadded = String(text.prefix { $0 != "=" })
        for form in [lines, urlSafe, unpadded, " \n" + text + "\n", "\u{FEFF}" + text] {
            #expect(throws: Never.self) { try validator.validate([UInt8](form.utf8)) }
        }
    }

    @Test("reads every typed value, and dates as text if there are no milliseconds")
    func values() throws {
        let receipt = Minted.three.receipt { receipt in
            receipt["purchase-date-ms"] = nil
            receipt["original-purchase-date-ms"] = nil
            receipt["original-purchase-date"] = "2012-02-29 23:59:59 Etc/GMT"
            receipt["expires-date"] = "1435752000123"
            receipt["cancellation-date"] = "2015-06-02 00:00:00 Etc/GMT"
            receipt["quantity"] = "999999999"
            receipt["is-trial-period"] = "true"
            receipt["is-in-intro-offer-period"] = "false"
            receipt["subscription-group-identifier"] = "20400000"
        }
        let purchase = try Minted.validator(Minted.three).validate(receipt)
        #expect(purchase.purchaseDate.description == "2015-06-01T12:00:00Z")
        #expect(purchase.originalPurchaseDate?.description == "2012-02-29T23:59:59Z")
        #expect(purchase.expiresDate?.description == "2015-07-01T12:00:00.123Z")
        #expect(purchase.cancellationDate?.description == "2015-06-02T00:00:00Z")
        #expect(purchase.quantity == 999_999_999)
        #expect(purchase.isTrialPeriod == true && purchase.isInIntroductoryOfferPeriod == false)
        #expect(purchase.subscriptionGroupIdentifier == "20400000")
        #expect(purchase.value(of: "no such key") == nil)
    }

    @Test(
        "reads the ownership in every version; another name is nil and refuses nothing",
        arguments: [
            ("PURCHASED", .purchased), ("FAMILY_SHARED", .familyShared), ("", nil), ("purchased", nil),
            ("PURCHASED ", nil), ("0", nil), ("SHARED_BY_SCHOOL", nil), (nil, nil),
        ] as [(String?, InAppPurchase.Ownership?)]
    )
    func ownership(_ name: String?, _ ownership: InAppPurchase.Ownership?) throws {
        for version in SignatureVersion.allCases {
            let mint = Minted.mint(version)
            let receipt = mint.receipt { $0["in-app-ownership-type"] = name }
            let purchase = try Minted.validator(mint).validate(receipt)
            #expect(purchase.ownership == ownership && purchase.value(of: "in-app-ownership-type") == name)
            #expect(try UnverifiedPurchaseInfo(unverified: receipt).ownership == ownership)
        }
    }

    @Test("versions 3 and 4 may have signers of any of the given intermediates, with SHA-1 or SHA-256")
    func anyIntermediate() throws {
        let next = Minted.four.pki.reissued(.intermediate) { $0.subject = NameTemplate(commonName: "Next") }
            .reissued(.leaf) { $0.issuer = NameTemplate(commonName: "Next") }
        let validator = TransactionReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([try TrustAnchor(certificate: Minted.four.root)]),
                issuers: [
                    try IssuerCertificate(next.intermediate.certificate),
                    try IssuerCertificate(Minted.three.intermediate),
                ]
            )
        )
        for pki in [next, Minted.three.pki] {
            for version in [SignatureVersion.three, .four] {
                var mint = Minted.mint(version)
                mint.pki = pki
                #expect(try validator.validate(mint.receipt()).signatureVersion == version)
            }
        }
    }

    @Test("judges the certificates at the purchase date, which is the renewal's and not the first purchase's")
    func purchaseDate() throws {
        var mint = Minted.three
        // Valid on the day of the renewal only.
        mint.pki = mint.pki.reissued(.leaf) {
            $0.notBefore = Timestamp(millisecondsSince1970: 1_433_116_800_000)
            $0.notAfter = Timestamp(millisecondsSince1970: 1_433_203_199_000)
        }
        let receipt = mint.receipt { $0["original-purchase-date-ms"] = "1300000000000" }
        #expect(throws: Never.self) { try Minted.validator(mint).validate(receipt) }
        let late = Timestamp(millisecondsSince1970: 1_433_203_200_000)
        #expect(Minted.error(try Minted.validator(mint, pathTime: late), receipt)?.code == .expired)
        // The last millisecond of the last second.
        let last = mint.receipt { $0["purchase-date-ms"] = "1433203199999" }
        #expect(throws: Never.self) { try Minted.validator(mint).validate(last) }
        let next = mint.receipt { $0["purchase-date-ms"] = "1433203200000" }
        #expect(Minted.error(try Minted.validator(mint), next)?.code == .expired)
    }

    @Test("judges the environment by the unsigned entry and the signed transaction identifier")
    func environments() throws {
        let mint = Minted.three
        func step(_ expected: EnvironmentExpectation, _ name: String?, _ transaction: String) throws -> Bool {
            let receipt = mint.receipt {
                $0.outerEntries = name.map { [("environment", $0)] } ?? []
                $0["transaction-id"] = transaction
            }
            let error = Minted.error(try Minted.validator(mint, environments: expected), receipt)
            #expect(error == nil || error?.step == .environment)
            return error == nil
        }
        let (sandbox, production) = ("1000000099708150", "170000029449420")
        let both = EnvironmentExpectation.only(.production, .productionSandbox)
        // Accepted.
        #expect(try step(.only(.productionSandbox), "Sandbox", sandbox))
        #expect(try step(.only(.productionSandbox), "Sandbox", production))
        #expect(try step(.only(.production), nil, production))
        #expect(try step(both, nil, production) && step(both, "Sandbox", sandbox))
        #expect(try step(.any, nil, sandbox) && step(.any, "Whatever", sandbox))
        // Fifteen digits, or other digits at the beginning.
        #expect(try step(.only(.production), nil, "100000009970815"))
        #expect(try step(.only(.production), nil, "3000000099708150"))
        // Refused.
        #expect(try !step(.only(.production), "Sandbox", sandbox))
        #expect(try !step(.only(.production), nil, sandbox))
        // Later ones: the last form was seen at the end of 2025.
        #expect(try !step(.only(.production), nil, "2000000099708150"))
        #expect(try !step(.only(.production), nil, "2000001092134138"))
        #expect(try !step(both, nil, sandbox) && !step(both, "Production", production))
        #expect(try !step(both, "", production))
        #expect(try !step(.only(.productionSandbox), nil, production))
        #expect(try !step(.only(.productionVPP, .xcode), nil, production))
        #expect(try !step(.only([]), "Sandbox", sandbox))
    }

    @Test("says that production is not checked, because nothing signed says so")
    func production() throws {
        let mint = Minted.three
        let receipt = mint.receipt {
            $0.outerEntries = []
            $0["transaction-id"] = "170000029449420"
        }
        let purchase = try Minted.validator(mint, environments: .only(.production)).validate(receipt)
        #expect(
            purchase.claimedEnvironmentName == nil
                && purchase.notChecked == [.revocation, .environment, .appVersion, .deviceHash]
        )
        let any = try Minted.validator(mint, environments: .any, bundleIdentifier: .any)
        let all: [ReceiptError.Step] = [
            .revocation, .environment, .bundleIdentifier, .appVersion, .deviceHash,
        ]
        #expect(try any.validate(mint.receipt()).notChecked == all)
    }

    @Test("never accepts a receipt under Xcode's policy, which has no transaction receipts")
    func xcode() throws {
        let mint = Minted.three
        let validator = TransactionReceiptValidator(
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .xcodeTesting(pinned: [try TrustAnchor(certificate: mint.root)])
            )
        )
        #expect(Minted.error(validator, mint.receipt()) != nil)
    }

    @Test("a root that is known by its fingerprint counts if its certificate is given")
    func fingerprint() throws {
        let mint = Minted.two
        let anchor = try TrustAnchor(certificate: mint.root)
        let known = try #require(TrustAnchor(fingerprint: anchor.fingerprint))
        func validator(_ issuers: [[UInt8]]) throws -> TransactionReceiptValidator {
            TransactionReceiptValidator(
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: .pinned([known]),
                    issuers: try issuers.map { try IssuerCertificate($0) }
                )
            )
        }
        #expect(
            try validator([mint.root, mint.intermediate]).validate(mint.receipt()).rootFingerprint
                == known.fingerprint
        )
        #expect(Minted.error(try validator([mint.intermediate]), mint.receipt())?.code == .issuerNotFound)
    }

    @Test("the contents of a receipt that is not verified are read as claims, forged or not")
    func unverified() throws {
        let receipt = Minted.two.receipt { $0.signature = [UInt8](repeating: 0, count: 128) }
        let claims = try UnverifiedPurchaseInfo(unverified: receipt)
        #expect(claims.productIdentifier == "com.example.app.pro" && claims.signatureVersion == .two)
        #expect(
            claims.outerEntries.map(\.key) == [
                "signature", "purchase-info", "environment", "pod", "signing-status",
            ]
        )
        let broken = Minted.two.receipt { $0["product-id"] = nil }
        let error = try #require(throws: ReceiptError.self) { try UnverifiedPurchaseInfo(unverified: broken) }
        #expect(error.step == .payload && error.code == .missingPurchasedProduct)
    }

    @Test("checks the version and the device if the app asks for it")
    func versionAndDevice() throws {
        let mint = Minted.two
        let device = try #require(DeviceIdentifier("00112233-4455-6677-8899-AABBCCDDEEFF"))
        let other = try #require(DeviceIdentifier("00112233-4455-6677-8899-AABBCCDDEEFE"))
        func error(
            _ version: String?,
            _ devices: [DeviceIdentifier]?,
            _ change: (inout TransactionReceiptTemplate) -> Void = { _ in }
        ) throws -> ReceiptError? {
            var policy = try Minted.validator(mint).policy
            (policy.appVersion, policy.deviceIdentifiers) = (version, devices)
            let validator = TransactionReceiptValidator(policy)
            let receipt = mint.receipt {
                $0["unique-vendor-identifier"] = "00112233-4455-6677-8899-AABBCCDDEEFF"
                change(&$0)
            }
            return Minted.error(validator, receipt)
        }
        #expect(try error("1", [other, device]) == nil)
        #expect(try error("1.0", nil)?.code == .appVersionMismatch)
        #expect(try error("1", nil) { $0["bvrs"] = nil }?.code == .missingPurchasedVersion)
        #expect(try error(nil, [other])?.code == .deviceHashMismatch)
        #expect(try error(nil, [])?.code == .deviceHashMismatch)
        #expect(try error(nil, [device]) { $0["unique-vendor-identifier"] = "" }?.code == .deviceHashMismatch)
        let missing = try error(nil, [device]) { $0["unique-vendor-identifier"] = nil }
        #expect(missing?.step == .deviceHash && missing?.code == .missingVendorIdentifier)
    }

    @Test("if SHA-1 is too weak for the app, accepts version 4 under certificates with SHA-256 alone")
    func minimumDigest() throws {
        let strict = try Minted.validator(Minted.four, minimumDigest: .sha256)
        #expect(try strict.validate(Minted.four.receipt()).signatureVersion == .four)
        var mint = Minted.four
        mint.pki = Minted.three.pki
        let error = Minted.error(strict, mint.receipt())
        #expect(error?.step == .certificatePath && error?.code == .weakSignatureHash)
        // Certificates with SHA-512, so that the receipt's own signature is the weak one.
        mint.pki = Minted.four.pki.reissued(.intermediate) { $0.signatureHash = .sha512 }
            .reissued(.leaf) { $0.signatureHash = .sha512 }
        for minimum in [HashAlgorithm.sha384, .sha512] {
            let error = Minted.error(try Minted.validator(mint, minimumDigest: minimum), mint.receipt())
            #expect(error?.step == .signature && error?.code == .weakDigest)
        }
    }

    @Test("refuses versions 2 and 3 if SHA-1 is too weak for the app", arguments: [Minted.two, Minted.three])
    func weakDigest(_ weak: TransactionReceiptMint) throws {
        let strict = try Minted.validator(weak, minimumDigest: .sha256)
        #expect(Minted.error(strict, weak.receipt())?.code == .weakSignatureHash)
        // Certificates with SHA-256, so that the receipt's own signature is the weak one.
        var mint = weak
        mint.pki = mint.pki.reissued(.intermediate) { $0.signatureHash = .sha256 }
            .reissued(.leaf) { $0.signatureHash = .sha256 }
        let error = Minted.error(try Minted.validator(mint, minimumDigest: .sha256), mint.receipt())
        #expect(error?.step == .signature && error?.code == .weakDigest)
    }
}
