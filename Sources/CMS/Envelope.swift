import Bytes
import DER

/// A signed message that arrived in DER or in BER.
public struct Envelope: Sendable {
    /// The decoded message. Its ranges lie in the bytes of ``normalised``, or in the input if ``normalised``
    /// is nil.
    public let signedData: SignedData
    /// The message in DER, made from an input in BER; nil if the input is in DER.
    public let normalised: Normalised?

    /// Decodes a ContentInfo in DER or BER. Xcode's receipts are in BER.
    ///
    /// DER is tried first. The input is read as BER only if the strict reader refuses an encoding that BER
    /// allows, so that DER costs nothing extra. Offsets in errors count from the start of the input in both
    /// cases.
    ///
    /// - Throws: `Refusal` with codes of `DER` and of this module.
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

    /// A refusal of a part of the message, with its offset mapped to the input.
    public func mappedToInput(_ refusal: Refusal) -> Refusal { normalised?.mappedToInput(refusal) ?? refusal }

    /// Whether the strict reader's refusal may have BER as its cause: an indefinite or padded length, or a
    /// constructed OCTET STRING.
    private static func mayBeBER(_ code: Refusal.Code) -> Bool {
        code == .indefiniteLength || code == .nonMinimalLength || code == .unexpectedTag
    }

    /// Whether an element is copied byte for byte because a signature may cover its encoding.
    ///
    /// The place in ContentInfo decides: at depth 4 the members of `certificates [0]` and `crls [1]`; at
    /// depth 5 `signedAttrs [0]` and `unsignedAttrs [1]` of a SignerInfo.
    private static func isCopiedVerbatim(depth: Int, parent: Tag, tag: Tag) -> Bool {
        let isFirstOrSecond: (Tag) -> Bool = { $0 == .constructed(0) || $0 == .constructed(1) }
        return depth == 4 && isFirstOrSecond(parent)
            || depth == 5 && parent == .sequence && isFirstOrSecond(tag)
    }
}
