import DER
import PKIX
import SHA

// The types of other modules that this one's interface speaks of, so that importing it alone is enough.

public typealias HashAlgorithm = SHA.HashAlgorithm
public typealias Limits = DER.Limits
public typealias Refusal = DER.Refusal
public typealias Timestamp = DER.Timestamp
public typealias TrustAnchor = PKIX.TrustAnchor
