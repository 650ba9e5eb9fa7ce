import AppReceiptMint

/// libFuzzer calls this function to mutate an input. If the input consists of elements, half of the mutations
/// change, double, remove or exchange an element and correct the lengths around it, which blind changes
/// hardly ever do. The others are libFuzzer's own mutations.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var generator = SeededGenerator(seed: UInt64(seed))
    // libFuzzer's buffer has `limit` bytes. The first `count` are the input.
    let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: limit)
    if let skipped = target.bytesBeforeElements, Bool.random(using: &generator), count > skipped {
        let input = unsafe Array(buffer[..<count])
        if let mutated = mutateElement(of: input, in: skipped..<count, &generator), mutated.count <= limit {
            // No longer than the buffer.
            for (index, byte) in mutated.enumerated() { unsafe buffer[index] = byte }
            return mutated.count
        }
    }
    return unsafe mutateBytes(start, count, limit)
}

@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

/// An element of definite length, found with few checks.
private struct Found {
    let start: Int
    let lengthStart: Int
    let contents: Range<Int>
}

private func mutateElement(
    of input: [UInt8],
    in range: Range<Int>,
    _ generator: inout SeededGenerator
) -> [UInt8]? {
    let isUniform = Bool.random(using: &generator)
    var path =
        isUniform
        ? paths(in: input, range, depth: 0).randomElement(using: &generator) ?? []
        : descent(in: input, range, &generator)
    guard let chosen = path.popLast() else { return nil }
    let whole = Array(input[chosen.start..<chosen.contents.upperBound])
    let replacement: [UInt8]
    var (start, end) = (chosen.start, chosen.contents.upperBound)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: replacement = []
    case 1: replacement = whole + whole
    case 2:
        let siblings = elements(of: input, in: path.last?.contents ?? range) ?? []
        guard let other = siblings.randomElement(using: &generator), other.start != start else { return nil }
        let (first, second) = other.start < start ? (other, chosen) : (chosen, other)
        (start, end) = (first.start, second.contents.upperBound)
        let between = input[first.contents.upperBound..<second.start]
        replacement = Array(input[second.start..<end] + between + input[start..<first.contents.upperBound])
    default:
        let contents = mutated(Array(input[chosen.contents]))
        replacement = input[chosen.start..<chosen.lengthStart] + lengthOctets(contents.count) + contents
    }
    var result = replacement
    for outer in path.reversed() {
        let contents =
            input[outer.contents.lowerBound..<start] + result + input[end..<outer.contents.upperBound]
        result = input[outer.start..<outer.lengthStart] + lengthOctets(contents.count) + contents
        (start, end) = (outer.start, outer.contents.upperBound)
    }
    return input[..<start] + result + input[end...]
}

/// The path to a random element. Each level is drawn evenly, so an element with few siblings is more likely
/// than an element with many.
private func descent(
    in input: [UInt8],
    _ range: Range<Int>,
    _ generator: inout SeededGenerator
) -> [Found] {
    var path: [Found] = []
    var range = range
    while let found = elements(of: input, in: range)?.randomElement(using: &generator) {
        path.append(found)
        range = found.contents
        if Int.random(in: 0..<5, using: &generator) == 0 { break }
    }
    return path
}

/// The paths to all elements, except elements deeper than any with a meaning.
private func paths(in input: [UInt8], _ range: Range<Int>, depth: Int) -> [[Found]] {
    guard depth < 16, let found = elements(of: input, in: range) else { return [] }
    return found.flatMap { outer in
        [[outer]] + paths(in: input, outer.contents, depth: depth + 1).map { [outer] + $0 }
    }
}

/// The elements that fill a range. Nil if the range holds anything else.
private func elements(of input: [UInt8], in range: Range<Int>) -> [Found]? {
    var all: [Found] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
        let start = offset
        guard input[start] & 0x1F != 0x1F, input[start] != 0, range.upperBound - start >= 2 else {
            return nil
        }
        var length = Int(input[start + 1])
        offset = start + 2
        if length > 0x80 {
            let size = length & 0x7F
            guard size <= 3, size <= range.upperBound - offset else { return nil }
            length = input[offset..<(offset + size)].reduce(0) { $0 << 8 | Int($1) }
            offset += size
        } else if length == 0x80 {
            return nil
        }
        guard length <= range.upperBound - offset else { return nil }
        all.append(Found(start: start, lengthStart: start + 1, contents: offset..<(offset + length)))
        offset += length
    }
    return all
}

/// Mutates with libFuzzer's own mutations, including the dictionary.
private func mutated(_ bytes: [UInt8]) -> [UInt8] {
    let limit = bytes.count + 32
    return unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        for (index, byte) in bytes.enumerated() { unsafe buffer[index] = byte }
        // A capacity above zero has a base address, with room for `limit` bytes.
        guard let start = buffer.baseAddress else { return }
        count = unsafe mutateBytes(start, bytes.count, limit)
    }
}

/// The length in the fewest octets (X.690 §10.1).
private func lengthOctets(_ length: Int) -> [UInt8] {
    guard length >= 0x80 else { return [UInt8(length)] }
    let octets = [16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }.drop { $0 == 0 }
    return [0x80 | UInt8(octets.count)] + octets
}
