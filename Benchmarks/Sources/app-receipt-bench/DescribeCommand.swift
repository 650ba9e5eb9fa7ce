/// Prints this program's name, version, build and measures.
func describe(_ arguments: Arguments) {
    var object = JSONObject()
    object.add("peer", "swift-app-receipt")
    object.add("version", "unreleased")
    object.add("built", "\(build), instructions: \(arguments.acceleration)")
    object.add("measures", Measure.all.map(\.name))
    object.write()
}

/// How this program was compiled: the configuration and the architecture.
private var build: String {
    #if DEBUG
        let configuration = "debug: its figures mean nothing"
    #else
        let configuration = "release"
    #endif
    #if arch(x86_64)
        return "\(configuration), x86-64 baseline"
    #elseif arch(arm64)
        return "\(configuration), arm64"
    #else
        return configuration
    #endif
}
