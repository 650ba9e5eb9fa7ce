// Types of other modules that occur in the interface of this module. Exporting them lets a program import
// TransactionReceipt alone and use these types with their members, also with the upcoming feature
// MemberImportVisibility.

@_exported import struct AppReceipt.BundleIdentifierExpectation
@_exported import struct AppReceipt.DeviceIdentifier
@_exported import struct AppReceipt.EnvironmentExpectation
@_exported import struct AppReceipt.InAppPurchase
@_exported import struct AppReceipt.IssuerCertificate
@_exported import struct AppReceipt.Limits
@_exported import enum AppReceipt.ReceiptEnvironment
@_exported import struct AppReceipt.ReceiptError
@_exported import struct AppReceipt.ReceiptPolicy
@_exported import struct AppReceipt.TrustPolicy
@_exported import struct Basics.Refusal
@_exported import struct Basics.Timestamp
@_exported import struct PKIX.TrustAnchor
@_exported import struct Processor.Acceleration
@_exported import struct SHA.Digest
@_exported import enum SHA.HashAlgorithm
