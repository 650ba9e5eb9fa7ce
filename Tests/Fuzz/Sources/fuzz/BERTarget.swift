import Basics
import DER

/// Checks the BER normaliser. Its output equals a literal reading of the standard, needs no second pass, and
/// satisfies the strict reader. DER stays unchanged. Every byte maps back to the input.
func fuzzBER(_ input: [UInt8]) {
    normalise(input, isPlain: true) { _, _, _ in false }
    // Copies some elements byte for byte, as the validator does with signed ones.
    normalise(input, isPlain: false) { depth, parent, tag in
        depth == 2 && parent == .constructed(0) || depth == 3 && parent == .sequence && tag == .constructed(1)
    }
}

/// - Parameter isPlain: whether no element is copied byte for byte.
private func normalise(_ input: [UInt8], isPlain: Bool, verbatim: (Int, Tag, Tag) -> Bool) {
    switch outcome({ () throws(Refusal) in try Normaliser.normalise(input.span, verbatim: verbatim) }) {
    case .success(let normalised):
        if let normalised {
            require(normalised.bytes != input || !isPlain, "a changed encoding differs from the input")
            checkOffsets(normalised, input)
        }
        checkResult(normalised?.bytes ?? input, of: input, isPlain: isPlain, verbatim: verbatim)
    case .failure(let refusal):
        require(refusal, liesIn: input.count)
        require(
            !isPlain || strictRefusal(input) != nil || refusal.code == .tooManyElements,
            "DER is refused: \(refusal)"
        )
    }
}

private func checkResult(
    _ output: [UInt8],
    of input: [UInt8],
    isPlain: Bool,
    verbatim: (Int, Tag, Tag) -> Bool
) {
    do throws(Refusal) {
        let again = try Normaliser.normalise(output.span, verbatim: verbatim)
        require(again?.bytes == nil, "a second normalisation changes nothing")
    } catch {
        require(false, "the strict reader accepts the normalised encoding: \(error)")
    }
    guard isPlain else { return }
    require(strictRefusal(input) != nil || output == input, "DER stays unchanged")
    if let refusal = strictRefusal(output) {
        require(refusal.code == .unexpectedTag, "the strict reader refuses the result: \(refusal)")
    }
    var offset = 0
    let reference = plainDER(input, &offset, input.count)
    require(
        reference == output && offset == input.count,
        "the result equals a literal reading of the standard"
    )
}

/// The strict reader's refusal of an encoding of one element, walked to its end, up to the limit on depth.
private func strictRefusal(_ bytes: [UInt8]) -> Refusal? {
    outcome { () throws(Refusal) in
        var reader = Reader(bytes.span)
        try walk(&reader)
        try reader.finish("encoding")
    }.refusal
}

/// Walks one element.
private func walk(_ reader: inout Reader) throws(Refusal) {
    let start = reader.offset
    var ahead = Reader(reader.bytes, in: start..<reader.end)
    let element = try ahead.readElement("element")
    guard element.tag.isConstructed else { return _ = try reader.readElement("element") }
    var inner = try reader.nested(element.tag, "element")
    while !inner.isAtEnd { try walk(&inner) }
}

/// Checks that offsets of the output map to equal bytes of the input, in ascending order.
private func checkOffsets(_ normalised: Normalised, _ input: [UInt8]) {
    var last = 0
    for offset in normalised.bytes.indices {
        let origin = normalised.inputOffset(of: offset)
        require(
            origin >= last && origin <= input.count,
            "offsets of the input ascend: \(origin) at \(offset)"
        )
        last = origin
    }
    checkContents(normalised, input, 0..<normalised.bytes.count)
}

/// Checks that the contents of primitive elements lie at their mapped offsets.
private func checkContents(_ normalised: Normalised, _ input: [UInt8], _ range: Range<Int>) {
    var reader = Reader(normalised.bytes.span, in: range)
    while !reader.isAtEnd, let element = try? reader.readElement("element") {
        if element.tag.isConstructed {
            checkContents(normalised, input, element.contents)
            continue
        }
        for offset in element.contents {
            let origin = normalised.inputOffset(of: offset)
            require(
                origin < input.count && input[origin] == normalised.bytes[offset],
                "contents at \(offset) are at \(origin) of the input"
            )
        }
    }
}

/// The DER of the BER element at an offset, which the normaliser accepted: X.690 §8.1 and §8.7 word for word.
private func plainDER(_ input: [UInt8], _ offset: inout Int, _ end: Int) -> [UInt8] {
    let tagStart = offset
    offset += 1
    if input[tagStart] & 0x1F == 0x1F {
        while input[offset] & 0x80 != 0 { offset += 1 }
        offset += 1
    }
    var tag = Array(input[tagStart..<offset])
    let contentsEnd = plainLength(input, &offset)
    var contents: [UInt8] = []
    if input[tagStart] & 0x20 == 0 {
        contents = Array(input[offset..<(contentsEnd ?? offset)])
        offset = contentsEnd ?? offset
    } else {
        let isSegmented = tag == [0x24]
        if isSegmented { tag = [0x04] }
        while contentsEnd.map({ offset < $0 }) ?? (input[offset] != 0 || input[offset + 1] != 0) {
            let child = plainDER(input, &offset, contentsEnd ?? end)
            contents += isSegmented ? Array(child.dropFirst(headerSize(child))) : child
        }
        if contentsEnd == nil { offset += 2 }
    }
    return tag + plainLength(contents.count) + contents
}

/// The end of the contents. Nil for an indefinite length.
private func plainLength(_ input: [UInt8], _ offset: inout Int) -> Int? {
    let initial = input[offset]
    offset += 1
    guard initial != 0x80 else { return nil }
    guard initial > 0x80 else { return offset + Int(initial) }
    let count = Int(initial & 0x7F)
    let length = input[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
    offset += count
    return offset + length
}

private func plainLength(_ length: Int) -> [UInt8] {
    guard length >= 0x80 else { return [UInt8(length)] }
    var octets: [UInt8] = []
    var rest = length
    while rest > 0 {
        octets.insert(UInt8(rest & 0xFF), at: 0)
        rest >>= 8
    }
    return [0x80 | UInt8(octets.count)] + octets
}

/// The encoding of an OCTET STRING in DER.
private func headerSize(_ encoding: [UInt8]) -> Int {
    encoding[1] < 0x80 ? 2 : 2 + Int(encoding[1] & 0x7F)
}
