import Basics
import CMS

/// A receipt's container, decoded, with the creation date that its content claims. Nothing is verified.
struct OpenedMessage: Sendable {
    /// The message's bytes: the input, or the DER that was made of input in BER.
    let buffer: AttributeBuffer
    /// The decoded message. Its ranges count in the buffer.
    let fields: SignedData
    /// The ranges in the buffer of the values of the content's known attributes.
    let located: LocatedPayload
    /// The creation date. The certificates must be valid at this date, unless the validator names another
    /// time. It is the only value of the content that is decoded before the signature is verified.
    let creationDate: Timestamp

    /// The message together with its bytes.
    var view: SignedDataView {
        @_lifetime(borrow self)
        get { fields.view(in: buffer.bytes.borrowedSpan) }
    }
}
