import AppReceiptMint
import DER
import SignedPayloads

extension Attack {
    /// Attacks with tokens. Their limit is set to 1 MiB, eight times the default, except for the first one.
    /// Only the App Store can make a payload that is valid, but all of it is read before the signature is
    /// verified.
    static let tokens: [Attack] = [
        Attack(
            "token-too-long",
            "a token longer than the default limit",
            upTo: 1_048_000,
            ceiling: 1,
            outcome: "jws.too-large",
            work: .token(.transaction, limit: nil)
        ) { mint, size in
            mint.token(TokenTemplate(.transaction).with("x", text(size + 1 << 17, "a")))
        },
        Attack(
            "token-text",
            "an unknown member with a long text, not all of it ASCII",
            upTo: 1_048_000,
            ceiling: 84,
            memory: 1,
            work: .token(.transaction)
        ) { mint, size in
            mint.token(TokenTemplate(.transaction).with("x", text(json(size), mostlyASCII)))
        },
        Attack(
            "token-escapes",
            "a text of escapes in a member that is decoded",
            upTo: 1_048_000,
            ceiling: 329,
            memory: 3,
            work: .token(.transaction)
        ) { mint, size in
            mint.token(TokenTemplate(.transaction).with("productId", text(json(size), #"\u00e9"#)))
        },
        Attack(
            "token-digits",
            "a date with a long fraction",
            upTo: 1_048_000,
            ceiling: 105,
            memory: 1,
            work: .token(.transaction)
        ) { mint, size in
            let fraction = String(repeating: "0", count: json(size))
            return mint.token(TokenTemplate(.transaction).with("purchaseDate", "1717243200000." + fraction))
        },
        Attack(
            "token-members",
            "a payload with as many members as fit: 86,000",
            upTo: 1_048_000,
            ceiling: 52,
            memory: 8,
            outcome: "jws.too-many-members",
            work: .token(.transaction)
        ) { mint, size in
            let members = (0..<max(300, json(size) / 9)).map { "\"" + String($0, radix: 36) + "\":0" }
            return mint.token(payload: [UInt8](("{" + members.joined(separator: ",") + "}").utf8))
        },
        Attack(
            "token-members-inside",
            "an unknown member whose value is an object with as many members as fit",
            upTo: 1_048_000,
            ceiling: 117,
            memory: 1,
            work: .token(.transaction)
        ) { mint, size in
            mint.token(TokenTemplate(.transaction).with("x", "{" + list(json(size), #""":0"#) + "}"))
        },
        Attack(
            "token-names",
            "as many members as the limit allows, whose long names differ only in the last octets",
            upTo: 1_048_000,
            ceiling: 111,
            memory: 1,
            work: .token(.transaction)
        ) { mint, size in
            var template = TokenTemplate(.transaction)
            // Blocks of 64 bytes are compared at once, and the rest byte by byte.
            let name = String(repeating: "a", count: json(size) / 200 / 64 * 64 + 60)
            for index in 100..<300 { template.payload[name + "\(index)"] = 0 }
            return mint.token(template)
        },
        Attack(
            "token-elements",
            "an array of texts with as many elements as fit, in a member that is decoded",
            upTo: 1_048_000,
            ceiling: 503,
            memory: 9,
            work: .token(.renewalInfo)
        ) { mint, size in
            let texts = "[" + list(json(size), #""""#) + "]"
            return mint.token(TokenTemplate(.renewalInfo).with("eligibleWinBackOfferIds", texts))
        },
        Attack(
            "token-objects",
            "an array of empty objects with as many elements as fit, three levels inside the payload",
            upTo: 1_048_000,
            ceiling: 984,
            memory: 28,
            work: .token(.transaction)
        ) { mint, size in
            mint.token(TokenTemplate(.transaction).with("advancedCommerceInfo", refunds(json(size), "{}")))
        },
        Attack(
            "token-objects-names",
            "objects in such an array, with as many members as the limit allows and names of one length",
            upTo: 1_048_000,
            ceiling: 1648,
            memory: 5,
            work: .token(.transaction)
        ) { mint, size in
            let members = (100..<356).map { "\"\($0)\":0" }.joined(separator: ",")
            let objects = refunds(json(size), "{" + members + "}")
            return mint.token(TokenTemplate(.transaction).with("advancedCommerceInfo", objects))
        },
        Attack(
            "token-nesting",
            "arrays in each other, as deep as the limit allows, again and again",
            upTo: 1_048_000,
            ceiling: 131,
            memory: 1,
            work: .token(.transaction)
        ) { mint, size in
            let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
            return mint.token(TokenTemplate(.transaction).with("x", "[" + list(json(size), deep) + "]"))
        },
        Attack(
            "token-nesting-too-deep",
            "arrays in each other, as deep as fit",
            upTo: 1_048_000,
            ceiling: 15,
            memory: 1,
            outcome: "jws.not-an-object",
            work: .token(.transaction)
        ) { mint, size in
            let half = json(size) / 2
            let deep = String(repeating: "[", count: half) + String(repeating: "]", count: half)
            return mint.token(TokenTemplate(.transaction).with("x", deep))
        },
        Attack(
            "token-signature",
            "a signature as long as fits",
            upTo: 1_048_000,
            ceiling: 15,
            memory: 1,
            outcome: "ecdsa.signature-length",
            work: .token(.transaction)
        ) { mint, size in
            var mint = mint.tokens
            mint.signature.forgery = { _, _ in [UInt8](repeating: 0x55, count: json(size)) }
            return mint.token(.transaction)
        },
        Attack(
            "token-header",
            "a header with a long unknown member",
            upTo: 1_030_000,
            ceiling: 84,
            memory: 1,
            work: .token(.transaction)
        ) { mint, size in
            var mint = mint.tokens
            // A cache remembers headers of up to 16 KiB, and hashes them once more.
            mint.signature.header["x"] = .json(text(json(size) + 12_300, mostlyASCII))
            return mint.token(.transaction)
        },
        Attack(
            "token-x5c",
            "an array x5c with as many elements as fit",
            upTo: 1_048_000,
            ceiling: 127,
            memory: 8,
            outcome: "jws.certificate-count",
            work: .token(.transaction)
        ) { mint, size in
            var mint = mint.tokens
            mint.signature.header["x5c"] = .json("[" + list(json(size), #""""#) + "]")
            return mint.token(.transaction)
        },
        Attack(
            "token-certificates",
            "three certificates, as long as fit, each hashed with SHA-384",
            upTo: 1_048_000,
            ceiling: 128,
            memory: 3,
            work: .token(.transaction)
        ) { mint, size in
            // Base64 in base64url.
            let padding = [UInt8](repeating: 0, count: json(size) / 4)
            let long = ExtensionTemplate(ObjectIdentifier(1, 2), value: padding)
            var pki = mint.tokenPKI
            for role in TokenPKI.Role.allCases { pki = pki.reissued(role) { $0.extensions.append(long) } }
            return TokenMint(pki).token(.transaction)
        },
        Attack(
            "token-keys",
            "a path of keys on P-384: two checks, and one on P-256 for the token",
            upTo: 8_000,
            ceiling: 1775,
            memory: 1,
            work: .token(.transaction)
        ) { mint, _ in
            mint.tokens.token(.transaction)
        },
        Attack(
            "notification",
            "a notification whose two tokens are as long as fit",
            upTo: 1_048_000,
            ceiling: 321,
            memory: 3,
            work: .token(.notification)
        ) { mint, size in
            var template = TokenTemplate(.notification)
            for name in [SignedPayloadError.NestedToken.transaction, .renewalInfo] {
                template.changeNested(name) {
                    $0 = $0.with("productId", text(json(json(size)) / 2, #"\u00e9"#))
                }
            }
            return mint.token(template)
        },
        Attack(
            "notification-headers",
            "a notification whose two tokens have other headers, so that each path is checked: nine checks",
            upTo: 32_000,
            ceiling: 1543,
            memory: 1,
            work: .token(.notification)
        ) { mint, _ in
            let outer = mint.tokens
            let texts = ["a", "b"].map { header in
                var inner = outer
                inner.signature.header["x"] = .text(header)
                let token = inner.token(header == "a" ? .transaction : .renewalInfo)
                return PayloadValue.text(String(decoding: token, as: UTF8.self))
            }
            return outer.token(.notification) {
                $0.payload["data.signedTransactionInfo"] = texts[0]
                $0.payload["data.signedRenewalInfo"] = texts[1]
            }
        },
    ]

    /// Thirty characters of one byte and one of two bytes.
    private static let mostlyASCII = String(repeating: "a", count: 30) + "é"

    /// The length of the payload or the header of a token of a length, next to other parts of 12,000 bytes.
    private static func json(_ byteCount: Int) -> Int { max(1, (byteCount - 12_000) / 4 * 3) }

    /// A JSON string of a unit, repeated up to a number of bytes.
    private static func text(_ byteCount: Int, _ unit: String) -> String {
        "\"" + String(repeating: unit, count: byteCount / unit.utf8.count) + "\""
    }

    /// The data of an Advanced Commerce purchase with one item. Its refunds are an object, repeated up to a
    /// number of bytes.
    private static func refunds(_ byteCount: Int, _ object: String) -> String {
        "{\"items\":[{\"refunds\":[" + list(byteCount, object) + "]}]}"
    }

    /// A unit, repeated up to a number of bytes, with commas between.
    private static func list(_ byteCount: Int, _ unit: String) -> String {
        String(repeating: unit + ",", count: byteCount / (unit.utf8.count + 1)) + unit
    }
}

extension TokenTemplate {
    /// The payload with a member that has JSON as its value.
    fileprivate func with(_ name: String, _ json: String) -> Self {
        var template = self
        template.payload[name] = .json(json)
        return template
    }
}
