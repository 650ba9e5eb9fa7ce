import Foundation
import PackagePlugin

/// Makes ReceiptGuard.swift anew for every build of a target that has a file receipt-guard.options.
@main
struct ReceiptGuardBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let options = target.directoryURL.appending(path: "receipt-guard.options")
        guard FileManager.default.fileExists(atPath: options.path) else {
            Diagnostics.error(
                """
                receipt-guard: the target \(target.name) has no file \(options.path); \
                make it with one line such as: --bundle-id com.example.app
                """
            )
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "ReceiptGuard.swift")
        // The command line differs each time, so that the build runs the tool again. A seed in the file of
        // options stands later on the command line, and prevails.
        let seed = String(UInt64.random(in: 0...UInt64.max))
        return [
            .buildCommand(
                displayName: "Hiding the expectations of \(target.name)",
                executable: try context.tool(named: "receipt-guard-tool").url,
                arguments: ["--seed", seed, "--options", options.path, "--output", output.path],
                inputFiles: [options],
                outputFiles: [output]
            )
        ]
    }
}
