// Types of other modules that occur in the interface of this module. Exporting them lets a program import
// SignedPayloads alone and use these types with their members, also with the upcoming feature
// MemberImportVisibility.

@_exported import struct AppReceipt.BundleIdentifierExpectation
@_exported import enum AppReceipt.NextStep
@_exported import struct Basics.Refusal
@_exported import struct Basics.TimeSpan
@_exported import struct Basics.Timestamp
@_exported import struct PKIX.TrustAnchor
@_exported import struct Processor.Acceleration
@_exported import struct SHA.Digest
