import AppReceipt
import Basics
import DER
import PKIX
import SHA

/// The parts of a container, also of one that the library refuses.
///
/// If one part is broken, the others are still found as far as they can be located. Nothing here is verified.
package struct Outline {
    package let bytes: [UInt8]
    /// The error that was met first while the container's elements were read as BER, with its offset; nil
    /// if none was met. Elements are read before their contents, so another error may lie at a lower offset.
    /// Indefinite lengths nested too deep are an error; elements left out because of a limit are none. An
    /// error in the contents of a certificate of definite length stands in ``ListedCertificate/fault`` alone.
    package private(set) var fault: Refusal?
    /// The range in ``bytes`` of the contents octets of `contentType`; nil if it was not found.
    package private(set) var contentType: Range<Int>?
    /// The range in ``bytes`` of the contents octets of `eContentType`; nil if it was not found.
    package private(set) var encapsulatedContentType: Range<Int>?
    /// The ranges in ``bytes`` of the contents octets of the object identifiers of the first 16 algorithms in
    /// `digestAlgorithms`.
    package private(set) var digestAlgorithms: [Range<Int>] = []
    package private(set) var content: Content?
    package private(set) var certificates: [ListedCertificate] = []
    package private(set) var signers: [ListedSigner] = []
    package private(set) var isBER = false

    /// The octets of `eContent`, joined from the segments of the OCTET STRING.
    package struct Content {
        package fileprivate(set) var bytes: [UInt8] = []
        /// The offsets of each segment's first octet in the content and in the container.
        fileprivate var segments: [(content: Int, input: Int)] = []

        /// Returns the offset in the container of the octet at an offset in the content.
        package func inputOffset(of offset: Int) -> Int {
            guard let segment = segments.last(where: { $0.content <= offset }) else { return offset }
            return segment.input + (offset - segment.content)
        }
    }

    /// A member of the set of certificates in a message. It may be cut short, or no certificate at all.
    package struct ListedCertificate {
        package let range: Range<Int>
        /// The certificate; nil if it does not decode. Then `fault` says why.
        package let decoded: Certificate?
        package let fault: Refusal?
        /// Whether the certificate's end was found. Otherwise the fingerprint means nothing.
        package let isWhole: Bool
        package let isSelfIssued: Bool
        /// The SHA-256 digest of the bytes in ``range``.
        package let fingerprint: Digest
        package let sha1: Digest
    }

    /// A SignerInfo. Every part may be missing.
    package struct ListedSigner {
        package fileprivate(set) var issuer: Range<Int>?
        package fileprivate(set) var serialNumber: Range<Int>?
        package fileprivate(set) var keyIdentifier: Range<Int>?
        /// The range in the container of the contents octets of the digest algorithm's object identifier.
        package fileprivate(set) var digestAlgorithm: Range<Int>?
        package fileprivate(set) var signatureAlgorithm: Range<Int>?
        package fileprivate(set) var hasSignedAttributes = false
        package fileprivate(set) var signatureByteCount: Int?
    }

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard let contentInfo = elements(in: 0..<bytes.count).first, contentInfo.tag == .sequence else {
            return
        }
        let members = elements(in: contentInfo.contents)
        contentType = identifier(among: members)
        guard let explicit = members.first(where: { $0.tag == .constructed(0) }),
            let signedData = elements(in: explicit.contents).first
        else { return }
        var isBeforeContent = true
        for member in elements(in: signedData.contents) {
            switch member.tag {
            case .sequence:
                isBeforeContent = false
                noteEncapsulated(member)
            case .constructed(0):
                certificates = elements(in: member.contents).prefix(Limits.standard.message.certificates)
                    .map { listedCertificate($0) }
            case .set where isBeforeContent:
                digestAlgorithms += elements(in: member.contents).prefix(Limits.standard.message.certificates)
                    .compactMap { identifier(among: elements(in: $0.contents)) }
            case .set: signers = elements(in: member.contents).map { signer($0) }
            default: continue
            }
        }
    }

    /// Makes an outline that lists only the certificate that the bytes begin with, without a container. Lists
    /// none if no element can be read.
    package init(certificate bytes: [UInt8]) {
        self.bytes = bytes
        certificates = elements(in: 0..<bytes.count).prefix(1).map { listedCertificate($0) }
    }

    /// The receipt in the content, which nothing has verified; nil if it is missing or does not decode.
    package var receipt: UnverifiedReceipt? {
        content.flatMap { try? UnverifiedReceipt(unverifiedPayload: $0.bytes) }
    }

    /// Returns the index in ``certificates`` of the certificate that a signer names; nil if there is none.
    package func certificate(of signer: ListedSigner) -> Int? {
        certificates.firstIndex { listed in
            guard let certificate = listed.decoded else { return false }
            if let issuer = signer.issuer, let serial = signer.serialNumber {
                return bytes[issuer].elementsEqual(bytes[certificate.issuer.range])
                    && bytes[serial].elementsEqual(bytes[certificate.serialNumber])
            }
            guard let wanted = signer.keyIdentifier, let found = certificate.subjectKeyIdentifier else {
                return false
            }
            return bytes[wanted].elementsEqual(bytes[found])
        }
    }

    // MARK: The parts

    /// The range of the contents octets of the first object identifier among elements; nil if there is none.
    private func identifier(among members: [BERElement]) -> Range<Int>? {
        members.first { $0.tag == .objectIdentifier }?.contents
    }

    private mutating func noteEncapsulated(_ element: BERElement) {
        let members = elements(in: element.contents)
        encapsulatedContentType = identifier(among: members)
        guard let explicit = members.first(where: { $0.tag == .constructed(0) }) else { return }
        for string in elements(in: explicit.contents) where string.tag.isOctetString {
            var content = Content()
            append(string, to: &content, Limits.standard.message.encoding.depth)
            self.content = content
        }
    }

    private mutating func append(_ string: BERElement, to content: inout Content, _ depth: Int) {
        guard string.tag.isConstructed else {
            content.segments.append((content.bytes.count, string.contents.lowerBound))
            content.bytes += bytes[string.contents]
            return
        }
        guard depth > 0 else { return }
        for segment in elements(in: string.contents) where segment.tag.isOctetString {
            append(segment, to: &content, depth - 1)
        }
    }

    private func listedCertificate(_ element: BERElement) -> ListedCertificate {
        var reader = Reader(bytes.borrowedSpan, in: element.range)
        var decoded: Certificate?
        var fault: Refusal?
        do throws(Refusal) {
            decoded = try Certificate(&reader)
        } catch {
            fault = error
        }
        let encoding = bytes.borrowedSpan.extracting(element.range)
        return ListedCertificate(
            range: element.range,
            decoded: decoded,
            fault: fault,
            isWhole: element.fault == nil,
            isSelfIssued: decoded.map { $0.view(in: bytes.borrowedSpan).isSelfIssued } ?? false,
            fingerprint: HashAlgorithm.sha256.digest(of: encoding),
            sha1: HashAlgorithm.sha1.digest(of: encoding)
        )
    }

    private mutating func signer(_ element: BERElement) -> ListedSigner {
        var signer = ListedSigner()
        var sequences = 0
        for member in elements(in: element.contents) {
            switch member.tag {
            case .primitive(0): signer.keyIdentifier = member.contents
            case .constructed(0): signer.hasSignedAttributes = true
            case .octetString: signer.signatureByteCount = member.contents.count
            case .sequence:
                let inner = elements(in: member.contents)
                let identifier = identifier(among: inner)
                if identifier == nil, sequences == 0 {
                    signer.issuer = inner.first { $0.tag == .sequence }?.range
                    signer.serialNumber = inner.first { $0.tag == .integer }?.contents
                } else if signer.digestAlgorithm == nil {
                    signer.digestAlgorithm = identifier
                } else {
                    signer.signatureAlgorithm = identifier
                }
                sequences += 1
            default: continue
            }
        }
        return signer
    }

    // MARK: Elements

    /// Returns the elements in a range up to the first whose header cannot be read, and at most 65,536. An
    /// element whose end is missing or wrong is among them, cut short. If ``fault`` is nil, the first error
    /// becomes ``fault``.
    private mutating func elements(in range: Range<Int>) -> [BERElement] {
        var found: [BERElement] = []
        var offset = range.lowerBound
        while offset < range.upperBound, found.count < Limits.standard.attributes {
            do throws(Refusal) {
                let element = try BERElement(bytes.borrowedSpan, in: offset..<range.upperBound)
                found.append(element)
                offset = element.end
                if !element.isDER { isBER = true }
                fault = fault ?? element.fault
            } catch {
                fault = fault ?? error
                break
            }
        }
        return found
    }
}

/// An element in BER. If its end is missing or wrong, ``fault`` says so, and the element extends to the end
/// of the range that it was read from.
package struct BERElement {
    package let tag: Tag
    package let start: Int
    /// The range of the contents octets, without the header and without end-of-contents octets.
    package let contents: Range<Int>
    /// The offset after the element, where the next one begins.
    package let end: Int
    package let isDER: Bool
    /// The error that cuts the element short; nil if there is none. With an error, `contents` are the octets
    /// up to the end of the range that the element was read from.
    package let fault: Refusal?

    package var range: Range<Int> { start..<contents.upperBound }

    /// Reads the element at the start of a range.
    ///
    /// - Throws: `Refusal` if the header cannot be read.
    package init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(Refusal) {
        let header = try BERHeader(bytes, in: range)
        tag = header.tag
        start = header.start
        isDER = header.isMinimal && !(header.tag.isOctetString && header.tag.isConstructed)
        if let length = header.length {
            let available = range.upperBound - header.contents
            fault =
                length > available ? Refusal(.truncated, at: range.upperBound, reading: "contents") : nil
            end = header.contents + min(length, available)
            contents = header.contents..<end
            return
        }
        var offset = header.contents
        do throws(Refusal) {
            offset = try Self.endOfContents(
                bytes,
                offset..<range.upperBound,
                Limits.standard.message.encoding.depth
            )
            (end, fault) = (offset + 2, nil)
        } catch {
            (offset, end, fault) = (range.upperBound, range.upperBound, error)
        }
        contents = header.contents..<offset
    }

    /// Returns the offset of the end-of-contents octets of the contents that begin a range. Throws `Refusal`
    /// if there are none, or if an element before them cannot be read or is nested too deep.
    private static func endOfContents(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ depth: Int
    ) throws(Refusal) -> Int {
        guard depth > 0 else { throw Refusal(.tooDeep, at: range.lowerBound, reading: "contents") }
        var offset = range.lowerBound
        while offset + 1 < range.upperBound {
            if bytes[offset] == 0, bytes[offset + 1] == 0 { return offset }
            let header = try BERHeader(bytes, in: offset..<range.upperBound)
            if let length = header.length {
                guard length <= range.upperBound - header.contents else {
                    throw Refusal(.truncated, at: range.upperBound, reading: "contents")
                }
                offset = header.contents + length
            } else {
                offset = try endOfContents(bytes, header.contents..<range.upperBound, depth - 1) + 2
            }
        }
        throw Refusal(.invalidEndOfContents, at: range.upperBound, reading: "contents of indefinite length")
    }
}

extension Tag {
    /// Whether this is the tag of an OCTET STRING, in one piece or in segments.
    package var isOctetString: Bool { tagClass == .universal && number == 4 }
}
