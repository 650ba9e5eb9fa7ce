/// An element that can be changed: its identifier octets, its contents, and the form of its length.
struct Node: Sendable {
    enum Contents: Sendable {
        case octets([UInt8])
        case elements([Node])
        /// A string whose octets contain elements: an OCTET STRING, or a BIT STRING after the octet that
        /// counts unused bits.
        case wrapped(prefix: [UInt8], [Node])
    }

    enum Length: Sendable {
        case minimal
        /// The length has this many octets more than necessary.
        case padded(Int)
        case indefinite
        /// The length is wrong by this number.
        case wrong(Int)
    }

    var identifier: [UInt8]
    var contents: Contents
    var length = Length.minimal

    init(_ identifier: [UInt8], _ contents: Contents) {
        self.identifier = identifier
        self.contents = contents
    }

    var tag: UInt8 { identifier[0] }

    /// The elements inside. Empty for an element with octets only.
    var children: [Node] {
        get {
            switch contents {
            case .octets: []
            case .elements(let elements), .wrapped(_, let elements): elements
            }
        }
        set {
            if case .wrapped(let prefix, _) = contents {
                contents = .wrapped(prefix: prefix, newValue)
            } else {
                contents = .elements(newValue)
            }
        }
    }

    /// Whether the element contains elements.
    var isNested: Bool {
        if case .octets = contents { false } else { true }
    }

    /// The element at a path of indices, which must exist.
    subscript(path: [Int]) -> Node {
        get { self[path[...]] }
        set { self[path[...]] = newValue }
    }

    subscript(path: ArraySlice<Int>) -> Node {
        get { path.reduce(self) { $0.children[$1] } }
        set {
            guard let first = path.first else { return self = newValue }
            var inner = children
            inner[first][path.dropFirst()] = newValue
            children = inner
        }
    }
}

// MARK: Encoding

extension Node {
    var encoded: [UInt8] {
        var octets: [UInt8] = []
        encode(into: &octets)
        return octets
    }

    var encodedContents: [UInt8] {
        var octets: [UInt8] = []
        encodeContents(into: &octets)
        return octets
    }

    private func encodeContents(into octets: inout [UInt8]) {
        switch contents {
        case .octets(let own): octets += own
        case .elements(let elements):
            for element in elements { element.encode(into: &octets) }
        case .wrapped(let prefix, let elements):
            octets += prefix
            for element in elements { element.encode(into: &octets) }
        }
    }

    private func encode(into octets: inout [UInt8]) {
        octets += identifier
        let start = octets.count
        octets.append(0)
        encodeContents(into: &octets)
        let count = octets.count - start - 1
        switch length {
        case .minimal where count < 0x80: octets[start] = UInt8(count)
        case .minimal: octets.replaceSubrange(start...start, with: lengthOctets(count))
        case .padded(let more):
            let minimal = lengthOctets(count)
            let digits = minimal.count == 1 ? minimal : [UInt8](minimal.dropFirst())
            let padding = [UInt8](repeating: 0, count: more)
            octets.replaceSubrange(
                start...start,
                with: [0x80 | UInt8(more + digits.count)] + padding + digits
            )
        case .indefinite:
            octets[start] = 0x80
            octets += [0, 0]
        case .wrong(let difference):
            octets.replaceSubrange(start...start, with: lengthOctets(max(0, count + difference)))
        }
    }
}

/// The length in the fewest octets (X.690 §10.1).
private func lengthOctets(_ length: Int) -> [UInt8] {
    guard length >= 0x80 else { return [UInt8(length)] }
    let octets = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }.drop { $0 == 0 }
    return [0x80 | UInt8(octets.count)] + octets
}

// MARK: Decoding

extension Node {
    /// The elements that fill a range, if their lengths are DER. Nil for anything else. Encoding them again
    /// gives the same octets.
    ///
    /// - Parameter maximumDepth: the depth below which contents stay octets.
    static func decode(
        _ octets: [UInt8],
        in range: Range<Int>? = nil,
        depth: Int = 0,
        maximumDepth: Int = .max
    ) -> [Node]? {
        let range = range ?? 0..<octets.count
        guard depth < 32 else { return nil }
        var nodes: [Node] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let (tagEnd, contents) = header(octets, at: offset, before: range.upperBound) else {
                return nil
            }
            let identifier = [UInt8](octets[offset..<tagEnd])
            let own = [UInt8](octets[contents])
            var node = Node(identifier, .octets(own))
            if depth >= maximumDepth {
                nodes.append(node)
                offset = contents.upperBound
                continue
            }
            if identifier[0] & 0x20 != 0 {
                let inner = decode(octets, in: contents, depth: depth + 1, maximumDepth: maximumDepth)
                guard let inner else { return nil }
                node.contents = .elements(inner)
            } else if identifier == [0x04], let elements = onlyOne(octets, contents, depth) {
                node.contents = .wrapped(prefix: [], elements)
            } else if identifier == [0x03], own.first == 0,
                let elements = onlyOne(octets, contents.dropFirst(), depth)
            {
                node.contents = .wrapped(prefix: [0], elements)
            }
            nodes.append(node)
            offset = contents.upperBound
        }
        return nodes
    }

    private static func onlyOne(_ octets: [UInt8], _ range: Range<Int>, _ depth: Int) -> [Node]? {
        guard range.count >= 2, let nodes = decode(octets, in: range, depth: depth + 1), nodes.count == 1
        else { return nil }
        return nodes
    }

    private static func header(_ octets: [UInt8], at start: Int, before end: Int) -> (Int, Range<Int>)? {
        var offset = start + 1
        if octets[start] & 0x1F == 0x1F {
            while offset < end, octets[offset] & 0x80 != 0 { offset += 1 }
            offset += 1
        }
        let tagEnd = offset
        guard offset < end else { return nil }
        var length = Int(octets[offset])
        offset += 1
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...3).contains(count), count <= end - offset else { return nil }
            length = octets[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
            guard octets[offset] != 0, length >= 0x80 else { return nil }
            offset += count
        }
        guard length <= end - offset else { return nil }
        return (tagEnd, offset..<(offset + length))
    }
}
