import DER
import PKIX
import SHA

// The types of other modules that this one's interface speaks of, by name, for those who import it alone. Who
// has the upcoming feature MemberImportVisibility on imports DER too, for the members of its types.

public typealias Digest = SHA.Digest
public typealias HashAlgorithm = SHA.HashAlgorithm
public typealias Limits = DER.Limits
public typealias Refusal = DER.Refusal
public typealias Timestamp = DER.Timestamp
public typealias TrustAnchor = PKIX.TrustAnchor
