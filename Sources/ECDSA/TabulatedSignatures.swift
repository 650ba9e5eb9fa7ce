import Basics
import Processor
import SHA

#if Accelerated && arch(x86_64)
    import IFMA
#endif

/// Verifies many signatures of ECDSA on P-256 together, each by a ``TabulatedKey``. If `acceleration` allows
/// AVX-512 IFMA, the processor verifies up to eight at once.
///
/// Each verdict is the one that ``TabulatedKey/verify(concatenated:digest:)`` gives for the signature. The
/// verdict does not depend on the other signatures. All signatures share one inversion.
///
/// A value has no locks: each worker has its own.
package struct TabulatedSignatures: Sendable {
    private let acceleration: Acceleration
    /// Whether each signature is valid, in the order in which they were added. False while one waits.
    private var verdicts: [Bool] = []
    /// The signatures with r and s in range.
    private var waiting: [Waiting] = []

    /// A signature with r and s in range.
    private struct Waiting: Sendable {
        /// The index of the signature's verdict in `verdicts`.
        let index: Int
        let scalars: SignatureScalars<P256>
        let key: TabulatedKey
    }

    /// Creates an empty list.
    ///
    /// - Parameter acceleration: the processor instructions to use. The verdicts do not depend on them.
    package init(acceleration: Acceleration) { self.acceleration = acceleration }

    /// Adds a signature to the list. A signature of another length, or with r or s outside 1…n-1, is invalid.
    ///
    /// - Parameters:
    ///   - signature: r ‖ s, 32 octets each.
    ///   - digest: the digest of the signed message.
    ///   - key: the key that verifies the signature.
    package mutating func append(
        concatenated signature: Span<UInt8>,
        digest: Digest,
        by key: TabulatedKey
    ) {
        let count = P256.Number.octetCount
        if signature.count == 2 * count,
            let scalars = try? SignatureScalars<P256>(signature, 0..<count, count..<2 * count, digest)
        {
            waiting.append(Waiting(index: verdicts.count, scalars: scalars, key: key))
        }
        verdicts.append(false)
    }

    /// Verifies the signatures, and empties the list.
    ///
    /// - Returns: whether each signature is valid, in the order in which they were added.
    package mutating func verify() -> [Bool] {
        let factors = SignatureScalars.factors(of: waiting.map { $0.scalars })
        for start in stride(from: 0, to: factors.count, by: 8) {
            verify(start..<min(start + 8, factors.count), factors)
        }
        defer { self = Self(acceleration: acceleration) }
        return verdicts
    }

    /// Verifies at most eight signatures, with these indices in ``waiting`` and in their factors, and sets
    /// their verdicts.
    private mutating func verify(_ range: Range<Int>, _ factors: [VerificationFactors<P256>]) {
        #if Accelerated && arch(x86_64)
            if range.count >= Self.worthwhileCount, acceleration.allows(.avx512IFMA) {
                return verifyInLanes(range, factors)
            }
        #endif
        for index in range { verdicts[waiting[index].index] = waiting[index].key.verifies(factors[index]) }
    }

    #if Accelerated && arch(x86_64)
        /// The smallest number of signatures for which the kernel of AVX-512 IFMA is used. Unused lanes take
        /// as long as used ones.
        private static var worthwhileCount: Int { 2 }

        /// Verifies one to eight signatures at once, and sets their verdicts. The processor must have AVX-512
        /// IFMA.
        private mutating func verifyInLanes(_ range: Range<Int>, _ factors: [VerificationFactors<P256>]) {
            let sums = P256Multiples.sums(
                range.map { index in
                    let key = waiting[index].key
                    return (factors[index].u, key.base, factors[index].v, key.key)
                }
            )
            for (index, sum) in zip(range, sums) {
                let signature = waiting[index]
                verdicts[signature.index] =
                    sum.isInfinity ? signature.key.verifies(factors[index]) : sum.hasX(factors[index].r)
            }
        }
    #endif
}

#if Accelerated && arch(x86_64)
    extension P256Multiples {
        /// The points u·P + v·Q for one to eight pairs of factors and the tables of P and Q.
        ///
        /// Y of the results is unknown. A result is the point at infinity also if a table's point was added
        /// to an equal or an opposite point. The caller must compute each such result again with `sum`.
        ///
        /// Precondition, not checked: the processor has AVX-512 IFMA.
        static func sums(
            _ terms: [(u: P256.Number, one: Self, v: P256.Number, other: Self)]
        ) -> [JacobianPoint<P256>] {
            precondition(1...8 ~= terms.count, "there must be one to eight sums")
            // A window has 64 limbs: the point of each of eight lanes. P's windows come first, then Q's.
            let count = 2 * windowCount * 64
            return unsafe withUnsafeTemporaryAllocation(byteCount: 8 * count, alignment: 64) { memory in
                // The memory is not empty, so it has an address.
                let rows = unsafe memory.baseAddress.unsafelyUnwrapped
                let limbs = unsafe rows.bindMemory(to: UInt64.self, capacity: count)
                unsafe limbs.update(repeating: 0, count: count)
                for (index, term) in terms.enumerated() {
                    // In bounds: index < 8, and a window is below windowCount.
                    let (lane, other) = unsafe (limbs + index, limbs + index + windowCount * 64)
                    term.one.forEachPoint(of: term.u) { unsafe $1?.store(lane + 64 * $0) }
                    term.other.forEachPoint(of: term.v) { unsafe $1?.store(other + 64 * $0) }
                }
                // The caller has checked that the processor has these instructions.
                unsafe addEight(rows, 2 * windowCount)
                return terms.indices.map { unsafe JacobianPoint(lane: limbs + $0) }
            }
        }
    }

    extension AffinePoint<P256> {
        /// Writes the limbs of x and y into one lane of eight rows.
        ///
        /// Unsafe: every eighth of 57 limbs must be writable.
        @unsafe
        @inline(__always)
        fileprivate func store(_ lane: UnsafeMutablePointer<UInt64>) {
            for limb in 0..<4 {
                unsafe lane[8 * limb] = x.form[limb]
                unsafe lane[32 + 8 * limb] = y.form[limb]
            }
        }
    }

    extension JacobianPoint<P256> {
        /// Reads X and Z from one lane of eight rows. Y is unknown.
        ///
        /// Unsafe: every eighth of 57 limbs must be readable.
        @unsafe
        fileprivate init(lane: UnsafeMutablePointer<UInt64>) {
            var (x, z) = (P256.Number(), P256.Number())
            for limb in 0..<4 {
                unsafe x[limb] = lane[8 * limb]
                unsafe z[limb] = lane[32 + 8 * limb]
            }
            (self.x, y, self.z) = (Residue(form: x), .zero, Residue(form: z))
        }
    }
#endif
