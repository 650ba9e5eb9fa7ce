import AppReceipt
import Basics
import ReceiptCorpus
import SystemCalls
import VerifyReceipt

extension Command {
    /// `answer`: answers requests as Apple's endpoint verifyReceipt does.
    static var answer: Command {
        Command(
            help: """
                app-receipt answer: answer requests to Apple's verifyReceipt, locally

                  app-receipt answer --production request.json
                      the answer to one request, whose JSON may have several lines
                  app-receipt answer --sandbox --quiet <requests.ndjson >answers.ndjson
                      one request on each line, and one answer on each line
                  app-receipt answer --production --lines --secret-file secret --repair -
                      behind a web server: requests on standard input, each answered at once

                usage: app-receipt answer [OPTION…] [FILE…|-]

                  --production
                      Answer as buy.itunes.apple.com: a receipt of the sandbox gets 21007.
                  --sandbox
                      Answer as sandbox.itunes.apple.com: a receipt of production gets 21008.
                  --lines
                      Answer every line by one line: blank lines and lines that are no JSON get 21000. Without this option
                      the first line decides, and blank lines are skipped.
                \(rootOption)
                \(distrustOption)
                  --secret-file FILE  (repeatable)
                      A file with a shared secret; a line end after the secret is left out. A request needs one of the given
                      secrets as its password, or gets 21004, and 21003 without a password. Without this option passwords
                      are ignored.
                  --repair
                      Accept every form of text that verify accepts. Apple accepts base64 alone, without line breaks, in the
                      standard alphabet and with padding.
                  --with-latest-receipt-info
                      Add latest_receipt_info, made from the receipt's own purchases, for servers that read subscriptions
                      there. It is as old as the receipt: renewals and refunds after its signing are missing, so that a
                      subscription looks expired until the app sends a fresh receipt.
                  --now now|DATE
                      The time of the requests, for request_date and for expired transaction receipts; by default the
                      present time. A DATE is 2023-02-22T14:30:15Z, or 2023-02-22 for its first moment.
                \(instructionOptions)
                  --quiet
                      Write no reasons.
                \(commonOptions)

                A request is a JSON object: {"receipt-data":"BASE64","password":"SECRET"}. The answer is Apple's JSON in one
                line, with Apple's status codes. The app is not checked: compare bundle_id. What only Apple's database
                knows is absent: latest_receipt, pending_renewal_info and, by default, latest_receipt_info.

                If the first line of an input is the beginning of a JSON text that goes on after the line, the whole input
                is one request. Otherwise every line is one. Blank lines are skipped. A line that ends inside a string
                takes the lines up to the end of its request, or up to a line that begins with a brace: line breaks in
                base64, which --repair accepts. A request has at most 3,145,728 bytes. Messages on standard error give
                the reason for each status other than 0.

                Behind a web server, use --lines, so that no client can change how the lines of others are answered. The
                server must replace each line end in a body by a space, which JSON allows.

                Exit status: 0 every answer has status 0, 1 at least one has another status, 2 the command line is wrong,
                3 at least one input could not be read or holds no request, or the output could not be written,
                141 the reader of the output has gone. If several apply, the highest counts.
                """,
            run: answer
        )
    }

    private static func answer(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus
    {
        let endpoint = try endpoint(arguments)
        let time = arguments.last("--now")?.text == "now" ? nil : try arguments.time("--now")
        let (isLinesOnly, isQuiet) = (arguments.has("--lines"), arguments.has("--quiet"))
        System.keepFreedMemory()
        var cache = ValidationCache()
        var status = ExitStatus.valid
        for name in try Input.names(arguments) {
            var number = 0
            do throws(System.Failure) {
                let descriptor =
                    name.isStandardInput ? System.standardInput : try System.openFile(path: name.bytes)
                defer { if !name.isStandardInput { try? System.closeDescriptor(descriptor) } }
                var reader = RequestReader(descriptor, isLinesOnly: isLinesOnly)
                while let body = try reader.next(beforeReading: { console.output.flush() }) {
                    number += 1
                    let answer = endpoint.answer(body, at: time ?? System.now, cache: &cache)
                    console.output.write(bytes: answer.body)
                    console.output.line()
                    if answer.status != .valid { status = max(status, .notValid) }
                    if !isQuiet, let error = answer.error {
                        var hint = ""
                        if isLinesOnly, isCut(body, error) { hint = lineHint }
                        if isOfXcode(body, error) { hint = xcodeHint }
                        console.report(
                            "\(name.printable): request \(number): status \(answer.status.rawValue): \(error)\(hint)"
                        )
                    }
                }
                if number == 0 {
                    console.report("\(name.printable): holds no request")
                    status = .unreadable
                }
            } catch {
                console.report(Failure.cannotRead(name, error).message)
                status = .unreadable
            }
        }
        return status
    }

    /// Whether the error says that a body, which is not blank, ends before its JSON text does.
    private static func isCut(_ body: [UInt8], _ error: AnswerError) -> Bool {
        guard case .request(let refusal) = error, refusal.code == .requestNotAnObject else { return false }
        return refusal.offset == body.count && body.contains { $0 > 0x20 }
    }

    private static let lineHint = " The line ends before its JSON does: a body must not contain line breaks."

    /// Whether the receipt is refused for its certificate path or root, and says that it is of StoreKit
    /// testing in Xcode.
    private static func isOfXcode(_ body: [UInt8], _ error: AnswerError) -> Bool {
        guard case .receipt(let refused) = error, [.root, .certificatePath].contains(refused.step),
            let container = try? ReceiptInput.decode(body)
        else { return false }
        return (try? UnverifiedReceipt(unverified: container))?.environment == .xcode
    }

    private static let xcodeHint =
        " The receipt says that it is of StoreKit testing in Xcode. Anybody can make one, and no endpoint accepts it."

    private static func endpoint(_ arguments: Arguments) throws(Failure) -> ReceiptEndpoint {
        guard arguments.has("--production") != arguments.has("--sandbox") else {
            throw .usage("which endpoint? Give either --production or --sandbox")
        }
        let secrets = try arguments.all("--secret-file").map(secret)
        return ReceiptEndpoint(
            arguments.has("--production") ? .production : .sandbox,
            try arguments.policy(),
            sharedSecrets: secrets.isEmpty ? nil : secrets,
            base64: arguments.has("--repair") ? .repairing : .strict,
            listsPurchases: arguments.has("--with-latest-receipt-info")
        )
    }

    /// Reads a shared secret from a file, without one line end at its end. Throws if the file cannot be read,
    /// holds no secret, or has 4096 bytes or more.
    private static func secret(_ name: Argument) throws(Failure) -> [UInt8] {
        // The limit is more than a secret of Apple's has, which is 32 hexadecimal digits.
        var bytes = try Input.file(name, of: "--secret-file", limit: 4096, "too long for a secret")
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw .usage("--secret-file \(name.printable) holds no secret") }
        return bytes
    }
}
