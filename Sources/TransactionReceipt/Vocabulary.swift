// Types of other modules that occur in the interface of this module. Exporting them lets a program import
// TransactionReceipt alone and use these types with their members, also with the upcoming feature
// MemberImportVisibility.

@_exported import struct AppReceipt.BundleIdentifierExpectation
@_exported import struct AppReceipt.DeviceIdentifier
@_exported import struct AppReceipt.EnvironmentExpectation
@_exported import enum AppReceipt.PathTime
@_exported import enum AppReceipt.ReceiptEnvironment
@_exported import struct AppReceipt.ReceiptError
@_exported import struct AppReceipt.ReceiptValidator
@_exported import struct AppReceipt.TrustPolicy
@_exported import struct DER.Refusal
@_exported import struct DER.Timestamp
@_exported import struct PKIX.TrustAnchor
@_exported import struct Processor.Acceleration
@_exported import struct SHA.Digest
@_exported import enum SHA.HashAlgorithm
