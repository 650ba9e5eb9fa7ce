import Foundation
import PackagePlugin

/// `swift package receipt-guard`: writes ReceiptGuard.swift into the sources of a target.
@main
struct ReceiptGuardCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let tool = try context.tool(named: "receipt-guard-tool")
        var extractor = ArgumentExtractor(arguments)
        guard !arguments.contains("--help"), !arguments.contains("-h") else {
            return try run(tool.url, ["--help"])
        }
        let names = extractor.extractOption(named: "target")
        var words = extractor.remainingArguments
        guard names.count <= 1 else {
            throw Failure("--target is given \(names.count) times; give one target")
        }
        let hasOutput = words.contains { $0 == "--output" || $0.hasPrefix("--output=") }
        if let name = names.first {
            guard !hasOutput else {
                throw Failure("--target and --output both name the file; give one of the two")
            }
            let candidates = context.package.targets.compactMap { $0 as? any SourceModuleTarget }
            guard let target = candidates.first(where: { $0.name == name }) else {
                let known = candidates.map(\.name).joined(separator: ", ")
                throw Failure("the package has no target \(name) with sources; it has \(known)")
            }
            words += ["--output", target.directoryURL.appending(path: "ReceiptGuard.swift").path]
        } else if !hasOutput {
            throw Failure("which target? Add --target NAME, or --output FILE")
        }
        try run(tool.url, words)
    }

    private func run(_ tool: URL, _ words: [String]) throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = words
        try process.run()
        process.waitUntilExit()
        // SwiftPM ends with the plugin's status, so that the tool's documented status arrives.
        if process.terminationReason != .exit { throw Failure("receipt-guard-tool was interrupted") }
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = "receipt-guard: \(description)" }
    }
}
