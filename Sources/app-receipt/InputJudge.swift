import AppReceipt
import Basics
import PKIX
import ReceiptCorpus
import ReceiptResults
import SHA
import SignedPayloads
import SystemCalls

extension Command {
    /// The help of the options for tokens, for the commands that judge tokens beside receipts.
    static var tokenOptions: String {
        """
          --kind \(SignedPayloadKind.allCases.map(\.rawValue).joined(separator: "|"))
              The kind of payload that each input must have. The inputs are tokens of StoreKit 2, not receipts.
          --app-apple-id NUMBER
              With --kind: the app's Apple ID. Payloads from production must have it.
          --device-verification-id UUID
              With --kind: the device, its AppStore.deviceVerificationID.
          --max-age SECONDS
              With --kind: the longest time between the signature and --now, or the present time.
        """
    }

    /// The paragraph about tokens in the help of the commands that judge tokens beside receipts: which inputs
    /// are tokens, how the kind of a payload is found, and which options apply.
    static let tokenNotes = """
        A token is a JWS of StoreKit 2, alone or in the JSON that Apple sends: {"signedPayload":"…"},
        {"signedTransactionInfo":"…"}, {"signedRenewalInfo":"…"} or {"signedAppTransactionInfo":"…"}. Nothing
        in a token names the kind of its payload. So say it with --kind. Without --kind the command goes by the member
        that only one kind has (transactionId, autoRenewStatus, notificationType, receiptType, userLocale), and
        prints the kind. Renewal information and realtime requests name no bundle identifier: unless
        --bundle-id is any, they need --kind. The environments of tokens are \(tokenEnvironments).
        The tokens inside a notification are validated, too, but for no device and no age.
        Each session of Xcode signs tokens with another certificate: --root is the one that it exported, and
        --xcode-testing without --root accepts any. Anybody can sign such tokens.
        With --app-version or --device-id, which only receipts have, no token is judged.
        """

    /// The names of the environments that tokens can have, with commas between them.
    private static var tokenEnvironments: String {
        StoreEnvironment.allCases.map(\.name).joined(separator: ", ")
    }
}

/// Judges receipts and tokens as the options of a command ask for.
struct InputJudge {
    /// Judges receipts.
    let receipts: ReceiptJudge
    /// Judges tokens.
    let payloads: SignedPayloadJudge
    /// The kind of payload that every input must have; nil if inputs may be receipts, or tokens of any kind.
    private let kind: SignedPayloadKind?
    /// Whether an option expects something that only receipts have. If true, no token is recognised.
    private let isForReceipts: Bool
    private var receiptCache = ValidationCache()
    private var payloadCache = SignedPayloadCache()

    /// Creates a judge by the options, and reads the files that they name. Throws for an option that is
    /// wrong or does not fit the kind of input, and for a file that cannot be read or decoded.
    init(_ arguments: Arguments) throws(Failure) {
        kind = try arguments.tokenKind()
        isForReceipts = arguments.receiptOption != nil
        let files = try Arguments.Certificates(arguments)
        let present = System.now
        let policy = try arguments.policy(files, at: present)
        receipts = ReceiptJudge(policy)
        payloads = SignedPayloadJudge(try arguments.tokenPolicy(policy, files, at: present))
    }

    /// Validates the container of a receipt. Throws the fault of a receipt that is refused.
    mutating func judge(_ container: [UInt8]) throws(Fault) -> ValidReceipt {
        do throws(ReceiptError) {
            return try receipts.judge(container, cache: &receiptCache)
        } catch {
            throw Fault(error)
        }
    }

    /// Validates a token that must have a payload of a kind. Throws the error of a token that is refused.
    mutating func judge(
        _ token: [UInt8],
        _ kind: SignedPayloadKind
    ) throws(SignedPayloadError) -> ValidPayload {
        try payloads.judge(token, kind, cache: &payloadCache)
    }

    /// The contents of an input.
    enum Content {
        /// The container of a receipt, which nothing has validated.
        case container([UInt8])
        /// The characters of a token, whose signature nothing has verified, and the kind that its payload
        /// must have. No characters if the input is blank, or begins with `{` and no token is found in it.
        case token([UInt8], SignedPayloadKind)
    }

    /// Decodes an input. With `--kind`, every input counts as a token. Without it, a token is recognised only
    /// if its payload claims one kind, no option expects what only receipts have, and the kind has a bundle
    /// identifier or every bundle identifier is accepted.
    ///
    /// - Throws: what decoding a receipt throws. The code is `.jsonWebSignature` for a token that is not
    ///   recognised.
    func content(of input: [UInt8]) throws(Fault) -> Content {
        if let kind { return .token(SignedPayloadKind.token(in: input, of: kind) ?? [], kind) }
        do throws(Fault) {
            return .container(try Input.container(input, receipts.policy.acceleration))
        } catch {
            guard error.code == .jsonWebSignature, !isForReceipts,
                let token = SignedPayloadKind.token(in: input, of: nil),
                let claimed = SignedPayloadKind(claimedBy: token),
                // A kind that names no bundle identifier must not evade the expected one.
                claimed.shape.hasBundleIdentifier || receipts.policy.bundleIdentifier.accepted == nil
            else { throw error }
            return .token(token, claimed)
        }
    }
}

extension Arguments {
    /// The first given one of `--app-version`, `--device-id`, `--device-id-field` and `--rows`, which are for
    /// receipts only; nil if there is none. `--rows records` does not count.
    fileprivate var receiptOption: String? {
        ["--app-version", "--device-id", "--device-id-field", "--rows"].first { option in
            // One line for each record is what tokens have.
            has(option) && !(option == "--rows" && last(option)?.text == "records")
        }
    }

    /// Returns the kind of payload that every input must have; nil without `--kind`. With `--kind`, throws
    /// if there is a ``receiptOption``, or if the kind is unknown. Without `--kind`, throws for
    /// `--app-apple-id`, `--device-verification-id` and `--max-age`.
    func tokenKind() throws(Failure) -> SignedPayloadKind? {
        let kind = try choice("--kind", SignedPayloadKind.init(rawValue:))
        if kind != nil, let receiptOption {
            throw .usage("\(receiptOption) is for receipts, and --kind for tokens; leave one out")
        }
        let tokenOption = ["--app-apple-id", "--device-verification-id", "--max-age"].first(where: has)
        if kind == nil, let tokenOption {
            throw .usage("\(tokenOption) is for tokens; say with --kind what they hold")
        }
        return kind
    }

    /// Returns the policy for tokens that the options ask for. Takes the bundle identifier, the times, the
    /// distrusted certificates and the instruction sets from `receipts`.
    func tokenPolicy(
        _ receipts: ReceiptPolicy,
        _ files: Certificates,
        at present: Timestamp
    ) throws(Failure) -> SignedPayloadPolicy {
        let (names, anchors) = (try expectedEnvironments(), files.anchors)
        let device = last("--device-verification-id")
        if let device, device.bytes.count != 36 || DeviceIdentifier(device.text) == nil {
            throw .usage("--device-verification-id \(device.printable) is not a UUID")
        }
        let maximum: Int64? = try number("--max-age", 0...Int64(Int32.max))
        let trust: TokenTrust
        if has("--xcode-testing") {
            trust = anchors.isEmpty ? .anySelfSignedProvingIntegrityOnly : .xcodeTesting(pinned: anchors)
        } else {
            trust =
                anchors.isEmpty
                ? .appStore : .pinned(anchors, requiringMarkers: !has("--without-markers"))
        }
        return SignedPayloadPolicy(
            environments: names.map { .only($0.compactMap(StoreEnvironment.init(name:))) } ?? .any,
            bundleIdentifier: receipts.bundleIdentifier,
            trust: trust,
            appAppleIdentifier: try number("--app-apple-id", 1...Int64.max),
            deviceVerificationIdentifier: device?.text,
            age: maximum.map { AgeExpectation(now: receipts.now ?? present, maximum: .seconds($0)) },
            distrusted: receipts.distrusted,
            revocation: try revocation(files, at: present),
            pathTime: receipts.pathTime,
            acceleration: receipts.acceleration
        )
    }
}
