import RSA
import SHA

/// One digest after the other, of one buffer.
struct Digesting: Workload {
    private let algorithm: HashAlgorithm
    private let message: [UInt8]
    private let acceleration: Acceleration
    /// Two messages at once, by SHA-256.
    private let isOfTwo: Bool
    var byteCount: Double { Double(isOfTwo ? 2 * message.count : message.count) }

    init(
        _ algorithm: HashAlgorithm,
        byteCount: String,
        _ acceleration: Acceleration,
        isOfTwo: Bool = false
    ) throws {
        guard let count = Int(byteCount), (0...1 << 30).contains(count) else {
            throw Failure.usage("for a digest, an input is a number of bytes, not \(byteCount)")
        }
        self.algorithm = algorithm
        self.acceleration = acceleration
        self.isOfTwo = isOfTwo
        message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
    }

    func run(_ operations: Int) -> Int {
        if isOfTwo {
            return repeated(operations) { () throws in
                let digests = SHA256.digests(of: [message[...], message[...]], acceleration: acceleration)
                return Int(digests[0][0]) &+ Int(digests[1][0])
            }
        }
        return repeated(operations) { () throws in
            Int(algorithm.digest(of: message.span, acceleration: acceleration)[0])
        }
    }
}

/// One RSASSA-PKCS1-v1_5 verification over SHA-256 after the other, by one key.
struct Verifying: Workload {
    let key: PublicKey
    let signature: [UInt8]
    let digest: Digest
    let acceleration: Acceleration
    var byteCount: Double { Double(signature.count) }

    /// - Parameter directory: holds key.der (SubjectPublicKeyInfo), signature.bin and message.bin.
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

/// Eight of them at once.
struct EightVerifying: Workload {
    private let one: Verifying
    private var batch: SignatureBatch
    var byteCount: Double { 8 * one.byteCount }

    init(_ one: Verifying) {
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
