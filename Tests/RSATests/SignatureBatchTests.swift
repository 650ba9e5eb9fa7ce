import AppReceiptMint
import DER
import Processor
import RSA
import SHA
import TestSupport
import Testing

@Suite("Signatures verified together")
struct SignatureBatchTests {
    /// A row of `Vectors/rsa`, with the verdict of openssl and the standard.
    private struct Member {
        let identifier: String
        let key: PublicKey
        let signature: [UInt8]
        let digest: Digest
        let isRight: Bool

        init(_ row: Row) throws {
            identifier = row["id"]
            key = try PublicKey(subjectPublicKeyInfo: vector("rsa/keys/\(row["key"])"))
            signature = hex(row["signature_hex"])
            digest = try #require(VectorTests.algorithms[row["hash"]]).digest(of: hex(row["message_hex"]))
            isRight = row["verdict"] == "accept"
        }
    }

    private static func members() throws -> [Member] { try OpenSSLVectorTests.rows.map(Member.init) }

    private static func genuine() throws -> Member {
        try #require(members().first { $0.identifier == "rsa-2048-sha256" })
    }

    /// Verifies the signatures in a batch, with the instructions of this machine, of older ones, and with
    /// portable code.
    private func expectVerdicts(_ members: [Member], sourceLocation: SourceLocation = #_sourceLocation) {
        for acceleration in [.none] + accelerations {
            var batch = SignatureBatch(acceleration: acceleration)
            for member in members {
                batch.append(member.signature.span, digest: member.digest, by: member.key)
            }
            #expect(batch.count == members.count, sourceLocation: sourceLocation)
            let verdicts = batch.verify()
            #expect(verdicts.count == members.count, sourceLocation: sourceLocation)
            for (member, verdict) in zip(members, verdicts) {
                #expect(verdict == member.isRight, "\(member.identifier)", sourceLocation: sourceLocation)
            }
            #expect(batch.count == 0 && batch.verify().isEmpty, sourceLocation: sourceLocation)
        }
    }

    @Test(
        "verifies genuine and forged signatures by keys of all lengths and exponents, in any order",
        arguments: 1...5
    )
    func mixed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        expectVerdicts(try Self.members().shuffled(using: &random))
    }

    @Test("verifies any number of signatures, so that the last group is full or not", arguments: 0...25)
    func count(_ count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let members = try Self.members().filter { $0.identifier.hasPrefix("rsa-2048-") }
        expectVerdicts(Array(members.shuffled(using: &random).prefix(count)))
    }

    @Test("a forged signature at any place does not affect its neighbours", arguments: 0..<8)
    func forged(place: Int) throws {
        let genuine = try Self.genuine()
        for forgery in try Self.members() where !forgery.isRight && forgery.key.modulusBitCount == 2048 {
            var members = Array(repeating: genuine, count: 8)
            members[place] = forgery
            expectVerdicts(members)
        }
    }

    @Test("a genuine signature at any place does not affect its neighbours", arguments: 0..<8)
    func surrounded(place: Int) throws {
        let forgery = try #require(try Self.members().first { $0.identifier == "rsa-2048-last-bit" })
        var members = Array(repeating: forgery, count: 8)
        members[place] = try Self.genuine()
        expectVerdicts(members)
    }

    @Test(
        "verifies signatures by more keys than the batch remembers, one of them genuine",
        arguments: [.none] + accelerations
    )
    func keys(_ acceleration: Acceleration) throws {
        // The other keys are random numbers, so no signature by them is valid.
        var random = SeededGenerator(seed: 7)
        let genuine = try Self.genuine()
        var batch = SignatureBatch(acceleration: acceleration)
        var wanted: [Bool] = []
        for _ in 0..<3 {
            for index in 0..<24 {
                var modulus = octets(random.number(32))
                // A third of the moduli has 2047 bits, a length without a kernel.
                modulus[0] = index % 3 == 1 ? modulus[0] & 0x3F | 0x40 : modulus[0] | 0x80
                modulus[255] |= 1
                let key =
                    index % 3 == 0
                    ? genuine.key : try PublicKey(modulus: modulus, exponent: TestKey.exponent)
                batch.append(genuine.signature.span, digest: genuine.digest, by: key)
                wanted.append(index % 3 == 0)
            }
        }
        #expect(batch.verify() == wanted)
    }

    @Test(
        "signatures appended after a verification are not mixed with earlier ones",
        arguments: [.none] + accelerations
    )
    func again(_ acceleration: Acceleration) throws {
        let (genuine, members) = (try Self.genuine(), try Self.members())
        let forgery = try #require(members.first { $0.identifier == "rsa-2048-last-bit" })
        var batch = SignatureBatch(acceleration: acceleration)
        for isRight in [true, false, true] {
            let member = isRight ? genuine : forgery
            for _ in 0..<9 { batch.append(member.signature.span, digest: member.digest, by: member.key) }
            #expect(batch.verify() == Array(repeating: isRight, count: 9))
        }
    }
}
