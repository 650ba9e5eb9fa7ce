// Spans of arrays, on every system the package supports.
//
// The standard library has `Array.span` too, but only from macOS 26 and iOS 26 on: an array may be a bridged
// NSArray, and older systems cannot lend the storage of one. `Span` itself goes back to macOS 10.14.4.
//
// Why these accessors are safe:
// - An element that is `BitwiseCopyable` is no class instance, so the array is never a bridged NSArray. Its
//   elements lie in native, contiguous storage, and `withUnsafeBufferPointer` lends that storage, not a copy.
// - The storage lives, unmoved, as long as the array does. The span depends on a borrow of the array, so the
//   compiler rejects code that changes or destroys the array while the span is in use.
// - The mutable span depends on exclusive access to the array. `withUnsafeMutableBufferPointer` first makes
//   the storage unique, and nothing can copy the array or reallocate its storage while the access lasts.
//
// `Span` ends the program unless its address is a multiple of the element's alignment. In Embedded Swift, all
// empty arrays share one storage object, whose alignment is that of a pointer. On a machine with pointers of
// 32 bits, that address may be no multiple of 8. Therefore the span of an empty array there has no address.

extension Array where Element: BitwiseCopyable {
    /// A span over the array's elements. Nothing is copied.
    @inlinable
    package var borrowedSpan: Span<Element> {
        @_lifetime(borrow self)
        @inline(__always)
        get {
            #if _pointerBitWidth(_32)
                if isEmpty { return Span() }
            #endif
            let elements = unsafe withUnsafeBufferPointer { unsafe $0 }
            return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    /// A mutable span over the array's elements. Storage shared with another array is copied first.
    @inlinable
    package var borrowedMutableSpan: MutableSpan<Element> {
        @_lifetime(&self)
        @inline(__always)
        mutating get {
            let elements = unsafe withUnsafeMutableBufferPointer { unsafe $0 }
            return unsafe _overrideLifetime(MutableSpan(_unsafeElements: elements), mutating: &self)
        }
    }
}

extension ContiguousArray {
    /// A span over the array's elements. Nothing is copied: this type of array never bridges an NSArray.
    @inlinable
    package var borrowedSpan: Span<Element> {
        @_lifetime(borrow self)
        @inline(__always)
        get {
            #if _pointerBitWidth(_32)
                if isEmpty { return Span() }
            #endif
            return span
        }
    }
}

extension Array where Element: BitwiseCopyable {
    /// Appends copies of the elements of a span.
    ///
    /// The pointer to the span's elements is valid in the closure only. It cannot point to the storage of
    /// this array, because the call has exclusive access to the array.
    @inlinable
    @inline(__always)
    package mutating func append(copying elements: Span<Element>) {
        unsafe elements.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension ArraySlice where Element: BitwiseCopyable {
    /// A span over the slice's elements. Nothing is copied. The span's indices start at zero, even if the
    /// slice's do not.
    @inlinable
    package var borrowedSpan: Span<Element> {
        @_lifetime(borrow self)
        @inline(__always)
        get {
            let elements = unsafe withUnsafeBufferPointer { unsafe $0 }
            return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }
}

extension Span<UInt8> {
    /// The number whose eight bytes begin at an index of this span, the least significant byte first.
    ///
    /// Raw access is safe, because every bit pattern is a valid UInt64. The load checks the bounds.
    ///
    /// Precondition: the eight bytes lie inside the span.
    @inlinable @inline(__always)
    package func word(at start: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
}

extension MutableSpan<UInt8> {
    /// Writes the bytes of a number over as many bytes of this span, from an index on, the least significant
    /// byte first.
    ///
    /// Raw access is safe, because every bit pattern is a valid UInt8. `storeBytes` checks the bounds.
    ///
    /// Precondition: all bytes of the number lie inside the span.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    package mutating func put<Word: FixedWidthInteger & BitwiseCopyable>(_ word: Word, at start: Int) {
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: word.littleEndian, toByteOffset: start, as: Word.self)
    }
}
