import AppReceipt
import Basics
import CAppReceipt
import DER

// The beginning and the end of every function of the interface. Callers are C programs, so each argument is
// checked before it is used, and no mistake of a caller traps. `app_receipt.h` lists what cannot be checked:
// a pointer that is not NULL points to what it says, and an object was not released.

/// The result of a function of the C interface, with the numbers of `app_receipt.h`. Negative: a misuse.
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

/// Runs `body`, and returns the number of the status that it returns or throws.
@inline(__always)
func status(_ body: () throws(Status) -> Status) -> Int32 {
    do throws(Status) {
        return try body().rawValue
    } catch {
        return error.rawValue
    }
}

/// The functions that allocate and deallocate memory for the objects of the C interface: a caller's, or the
/// standard ones. Safe if they do what `app_receipt.h` requires of them.
@safe
struct Memory {
    private let allocator: app_receipt_allocator

    /// The caller's allocator, or the standard one for NULL. Throws `nullArgument` if it lacks a function.
    init(_ allocator: UnsafePointer<app_receipt_allocator>?) throws(Status) {
        guard let given = unsafe allocator?.pointee else {
            unsafe self.allocator = app_receipt_standard_allocator()
            return
        }
        guard unsafe given.allocate != nil && given.deallocate != nil else { throw .nullArgument }
        unsafe self.allocator = given
    }

    /// Runs `body` and returns its result. The Swift runtime takes the body's memory from this allocator.
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

/// An object that a C caller can hold by a pointer, with the allocator of its memory.
class Handle {
    let memory: Memory

    init(_ memory: Memory) { self.memory = memory }
}

/// The object behind a caller's pointer. Throws `nullArgument` for NULL.
@inline(__always)
func object<Object: Handle>(_ pointer: OpaquePointer?, _ type: Object.Type) throws(Status) -> Object {
    guard let pointer = unsafe pointer else { throw .nullArgument }
    // `app_receipt.h` requires a pointer that `give` gave for this type, and that was not released.
    return unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
}

/// Runs `body` with the object behind a pointer. Meanwhile Swift takes its memory from the object's
/// allocator. Returns the number of the status that `body` returns or throws; for NULL, that of
/// `nullArgument`, without a call of `body`.
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

/// Writes a pointer to an object to the caller's variable. The object lives until `take` releases it.
@inline(__always)
func give(_ object: some Handle, _ place: UnsafeMutablePointer<OpaquePointer?>) {
    unsafe place.pointee = OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// Releases an object that `give` gave to the caller. Does nothing for NULL.
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

/// A copy of `count` bytes of a caller, empty for 0. Throws `outOfRange` for a negative count, and
/// `nullArgument` for NULL with a positive count.
func copy(_ bytes: UnsafePointer<UInt8>?, _ count: Int) throws(Status) -> [UInt8] {
    // A `size_t` beyond PTRDIFF_MAX arrives as a negative number.
    guard count >= 0 else { throw .outOfRange }
    guard count > 0 else { return [] }
    guard let bytes = unsafe bytes else { throw .nullArgument }
    // `app_receipt.h` requires that many bytes.
    return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
}

/// A copy of an input, or of its first 2 · `limit` + 2 bytes if the input is longer. Throws `outOfRange` for
/// a negative count, and `nullArgument` for NULL with a positive count.
func copy(_ bytes: UnsafePointer<UInt8>?, _ count: Int, within limit: Int) throws(Status) -> [UInt8] {
    // Text may have twice as many characters as the container may have bytes, and one more is rounded off.
    try unsafe copy(bytes, min(count, 2 * limit + 2))
}

/// A caller's text of `count` bytes. Throws `badValue` for ill-formed UTF-8, `outOfRange` for a negative
/// count, and `nullArgument` for NULL with a positive count.
func text(_ characters: UnsafePointer<CChar>?, _ count: Int) throws(Status) -> String {
    let bytes = try unsafe copy(
        UnsafeRawPointer(characters)?.assumingMemoryBound(to: UInt8.self),
        count
    )
    guard bytes.borrowedSpan.firstIllFormedUTF8(in: bytes.indices) == nil else { throw .badValue }
    return String(utf8: bytes.borrowedSpan)
}

/// Writes the number of the bytes to `count`, and copies the bytes. Returns `bufferTooSmall` without a copy
/// if they exceed `capacity`. For nil, returns `absent` and writes nothing. Throws `outOfRange` or
/// `nullArgument` for bad arguments.
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
