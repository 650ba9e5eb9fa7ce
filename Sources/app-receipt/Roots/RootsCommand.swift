import AppReceipt
import Basics
import JSONText
import ReceiptCorpus
import SystemCalls

extension Command {
    /// `roots`: lists the certificates that the program knows. With `--within`, warns of needed
    /// certificates that end within that time or have ended.
    static var roots: Command {
        Command(
            help: """
                app-receipt roots: list the certificates that are known, and warn before one ends

                  app-receipt roots
                      all certificates with their dates, for people
                  app-receipt roots --within 180d || mail -s 'certificates' admin < /dev/null
                      a warning if a certificate that is still needed ends in the next 180 days
                  app-receipt roots --json | jq -r 'select(.role == "root").sha256'
                      the fingerprints of the roots

                usage: app-receipt roots [OPTION…]

                  --within DAYS
                      Warn on standard error about a certificate that is needed and ends within this time, such as 180d.
                  --now now|DATE
                      The present time. A DATE is 2023-02-22T14:30:15Z, or 2023-02-22 for its first moment.
                  --json
                      Write one JSON object for each certificate, each on a line of its own.
                \(commonOptions)

                A receipt is judged at its creation date, so a certificate that has ended stays good for the receipts
                of its time. Needed for new receipts are the roots, of the intermediates the one that ends last, and of
                the signers the one that ends last as long as it is valid. Receipts bring their signers with them, and a
                new signer needs no new version of this program.

                Exit status: 0, 1 with --within: a certificate that is needed ends within the time, or a root or the
                last intermediate has ended, 2 the command line is wrong, 3 the output could not be written, 141 the
                reader of the output has gone.
                """,
            run: roots
        )
    }

    private static func roots(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> ExitStatus
    {
        let now = try arguments.time("--now") ?? System.now
        let span = try arguments.last("--within").map(days)
        let certificates = KnownCertificate.all
        for role in KnownCertificate.Role.allCases {
            let listed = certificates.filter { $0.role == role }
            if !arguments.has("--json") { console.output.line(role.heading, .bold) }
            for certificate in listed {
                if arguments.has("--json") {
                    console.output.line(json: object(certificate, now))
                } else {
                    show(certificate, now, &console.output)
                }
            }
        }
        guard let span else { return .valid }
        var status = ExitStatus.valid
        for certificate in needed(certificates, at: now) where certificate.hasEnded(at: now + span) {
            status = .notValid
            let verb = certificate.hasEnded(at: now) ? "ended" : "ends"
            console.report(
                "the \(certificate.role.rawValue) \(certificate.subject) \(verb) at \(certificate.notAfter) "
                    + "(SHA-256 \(certificate.fingerprint))"
            )
        }
        return status
    }

    /// All roots, and the intermediate that ends last. Also the signer that ends last, unless that signer
    /// has ended.
    private static func needed(_ all: [KnownCertificate], at now: Timestamp) -> [KnownCertificate] {
        func last(_ role: KnownCertificate.Role) -> KnownCertificate? {
            all.filter { $0.role == role }.max { $0.notAfter < $1.notAfter }
        }
        let roots = all.filter { $0.role == .root || $0.role == .testRoot }
        let signer = last(.signer).flatMap { $0.hasEnded(at: now) ? nil : $0 }
        return roots + [last(.intermediate), signer].compactMap { $0 }
    }

    /// Returns the span of a word such as `180d`. Throws for other words and for more than a million days.
    private static func days(_ word: Argument) throws(Failure) -> TimeSpan {
        // A million days are longer than any certificate's validity.
        guard word.text.hasSuffix("d"), let count = UInt32(word.text.dropLast()), count <= 1_000_000 else {
            throw .usage("--within \(word.printable) is no number of days; write for example 180d")
        }
        return .days(count)
    }

    private static func object(_ certificate: KnownCertificate, _ now: Timestamp) -> JSONWriter {
        .object { object in
            object.member("role", certificate.role.rawValue)
            object.member("subject", certificate.subject)
            object.member("sha256", certificate.fingerprint)
            object.member("not_before", certificate.notBefore)
            object.member("not_after", certificate.notAfter)
            object.member("built_in", certificate.isBuiltIn)
            object.member("state", certificate.state(at: now))
        }
    }

    private static func show(_ certificate: KnownCertificate, _ now: Timestamp, _ output: inout Output) {
        let state = certificate.state(at: now)
        let dates = [certificate.notBefore, certificate.notAfter].map { "\($0)".prefix(10) }
        output.write("  \(dates[0]) to \(dates[1])  ")
        output.line(state, state == "valid" ? .good : .dim)
        output.line("      \(certificate.subject)")
        let note = certificate.isBuiltIn ? ", built in" : ""
        output.line("      SHA-256 \(certificate.fingerprint)\(note)", .dim)
    }
}

extension KnownCertificate {
    /// The state of the certificate at a time: `not-yet-valid`, `valid` or `ended`.
    fileprivate func state(at now: Timestamp) -> String {
        if now < notBefore { return "not-yet-valid" }
        return hasEnded(at: now) ? "ended" : "valid"
    }

    /// Whether the validity has ended at a time. The last second, `notAfter`, is valid to its end.
    fileprivate func hasEnded(at now: Timestamp) -> Bool { notAfter + .seconds(1) <= now }
}
