import DER

/// A message in DER: as it came, or as it was made from BER.
public struct Envelope: Sendable {
    /// The message. Its ranges lie in the bytes of ``normalised``, or in the input where that is nil.
    public let signedData: SignedData
    /// The buffer that `signedData` was read from, where it is not the input.
    public let normalised: Normalised?

    /// Decodes a ContentInfo that may be in BER, as Xcode's are.
    ///
    /// DER is tried first and costs nothing more; only an encoding that DER refuses is looked at again.
    /// Offsets in errors are the input's either way.
    public init(_ bytes: Span<UInt8>, limits: Limits = .standard) throws(Refusal) {
        do throws(Refusal) {
            signedData = try SignedData(bytes, limits: limits)
            normalised = nil
        } catch {
            guard Self.mayBeBER(error.code),
                let normalised = try Normaliser.normalise(
                    bytes,
                    limits: limits,
                    verbatim: Self.isSignedAsItStands
                )
            else { throw error }
            do throws(Refusal) {
                signedData = try SignedData(normalised.bytes.span, limits: limits)
            } catch {
                throw normalised.inInput(error)
            }
            self.normalised = normalised
        }
    }

    /// A refusal of something in the message, with its offset in the input.
    public func inInput(_ refusal: Refusal) -> Refusal { normalised?.inInput(refusal) ?? refusal }

    /// What the strict reader says of BER: an indefinite or padded length, a constructed OCTET STRING.
    private static func mayBeBER(_ code: Refusal.Code) -> Bool {
        code == .indefiniteLength || code == .nonMinimalLength || code == .unexpectedTag
    }

    /// The elements that somebody signed byte for byte, by their place in ContentInfo: at depth 4 the members
    /// of `certificates [0]` and `crls [1]`; at depth 5 `signedAttrs [0]` and `unsignedAttrs [1]` of a
    /// SignerInfo.
    private static func isSignedAsItStands(depth: Int, parent: Tag, tag: Tag) -> Bool {
        let isFirstOrSecond: (Tag) -> Bool = { $0 == .constructed(0) || $0 == .constructed(1) }
        return depth == 4 && isFirstOrSecond(parent)
            || depth == 5 && parent == .sequence && isFirstOrSecond(tag)
    }
}
