/// A plain and slow definition of the normaliser: every element becomes an array. The caller bounds the depth
/// and the number of elements.
enum Reference {
    /// The DER form of one BER element that fills the input. Nil if the input is not BER.
    static func der(_ input: [UInt8]) -> [UInt8]? {
        guard let (tag, contents, rest) = element(input[...]), rest.isEmpty else { return nil }
        return tag + length(contents.count) + contents
    }

    /// The identifier octets and the contents of the first element, and the bytes that follow the element.
    private static func element(_ input: ArraySlice<UInt8>) -> ([UInt8], [UInt8], ArraySlice<UInt8>)? {
        guard let tag = identifier(input) else { return nil }
        var rest = input.dropFirst(tag.count)
        guard let first = rest.popFirst() else { return nil }
        let isConstructed = tag[0] & 0x20 != 0
        guard first != 0x80 else {
            guard isConstructed else { return nil }
            var children: [([UInt8], [UInt8])] = []
            while !rest.starts(with: [0, 0]) {
                guard let (childTag, childContents, after) = element(rest) else { return nil }
                children.append((childTag, childContents))
                rest = after
            }
            return join(tag, children, rest.dropFirst(2))
        }
        var count = Int(first)
        if first > 0x80 {
            let octets = rest.prefix(Int(first) - 0x80)
            let significant = octets.drop { $0 == 0 }
            guard first < 0xFF, octets.count == Int(first) - 0x80, significant.count <= 4 else { return nil }
            rest = rest.dropFirst(octets.count)
            count = significant.reduce(0) { $0 * 256 + Int($1) }
        }
        guard count <= rest.count else { return nil }
        var contents = rest.prefix(count)
        rest = rest.dropFirst(count)
        guard isConstructed else { return (tag, Array(contents), rest) }
        var children: [([UInt8], [UInt8])] = []
        while !contents.isEmpty {
            guard let (childTag, childContents, after) = element(contents) else { return nil }
            children.append((childTag, childContents))
            contents = after
        }
        return join(tag, children, rest)
    }

    private static func join(
        _ tag: [UInt8],
        _ children: [([UInt8], [UInt8])],
        _ rest: ArraySlice<UInt8>
    ) -> ([UInt8], [UInt8], ArraySlice<UInt8>)? {
        guard tag == [0x24] else {
            return (tag, children.flatMap { $0.0 + length($0.1.count) + $0.1 }, rest)
        }
        guard children.allSatisfy({ $0.0 == [0x04] }) else { return nil }
        return ([0x04], children.flatMap(\.1), rest)
    }

    private static func identifier(_ input: ArraySlice<UInt8>) -> [UInt8]? {
        guard let first = input.first, first & 0xDF != 0 else { return nil }
        guard first & 0x1F == 0x1F else { return [first] }
        let marked = input.dropFirst().prefix { $0 & 0x80 != 0 }
        guard let last = input.dropFirst(1 + marked.count).first, marked.first != 0x80 else { return nil }
        let number = (marked + [last]).reduce(0.0) { $0 * 128 + Double($1 & 0x7F) }
        guard number >= 31, number < 4_294_967_296 else { return nil }
        return [first] + marked + [last]
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        var octets: [UInt8] = []
        var left = count
        while left > 0 {
            octets.insert(UInt8(left % 256), at: 0)
            left /= 256
        }
        return [0x80 + UInt8(octets.count)] + octets
    }
}
