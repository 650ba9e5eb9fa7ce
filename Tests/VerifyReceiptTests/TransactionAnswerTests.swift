import AppReceipt
import AppReceiptMint
import Basics
import Foundation
import TestSupport
import Testing
import TransactionReceipt
import VerifyReceipt

@Suite("Answers about transaction receipts of iOS 6")
struct TransactionAnswerTests {
    private static let mint = TransactionReceiptMint(.three, Keys.pki)
    private static let endpoints: (production: ReceiptEndpoint, sandbox: ReceiptEndpoint) = {
        func endpoint(_ environment: ReceiptEndpoint.Environment, _ secrets: [[UInt8]]? = nil)
            -> ReceiptEndpoint
        {
            ReceiptEndpoint(
                environment,
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: .pinned([mint.root].compactMap { try? TrustAnchor(certificate: $0) }),
                    issuers: [mint.intermediate].compactMap { try? IssuerCertificate($0) }
                ),
                sharedSecrets: secrets
            )
        }
        return (endpoint(.production), endpoint(.sandbox))
    }()

    private func receipt(_ change: (inout TransactionReceiptTemplate) -> Void = { _ in }) -> [UInt8] {
        var template = Self.mint.template()
        change(&template)
        return template.propertyList()
    }

    /// A receipt without the outer entry `environment`.
    private func productionReceipt(_ transaction: String = "200000000000001") -> [UInt8] {
        receipt {
            $0.outerEntries.removeAll { $0.key == "environment" }
            for index in $0.entries.indices where $0.entries[index].key == "transaction-id" {
                $0.entries[index].value = transaction
            }
        }
    }

    @Test("hold every key of the purchase-info in its order, and the status")
    func flat() throws {
        let answer = Self.endpoints.sandbox.answer(receipt: receipt())
        #expect(
            answer.status == .valid && answer.error == nil,
            "\(answer.text) \(String(describing: answer.error))"
        )
        let json = try answer.json
        #expect(json.names == ["receipt", "status"] && json["status"] == .number("0"))
        let entries = Self.mint.template().entries
        #expect(try answer.receipt.names == entries.map { $0.key.replacingOccurrences(of: "-", with: "_") })
        #expect(try answer.receipt.members.map(\.value) == entries.map { .string($0.value) })
    }

    @Test("hold an object of a subscription if the endpoint lists purchases, and of nothing else")
    func listing() throws {
        let endpoint = ReceiptEndpoint(
            .sandbox,
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([Self.mint.root].compactMap { try? TrustAnchor(certificate: $0) }),
                issuers: [Self.mint.intermediate].compactMap { try? IssuerCertificate($0) }
            ),
            listsPurchases: true
        )
        for (expires, names) in [
            (nil, ["receipt", "status"]), ("1717245296790", ["receipt", "latest_receipt_info", "status"]),
            ("1717245296789", ["receipt", "latest_expired_receipt_info", "status"]),
        ] {
            let bytes = receipt { template in
                template.entries.removeAll { $0.key == "expires-date" }
                if let expires { template.entries.append(("expires-date", expires)) }
            }
            let json = try endpoint.answer(receipt: bytes).json
            #expect(json.names == names)
            if names.count == 3 { #expect(json[names[1]] == json["receipt"]) }
        }
    }

    @Test("are the same for a list without white space, and with its entries in another order")
    func otherForms() throws {
        let repairing = ReceiptEndpoint(
            .sandbox,
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([try TrustAnchor(certificate: Self.mint.root)]),
                issuers: [try IssuerCertificate(Self.mint.intermediate)]
            ),
            base64: .repairing
        )
        let list = String(decoding: receipt(), as: UTF8.self)
        let expected = Self.endpoints.sandbox.answer(receipt: receipt())
        #expect(expected.status == .valid)
        let lines = list.split(separator: "\n")
        let reversed = "{\n\(lines.dropFirst().dropLast().reversed().joined(separator: "\n"))\n}"
        let compact = list.filter { !$0.isWhitespace }
        for form in [compact, reversed, "{\(compact.dropFirst().dropLast())}"] {
            #expect(
                Self.endpoints.sandbox.answer(receipt: Array(form.utf8)) == expected,
                "\(form.prefix(40))"
            )
            #expect(repairing.answer(receipt: Array(form.utf8)) == expected, "\(form.prefix(40))")
            // So do the forms that people send.
            for text in [Array(form.utf8), Array(Data(form.utf8).base64EncodedString().utf8)] {
                let error = try #require(throws: ReceiptError.self) { try ReceiptInput.decode(text) }
                #expect(error.code == .transactionReceipt)
                #expect(try TransactionReceiptInput.decode(text) == Array(form.utf8))
            }
        }
    }

    @Test("of version 4 hold the new keys, and only they pass an endpoint that requires SHA-256")
    func versionFour() throws {
        let mint = TransactionReceiptMint(.four, Keys.pki)
        func answer(_ mint: TransactionReceiptMint, _ minimumDigest: HashAlgorithm) throws -> Answer {
            let endpoint = ReceiptEndpoint(
                .sandbox,
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: .pinned([try TrustAnchor(certificate: mint.root)]),
                    issuers: [try IssuerCertificate(mint.intermediate)],
                    minimumDigest: minimumDigest
                )
            )
            var template = mint.template()
            template["subscription-group-identifier"] = "20400000"
            return endpoint.answer(receipt: template.propertyList())
        }
        for minimumDigest in [HashAlgorithm.sha1, .sha256] {
            let object = try answer(mint, minimumDigest).receipt
            // The names and the types of Apple's recorded answer.
            #expect(object["in_app_ownership_type"] == .string("PURCHASED"))
            #expect(object["is_trial_period"] == .string("false"))
            #expect(object["is_in_intro_offer_period"] == .string("false"))
            #expect(object["subscription_group_identifier"] == .string("20400000"))
        }
        #expect(try answer(mint, .sha256).json.names == ["receipt", "status"])
        #expect(try answer(mint, .sha512).status == .invalidReceipt)
        #expect(try answer(Self.mint, .sha256).status == .invalidReceipt)
    }

    @Test("no receipt of version 3 passes an endpoint that requires SHA-256, nor lower limits than its own")
    func requirements() {
        func endpoint(_ minimumDigest: HashAlgorithm, _ limits: Limits) -> ReceiptEndpoint {
            ReceiptEndpoint(
                .sandbox,
                ReceiptPolicy(
                    environments: .any,
                    bundleIdentifier: .any,
                    trust: .pinned([Self.mint.root].compactMap { try? TrustAnchor(certificate: $0) }),
                    issuers: [Self.mint.intermediate].compactMap { try? IssuerCertificate($0) },
                    minimumDigest: minimumDigest,
                    limits: limits
                )
            )
        }
        var fewChecks = Limits.standard
        fewChecks.signatureChecks = 1
        #expect(endpoint(.sha1, .standard).answer(receipt: receipt()).status == .valid)
        #expect(endpoint(.sha256, .standard).answer(receipt: receipt()).status == .invalidReceipt)
        #expect(endpoint(.sha1, fewChecks).answer(receipt: receipt()).status == .invalidReceipt)
    }

    @Test("the unsigned environment and the signed identifier decide between 0, 21007, 21008 and 21002")
    func environment() {
        let (production, sandbox) = Self.endpoints
        #expect(sandbox.answer(receipt: receipt()).status == .valid)
        #expect(production.answer(receipt: receipt()).text == "{\"status\":21007}")
        let real = productionReceipt()
        #expect(production.answer(receipt: real).status == .valid)
        #expect(sandbox.answer(receipt: real).text == "{\"status\":21008}")
        // The entry is removed, and the signed identifier is the sandbox's.
        let edited = productionReceipt("1000000000000001")
        #expect(production.answer(receipt: edited).text == "{\"status\":21002}")
        #expect(sandbox.answer(receipt: edited).text == "{\"status\":21002}")
        for name in ["sandbox", "Production", "", "ProductionSandbox"] {
            let other = receipt {
                for index in $0.outerEntries.indices where $0.outerEntries[index].key == "environment" {
                    $0.outerEntries[index].value = name
                }
            }
            #expect(production.answer(receipt: other).text == "{\"status\":21002}", "\(name)")
            #expect(sandbox.answer(receipt: other).text == "{\"status\":21002}", "\(name)")
        }
    }

    @Test("an expired subscription gets 21006 with its receipt, from the moment when it expires")
    func expired() throws {
        let list = receipt { $0.entries.append(("expires-date", "1717245296789")) }
        var cache = ValidationCache()
        for (offset, status) in [
            (-1, AnswerStatus.valid), (0, .expiredSubscription), (1, .expiredSubscription),
        ] {
            let now = Timestamp(millisecondsSince1970: 1_717_245_296_789 + Int64(offset))
            let answer = Self.endpoints.sandbox.answer(request(list), at: now, cache: &cache)
            #expect(answer.status == status && (answer.error == nil) == (status == .valid))
            #expect(try answer.json.names == ["receipt", "status"])
            #expect(try answer.json["status"] == .number("\(status.rawValue)"))
            #expect(try answer.receipt["expires_date"] == .string("1717245296789"))
        }
    }

    @Test("a changed byte of the signed list gets 21002, and so does another root")
    func tampered() throws {
        let list = receipt()
        let place = try #require(list.firstRange(of: Array("\"purchase-info\" = \"".utf8))?.upperBound)
        for offset in [place + 40, place + 200, place + 400] {
            var changed = list
            changed[offset] = changed[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(Self.endpoints.sandbox.answer(receipt: changed).text == "{\"status\":21002}")
        }
        #expect(ReceiptEndpoint(.sandbox).answer(receipt: list).text == "{\"status\":21002}")
        #expect(Self.endpoints.sandbox.answer(receipt: Array("{".utf8)).text == "{\"status\":21002}")
        #expect(Self.endpoints.sandbox.answer(receipt: Array("{}".utf8)).text == "{\"status\":21002}")
    }

    @Test("base64 that a strict endpoint refuses can be repaired")
    func repaired() {
        let list = receipt()
        let text = Data(list).base64EncodedString()
        let lines = text.prefix(76) + "\\n" + text.dropFirst(76)
        #expect(Self.endpoints.sandbox.answer(request(text: String(lines))).status == .invalidReceipt)
        let repairing = ReceiptEndpoint(
            .sandbox,
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([Self.mint.root].compactMap { try? TrustAnchor(certificate: $0) }),
                issuers: [Self.mint.intermediate].compactMap { try? IssuerCertificate($0) }
            ),
            base64: .repairing
        )
        #expect(repairing.answer(request(text: String(lines))).status == .valid)
        #expect(repairing.answer(receipt: list).status == .valid)
        #expect(repairing.answer(request(text: "{}")).status == .invalidReceipt)
    }

    @Test("a password is compared here, too")
    func password() {
        let endpoint = ReceiptEndpoint(
            .sandbox,
            ReceiptPolicy(
                environments: .any,
                bundleIdentifier: .any,
                trust: .pinned([Self.mint.root].compactMap { try? TrustAnchor(certificate: $0) }),
                issuers: [Self.mint.intermediate].compactMap { try? IssuerCertificate($0) }
            ),
            sharedSecrets: [Array("s".utf8)]
        )
        #expect(endpoint.answer(receipt: receipt(), ",\"password\":\"s\"").status == .valid)
        #expect(endpoint.answer(receipt: receipt(), ",\"password\":\"t\"").status == .wrongPassword)
        #expect(endpoint.answer(receipt: receipt()).status == .notAuthenticated)
    }

    @Test(
        "equal the recorded answers, but for what only Apple's database knows",
        .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"),
        arguments: ["ios6-mbaasy-expired-2015", "ios6-mbaasy-subscription-2015"]
    )
    func recorded(_ name: String) throws {
        let text = String(decoding: try SharedData.bytes("verify-receipt/\(name).b64"), as: UTF8.self)
        let expected = try OrderedJSON(SharedData.bytes("verify-receipt/\(name).response.json"))
        let isExpired = expected["status"] == .number("21006")
        // The subscription expired at 1448346881000.
        let now = Timestamp(millisecondsSince1970: isExpired ? 1_448_400_000_000 : 1_448_129_867_409)
        var cache = ValidationCache()
        let body = request(text: text.trimmingCharacters(in: .whitespacesAndNewlines))
        let answer = ReceiptEndpoint(.sandbox).answer(body, at: now, cache: &cache)
        #expect(answer.status == (isExpired ? .expiredSubscription : .valid), "\(answer)")
        // Apple's order is not that of the purchase-info.
        func sorted(_ json: OrderedJSON?) -> OrderedJSON {
            .object((json?.members ?? []).sorted { $0.name < $1.name })
        }
        #expect(try sorted(answer.receipt) == sorted(expected["receipt"]))
        #expect(try answer.json["status"] == expected["status"])
        let production = ReceiptEndpoint(.production).answer(body, at: now, cache: &cache)
        #expect(production.text == "{\"status\":21007}")
        // Apple's object is about the latest transaction in its database, which has another identifier here.
        let listing = ReceiptEndpoint(.sandbox, listsPurchases: true).answer(body, at: now, cache: &cache)
        let name = isExpired ? "latest_expired_receipt_info" : "latest_receipt_info"
        #expect(try listing.json.names == ["receipt", name, "status"])
        let others = ["transaction_id", "unique_vendor_identifier"]
        let (found, theirs) = (sorted(try listing.json[name]), sorted(expected[name]))
        #expect(found.names == theirs.names && found.without(others) == theirs.without(others))
    }
}
