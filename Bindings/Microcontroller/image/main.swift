// Validates two receipts in flash, and prints the verdicts and the marks of the memory.

import AppReceipt
import Machine
import PKIX

/// Runs the program. The start code calls it.
///
/// - Returns: the exit status, which is 0 if both verdicts are as expected.
@_cdecl("run")
func run() -> Int32 {
    startConsole()
    guard let root = TrustAnchor(sha256: rootFingerprint) else { return 2 }
    let validator = ReceiptValidator(
        ReceiptPolicy(
            environments: .only(.productionSandbox),
            bundleIdentifier: .exactly("com.example.receipts"),
            trust: .pinned([root])
        )
    )
    let ready = heap
    let genuine = judge("genuine", address_of_genuine_start(), address_of_genuine_end(), by: validator)
    let afterGenuine = heap
    let forged = judge("forged", address_of_forged_start(), address_of_forged_end(), by: validator)

    let stack = address_of_stack_end() - stack_low_water()
    let fixed = address_of_heap_start() - address_of_data_start()
    mark("flash", address_of_flash_end() - address_of_flash_start())
    mark("static RAM", fixed)
    mark("heap high water", UInt(heap.highWater))
    mark("stack high water", stack)
    mark("RAM", fixed + UInt(heap.highWater) + stack)
    mark("allocations at start", UInt(ready.allocations))
    mark("allocations, genuine", UInt(afterGenuine.allocations - ready.allocations))
    mark("allocations, forged", UInt(heap.allocations - afterGenuine.allocations))
    withExtendedLifetime(validator) { mark("heap not freed", UInt(heap.used - ready.used)) }
    return genuine && !forged ? 0 : 1
}

/// Validates one receipt in flash and prints the verdict.
private func judge(_ name: StaticString, _ start: UInt, _ end: UInt, by validator: ReceiptValidator) -> Bool {
    let bytes = UnsafeBufferPointer(
        start: UnsafePointer<UInt8>(bitPattern: start),
        count: Int(end - start)
    )
    write(name)
    do throws(ReceiptError) {
        let receipt = try validator.validate([UInt8](bytes))
        write(": valid, created ")
        write(UInt64(receipt.creationDate.millisecondsSince1970))
        write(", purchases ")
        write(UInt64(purchaseCount(of: receipt)))
        send(UInt8(ascii: "\n"))
        return true
    } catch {
        write(": refused at step ")
        write(error.step.rawValue)
        write(", ")
        write(error.code.name)
        write(" at byte ")
        write(UInt64(error.offset))
        send(UInt8(ascii: "\n"))
        return false
    }
}

/// The number of the receipt's purchases that have attributes. Counts them without an allocation.
private func purchaseCount(of receipt: Receipt) -> Int {
    var count = 0
    receipt.forEachPurchaseAttribute { purchase, _, _, _ in count = purchase + 1 }
    return count
}

private func write(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { send(text.utf8Start[index]) }
}

/// Writes a string in one piece. A loop over its characters would add the code for strings of other
/// encodings.
private func write(_ text: String) {
    text.utf8.withContiguousStorageIfAvailable { bytes in
        for byte in bytes { send(byte) }
    }
}

private func write(_ number: UInt64) {
    if number > 9 { write(number / 10) }
    send(UInt8(ascii: "0") + UInt8(number % 10))
}

/// Prints one line of the table.
private func mark(_ name: StaticString, _ value: UInt) {
    write(name)
    send(UInt8(ascii: "\t"))
    write(UInt64(value))
    send(UInt8(ascii: "\n"))
}
