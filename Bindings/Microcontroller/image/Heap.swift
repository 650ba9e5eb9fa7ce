// The allocator of the Swift runtime: the first free block that is large enough. It counts what it does.
//
// A block is a header and its bytes. The headers form a list in the order of the addresses. Two free blocks
// that are neighbours become one block.

import Machine

/// The header of a block.
struct Block {
    /// The number of bytes from this header to the next header.
    var size: UInt32
    /// 1 if the block is in use.
    var isUsed: UInt32
}

/// Counts of the allocator's calls, and of its bytes in use.
struct HeapMarks {
    /// The number of calls so far.
    var allocations: UInt32 = 0
    /// The bytes in use now, headers included.
    var used: UInt32 = 0
    /// The end of the highest block ever used, counted from the start of the heap.
    var highWater: UInt32 = 0
    /// The largest number of bytes in use at one time.
    var mostUsed: UInt32 = 0
}

nonisolated(unsafe) var heap = HeapMarks()
nonisolated(unsafe) private var isHeapReady = false

private var heapStart: UInt { address_of_heap_start() }
private var heapEnd: UInt { address_of_heap_end() }

private func block(_ address: UInt) -> UnsafeMutablePointer<Block> {
    UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
}

/// Allocates memory. Blocks are aligned to 16 bytes minus the header: no type of the library needs more
/// than 8.
@_cdecl("heap_allocate")
func allocate(
    _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ alignment: UInt,
    _ size: UInt
) -> Int32 {
    if !isHeapReady {
        block(heapStart).pointee = Block(size: UInt32(heapEnd &- heapStart), isUsed: 0)
        isHeapReady = true
    }
    let wanted = (size &+ 8 &+ 7) & ~7
    var address = heapStart
    while address < heapEnd {
        let header = block(address)
        let there = UInt(header.pointee.size)
        if header.pointee.isUsed == 0, there >= wanted {
            let rest = there &- wanted
            if rest >= 16 {
                block(address &+ wanted).pointee = Block(size: UInt32(rest), isUsed: 0)
                header.pointee.size = UInt32(wanted)
            }
            header.pointee.isUsed = 1
            count(header.pointee.size, endingAt: address &+ UInt(header.pointee.size))
            result.pointee = UnsafeMutableRawPointer(bitPattern: address &+ 8)
            return 0
        }
        address &+= there
    }
    finish(97)
}

/// Frees memory, and joins the free blocks around it.
@_cdecl("heap_free")
func release(_ memory: UnsafeMutableRawPointer?) {
    guard let memory else { return }
    let freed = block(UInt(bitPattern: memory) &- 8)
    freed.pointee.isUsed = 0
    heap.used &-= freed.pointee.size
    var address = heapStart
    while address < heapEnd {
        let header = block(address)
        let next = address &+ UInt(header.pointee.size)
        if header.pointee.isUsed == 0, next < heapEnd, block(next).pointee.isUsed == 0 {
            header.pointee.size &+= block(next).pointee.size
        } else {
            address = next
        }
    }
}

private func count(_ size: UInt32, endingAt end: UInt) {
    heap.allocations &+= 1
    heap.used &+= size
    heap.highWater = max(heap.highWater, UInt32(end &- heapStart))
    heap.mostUsed = max(heap.mostUsed, heap.used)
}
