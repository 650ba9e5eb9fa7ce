/// The help of receipt-guard, and the keywords of Swift that the tool refuses as a function's name.
package enum GuardHelp {
    /// The text that `--help` prints, without a line feed at its end.
    package static let text = """
        receipt-guard: writes Swift code that validates receipts against hidden expectations

          swift package --allow-writing-to-package-directory receipt-guard --target App \\
              --bundle-id com.example.app --app-version 42
              Writes ReceiptGuard.swift into the sources of the target App.
          swift run receipt-guard-tool --bundle-id com.example.app --output App/ReceiptGuard.swift
              Writes the file without the plugin, for example from a build phase of Xcode.
          receipt-guard-tool --options App/receipt-guard.options --seed 7
              Reads the options from a file, and writes the same code each time.

        In the app: guard let receipt = try guardedReceipt(bytes) else { … }

        usage: receipt-guard-tool --bundle-id IDENTIFIER [OPTION…]
               swift package receipt-guard --target TARGET --bundle-id IDENTIFIER [OPTION…]

          --bundle-id IDENTIFIER
              The app's bundle identifier. Required.
          --app-version VERSION
              The app's version: CFBundleVersion on iOS, CFBundleShortVersionString on macOS.
              Without this option the version is not checked.
          --environment NAME
              An accepted environment (repeatable); Production and ProductionSandbox by default, because
              App Review buys in the sandbox.
          --root FILE
              A trusted root certificate in DER (repeatable), instead of Apple's roots.
          --root-sha256 HEX
              The SHA-256 fingerprint of a trusted root (repeatable), instead of Apple's roots.
          --function NAME
              The name of the function that the app calls; guardedReceipt by default.
          --seed NUMBER
              The seed of all random choices. The same seed makes the same file. Without this option each
              run makes another file.
          --options FILE
              Read options from a file: one option and its value on a line, # begins a comment.
          --output FILE
              The file to write; standard output by default.
          --stamp FILE
              Write a new number to a file. The build tool plugin uses it: a build runs the tool again if the
              file has changed.
          --target TARGET
              With swift package only: the target that the file is written for.
          --help
              Show this help.

        Exit status: 0 the file is written, 2 the command line or a file of options is wrong, 3 a file could
        not be read or written. swift package turns 2 and 3 into 1. An --output file that receipt-guard did
        not make is never overwritten.
        """

    /// The keywords of Swift that the tool refuses as a function's name.
    static let keywords: Set<String> = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let",
        "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
        "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
        "typealias", "var", "where", "while",
    ]
}
