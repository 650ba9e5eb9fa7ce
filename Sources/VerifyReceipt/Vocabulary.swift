// Types of other modules that occur in the interface of this module. A program then needs to import this
// module alone.

@_exported import struct AppReceipt.IssuerCertificate
@_exported import struct AppReceipt.Limits
@_exported import struct AppReceipt.Receipt
@_exported import struct AppReceipt.ReceiptError
@_exported import struct AppReceipt.ReceiptPolicy
@_exported import struct AppReceipt.TrustPolicy
@_exported import struct AppReceipt.ValidationCache
@_exported import struct Basics.Refusal
@_exported import struct Basics.Timestamp
@_exported import struct Processor.Acceleration
@_exported import enum SHA.HashAlgorithm
@_exported import struct TransactionReceipt.PurchaseInfo
