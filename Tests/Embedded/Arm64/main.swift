// Computes digests and judges receipts on Arm64, with the processor's own instructions and without them.
//
// The program is compiled for Embedded Swift and linked with a C library of Linux. An emulator runs it on
// other processors. The first argument names the instruction sets that the processor must have. The second
// argument is optional. It is the path of the table with the CAVP's messages.

import AdvancedSIMD
import AppReceipt
import Processor
import SHA

@_cdecl("main")
func main(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
    let arguments = (1..<Int(count)).compactMap { arguments[$0].map { String(cString: $0) } }
    let acceleration = Acceleration.detected(auxiliaryVector: readFile("/proc/self/auxv"))
    guard let wanted = arguments.first, acceleration.description.utf8.elementsEqual(wanted.utf8) else {
        print(line: "the processor has: \(acceleration)")
        return 2
    }
    var isGood =
        detectionIsRight() && digestsAgree(acceleration) && textsAgree(acceleration) && blocksStayInBounds()
    for acceleration in [.none, acceleration] {
        if arguments.count > 1 { isGood = digestsAreThose(of: arguments[1], acceleration) && isGood }
        isGood = judgeAll(acceleration) && isGood
    }
    return isGood ? 0 : 1
}

/// Whether the detection finds exactly the instruction sets that auxiliary vectors report. A vector is given
/// as the bytes of its words.
private func detectionIsRight() -> Bool {
    let (hwcap, hwcap2): (UInt64, UInt64) = (16, 26)
    let both: UInt64 = 1 << 5 | 1 << 6
    let cases: [(vector: [UInt64], wanted: String)] = [
        ([], "Advanced SIMD"), ([hwcap], "Advanced SIMD"), ([hwcap, 0], "Advanced SIMD"),
        ([hwcap, both], "FEAT_SHA256, Advanced SIMD"), ([hwcap, .max], "FEAT_SHA256, Advanced SIMD"),
        ([hwcap, 1 << 5], "Advanced SIMD"), ([hwcap, 1 << 6], "Advanced SIMD"),
        ([hwcap, ~(1 << 5)], "Advanced SIMD"), ([hwcap, ~(1 << 6)], "Advanced SIMD"),
        ([hwcap2, both], "Advanced SIMD"),
        ([hwcap2, hwcap, both, 0], "Advanced SIMD"), ([hwcap2, both, hwcap, 0], "Advanced SIMD"),
        ([hwcap2, 0, hwcap, both, 0], "FEAT_SHA256, Advanced SIMD"),
        ([0, both, hwcap], "Advanced SIMD"),
        ([both, both, both, both], "Advanced SIMD"),
    ]
    var mistakes = 0
    for (vector, wanted) in cases {
        let bytes = vector.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        for bytes in [bytes, bytes + [16], bytes + [16, 0, 0, 0, 0, 0, 0, 0, 0xFF]] {
            let found = Acceleration.detected(auxiliaryVector: bytes).description
            guard !found.utf8.elementsEqual(wanted.utf8) else { continue }
            mistakes += 1
            print(line: "an auxiliary vector of \(vector.count) words: \(found), not \(wanted)")
        }
    }
    return mistakes == 0
}

/// Whether random messages of 0 to 1000 bytes, in one piece and in two, have the digests that portable code
/// computes.
private func digestsAgree(_ acceleration: Acceleration) -> Bool {
    var state: UInt64 = 180
    func random(below bound: Int) -> Int {
        // Knuth's generator (MMIX). Its upper bits are better than its lower bits.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
    let bytes = (0..<4096).map { _ in UInt8(random(below: 256)) }
    var mistakes = 0
    for algorithm in HashAlgorithm.allCases {
        for round in 0..<10_010 {
            let start = random(below: 3000)
            // Every length occurs, regardless of the generator.
            let message = bytes.span.extracting(start..<(start + round % 1001))
            let wanted = algorithm.digest(of: message)
            guard algorithm.digest(of: message, acceleration: acceleration) != wanted else { continue }
            mistakes += 1
        }
    }
    print(line: "40040 messages digested, \(mistakes) differ from portable code, by: \(acceleration)")
    return mistakes == 0
}

/// Whether base64 gives the results of portable code: the same bytes, or a refusal with the same code at the
/// same offset.
///
/// The texts have every length up to ten blocks, and every byte at every offset in the blocks and beside
/// them.
private func textsAgree(_ acceleration: Acceleration) -> Bool {
    var count = 0
    var mistakes = 0
    func decoded(_ text: [UInt8], _ acceleration: Acceleration) -> (bytes: [UInt8], refusal: String) {
        do throws(ReceiptError) {
            return (try ReceiptInput.decode(text, acceleration: acceleration), "")
        } catch {
            return ([], "\(error.code) at \(error.offset)")
        }
    }
    func compare(_ text: [UInt8], with container: [UInt8]? = nil) {
        let (wanted, found) = (decoded(text, .none), decoded(text, acceleration))
        count += 1
        let isContainer = container == nil || found.bytes == container
        guard
            !isContainer || found.bytes != wanted.bytes
                || !found.refusal.utf8.elementsEqual(wanted.refusal.utf8)
        else { return }
        mistakes += 1
    }
    // The text begins like a receipt; the rest is arbitrary.
    let container = (0..<480).map { $0 == 0 ? 0x30 : UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 7) }
    for length in 1...container.count {
        let bytes = Array(container.prefix(length))
        compare(base64(bytes), with: bytes)
        compare([UInt8](repeating: UInt8(ascii: "\n"), count: length % 67) + base64(bytes), with: bytes)
    }
    // Two and a half blocks. A block is decoded only if the room is larger than the decoded block.
    let text = base64(Array(container.prefix(120)))
    for place in text.indices {
        for byte in UInt8.min...UInt8.max {
            var changed = text
            changed[place] = byte
            compare(changed)
        }
    }
    print(line: "\(count) texts decoded, \(mistakes) otherwise than by portable code, by: \(acceleration)")
    return mistakes == 0
}

/// Whether base64 is decoded as far as the room allows, for every length up to five blocks, every size of the
/// room and every offset in it.
///
/// Bytes before the decoded bytes must not change, nor bytes after the room. After the decoded bytes, at most
/// four bytes can change.
private func blocksStayInBounds() -> Bool {
    let values = (0..<128).map { UInt8($0 < 64 ? 64 : 0) }
    var count = 0
    var mistakes = 0
    for length in stride(from: 0, through: 320, by: 16) {
        let text = [UInt8](repeating: UInt8(ascii: "A"), count: length)
        for room in 0...200 {
            for start in [0, 1, 15, 64] where start <= room {
                var bytes = [UInt8](repeating: 0xA5, count: room + 64)
                let blocks = bytes.withUnsafeMutableBytes { bytes in
                    var output = UnsafeMutableRawBufferPointer(rebasing: bytes[..<room]).mutableBytes
                    return decodeBase64(text.span.bytes, values.span.bytes, &output, at: start)
                }
                let wanted = min(length / 64, room - start < 64 ? 0 : (room - start - 64) / 48 + 1)
                let written = start..<(start + 48 * blocks)
                let mayChange = written.lowerBound..<min(room, blocks == 0 ? start : written.upperBound + 4)
                let isKept = bytes.indices.allSatisfy { mayChange.contains($0) || bytes[$0] == 0xA5 }
                count += 1
                guard blocks != wanted || !isKept || !bytes[written].allSatisfy({ $0 == 0 }) else { continue }
                mistakes += 1
            }
        }
    }
    print(line: "\(count) times decoded into room of its own, \(mistakes) times not as it should be")
    return mistakes == 0
}

/// Encodes base64 (RFC 4648 §4).
private func base64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let three = rest.prefix(3)
        let bits = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
        for place in 0..<4 {
            text.append(place > three.count ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * place) & 63])
        }
        rest = rest.dropFirst(3)
    }
    return text
}

/// Whether messages have the digests in the table.
///
/// The table's columns are hash function, kind, length, message and digest.
private func digestsAreThose(of table: String, _ acceleration: Acceleration) -> Bool {
    let names = ["sha1", "sha256", "sha384", "sha512"]
    var count = 0
    var mistakes = 0
    for line in readFile(table).split(separator: UInt8(ascii: "\n")).dropFirst() {
        let row = columns(line)
        let algorithm = zip(names, HashAlgorithm.allCases).first { $0.0.utf8.elementsEqual(row[0].utf8) }
        count += 1
        let digest = algorithm?.1.digest(of: bytes(row[3]).span, acceleration: acceleration)
        guard digest?.description.utf8.elementsEqual(row[4].utf8) != true else { continue }
        mistakes += 1
        print(line: "\(row[0]), \(row[2]) bytes: not \(row[4])")
    }
    print(line: "\(count) messages of the CAVP digested, \(mistakes) otherwise, by: \(acceleration)")
    return count > 0 && mistakes == 0
}

/// Decodes hexadecimal digits.
private func bytes(_ digits: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var upper: UInt8?
    for digit in digits.utf8 {
        let value = digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
        if let high = upper { bytes.append(high << 4 | value) }
        upper = upper == nil ? value : nil
    }
    return bytes
}
