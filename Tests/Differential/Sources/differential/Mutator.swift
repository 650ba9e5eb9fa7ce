import AppReceiptMint

/// Changes elements and octets with one random generator.
struct Mutator {
    var generator: SeededGenerator
    /// Elements from many messages and certificates, which replace others.
    let donors: [Node]
    /// Contents octets of times near the time that the message is judged at.
    var times: [[UInt8]] = []

    init(seed: UInt64, donors: [Node]) {
        generator = SeededGenerator(seed: seed)
        self.donors = donors
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    mutating func choice<Element>(_ all: [Element]) -> Element { all[below(all.count)] }
}

// MARK: Elements

extension Mutator {
    /// Changes one of the elements, or their order or number.
    mutating func mutate(_ nodes: inout [Node]) {
        guard !nodes.isEmpty else {
            nodes.append(choice(donors))
            return
        }
        let index = below(nodes.count)
        if nodes[index].isNested, !oneIn(7) {
            mutate(&nodes[index].children)
            return
        }
        switch below(24) {
        case 0: nodes.remove(at: index)
        case 1: nodes.insert(nodes[index], at: below(nodes.count + 1))
        case 2: nodes.swapAt(index, below(nodes.count))
        case 3: nodes[index] = choice(donors)
        case 4: nodes.insert(choice(donors), at: index)
        case 5: mutateTag(&nodes[index])
        case 6: mutateLength(&nodes[index])
        case 7: wrap(&nodes, index)
        case 8: replaceLike(&nodes[index])
        default:
            if nodes[index].isNested, !oneIn(8) {
                mutate(&nodes[index].children)
            } else {
                var octets = nodes[index].encodedContents
                mutate(contents: &octets, of: &nodes[index])
                nodes[index].contents = .octets(octets)
            }
        }
    }

    /// Replaces an element by one with the same tag, so that verifiers are likely to read it.
    private mutating func replaceLike(_ node: inout Node) {
        for _ in 0..<16 {
            let donor = choice(donors)
            if donor.identifier == node.identifier {
                node = donor
                return
            }
        }
    }

    private mutating func mutateTag(_ node: inout Node) {
        switch below(4) {
        case 0: node.identifier[0] ^= 1 << UInt8(below(8))
        case 1:
            node.identifier = [choice([0x02, 0x03, 0x04, 0x05, 0x0C, 0x13, 0x16, 0x17, 0x18, 0x30, 0x31])]
        case 2: node.identifier = [UInt8(0x80 | below(4) | (oneIn(2) ? 0x20 : 0))]
        default:
            node.identifier = [node.identifier[0] | 0x1F] + (oneIn(2) ? [0x80] : []) + [UInt8(below(128))]
        }
    }

    private mutating func mutateLength(_ node: inout Node) {
        switch below(6) {
        case 0, 1: node.length = .padded(1 + below(3))
        case 2...4 where node.isNested: node.length = .indefinite
        default: node.length = .wrong(choice([-2, -1, 1, 2, 127]))
        }
    }

    private mutating func wrap(_ nodes: inout [Node], _ index: Int) {
        if nodes[index].isNested, oneIn(2) {
            nodes.replaceSubrange(index...index, with: nodes[index].children)
        } else {
            nodes[index] = Node([choice([0x30, 0x31, 0xA0, 0xA1, 0x24])], .elements([nodes[index]]))
        }
    }

    private mutating func mutate(contents: inout [UInt8], of node: inout Node) {
        switch node.tag {
        case 0x01 where !oneIn(4):
            contents = choice([[0x00], [0xFF], [0x01], [], [0xFF, 0x00]])
        case 0x02 where !oneIn(4): mutate(integer: &contents)
        case 0x03 where oneIn(3) && !contents.isEmpty: contents[0] = UInt8(below(10))
        case 0x06 where oneIn(2): contents = identifier(inPlaceOf: contents)
        case 0x0C, 0x13, 0x14, 0x16, 0x1E:
            if !times.isEmpty, contents.count == 20, oneIn(2) {
                contents = choice(times.filter { $0.count >= 20 })
            } else if oneIn(3) {
                node.identifier = [choice([0x0C, 0x13, 0x14, 0x16, 0x1A, 0x1C, 0x1E])]
            } else if oneIn(3) {
                spell(&contents)
            } else {
                mutate(&contents)
            }
        case 0x17, 0x18:
            if !times.isEmpty, oneIn(2) {
                contents = choice(times.filter { $0.count < 20 })
                node.identifier = [contents.count > 13 ? 0x18 : 0x17]
            } else if oneIn(4) {
                node.identifier = [node.tag ^ 0x0F]
            } else if oneIn(3) {
                contents += choice([[0x5A], Array("+0000".utf8), Array(".5Z".utf8)])
            } else if !contents.isEmpty {
                contents[below(contents.count)] = UInt8(0x30 + below(10))
            }
        default: mutate(&contents)
        }
    }

    private mutating func mutate(integer contents: inout [UInt8]) {
        switch below(6) {
        case 0:
            contents = choice([[0x00], [0x01], [0x02], [0x03], [0x04], [0x05], [0x7F], [0x80], [0xFF], []])
        case 1: contents.insert(choice([0x00, 0xFF, 0x01]), at: 0)
        case 2: contents = (0...below(24)).map { _ in UInt8(below(256)) }
        case 3 where !contents.isEmpty: contents[contents.count - 1] &+= choice([1, 0xFF, 2, 0xFE])
        case 4 where !contents.isEmpty: contents[0] ^= 0x80
        default: mutate(&contents)
        }
    }

    /// Another identifier that occurs in messages, or this one with a wrong encoding.
    mutating func identifier(inPlaceOf contents: [UInt8]) -> [UInt8] {
        if oneIn(8) { return [0x80] + contents }
        if oneIn(8) { return contents + [UInt8(below(256))] }
        for _ in 0..<64 {
            let donor = choice(donors)
            if donor.tag == 0x06, case .octets(let octets) = donor.contents { return octets }
        }
        return contents
    }

    /// A name in another spelling: letter case, spaces.
    private mutating func spell(_ contents: inout [UInt8]) {
        let letters = contents.indices.filter { (0x41...0x5A).contains(contents[$0] & 0xDF) }
        if oneIn(2), !letters.isEmpty {
            contents[choice(letters)] ^= 0x20
        } else {
            contents.insert(0x20, at: oneIn(2) ? 0 : oneIn(2) ? contents.count : below(contents.count + 1))
        }
    }
}

// MARK: Octets

extension Mutator {
    /// Changes some octets without regard to their meaning.
    mutating func mutate(_ octets: inout [UInt8]) {
        guard !octets.isEmpty else {
            octets.append(UInt8(below(256)))
            return
        }
        let index = below(octets.count)
        switch below(10) {
        case 0, 1, 2, 3: octets[index] ^= 1 << UInt8(below(8))
        case 4, 5:
            octets[index] = oneIn(2) ? UInt8(below(256)) : choice([0x00, 0x01, 0x7F, 0x80, 0xFF, 0x30])
        case 6: octets.insert(UInt8(below(256)), at: index)
        case 7: octets.remove(at: index)
        case 8:
            let end = min(octets.count, index + 1 + below(16))
            if oneIn(2) {
                octets.removeSubrange(index..<end)
            } else {
                octets.insert(contentsOf: octets[index..<end], at: below(octets.count))
            }
        default:
            if oneIn(4) {
                octets.removeSubrange(index...)
            } else {
                octets[index] &+= oneIn(2) ? 1 : 0xFF
            }
        }
    }
}

extension Mutator {
    /// An OBJECT IDENTIFIER from one of the messages.
    mutating func identifierOfDonor() -> Node {
        Node([0x06], .octets(identifier(inPlaceOf: [0x2A, 0x03])))
    }
}
