import Foundation
import PackagePlugin

/// Makes ReceiptGuard.swift anew in every build of a target that has a file receipt-guard.options.
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
        // The tool changes this file, which is one of its inputs. The next build finds a changed input, and
        // runs the tool again.
        let stamp = context.pluginWorkDirectoryURL.appending(path: "ReceiptGuard.stamp")
        if !FileManager.default.fileExists(atPath: stamp.path) { try Data().write(to: stamp) }
        return [
            .buildCommand(
                displayName: "Hiding the expectations of \(target.name)",
                executable: try context.tool(named: "receipt-guard-tool").url,
                arguments: [
                    "--options", options.path, "--output", output.path, "--stamp", stamp.path,
                ],
                inputFiles: [options, stamp],
                outputFiles: [output]
            )
        ]
    }
}
