import Basics
import DER

/// A decoded CMS message, a ContentInfo with SignedData, that arrived in DER or in BER.
public struct Envelope: Sendable {
    /// The decoded message. Its ranges lie in ``der``, or in the input if ``der`` is nil.
    public let signedData: SignedData
    /// The message as `Normaliser` converts it from BER; nil if the input was decoded as it stands, as DER.
    public var der: [UInt8]? { normalised?.bytes }
    /// The converted message ``der`` and a map from its offsets to the input's; nil if ``der`` is nil.
    package let normalised: Normalised?

    /// Decodes a ContentInfo in DER or BER. Xcode's receipts are in BER.
    ///
    /// DER is tried first. The input is read as BER only if BER may be the cause of a refusal by the DER
    /// reader, so that accepted DER costs nothing extra. Offsets in errors always count from the start of
    /// the input.
    ///
    /// - Throws: `Refusal` with codes of `DER`, of `PKIX` and of this module.
    public init(_ bytes: Span<UInt8>, limits: EncodingLimits = .standard) throws(Refusal) {
        do throws(Refusal) {
            signedData = try SignedData(bytes, limits: limits)
            normalised = nil
        } catch {
            guard Self.mayBeBER(error.code),
                let normalised = try Normaliser.normalise(
                    bytes,
                    limits: limits,
                    verbatim: Self.isCopiedVerbatim
                )
            else { throw error }
            do throws(Refusal) {
                signedData = try SignedData(normalised.bytes.borrowedSpan, limits: limits)
            } catch {
                throw normalised.mappedToInput(error)
            }
            self.normalised = normalised
        }
    }

    /// A copy of a refusal, with its offset in ``der`` replaced by the corresponding offset in the input. If
    /// ``der`` is nil, the refusal is returned unchanged.
    package func mappedToInput(_ refusal: Refusal) -> Refusal {
        normalised?.mappedToInput(refusal) ?? refusal
    }

    /// Whether BER may be the cause of a refusal by the DER reader: an indefinite or padded length, or an
    /// unexpected tag, such as that of a constructed OCTET STRING.
    private static func mayBeBER(_ code: Refusal.Code) -> Bool {
        code == .indefiniteLength || code == .nonMinimalLength || code == .unexpectedTag
    }

    /// Whether the conversion from BER to DER copies an element byte for byte, because a signature may cover
    /// its encoding.
    ///
    /// The position in ContentInfo decides: at depth 4 the members of `certificates [0]` and `crls [1]`, of
    /// which X.509 certificates and revocation lists must be DER (RFC 5280 §4.1, §5.1); at depth 5 a
    /// constructed `[0]` in a SEQUENCE, such as `signedAttrs [0]` of a SignerInfo (RFC 5652 §5.3).
    private static func isCopiedVerbatim(depth: Int, parent: Tag, tag: Tag) -> Bool {
        depth == 4 && (parent == .constructed(0) || parent == .constructed(1))
            || depth == 5 && parent == .sequence && tag == .constructed(0)
    }
}
