import Bytes
import DER
import Processor
import SHA

/// Verifies many RSA signatures, several at once if the processor can: RSASSA-PKCS1-V1_5-VERIFY (RFC 8017
/// §8.2.2).
///
/// Each verdict is the one that ``PublicKey/verify(_:digest:acceleration:)`` gives for the signature. It does
/// not depend on the other signatures of the batch.
///
/// With AVX-512, the processor verifies eight signatures by 2048-bit keys with one exponent at once, and with
/// AVX2 four. Such signatures wait until there are eight and a ninth arrives, until a signature with another
/// exponent arrives, or until ``verify()`` is called. Other signatures are verified when they are added.
///
/// A batch has no locks. Each worker keeps a batch of its own.
public struct SignatureBatch: Sendable {
    /// The processor instructions that verify signatures. The verdicts do not depend on them.
    public let acceleration: Acceleration
    /// The verdicts of all signatures in the order of arrival. False while a signature waits.
    private var verdicts: [Bool] = []
    #if Accelerated && arch(x86_64)
        private var waiting: WaitingSignatures
    #endif

    /// Creates an empty batch.
    ///
    /// - Parameter acceleration: the processor instructions to use. The verdicts do not depend on them.
    public init(acceleration: Acceleration = .none) {
        self.acceleration = acceleration
        #if Accelerated && arch(x86_64)
            waiting = WaitingSignatures(kernel: PowerKernel(acceleration))
        #endif
    }

    /// The number of signatures that ``verify()`` will report.
    public var count: Int { verdicts.count }

    /// Adds a signature. If the signature has to wait, it is copied.
    ///
    /// - Parameters:
    ///   - signature: the signature, most significant octet first. A signature of the wrong length gets the
    ///     verdict false.
    ///   - digest: the digest of the signed message.
    ///   - key: the public key of the signer.
    public mutating func append(_ signature: Span<UInt8>, digest: Digest, by key: PublicKey) {
        #if Accelerated && arch(x86_64)
            if waiting.kernel != nil, signature.count == key.modulusByteCount,
                let squarings = key.modulus.squarings(key.exponent)
            {
                if waiting.squarings != squarings || waiting.isFull { verifyWaiting() }
                waiting.append(signature, digest, key, squarings, index: verdicts.count)
                verdicts.append(false)
                return
            }
        #endif
        verdicts.append((try? key.verify(signature, digest: digest, acceleration: acceleration)) != nil)
    }

    /// Verifies the signatures that still wait, and empties the batch.
    ///
    /// - Returns: for each signature, in the order of arrival, whether it is valid.
    public mutating func verify() -> [Bool] {
        #if Accelerated && arch(x86_64)
            verifyWaiting()
        #endif
        defer { verdicts = [] }
        return verdicts
    }

    #if Accelerated && arch(x86_64)
        /// Verifies the signatures that wait and records their verdicts.
        private mutating func verifyWaiting() {
            let acceleration = acceleration
            waiting.verify(acceleration) { index in verdicts[index] = true }
        }
    #endif
}

#if Accelerated && arch(x86_64)
    /// Up to eight signatures of 2048 bits with one exponent that wait to be verified together.
    private struct WaitingSignatures: Sendable {
        private struct Member {
            /// The place of the signature in the batch.
            let index: Int
            let digest: Digest
            let key: PublicKey
        }

        /// The kernel that verifies them; nil if there is none. Then no signature waits.
        let kernel: PowerKernel?
        private var members: ContiguousArray<Member> = []
        /// The octets of all signatures, 256 for each.
        private var octets: [UInt8] = []
        /// The number of squarings for their exponent, which is 2^squarings + 1.
        private(set) var squarings = 0
        /// Recently used moduli with their constants. A new modulus replaces the oldest.
        private var moduli: ContiguousArray<LaneModulus> = []
        /// The index of the oldest modulus.
        private var oldest = 0

        /// How many moduli are remembered: twice as many as eight signatures can have.
        private static let capacity = 16

        init(kernel: PowerKernel?) { self.kernel = kernel }

        /// Whether eight signatures wait.
        var isFull: Bool { members.count == 8 }

        /// Adds a signature of 256 octets. Precondition, not checked: fewer than eight signatures wait.
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

        /// Calls `body` with the index of each valid signature, then removes all signatures.
        mutating func verify(_ acceleration: Acceleration, _ body: (_ index: Int) -> Void) {
            let share = kernel?.laneShare(of: members.count) ?? 0
            if let kernel, share > 0 { verifyInLanes(share, kernel, body) }
            verifyEach(share..<members.count, acceleration, body)
            members.removeAll(keepingCapacity: true)
            octets.removeAll(keepingCapacity: true)
        }

        /// Verifies the signatures of a range one by one.
        private func verifyEach(
            _ range: Range<Int>,
            _ acceleration: Acceleration,
            _ body: (_ index: Int) -> Void
        ) {
            for place in range {
                let member = members[place]
                let signature = octets.borrowedSpan.extracting((256 * place)..<(256 * place + 256))
                guard
                    (try? member.key.verify(signature, digest: member.digest, acceleration: acceleration))
                        != nil
                else { continue }
                body(member.index)
            }
        }

        /// Verifies the first signatures together.
        private mutating func verifyInLanes(
            _ count: Int,
            _ kernel: PowerKernel,
            _ body: (_ index: Int) -> Void
        ) {
            var moduli: ContiguousArray<LaneModulus> = []
            moduli.reserveCapacity(8)
            for index in 0..<count { moduli.append(constants(of: members[index].key.modulus, kernel)) }
            let octets = octets.borrowedSpan.extracting(first: 256 * count)
            LaneModulus.withPowers(of: octets, moduli, squarings) { place, power in
                let expected = EncodedMessage(members[place].digest, byteCount: 256)
                if expected.equals(power) { body(members[place].index) }
            }
        }

        /// The constants of a modulus, remembered or newly computed.
        private mutating func constants(
            of modulus: MontgomeryModulus,
            _ kernel: PowerKernel
        ) -> LaneModulus {
            if let known = index(of: modulus) { return moduli[known] }
            let constants = LaneModulus(modulus, kernel)
            if moduli.count < Self.capacity {
                moduli.append(constants)
            } else {
                moduli[oldest] = constants
                oldest = (oldest + 1) % Self.capacity
            }
            return constants
        }

        /// The index of a remembered modulus; nil if it is not remembered.
        private func index(of modulus: MontgomeryModulus) -> Int? {
            // The span lends each modulus. An iterator would copy it.
            let moduli = moduli.span
            for index in moduli.indices where moduli[index].modulus == modulus { return index }
            return nil
        }
    }
#endif
