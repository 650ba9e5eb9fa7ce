import AppReceipt
import ECDSA
import RSA
import SHA

/// Computes the digest of one buffer, again and again.
struct DigestComputation: Workload {
    fileprivate let algorithm: HashAlgorithm
    fileprivate let message: [UInt8]
    fileprivate let acceleration: Acceleration
    var byteCount: Double { Double(message.count) }

    init(_ algorithm: HashAlgorithm, byteCount: String, _ acceleration: Acceleration) throws {
        guard let count = Int(byteCount), (0...1 << 30).contains(count) else {
            throw Failure.usage("the input of a digest must be a number of bytes, not \(byteCount)")
        }
        self.algorithm = algorithm
        self.acceleration = acceleration
        message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
    }

    func run(_ operations: Int) -> Int {
        repeated(operations) { () throws in
            algorithm.digest(of: message.span, acceleration: acceleration).count
        }
    }
}

/// Computes the digests of several buffers at once, again and again.
struct DigestsAtOnce: Workload {
    private let one: DigestComputation
    private let messages: [ArraySlice<UInt8>]
    var byteCount: Double { one.byteCount * Double(messages.count) }

    init(_ one: DigestComputation, count: Int) {
        self.one = one
        messages = (0..<count).map { _ in one.message[...] }
    }

    func run(_ operations: Int) -> Int {
        repeated(operations) { () throws in
            let digests = one.algorithm.digests(of: messages, acceleration: one.acceleration)
            return digests.reduce(0) { $0 &+ $1.count }
        }
    }
}

/// Verifies one RSASSA-PKCS1-v1_5 signature over SHA-256, again and again, with one key.
struct SignatureVerification: Workload {
    let key: PublicKey
    let signature: [UInt8]
    let digest: Digest
    let acceleration: Acceleration
    var byteCount: Double { Double(signature.count) }

    /// - Parameter directory: contains key.der (SubjectPublicKeyInfo), signature.bin and message.bin.
    init(modulusBits: Int, directory: String, _ acceleration: Acceleration) throws {
        let information = try readFile("\(directory)/key.der")
        let message = try readFile("\(directory)/message.bin")
        key = try PublicKey(subjectPublicKeyInfo: information.span)
        guard key.modulusBitCount == modulusBits else {
            throw Failure.work("\(directory)/key.der has \(key.modulusBitCount) bits, not \(modulusBits)")
        }
        signature = try readFile("\(directory)/signature.bin")
        digest = HashAlgorithm.sha256.digest(of: message.span)
        self.acceleration = acceleration
    }

    func run(_ operations: Int) -> Int {
        repeated(operations) { () throws in
            try key.verify(signature.span, digest: digest, acceleration: acceleration)
            return 1
        }
    }
}

/// Verifies one ECDSA signature, again and again, with one key: on P-256 over SHA-256, on P-384 over SHA-384.
struct CurveVerification: Workload {
    private let key: ECPublicKey
    private let signature: [UInt8]
    private let digest: Digest
    var byteCount: Double { Double(signature.count) }

    /// - Parameter directory: contains key.der (SubjectPublicKeyInfo), signature.bin (ECDSA-Sig-Value) and
    ///   message.bin.
    init(_ curve: Curve, directory: String) throws {
        let information = try readFile("\(directory)/key.der")
        let message = try readFile("\(directory)/message.bin")
        key = try ECPublicKey(subjectPublicKeyInfo: information.span, in: information.indices)
        guard key.curve == curve else {
            throw Failure.work("\(directory)/key.der is on \(key.curve), not on \(curve)")
        }
        signature = try readFile("\(directory)/signature.bin")
        let algorithm: HashAlgorithm = curve == .p256 ? .sha256 : .sha384
        digest = algorithm.digest(of: message.span)
    }

    func run(_ operations: Int) -> Int {
        repeated(operations) { () throws in
            try key.verify(signature.span, digest: digest)
            return 1
        }
    }
}

/// Detects the processor's instruction sets, again and again.
struct Detection: Workload {
    let byteCount = 0.0

    func run(_ operations: Int) -> Int {
        repeated(operations) { () throws in Acceleration.detected() == .none ? 0 : 1 }
    }
}

/// Verifies a batch of eight signatures, again and again.
struct BatchVerification: Workload {
    private let one: SignatureVerification
    private var batch: SignatureBatch
    var byteCount: Double { 8 * one.byteCount }

    init(_ one: SignatureVerification) {
        self.one = one
        batch = SignatureBatch(acceleration: one.acceleration)
    }

    mutating func run(_ operations: Int) -> Int {
        var batch = batch
        defer { self.batch = batch }
        return repeated(operations) { () throws in
            for _ in 0..<8 { batch.append(one.signature.span, digest: one.digest, by: one.key) }
            return batch.verify().contains(false) ? 0 : 1
        }
    }
}
