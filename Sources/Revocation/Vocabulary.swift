// Types of other modules that occur in the interface of this module.

@_exported import struct Basics.Refusal
@_exported import struct Basics.Timestamp
@_exported import struct PKIX.CertificateLimits
@_exported import struct PKIX.CertificateView
@_exported import struct PKIX.KeyCache
@_exported import class PKIX.RevocationPolicy
@_exported import struct Processor.Acceleration
