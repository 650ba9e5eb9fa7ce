import Basics
import DER
import JSONText

/// A writer that takes values with their names. It writes a JSON object, a line of CSV, or the header of CSV.
///
/// A result is described once, by calls of these functions, and is written in every form.
package protocol Fields {
    mutating func member(_ name: MemberName, _ value: String?)
    mutating func member(_ name: MemberName, _ value: Int64?)
    mutating func member(_ name: MemberName, _ value: Bool?)
    /// Takes a time, which is written in UTC, with milliseconds if there are any; nil if absent. In the years
    /// 0 to 9999 the form is that of RFC 3339.
    mutating func member(_ name: MemberName, _ value: Timestamp?)
    /// Takes bytes, which are written as hexadecimal digits in lower case; nil if there is no value.
    mutating func member(_ name: MemberName, hex value: ArraySlice<UInt8>?)
    /// Takes a value that is JSON text already; nil if there is no value.
    mutating func member(_ name: MemberName, text: ArraySlice<UInt8>?)
    /// Takes a value that has members of its own, which the body writes. If `isThere` is false, JSON omits
    /// the member. CSV calls the body in this case too, because all lines have the same columns.
    mutating func member(_ name: MemberName, isThere: Bool, _ body: (inout Self) -> Void)
    /// Takes a value that has members of its own. If `isThere` is false, JSON has null. CSV calls the
    /// body in this case too, for the names or for empty cells.
    mutating func member(_ name: MemberName, orNull isThere: Bool, _ body: (inout Self) -> Void)
    /// Takes an object whose names are not fixed, which CSV writes as JSON. If `isThere` is false, JSON has
    /// null and CSV an empty cell.
    mutating func member(_ name: MemberName, json isThere: Bool, _ body: (inout JSONWriter) -> Void)
    mutating func member<Elements: Sequence>(
        _ name: MemberName,
        array elements: Elements?,
        _ body: (inout JSONWriter, Elements.Element) -> Void
    )
}

extension Fields {
    package mutating func member(_ name: MemberName, _ value: Timestamp?) { member(name, value?.description) }
    /// Writes an identifying number, such as an app's, as a string; nil as null or an empty cell. A number of
    /// more than 53 bits may not be exact in binary64, and the type of a member must not depend on its value.
    package mutating func member(_ name: MemberName, identifier value: Int64?) {
        member(name, value.map { String($0) })
    }
}

extension JSONWriter: Fields {
    package mutating func member(_ name: MemberName, orNull isThere: Bool, _ body: (inout JSONWriter) -> Void)
    {
        if isThere { return member(name, object: body) }
        key(name)
        literal("null")
    }

    package mutating func member(_ name: MemberName, json isThere: Bool, _ body: (inout JSONWriter) -> Void) {
        member(name, orNull: isThere, body)
    }

    /// Writes a member whose value is an array, or null for nil. The body writes each element.
    package mutating func member<Elements: Sequence>(
        _ name: MemberName,
        array elements: Elements?,
        _ body: (inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        guard let elements else { return literal("null") }
        nest(UInt8(ascii: "["), UInt8(ascii: "]")) { array in
            for element in elements { body(&array, element) }
        }
    }

    /// Returns a writer that holds a JSON array and nothing else. The body writes each element.
    package static func array<Elements: Sequence>(
        _ elements: Elements,
        _ body: (inout JSONWriter, Elements.Element) -> Void
    ) -> JSONWriter {
        var json = JSONWriter()
        json.nest(UInt8(ascii: "["), UInt8(ascii: "]")) { array in
            for element in elements { body(&array, element) }
        }
        return json
    }
}
