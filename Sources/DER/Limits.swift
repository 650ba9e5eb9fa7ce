/// How much work input may cause. One value for the whole stack, passed down.
public struct Limits: Sendable, Hashable {
    /// The longest container, in bytes; its base64 may be twice as long. The largest genuine receipt
    /// seen is 79 KB with 187 purchases; 8 MiB leaves room for twenty thousand, and bounds hashing to some 25
    /// milliseconds.
    public var inputBytes = 8 << 20
    /// The deepest nesting. A receipt's certificate nests 9 deep from the ContentInfo on; RFC 5280 names and
    /// policies add a few. Binds where the input decides how deep it goes: BER, and containers, certificates
    /// and keys as a whole; what has a fixed shape inside them is no deeper than that. Each level of BER
    /// takes one frame of stack, on x86-64 of 1.1 KiB, 3.6 KiB without optimisation: raise it with the stack
    /// of the smallest thread in mind.
    public var depth = 32
    /// The most elements in a walk over input of unknown shape: the BER normaliser, a printed tree. Two bytes
    /// an element is the least; the densest genuine receipt has one for every five.
    public var elements = 1 << 20
    /// The most certificates in a message. Genuine receipts carry 3; look-alike attacks want many.
    public var certificates = 16
    /// The most extensions in a certificate. Apple's carry up to 9; the limit bounds the search for
    /// duplicates, which is quadratic.
    public var extensions = 64
    /// The most attributes at one level of a receipt's payload: those of the receipt, each of which may be a
    /// purchase, or those of one purchase. 187 purchases is the most seen.
    public var attributes = 1 << 16
    /// The largest RSA modulus, in bits. Apple's are 2048 and 4096; the cost of a check grows as the square.
    public var modulusBits = 8192
    /// The largest RSA public exponent, in bits. RFC 8017 sets no bound; FIPS 186-5 asks for less than 256
    /// bits, and everybody uses 17. BoringSSL allows 33.
    public var exponentBits = 33
    /// The most signature checks for one path. A genuine path needs 2; look-alikes may force more.
    public var signatureChecks = 16

    /// The limits above as they stand; change those that do not fit.
    public init() {}
    /// No limit changed. What every `limits` parameter of this package defaults to.
    public static var standard: Limits { Limits() }
}
