import AppReceipt
import ReceiptCorpus
import SHA
import SystemCalls

/// The program `app-receipt`: finds the command that the first words name, and runs it.
@main
struct AppReceiptCommand {
    static let versionLine = "app-receipt 0.1.0"
    /// The version, the instruction sets in use without `--portable`, and the origin of this build.
    private static var version: String {
        let lines = [versionLine, "SHA, RSA-2048, base64: \(System.acceleration)"] + BuildRecord.lines
        return lines.joined(separator: "\n")
    }

    /// Every command, in the order of the help. Add a new command here.
    static var commands: [Command] {
        [
            .verify, .corpusVerify, .answer, .inspect, .asn1, .mint, .mintTransaction, .mintCorpus, .errors,
        ]
    }

    static func main() async {
        System.openStandardDescriptors()
        System.ignoreFailedWrites()
        var console = Console()
        let status = await run(System.arguments, &console)
        console.output.flush()
        System.exit(status)
    }

    private static func run(_ words: [[UInt8]], _ console: inout Console) async -> ExitStatus {
        guard let first = words.first.map({ Argument(bytes: $0).text }) else {
            console.report("which command? Name one of \(names); see app-receipt --help")
            return .usage
        }
        switch first {
        case "help" where words.count > 1:
            return await runNamed(words.dropFirst() + [Array(Option.help.name.utf8)], &console)
        case "--help", "-h", "help":
            console.output.line(help)
            return .valid
        case "--version":
            console.output.line(version)
            return .valid
        default: return await runNamed(words[...], &console)
        }
    }

    /// Runs the command that the first one or two words name.
    ///
    /// - Parameter words: the command's name and the words after it.
    private static func runNamed(
        _ words: ArraySlice<[UInt8]>,
        _ console: inout Console
    ) async -> ExitStatus {
        var words = words
        var name = words.popFirst().map { Argument(bytes: $0).text } ?? ""
        // The first word may name a group of commands.
        let group = commands.filter { $0.name.hasPrefix("\(name) ") }
        if !group.isEmpty {
            switch words.popFirst().map({ Argument(bytes: $0).text }) {
            case nil:
                let names = group.map(\.name).joined(separator: ", ")
                console.report("which command? Name one of \(names); see app-receipt --help")
                return .usage
            case "--help", "-h":
                console.output.line(group.map { $0.help() }.joined(separator: "\n\n"))
                return .valid
            case let second?: name += " \(second)"
            }
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            let nearest = commands.map(\.name).first { $0.distance(to: name) <= 2 }
            let advice = nearest.map { "did you mean \($0)?" } ?? "the commands are \(names)"
            console.report("unknown command \(name.printable) (\(advice)); see app-receipt --help")
            return .usage
        }
        do throws(Failure) {
            let arguments = try Arguments(words, of: command)
            guard !arguments.has(.help) else {
                console.output.line(command.help())
                return .valid
            }
            guard !arguments.has(.version) else {
                console.output.line(version)
                return .valid
            }
            return try await command.run(arguments, &console)
        } catch {
            let advice = error.status == .usage ? "; see app-receipt \(command.name) --help" : ""
            console.report(error.message + advice)
            return error.status
        }
    }

    private static var names: String { commands.map(\.name).joined(separator: ", ") }

    private static var help: String {
        var lines = ["\(versionLine): validates App Store receipts and shows what they hold", ""]
        for command in commands { lines += command.examples.prefix(1).map { "  \($0.line)" } }
        lines.append("")
        let width = commands.map(\.name.utf8.count).max() ?? 0
        for command in commands {
            let padding = String(repeating: " ", count: width - command.name.utf8.count)
            lines.append("  \(command.name)\(padding)  \(command.summary)")
        }
        lines += [
            "",
            "app-receipt COMMAND --help shows examples and options. - stands for standard input. Results go to",
            "standard output, messages to standard error.",
            "Exit status: 0 all receipts are valid, 1 at least one is not valid, 2 the command line is wrong,",
            "3 an input could not be read or holds no receipt, or the output could not be written, 141 the reader",
            "of the output has gone. If several apply, the highest counts. corpus verify has its own; see its help.",
        ]
        return lines.joined(separator: "\n")
    }
}
