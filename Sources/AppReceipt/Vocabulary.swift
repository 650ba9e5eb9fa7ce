import DER
import PKIX
import SHA

// The types of other modules that this one's interface speaks of, by name, for those who import it alone. Who
// has the upcoming feature MemberImportVisibility on imports DER or SHA too, for the members of their types.

/// The digest of a message, with the algorithm that made it: 20 to 64 bytes.
public typealias Digest = SHA.Digest
/// Which of the processor's own instructions may be used, to hash, to verify signatures and to decode base64.
public typealias Acceleration = SHA.Acceleration
/// A hash algorithm of FIPS 180-4: SHA-1, SHA-256, SHA-384 or SHA-512.
public typealias HashAlgorithm = SHA.HashAlgorithm
/// How much work input may cause: bounds in bytes, bits and counts.
public typealias Limits = DER.Limits
/// Why bytes were refused, and where: a code, an offset in bytes, and what was being read.
public typealias Refusal = DER.Refusal
/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
public typealias Timestamp = DER.Timestamp
/// A trusted root: its SHA-256 fingerprint, or its certificate.
public typealias TrustAnchor = PKIX.TrustAnchor
