/// The commit, compiler and flags of a release build, which `app-receipt --version` prints.
///
/// `Bindings/Release/build` sets the values in its own copy of the sources. `swift build` records nothing.
enum BuildRecord {
    static let commit: String? = nil
    static let compiler: String? = nil
    static let flags: String? = nil

    /// The lines of `--version` about the build: its commit, compiler and flags, or that none is recorded.
    static var lines: [String] {
        guard let commit, let compiler, let flags else {
            return ["built by swift build: commit, compiler and flags are not recorded"]
        }
        return ["commit: \(commit)", "compiler: \(compiler)", "flags: \(flags)"]
    }
}
