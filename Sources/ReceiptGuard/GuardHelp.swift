/// The help of the tool.
package enum GuardHelp {
    /// An option, its value's placeholder, and its meaning.
    struct Option {
        let name: String
        let value: String
        let help: [String]
    }

    /// All options with a value. `--options` is read before the others and stands here for the help.
    static let options = [
        Option(name: "--bundle-id", value: "IDENTIFIER", help: ["The app's bundle identifier. Required."]),
        Option(
            name: "--app-version",
            value: "VERSION",
            help: [
                "The app's version: CFBundleVersion on iOS, CFBundleShortVersionString on macOS.",
                "Without this option the version is not checked.",
            ]
        ),
        Option(
            name: "--environment",
            value: "NAME",
            help: [
                "An accepted environment (repeatable); Production and ProductionSandbox by default, because",
                "App Review buys in the sandbox.",
            ]
        ),
        Option(
            name: "--root",
            value: "FILE",
            help: ["A trusted root certificate in DER (repeatable), instead of Apple's roots."]
        ),
        Option(
            name: "--root-sha256",
            value: "HEX",
            help: ["The SHA-256 fingerprint of a trusted root (repeatable), instead of Apple's roots."]
        ),
        Option(
            name: "--function",
            value: "NAME",
            help: ["The name of the function that the app calls; guardedReceipt by default."]
        ),
        Option(
            name: "--seed",
            value: "NUMBER",
            help: [
                "The seed of all random choices. The same seed makes the same file. Without this option each",
                "run makes another file.",
            ]
        ),
        Option(
            name: "--options",
            value: "FILE",
            help: ["Read options from a file: one option and its value on a line, # begins a comment."]
        ),
        Option(name: "--output", value: "FILE", help: ["The file to write; standard output by default."]),
        Option(
            name: "--stamp",
            value: "FILE",
            help: [
                "Write a new number to a file. The build tool plugin uses it: a build runs the tool again if the",
                "file has changed.",
            ]
        ),
    ]

    /// The help. Examples come first, because most readers look for one.
    package static var text: String {
        var lines = [
            "receipt-guard: writes Swift code that validates receipts against hidden expectations",
            "",
            "  swift package --allow-writing-to-package-directory receipt-guard --target App \\",
            "      --bundle-id com.example.app --app-version 42",
            "      Writes ReceiptGuard.swift into the sources of the target App.",
            "  swift run receipt-guard-tool --bundle-id com.example.app --output App/ReceiptGuard.swift",
            "      Writes the file without the plugin, for example from a build phase of Xcode.",
            "  receipt-guard-tool --options App/receipt-guard.options --seed 7",
            "      Reads the options from a file, and writes the same code each time.",
            "",
            "In the app: guard let receipt = try guardedReceipt(bytes) else { … }",
            "",
            "usage: receipt-guard-tool --bundle-id IDENTIFIER [OPTION…]",
            "       swift package receipt-guard --target TARGET --bundle-id IDENTIFIER [OPTION…]",
            "",
        ]
        for option in options {
            lines.append("  \(option.name) \(option.value)")
            lines += option.help.map { "      \($0)" }
        }
        lines += [
            "  --target TARGET",
            "      With swift package only: the target that the file is written for.",
            "  --help",
            "      Show this help.",
            "",
            "Exit status: 0 the file is written, 2 the command line or a file of options is wrong, 3 a file could",
            "not be read or written. swift package turns 2 and 3 into 1. A file that receipt-guard did not make is",
            "never overwritten.",
        ]
        return lines.joined(separator: "\n")
    }

    /// The words that Swift reserves in declarations, expressions and statements.
    static let keywords: Set<String> = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let",
        "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
        "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
        "typealias", "var", "where", "while",
    ]
}
