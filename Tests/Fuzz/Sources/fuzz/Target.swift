/// The fuzz targets. Each has one entry point.
enum Target: String, CaseIterable {
    case der, ber, certificate, cms, payload, signed, resigned, validator, base64, sha, rsa, corpus, plist
    case answer, ecdsa, jws, claims, ocsp, crl

    /// The number of bytes before the elements of an input. Nil if an input does not consist of elements.
    var bytesBeforeElements: Int? {
        switch self {
        case .der, .ber, .certificate, .cms, .payload, .validator: 0
        case .signed, .ocsp, .crl: 1
        case .resigned: 2
        case .base64, .sha, .rsa, .corpus, .plist, .answer, .ecdsa, .jws, .claims: nil
        }
    }

    func run(_ input: [UInt8]) {
        switch self {
        case .der: fuzzDER(input)
        case .ber: fuzzBER(input)
        case .certificate: fuzzCertificate(input)
        case .cms: fuzzCMS(input)
        case .payload: fuzzPayload(input)
        case .signed: fuzzSigned(input)
        case .resigned: fuzzResigned(input)
        case .validator: fuzzValidator(input)
        case .base64: fuzzBase64(input)
        case .sha: fuzzSHA(input)
        case .rsa: fuzzRSA(input)
        case .corpus: fuzzCorpus(input)
        case .plist: fuzzPropertyList(input)
        case .answer: fuzzAnswer(input)
        case .ecdsa: fuzzECDSA(input)
        case .jws: fuzzJWS(input)
        case .claims: fuzzClaims(input)
        case .ocsp: fuzzOCSP(input)
        case .crl: fuzzCRL(input)
        }
    }
}
