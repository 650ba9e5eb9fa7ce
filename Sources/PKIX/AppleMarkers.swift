import DER

// Apple's marker extensions. The extension's presence is its meaning. This is the package's one definition.
extension ObjectIdentifier {
    /// The identifier of the extension that marks a certificate that signs receipts or tokens.
    package static var receiptSigningMarker: Self { Self(1, 2, 840, 113635, 100, 6, 11, 1) }
    /// The identifier of the extension that marks Apple's Worldwide Developer Relations intermediates.
    package static var intermediateMarker: Self { Self(1, 2, 840, 113635, 100, 6, 2, 1) }
    /// The identifier of the extension that marks a signer of iOS 6 transaction receipts of version 2.
    package static var purchaseReceiptMarker: Self { Self(1, 2, 840, 113635, 100, 6, 5, 1) }
    /// The identifier of the extension that marks Apple's iTunes Store intermediate certificate.
    package static var iTunesStoreMarker: Self { Self(1, 2, 840, 113635, 100, 6, 2, 2) }
}
