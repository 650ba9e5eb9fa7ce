import DER
import SHA

/// Signatures that are verified together: RSASSA-PKCS1-V1_5-VERIFY (RFC 8017 §8.2.2) of each, with the
/// verdict that ``PublicKey/verify(_:digest:acceleration:)`` has for it, whatever its neighbours are.
///
/// Where the processor can raise eight numbers of 2048 bits at once, signatures by such keys wait until
/// eight with one exponent are followed by another, or by one of another exponent, or until they are asked
/// about; others are verified as they come. A value
/// without locks: each worker keeps its own.
public struct SignatureBatch: Sendable {
    /// By what signatures are opened; it changes no verdict.
    public let acceleration: Acceleration
    /// Of all that came, in their order; false for those that wait.
    private var verdicts: [Bool] = []
    #if Accelerated && arch(x86_64)
        private var waiting = WaitingSignatures()
    #endif

    /// Without a signature.
    public init(acceleration: Acceleration = .none) { self.acceleration = acceleration }

    /// How many signatures there are.
    public var count: Int { verdicts.count }

    /// Adds a signature over a message with this digest, of which a copy is made if it has to wait.
    public mutating func append(_ signature: Span<UInt8>, digest: Digest, by key: PublicKey) {
        #if Accelerated && arch(x86_64)
            if signature.count == key.modulusByteCount,
                let squarings = key.modulus.squarings(key.exponent, acceleration)
            {
                if waiting.squarings != squarings || waiting.isFull { verifyWaiting() }
                waiting.append(signature, digest, key, squarings, index: verdicts.count)
                verdicts.append(false)
                return
            }
        #endif
        verdicts.append((try? key.verify(signature, digest: digest, acceleration: acceleration)) != nil)
    }

    /// Whether each of them is right, in their order. After that there are none.
    public mutating func verify() -> [Bool] {
        #if Accelerated && arch(x86_64)
            verifyWaiting()
        #endif
        defer { verdicts = [] }
        return verdicts
    }

    #if Accelerated && arch(x86_64)
        private mutating func verifyWaiting() {
            let acceleration = acceleration
            waiting.verify(acceleration) { index in verdicts[index] = true }
        }
    #endif
}

#if Accelerated && arch(x86_64)
    /// Up to eight signatures of 2048 bits that wait to be verified, with one exponent.
    private struct WaitingSignatures: Sendable {
        private struct Member {
            /// In the batch, for the verdict.
            let index: Int
            let digest: Digest
            let key: PublicKey
        }

        private var members: [Member] = []
        /// The signatures, one after the other.
        private var octets: [UInt8] = []
        /// How many squarings their exponent takes.
        private(set) var squarings = 0
        /// Moduli that were met, the oldest of which gives way.
        private var moduli: [EightfoldModulus] = []
        private var oldest = 0

        /// How many moduli are remembered: twice what eight signatures can have.
        private static let capacity = 16
        /// How many signatures take less time together than one by one, by measurement.
        private static let worthwhileCount = 6

        var isFull: Bool { members.count == 8 }

        /// Adds a signature; there must be room for it.
        mutating func append(
            _ signature: Span<UInt8>,
            _ digest: Digest,
            _ key: PublicKey,
            _ squarings: Int,
            index: Int
        ) {
            self.squarings = squarings
            octets.append(signature, in: 0..<signature.count)
            members.append(Member(index: index, digest: digest, key: key))
        }

        /// Calls `body` with the index of each that is right, and forgets them.
        mutating func verify(_ acceleration: Acceleration, _ body: (_ index: Int) -> Void) {
            if members.count < Self.worthwhileCount {
                verifyEach(acceleration, body)
            } else {
                verifyAll(body)
            }
            members.removeAll(keepingCapacity: true)
            octets.removeAll(keepingCapacity: true)
        }

        private func verifyEach(_ acceleration: Acceleration, _ body: (_ index: Int) -> Void) {
            for (place, member) in members.enumerated() {
                let signature = octets.span.extracting((256 * place)..<(256 * place + 256))
                guard
                    (try? member.key.verify(signature, digest: member.digest, acceleration: acceleration))
                        != nil
                else { continue }
                body(member.index)
            }
        }

        private mutating func verifyAll(_ body: (_ index: Int) -> Void) {
            var moduli: [EightfoldModulus] = []
            moduli.reserveCapacity(8)
            for member in members { moduli.append(eightfold(member.key.modulus)) }
            EightfoldModulus.withPowers(of: octets.span, moduli, squarings) { place, power in
                let expected = EncodedMessage(members[place].digest, byteCount: 256)
                if expected.equals(power) { body(members[place].index) }
            }
        }

        private mutating func eightfold(_ modulus: MontgomeryModulus) -> EightfoldModulus {
            for known in moduli where known.modulus.isSame(as: modulus) { return known }
            let eightfold = EightfoldModulus(modulus)
            if moduli.count < Self.capacity {
                moduli.append(eightfold)
            } else {
                moduli[oldest] = eightfold
                oldest = (oldest + 1) % Self.capacity
            }
            return eightfold
        }
    }
#endif
