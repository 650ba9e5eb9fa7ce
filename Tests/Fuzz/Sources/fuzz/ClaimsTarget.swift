import Basics
import SignedPayloads

/// Checks every accessor of a payload against a plain decoder of JSON. The first byte chooses the kind, and
/// the rest is the payload.
func fuzzClaims(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let json = Array(input.dropFirst())
    switch choice % 5 {
    case 0: fuzzClaims(TransactionKind.self, json)
    case 1: fuzzClaims(RenewalInfoKind.self, json)
    case 2: fuzzClaims(AppTransactionKind.self, json)
    case 3: fuzzClaims(RealtimeRequestKind.self, json)
    default: fuzzClaims(NotificationKind.self, json)
    }
}

private func fuzzClaims<Kind: PayloadKind>(_: Kind.Type, _ json: [UInt8]) {
    let text = "." + Tokens.base64URL(json) + "."
    let plain = PlainJSON(json)
    switch outcome({ () throws(SignedPayloadError) in try Unverified<Kind>(unverified: Array(text.utf8)) }) {
    case .failure(let error):
        require(error.step == .payload, "\(error)")
        require(error.offset >= 0 && error.offset <= text.utf8.count, "\(error) lies outside")
        if plain == nil { require(error.code == .notAnObject, "\(error)") }
    case .success(let payload):
        guard let plain else { return require(false, "a payload is JSON") }
        check(payload.members, plain)
        let names = payload.members.members.map(\.name)
        let unknown = payload.unknownMembers.map(\.name)
        require(names.filter(unknown.contains) == unknown, "unknown members are members, in their order")
        require(payload.environment == nil || payload.unverified.members.members.count > 0, "no environment")
    }
}

/// Compares an object with the plain decoder's.
private func check(_ object: PayloadObject, _ plain: PlainJSON) {
    guard case .object(let members) = plain else { return require(false, "an object") }
    require(object.members.map { Array($0.name.utf8) } == members.map(\.name), "the names in their order")
    require(Set(members.map(\.name)).count == members.count, "no name occurs twice")
    require(object.members.map { Array($0.json.utf8) } == members.map(\.text), "the text of the values")
    walk(object, members.map { String(decoding: $0.name, as: UTF8.self) })
    for member in members {
        let name = String(decoding: member.name, as: UTF8.self)
        let text = String(decoding: member.text, as: UTF8.self)
        require(object.text(name).map { Array($0.utf8) } == member.value.text, "the text of \(name)")
        require(object.flag(name) == Bool(text), "the flag \(name)")
        require(object.integer(name) == Int64(text), "the integer \(name)")
        require(object.date(name)?.millisecondsSince1970 == floor(text), "the date \(name)")
        if case .array(let elements) = member.value {
            let texts = elements.map(\.text)
            let expected = texts.contains { $0 == nil } ? nil : texts.compactMap { $0 }
            require(object.texts(name).map { $0.map { Array($0.utf8) } } == expected, "the texts \(name)")
        } else {
            require(object.texts(name) == nil, "no array")
        }
        if let inner = object.object(name) { check(inner, member.value) }
    }
}

/// The greatest integer that is not above a number without an exponent, if it is in -2^53...2^53.
private func floor(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int64(parts[0]) else { return nil }
    let fraction = parts.count == 2 ? parts[1] : "0"
    guard fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let isBelow = text.first == "-" && fraction.contains { $0 != "0" }
    guard whole > .min else { return nil }
    let floor = isBelow ? whole - 1 : whole
    return abs(floor) <= 1 << 53 ? floor : nil
}

/// Uses every accessor for every name.
func walk(_ object: PayloadObject, _ names: [String]) {
    for name in names + ["", "\0"] {
        _ = (object.text(name), object.integer(name), object.date(name), object.flag(name))
        _ = object.texts(name)
        if let inner = object.object(name) { walk(inner, inner.members.map(\.name)) }
    }
}
