import DER

// Apple's marker extensions. The extension's presence is its meaning. This is the package's one definition.
extension ObjectIdentifier {
    /// The marker of a certificate that signs receipts.
    package static var receiptSigningMarker: Self { Self(1, 2, 840, 113635, 100, 6, 11, 1) }
    /// The marker of Apple's Worldwide Developer Relations intermediate certificates.
    package static var intermediateMarker: Self { Self(1, 2, 840, 113635, 100, 6, 2, 1) }
}
