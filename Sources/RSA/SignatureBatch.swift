import Basics
import DER
import Processor
import SHA

/// Verifies many RSA signatures, several at once if the processor can: RSASSA-PKCS1-V1_5-VERIFY (RFC 8017
/// §8.2.2).
///
/// Each verdict is the one that ``PublicKey/verify(_:digest:acceleration:)`` gives for the signature. It does
/// not depend on the other signatures of the batch.
///
/// If `acceleration` allows AVX-512 IFMA or VL, up to eight signatures by 2048-bit keys with the same
/// exponent 2^s + 1 are verified at once. If it allows AVX2 and neither of these, up to four are. In both
/// cases such signatures wait until eight wait and a ninth arrives, until one with another such exponent
/// arrives, or until ``verify()`` is called. Other signatures are verified when they are added.
///
/// A batch has no locks. Each worker keeps a batch of its own.
public struct SignatureBatch: Sendable {
    /// The processor instructions that verify signatures. The verdicts do not depend on them.
    package let acceleration: Acceleration
    /// Whether each signature of the batch is valid, in the order of arrival. False while a signature waits.
    private var verdicts: [Bool] = []
    #if Accelerated && arch(x86_64)
        /// A signature of 2048 bits that waits to be verified together with others, without its octets.
        private struct Waiting {
            /// The index in `verdicts` of the signature's verdict.
            let index: Int
            let digest: Digest
            let key: PublicKey
        }

        /// The kernel for several signatures at once; nil if there is none. If it is nil, no signature waits.
        private let kernel: PowerKernel?
        /// The signatures that wait: at most eight, all by keys with the same exponent.
        private var waiting: ContiguousArray<Waiting> = []
        /// The octets of the signatures that wait, 256 for each.
        private var octets: [UInt8] = []
        /// The s of the exponent 2^s + 1 of the keys of the signatures that wait.
        private var squarings = 0
        /// The moduli whose constants were computed last. A further modulus replaces the oldest of 16, which
        /// are twice as many as eight signatures can have.
        private var moduli = RecentElements<LaneModulus>(capacity: 16)
    #endif

    /// Creates an empty batch.
    ///
    /// - Parameter acceleration: the processor instructions to use. The verdicts do not depend on them.
    public init(acceleration: Acceleration = .none) {
        self.acceleration = acceleration
        #if Accelerated && arch(x86_64)
            kernel = PowerKernel(acceleration)
        #endif
    }

    /// The number of signatures that ``verify()`` will report.
    package var count: Int { verdicts.count }

    /// Adds a signature. If the signature has to wait, it is copied.
    ///
    /// - Parameters:
    ///   - signature: the signature, most significant octet first. A signature of the wrong length gets the
    ///     verdict false.
    ///   - digest: the digest of the signed message.
    ///   - key: the public key of the signer.
    public mutating func append(_ signature: Span<UInt8>, digest: Digest, by key: PublicKey) {
        #if Accelerated && arch(x86_64)
            if kernel != nil, signature.count == key.modulusByteCount,
                let squarings = key.modulus.squarings(key.exponent)
            {
                if self.squarings != squarings || waiting.count == 8 { verifyWaiting() }
                self.squarings = squarings
                octets.append(signature, in: 0..<signature.count)
                waiting.append(Waiting(index: verdicts.count, digest: digest, key: key))
                verdicts.append(false)
                return
            }
        #endif
        verdicts.append((try? key.verify(signature, digest: digest, acceleration: acceleration)) != nil)
    }

    /// Verifies the signatures that still wait, and empties the batch.
    ///
    /// - Returns: whether each signature is valid, for all since the last call, in the order of arrival.
    public mutating func verify() -> [Bool] {
        #if Accelerated && arch(x86_64)
            verifyWaiting()
        #endif
        defer { verdicts = [] }
        return verdicts
    }
}

#if Accelerated && arch(x86_64)
    extension SignatureBatch {
        /// Verifies the signatures that wait: several at once where that is faster, the others one by one.
        private mutating func verifyWaiting() {
            let share = kernel?.laneShare(of: waiting.count) ?? 0
            if let kernel, share > 0 { verifyInLanes(share, kernel) }
            for place in share..<waiting.count { verdicts[waiting[place].index] = isValid(place) }
            waiting.removeAll(keepingCapacity: true)
            octets.removeAll(keepingCapacity: true)
        }

        /// Verifies the signature with the index `place` in `waiting` alone, and returns whether it is valid.
        private func isValid(_ place: Int) -> Bool {
            let (one, start) = (waiting[place], 256 * place)
            let signature = octets.borrowedSpan.extracting(start..<(start + 256))
            return (try? one.key.verify(signature, digest: one.digest, acceleration: acceleration)) != nil
        }

        /// Verifies the first `count` of the signatures that wait, several at once, and sets their verdicts.
        private mutating func verifyInLanes(_ count: Int, _ kernel: PowerKernel) {
            var moduli: ContiguousArray<LaneModulus> = []
            moduli.reserveCapacity(8)
            for index in 0..<count { moduli.append(constants(of: waiting[index].key.modulus, kernel)) }
            // The closure changes the verdicts while the octets are borrowed.
            var verdicts: [Bool] = []
            swap(&verdicts, &self.verdicts)
            LaneModulus.withPowers(
                of: octets.borrowedSpan.extracting(first: 256 * count),
                moduli,
                squarings
            ) { place, power in
                let one = waiting[place]
                verdicts[one.index] = EncodedMessage(digest: one.digest, byteCount: 256).equals(power)
            }
            swap(&verdicts, &self.verdicts)
        }

        /// The constants of a modulus, taken from `moduli`, or computed and appended to `moduli`.
        private mutating func constants(
            of modulus: MontgomeryModulus,
            _ kernel: PowerKernel
        ) -> LaneModulus {
            if let known = index(of: modulus) { return moduli.elements[known] }
            let constants = LaneModulus(modulus, kernel)
            moduli.append(constants)
            return constants
        }

        /// The index of a modulus in `moduli`; nil if `moduli` does not contain it.
        private func index(of modulus: MontgomeryModulus) -> Int? {
            // The span lends each modulus. An iterator would copy it.
            let moduli = moduli.elements.borrowedSpan
            for index in moduli.indices where moduli[index].modulus == modulus { return index }
            return nil
        }
    }
#endif
