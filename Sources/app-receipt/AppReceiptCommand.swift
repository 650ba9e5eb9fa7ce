import AppReceipt
import ReceiptCorpus
import SystemCalls

/// The program `app-receipt`: finds the command that the first words name, and runs it.
@main
struct AppReceiptCommand {
    static let versionLine = "app-receipt 0.1.0"
    /// The text of `--version`: the version, the instruction sets in use without `--portable`, and the lines
    /// of ``BuildRecord``.
    private static var version: String {
        let lines = [versionLine, "SHA, RSA-2048, base64: \(System.acceleration)"] + BuildRecord.lines
        return lines.joined(separator: "\n")
    }

    /// Every command, in the order of the help. Add a new command here.
    static var commands: [Command] {
        [
            .verify, .corpusVerify, .answer, .inspect, .asn1, .mint, .mintTransaction, .mintToken,
            .mintCorpus,
            .roots, .errors,
        ]
    }

    static func main() async {
        System.openStandardDescriptors()
        System.ignoreFailedWrites()
        var console = Console()
        // The words to write before --help to learn more.
        var subject = "app-receipt"
        var status: ExitStatus
        do throws(Failure) {
            status = try await run(System.arguments.map { Argument(bytes: $0) }, &subject, &console)
        } catch {
            status = error.status
            console.report(error.message + (status == .usage ? "; see \(subject) --help" : ""))
        }
        console.output.flush()
        System.exit(status)
    }

    private static func run(
        _ arguments: [Argument],
        _ subject: inout String,
        _ console: inout Console
    ) async throws(Failure) -> ExitStatus {
        var words = arguments[...]
        if words.first?.text == "help" { words = words.dropFirst() + [Argument(bytes: Array("--help".utf8))] }
        guard var name = words.popFirst()?.text else { throw unnamed(commands) }
        switch name {
        case "--help", "-h":
            console.output.line(help)
            return .valid
        case "--version":
            console.output.line(version)
            return .valid
        default: break
        }
        // The first word may name a group of commands.
        let group = commands.filter { $0.name.hasPrefix("\(name) ") }
        if !group.isEmpty {
            guard let second = words.popFirst()?.text else { throw unnamed(group) }
            guard second != "--help", second != "-h" else {
                console.output.line(group.map(\.help).joined(separator: "\n\n"))
                return .valid
            }
            name += " \(second)"
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            let nearest = name.nearest(in: commands.map(\.name))
            let advice = nearest.map { "did you mean \($0)?" } ?? "the commands are \(names(commands))"
            throw .usage("unknown command \(name.printable) (\(advice))")
        }
        subject += " \(command.name)"
        let options = try Arguments(words, of: command)
        guard !options.has("--help") else {
            console.output.line(command.help)
            return .valid
        }
        guard !options.has("--version") else {
            console.output.line(version)
            return .valid
        }
        return try await command.run(options, &console)
    }

    private static func names(_ commands: [Command]) -> String {
        commands.map(\.name).joined(separator: ", ")
    }

    /// The usage failure of a command line without a command. Its message lists the names of `commands`.
    private static func unnamed(_ commands: [Command]) -> Failure {
        .usage("which command? Name one of \(names(commands))")
    }

    private static var help: String {
        let width = commands.map(\.name.count).max() ?? 0
        let summaries = commands.map { "  \($0.name.padded(to: width))  \($0.summary)" }
        return """
            \(versionLine): validates App Store receipts and shows what they hold

            \(commands.map(\.firstExample).joined(separator: "\n"))

            \(summaries.joined(separator: "\n"))

            app-receipt COMMAND --help shows examples and options. - stands for standard input. Results go to
            standard output, messages to standard error.
            Exit status: 0 all receipts are valid, 1 at least one is not valid, 2 the command line is wrong,
            3 an input could not be read or holds no receipt, or the output could not be written, 141 the reader
            of the output has gone. If several apply, the highest counts. corpus verify has its own; see its help.
            """
    }
}
