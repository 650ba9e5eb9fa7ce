import AppReceiptMint
import Basics
import DER

/// Checks the DER reader. If it accepts every element, encoding them again gives the same bytes. Its ways to
/// read an element agree. The writer writes what a decoder of a type accepts.
func fuzzDER(_ input: [UInt8]) {
    var reader = Reader(input.span)
    var writer = Writer()
    do throws(Refusal) {
        try encodeAgain(&reader, &writer, depth: 0)
        require(writer.bytes == input, "decoding and encoding DER again gives the same bytes")
    } catch {
        require(error, liesIn: input.count)
    }
}

/// Reads all elements to the reader's end and writes them from their decoded parts.
private func encodeAgain(_ reader: inout Reader, _ writer: inout Writer, depth: Int) throws(Refusal) {
    while !reader.isAtEnd {
        let start = reader.offset
        let part = start..<reader.end
        checkDecoders(reader.bytes, part)
        let element = outcome { () throws(Refusal) in try reader.readElement("element") }
        checkRoads(reader.bytes, part, element)
        let found = try element.get()
        require(found.range, liesIn: part, "element")
        require(reader.offset == found.range.upperBound, "a reader moves to the end of the element")
        guard found.tag.isConstructed, depth < EncodingLimits.standard.depth else {
            writer.write(found.tag, octets(reader.bytes, in: found.contents))
            continue
        }
        var inner = Reader(reader.bytes, in: found.contents)
        var contents = Writer()
        try encodeAgain(&inner, &contents, depth: depth + 1)
        writer.write(found.tag, contents.bytes)
    }
}

/// Checks that reading any element and reading an element with a given tag agree.
private func checkRoads(_ bytes: Span<UInt8>, _ part: Range<Int>, _ found: Result<Element, Refusal>) {
    let tag: Tag
    switch found {
    case .success(let element): tag = element.tag
    case .failure(let refusal):
        require(refusal, liesIn: bytes.count)
        let leading = bytes[part.lowerBound]
        guard leading & 0x1F != 0x1F, leading & 0xDF != 0 else { return }
        tag = lowTag(leading)
    }
    var byTag = Reader(bytes, in: part)
    require(byTag.isNext(tag), "the next element has its own tag")
    switch (found, outcome { () throws(Refusal) in try byTag.read(tag, "element") }) {
    case (.success(let element), .success(let contents)):
        require(element.contents == contents, "both ways find the same contents")
        require(byTag.offset == element.range.upperBound, "both ways end at the same place")
    case (.success, .failure(let refusal)): require(false, "both ways read the element: \(refusal)")
    case (.failure(let refusal), .success):
        require(refusal.code == .unexpectedTag, "only the form makes reading by tag fail")
    case (.failure(let one), .failure(let other)):
        guard one.code != .unexpectedTag else { return }
        require(one.code == other.code && one.offset == other.offset, "\(one) is not \(other)")
    }
}

private func lowTag(_ leading: UInt8) -> Tag {
    let classes: [Tag.Class] = [.universal, .application, .contextSpecific, .private]
    return Tag(classes[Int(leading >> 6)], UInt32(leading & 0x1F), constructed: leading & 0x20 != 0)
}

/// Tries every decoder at one offset. Compares each accepted value with the writer or the standard library.
private func checkDecoders(_ bytes: Span<UInt8>, _ part: Range<Int>) {
    check(bytes, part, "INTEGER") { (reader) throws(Refusal) in
        let value = try reader.readInteger("INTEGER")
        return { $0.writeInteger(value) }
    }
    check(bytes, part, "INTEGER that is not negative") { (reader) throws(Refusal) in
        let magnitude = octets(reader.bytes, in: try reader.readUnsignedInteger("INTEGER"))
        return { $0.writeUnsignedInteger(magnitude) }
    }
    check(bytes, part, "BOOLEAN") { (reader) throws(Refusal) in
        let value = try reader.readBoolean("BOOLEAN")
        return { $0.writeBoolean(value) }
    }
    check(bytes, part, "NULL") { (reader) throws(Refusal) in
        try reader.readNull("NULL")
        return { $0.writeNull() }
    }
    check(bytes, part, "BIT STRING") { (reader) throws(Refusal) in
        let string = try reader.readBitString("BIT STRING")
        let octets = octets(reader.bytes, in: string.octets)
        let unused = octets.last.map { $0 & UInt8((1 << string.unusedBits) - 1) } ?? 0
        require(unused == 0, "unused bits are zero")
        return { $0.writeBitString(octets, unusedBits: UInt8(string.unusedBits)) }
    }
    check(bytes, part, "OCTET STRING") { (reader) throws(Refusal) in
        let octets = octets(reader.bytes, in: try reader.read(.octetString, "OCTET STRING"))
        return { $0.writeOctetString(octets) }
    }
    check(bytes, part, "OBJECT IDENTIFIER") { (reader) throws(Refusal) in
        let contents = try reader.readObjectIdentifier("OBJECT IDENTIFIER")
        _ = ObjectIdentifier.dotted(reader.bytes, in: contents)
        guard let identifier = ObjectIdentifier(reader.bytes, in: contents) else { return nil }
        return { $0.writeObjectIdentifier(identifier) }
    }
    check(bytes, part, "UTCTime") { (reader) throws(Refusal) in
        let time = try reader.readUTCTime("UTCTime")
        return { $0.writeTime(time) }
    }
    check(bytes, part, "GeneralizedTime") { (reader) throws(Refusal) in
        let contents = reader.offset
        let time = try reader.readGeneralizedTime("GeneralizedTime")
        let digits = time.description.utf8.filter { (0x30...0x39).contains($0) }.prefix(14)
        let written = octets(reader.bytes, in: (contents + 2)..<(contents + 16))
        // The length takes one octet, except for an absurdly long fraction.
        let isShort = reader.offset - contents < 0x80
        require(!isShort || Array(digits) == written, "a time has the digits of its encoding")
        return nil
    }
    checkUTF8(bytes, part)
}

/// - Parameter decode: reads one value and returns a closure that writes it. Nil if the writer cannot write
///   it.
private func check(
    _ bytes: Span<UInt8>,
    _ part: Range<Int>,
    _ name: String,
    _ decode: (inout Reader) throws(Refusal) -> ((inout Writer) -> Void)?
) {
    var reader = Reader(bytes, in: part)
    do throws(Refusal) {
        guard let write = try decode(&reader) else { return }
        var writer = Writer()
        write(&writer)
        let read = octets(bytes, in: part.lowerBound..<reader.offset)
        require(writer.bytes == read, "\(name) is written as it was read: \(read)")
    } catch {
        require(error, liesIn: bytes.count)
    }
}

/// Checks that a UTF8String is well-formed exactly if the standard library finds nothing to repair.
private func checkUTF8(_ bytes: Span<UInt8>, _ part: Range<Int>) {
    var reader = Reader(bytes, in: part)
    guard let contents = try? reader.read(.utf8String, "UTF8String") else { return }
    let octets = octets(bytes, in: contents)
    let isWellFormed = Array(String(decoding: octets, as: UTF8.self).utf8) == octets
    let isAccepted = bytes.firstIllFormedUTF8(in: contents) == nil
    require(isAccepted == isWellFormed, "UTF-8 is valid exactly if the standard library says so")
}
