import AppReceipt
import DER
import ReceiptCorpus
import SystemCalls
import VerifyReceipt

extension Command {
    /// `answer`: answers requests as Apple's endpoint does.
    static var answer: Command {
        Command(
            name: "answer",
            summary: "answer requests to Apple's verifyReceipt, locally",
            examples: [
                Example(
                    line: "app-receipt answer --production request.json",
                    says: "the answer to one request, whose JSON may have several lines"
                ),
                Example(
                    line: "app-receipt answer --sandbox --quiet <requests.ndjson >answers.ndjson",
                    says: "one request on each line, and one answer on each line"
                ),
                Example(
                    line: "app-receipt answer --production --lines --secret-file secret --repair -",
                    says: "behind a web server: requests on standard input, each answered at once"
                ),
            ],
            operands: Operands(usage: "[FILE…|-]", maximum: .max),
            options: [
                production, sandbox, lines, ValidationOptions.root, secretFile, repair, now,
                ValidationOptions.portable, ValidationOptions.without, quiet,
            ],
            notes: [
                "A request is a JSON object: {\"receipt-data\":\"BASE64\",\"password\":\"SECRET\"}. The answer is Apple's JSON in one",
                "line, with Apple's status codes. The app is not checked: compare bundle_id. What only Apple's database",
                "knows is absent: latest_receipt, latest_receipt_info, pending_renewal_info.",
                "",
                "If the first line of an input is the beginning of a JSON text that goes on after the line, the whole input",
                "is one request. Otherwise every line is one. Blank lines are skipped. A request has at most 3,145,728",
                "bytes. Messages on standard error give the reason for each status other than 0.",
                "",
                "Behind a web server, use --lines, so that no client can change how the lines of others are answered. The",
                "server must replace each line end in a body by a space, which JSON allows.",
                "",
                "Exit status: 0 every answer has status 0, 1 at least one has another status, 2 the command line is wrong,",
                "3 at least one input could not be read or holds no request, or the output could not be written,",
                "141 the reader of the output has gone. If several apply, the highest counts.",
            ],
            run: { arguments, console throws(Failure) in try answer(arguments, &console) }
        )
    }

    private static var production: Option {
        Option("--production", "Answer as buy.itunes.apple.com: a receipt of the sandbox gets 21007.")
    }
    private static var sandbox: Option {
        Option("--sandbox", "Answer as sandbox.itunes.apple.com: a receipt of production gets 21008.")
    }
    private static var lines: Option {
        Option(
            "--lines",
            "Answer every line by one line: blank lines and lines that are no JSON get 21000. Without this option",
            "the first line decides, and blank lines are skipped."
        )
    }
    private static var secretFile: Option {
        Option(
            "--secret-file",
            value: "FILE",
            isRepeatable: true,
            "A file with a shared secret; a line end after the secret is left out. A request needs one of the given",
            "secrets as its password, or gets 21004, and 21003 without a password. Without this option passwords",
            "are ignored."
        )
    }
    private static var repair: Option {
        Option(
            "--repair",
            "Accept base64 that Apple refuses: spaces for plus signs, line breaks, the alphabet for URLs, missing",
            "padding."
        )
    }
    private static var now: Option {
        Option(
            "--now",
            value: "now|DATE",
            "The time of the requests, for request_date and for expired transaction receipts; by default the",
            "present time. A DATE is 2023-02-22T14:30:15Z, or 2023-02-22 for its first moment."
        )
    }
    private static var quiet: Option { Option("--quiet", "Write no reasons.") }

    private static func answer(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus
    {
        let endpoint = try endpoint(arguments)
        let time = try arguments.last(now).flatMap { word throws(Failure) in
            word.text == "now" ? nil : try ValidationOptions.time(word, now)
        }
        System.keepFreedMemory()
        var cache = ValidationCache()
        var status = ExitStatus.valid
        for name in try Input.names(arguments) {
            do throws(System.Failure) {
                let found = try answer(
                    name,
                    endpoint,
                    time,
                    &cache,
                    isLinesOnly: arguments.has(lines),
                    isQuiet: arguments.has(quiet),
                    &console
                )
                if found == nil { console.report("\(name.printable): holds no request") }
                status = max(status, found ?? .unreadable)
            } catch {
                console.report(Failure.cannotRead(name, error).message)
                status = max(status, .unreadable)
            }
        }
        return status
    }

    /// Answers the requests of one input. Returns nil if there are none.
    private static func answer(
        _ name: Argument,
        _ endpoint: ReceiptEndpoint,
        _ time: Timestamp?,
        _ cache: inout ValidationCache,
        isLinesOnly: Bool,
        isQuiet: Bool,
        _ console: inout Console
    ) throws(System.Failure) -> ExitStatus? {
        let descriptor =
            name.isStandardInput ? System.standardInput : try System.openFile(path: name.bytes)
        defer { if !name.isStandardInput { try? System.closeDescriptor(descriptor) } }
        var reader = RequestReader(descriptor, isLinesOnly: isLinesOnly)
        var status: ExitStatus?
        var number = 0
        while let body = try reader.next(beforeReading: { console.output.flush() }) {
            number += 1
            let answer = endpoint.answer(body, at: time ?? System.now, cache: &cache)
            console.output.write(bytes: answer.body)
            console.output.line()
            status = max(status ?? .valid, answer.status == .valid ? .valid : .notValid)
            if !isQuiet, let error = answer.error {
                console.report(
                    "\(name.printable): request \(number): status \(answer.status.rawValue): \(error)"
                )
            }
        }
        return status
    }

    private static func endpoint(_ arguments: Arguments) throws(Failure) -> ReceiptEndpoint {
        guard arguments.has(production) != arguments.has(sandbox) else {
            throw .usage("which endpoint? Give either --production or --sandbox")
        }
        var secrets: [[UInt8]] = []
        for word in arguments.all(secretFile) { secrets.append(try secret(word)) }
        let validator = try ValidationOptions.validator(arguments)
        return ReceiptEndpoint(
            arguments.has(production) ? .production : .sandbox,
            trust: validator.trust,
            sharedSecrets: arguments.has(secretFile) ? secrets : nil,
            base64: arguments.has(repair) ? .repairing : .strict,
            acceleration: validator.acceleration
        )
    }

    /// Reads a shared secret, without the line end after it.
    private static func secret(_ name: Argument) throws(Failure) -> [UInt8] {
        var bytes: [UInt8]
        do throws(System.Failure) {
            bytes =
                name.isStandardInput
                ? try System.read(descriptor: System.standardInput, limit: secretLimit)
                : try System.read(path: name.bytes, limit: secretLimit)
        } catch {
            throw .cannotRead(name, error)
        }
        guard bytes.count < secretLimit else {
            throw .usage("--secret-file \(name.printable) is too long for a secret")
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw .usage("--secret-file \(name.printable) holds no secret") }
        return bytes
    }

    /// More than a secret of Apple's has, which is 32 hexadecimal digits.
    private static let secretLimit = 4096
}
