/// A case of `Vectors/cases.json`, which every binding runs. `Vectors/README.md` describes the members.
public struct VectorCase: Sendable, CustomStringConvertible {
    public let name: String
    /// The file, below `Vectors`.
    public let receipt: String
    public let policy: JSONValue
    /// The members that a result must have.
    public let expected: JSONValue

    private init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let receipt = json["receipt"]?.string,
            let policy = json["policy"], let expected = json["expected"]
        else { return nil }
        (self.name, self.receipt, self.policy, self.expected) = (name, receipt, policy, expected)
    }

    /// Every case with `name`, `receipt`, `policy` and `expected`; none if the file cannot be read.
    public static let all: [Self] =
        ((try? JSONValue.parse(vector("cases.json")))?["cases"]?.elements ?? []).compactMap(Self.init)

    public var description: String { name }
    public var isXcodeTesting: Bool { policy["xcode_testing"] == .bool(true) }

    /// The options of `app-receipt verify` for the policy.
    public var options: [String] {
        var options = ["--root", "Vectors/\(policy["root"]?.string ?? "")"]
        if let issuer = policy["issuer"]?.string { options += ["--issuer", "Vectors/\(issuer)"] }
        for (member, option) in [
            ("environment", "--environment"), ("bundle_identifier", "--bundle-id"),
            ("app_version", "--app-version"), ("device_identifier", "--device-id"), ("now", "--now"),
        ] {
            if let value = policy[member]?.string { options += [option, value] }
        }
        return options + (isXcodeTesting ? ["--xcode-testing"] : [])
    }
}
