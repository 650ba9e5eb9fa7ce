// Types of other modules that occur in the interface of this module. Exporting them lets a program import
// AppReceipt alone and use these types with their members, also with the upcoming feature
// MemberImportVisibility. The other types of the modules stay invisible.

@_exported import struct Basics.Refusal
@_exported import struct Basics.TimeSpan
@_exported import struct Basics.Timestamp
@_exported import struct CMS.MessageLimits
@_exported import struct DER.EncodingLimits
@_exported import struct PKIX.CertificateLimits
@_exported import struct PKIX.TrustAnchor
@_exported import struct Processor.Acceleration
@_exported import struct RSA.KeyLimits
@_exported import struct SHA.Digest
@_exported import enum SHA.HashAlgorithm
