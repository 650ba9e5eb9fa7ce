/// The name of a member of a JSON object. A literal is a fixed name.
package enum MemberName: Sendable, ExpressibleByStringLiteral {
    /// A name that the output format fixes. It needs no escapes in JSON, so it is not searched for them.
    ///
    /// - Precondition: the name consists of ASCII letters, digits and underscores.
    case fixed(StaticString)
    /// A name that may hold any characters. Those that need an escape get one.
    case given(String)

    package init(stringLiteral name: StaticString) { self = .fixed(name) }

    /// The name as a string.
    package var text: String {
        switch self {
        case .fixed(let name): name.description
        case .given(let name): name
        }
    }
}
