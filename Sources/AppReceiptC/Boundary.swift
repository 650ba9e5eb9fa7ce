import AppReceipt
import Basics
import CAppReceipt
import DER

// The beginning and the end of every function of the interface. Callers are C programs, so each argument is
// checked before it is used, and no mistake of a caller traps. `app_receipt.h` lists what cannot be checked:
// a pointer that is not NULL points to what it says, and an object was not released.

/// The result of a call, with the numbers of `app_receipt.h`.
enum Status: Int32, Error {
    case ok = 0
    case refused = 1
    case absent = 2
    case nullArgument = -1
    case outOfRange = -2
    case badValue = -3
    case bufferTooSmall = -4
    case incompletePolicy = -5
}

/// Runs the body of a function, and turns its error into the status that the function returns.
@inline(__always)
func status(_ body: () throws(Status) -> Status) -> Int32 {
    do throws(Status) {
        return try body().rawValue
    } catch {
        return error.rawValue
    }
}

/// The memory that a caller gives.
///
/// Safe if the functions of the allocator do what `app_receipt.h` requires of them.
@safe
struct Memory {
    private let allocator: app_receipt_allocator

    /// The caller's allocator, or the standard one for NULL.
    init(_ allocator: UnsafePointer<app_receipt_allocator>?) throws(Status) {
        guard let given = unsafe allocator?.pointee else {
            unsafe self.allocator = app_receipt_standard_allocator()
            return
        }
        guard unsafe given.allocate != nil && given.deallocate != nil else { throw .nullArgument }
        unsafe self.allocator = given
    }

    /// Runs a body. The Swift runtime takes the body's memory from this allocator.
    @inline(__always)
    func lend<Value>(_ body: () throws(Status) -> Value) throws(Status) -> Value {
        try unsafe withUnsafePointer(to: allocator) { (allocator) throws(Status) in
            // The allocator lives until this closure returns, and the thread leaves before.
            let previous = unsafe app_receipt_enter(allocator)
            defer { unsafe app_receipt_leave(previous) }
            return try body()
        }
    }
}

/// An object that the caller holds by a pointer, with the memory that it lies in.
class Handle {
    let memory: Memory

    init(_ memory: Memory) { self.memory = memory }
}

/// The object behind a caller's pointer.
@inline(__always)
func object<Object: Handle>(_ pointer: OpaquePointer?, _ type: Object.Type) throws(Status) -> Object {
    guard let pointer = unsafe pointer else { throw .nullArgument }
    // `app_receipt.h` requires a pointer that `give` gave for this type, and that was not released.
    return unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
}

/// Runs the body of a function with the object behind a caller's pointer, and lends it the object's memory.
@inline(__always)
func with<Object: Handle>(
    _ pointer: OpaquePointer?,
    _ type: Object.Type,
    _ body: (Object) throws(Status) -> Status
) -> Int32 {
    status { () throws(Status) in
        let object = try unsafe object(pointer, type)
        return try object.memory.lend { () throws(Status) in try body(object) }
    }
}

/// Gives the caller an object, which lives until `take`.
@inline(__always)
func give(_ object: some Handle, _ place: UnsafeMutablePointer<OpaquePointer?>) {
    unsafe place.pointee = OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// Takes an object back from the caller. Does nothing for NULL.
@inline(__always)
func take<Object: Handle>(_ pointer: OpaquePointer?, _ type: Object.Type) {
    guard let pointer = unsafe pointer else { return }
    // As in `object`. This ends what `give` began.
    unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).release()
}

/// The caller's variable for a result. Throws `nullArgument` for NULL.
@inline(__always)
func place<Value>(_ pointer: UnsafeMutablePointer<Value>?) throws(Status) -> UnsafeMutablePointer<Value> {
    guard let pointer = unsafe pointer else { throw .nullArgument }
    return unsafe pointer
}

/// A copy of a caller's bytes.
func copy(_ bytes: UnsafePointer<UInt8>?, _ count: Int) throws(Status) -> [UInt8] {
    // A `size_t` beyond PTRDIFF_MAX arrives as a negative number.
    guard count >= 0 else { throw .outOfRange }
    guard count > 0 else { return [] }
    guard let bytes = unsafe bytes else { throw .nullArgument }
    // `app_receipt.h` requires that many bytes.
    return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
}

/// A copy of a receipt that a caller gives. It is cut after the first byte that is too many for base64 text,
/// so that the limits bound the copy, too. The validator refuses a receipt that was cut as too large.
func copy(_ bytes: UnsafePointer<UInt8>?, _ count: Int, within limits: Limits) throws(Status) -> [UInt8] {
    // Text may have twice as many characters as the container may have bytes, and one more is rounded off.
    try unsafe copy(bytes, min(count, 2 * limits.inputBytes + 2))
}

/// A caller's text. Throws `badValue` unless it is well-formed UTF-8.
func text(_ characters: UnsafePointer<CChar>?, _ count: Int) throws(Status) -> String {
    let bytes = try unsafe copy(
        UnsafeRawPointer(characters)?.assumingMemoryBound(to: UInt8.self),
        count
    )
    guard bytes.borrowedSpan.firstIllFormedUTF8(in: bytes.indices) == nil else { throw .badValue }
    return String(utf8: bytes.borrowedSpan)
}

/// Copies bytes into a caller's buffer, and writes their number.
func write(
    _ bytes: ArraySlice<UInt8>?,
    _ buffer: UnsafeMutableRawPointer?,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?
) throws(Status) -> Status {
    guard capacity >= 0 else { throw .outOfRange }
    guard unsafe buffer != nil || capacity == 0 else { throw .nullArgument }
    let count = try unsafe place(count)
    guard let bytes else { return .absent }
    unsafe count.pointee = bytes.count
    guard bytes.count <= capacity else { return .bufferTooSmall }
    // In bounds: `app_receipt.h` requires room for `capacity` bytes in the buffer.
    unsafe bytes.withUnsafeBytes { octets in
        guard let start = octets.baseAddress else { return }
        unsafe buffer?.copyMemory(from: start, byteCount: octets.count)
    }
    return .ok
}
