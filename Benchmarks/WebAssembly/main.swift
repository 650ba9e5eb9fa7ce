// Validates one receipt for a host of WebAssembly that keeps the time. The module imports nothing.
//
// The host writes the receipt and the root into memory that `allocate` returns, calls `prepare` once, and
// then calls `validate` and `validateAgain` as often as it likes. These return 1 for a valid receipt.

import AppReceipt
import PKIX
import Processor
import SHA

nonisolated(unsafe) private var receipt: [UInt8] = []
nonisolated(unsafe) private var validator: ReceiptValidator?
nonisolated(unsafe) private var cache = ValidationCache()

/// Returns memory for a number of bytes, which is never freed.
@_expose(wasm, "allocate")
@_cdecl("allocate")
func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: byteCount, alignment: 16)
}

/// Takes the receipt and the root certificate.
@_expose(wasm, "prepare")
@_cdecl("prepare")
func prepare(
    _ receiptBytes: UnsafePointer<UInt8>,
    _ receiptByteCount: Int,
    _ rootBytes: UnsafePointer<UInt8>,
    _ rootByteCount: Int
) -> Int32 {
    receipt = [UInt8](UnsafeBufferPointer(start: receiptBytes, count: receiptByteCount))
    let root = [UInt8](UnsafeBufferPointer(start: rootBytes, count: rootByteCount))
    guard let anchor = try? TrustAnchor(certificate: root) else { return 0 }
    validator = ReceiptValidator(
        environments: .only(.productionSandbox),
        bundleIdentifier: .exactly("com.example.receipts"),
        trust: .pinned([anchor]),
        appVersion: "42",
        deviceIdentifiers: DeviceIdentifier("00112233445566778899aabbccddeeff").map { [$0] }
    )
    return 1
}

/// Validates the receipt with nothing remembered: three signatures.
@_expose(wasm, "validate")
@_cdecl("validate")
func validate() -> Int32 {
    do throws(ReceiptError) {
        return try validator?.validate(receipt) == nil ? 0 : 1
    } catch {
        return 0
    }
}

/// Validates the receipt with a cache, which remembers its path after the first time: one signature.
@_expose(wasm, "validateAgain")
@_cdecl("validateAgain")
func validateAgain() -> Int32 {
    do throws(ReceiptError) {
        return try validator?.validate(receipt, cache: &cache) == nil ? 0 : 1
    } catch {
        return 0
    }
}
