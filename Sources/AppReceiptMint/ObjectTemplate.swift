import Basics
import JSONText

/// The value of a member to write. Literals stand for texts, integers, flags and arrays of texts.
public enum PayloadValue: Sendable {
    /// A string.
    case text(String)
    /// An integer with all its digits.
    case integer(Int64)
    /// A time, which is written in milliseconds since 1970.
    case date(Timestamp)
    /// `true` or `false`.
    case flag(Bool)
    /// An array of strings.
    case texts([String])
    /// An object.
    case object(ObjectTemplate)
    /// An array of objects.
    case objects([ObjectTemplate])
    /// A token inside a payload: the mint signs it and writes it as a string.
    case token(TokenTemplate)
    /// A value given as JSON text, such as a value of a wrong type. White space may be written as spaces, and
    /// a character of a string as an escape. Precondition, not checked: the text is JSON.
    case json(String)
}

extension PayloadValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    /// Makes a value that writes a string.
    public init(stringLiteral text: String) { self = .text(text) }
    /// Makes a value that writes an integer literal of Swift as a JSON number.
    public init(integerLiteral integer: Int64) { self = .integer(integer) }
    /// Makes a value that writes `true` or `false`.
    public init(booleanLiteral flag: Bool) { self = .flag(flag) }
    /// Makes a value that writes an array of strings.
    public init(arrayLiteral texts: String...) { self = .texts(texts) }
}

/// A JSON object to write: the header or the payload of a token, or an object inside.
public struct ObjectTemplate: Sendable {
    /// A member: its name and its value.
    public typealias Member = (name: String, value: PayloadValue)

    /// The members, in the order of writing. A name that stands here twice is written twice.
    public var members: [Member]

    /// Makes an object of members, none by default.
    public init(_ members: [Member] = []) { self.members = members }

    /// The value of the first member with a name; nil if there is no such member.
    ///
    /// A full stop leads into an object: `data.bundleId` is the member `bundleId` of the object `data`. A
    /// full stop does not lead into a token or a ``PayloadValue/json(_:)``. Setting nil removes the first
    /// member with the name. Setting a value changes the first member with the name, or appends a member.
    /// When nil or a value is set, every name before a full stop gets a ``PayloadValue/object(_:)`` if it
    /// has none.
    public subscript(path: String) -> PayloadValue? {
        get {
            let (name, rest) = Self.split(path)
            let value = members.first { $0.name.hasSameBytes(as: name) }?.value
            guard let rest else { return value }
            guard case .object(let object)? = value else { return nil }
            return object[rest]
        }
        set {
            let (name, rest) = Self.split(path)
            let index = members.firstIndex { $0.name.hasSameBytes(as: name) }
            var value = newValue
            if let rest {
                var object = ObjectTemplate()
                if let index, case .object(let present) = members[index].value { object = present }
                object[rest] = newValue
                value = .object(object)
            }
            switch (index, value) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The name before the first full stop that follows any other character, and the path behind that stop.
    /// Full stops in front of the name are dropped. If there is no such full stop, or nothing behind it: the
    /// whole path as the name, and nil.
    private static func split(_ path: String) -> (name: String, rest: String?) {
        let parts = path.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1)
        guard parts.count == 2 else { return (path, nil) }
        return (String(Substring(parts[0])), String(Substring(parts[1])))
    }

    /// The object as JSON.
    ///
    /// - Parameter sign: signs a token inside the object, and returns the token's characters.
    /// - Returns: the JSON in UTF-8.
    func encoded(_ sign: (TokenTemplate) -> [UInt8]) -> [UInt8] {
        JSONWriter.object { json in
            for member in members {
                let name = MemberName.given(member.name)
                switch member.value {
                case .text(let text): json.member(name, text)
                case .integer(let integer): json.member(name, text: Self.digits(integer)[...])
                case .date(let date): json.member(name, text: Self.digits(date.millisecondsSince1970)[...])
                case .flag(let flag): json.member(name, flag)
                case .texts(let texts):
                    json.key(name)
                    json.nest(UInt8(ascii: "["), UInt8(ascii: "]")) { array in
                        for text in texts { array.element(text) }
                    }
                case .object(let object): json.member(name, text: object.encoded(sign)[...])
                case .objects(let objects):
                    json.key(name)
                    json.nest(UInt8(ascii: "["), UInt8(ascii: "]")) { array in
                        for object in objects { array.element(text: object.encoded(sign)) }
                    }
                case .token(let token): json.member(name, String(decoding: sign(token), as: UTF8.self))
                case .json(let text): json.member(name, text: [UInt8](text.utf8)[...])
                }
            }
        }.bytes
    }

    private static func digits(_ integer: Int64) -> [UInt8] { [UInt8](String(integer).utf8) }
}
