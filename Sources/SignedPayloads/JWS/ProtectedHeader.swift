import Basics
import DER
import JSONText
import PKIX
import Processor

/// The protected header of a token (RFC 7515 §4): the certificates of its `x5c`.
///
/// - `alg` is exactly `ES256`.
/// - `x5c` has exactly as many certificates as the trust policy requires.
/// - `crit` is refused: no extension is supported (§4.1.11).
/// - `jku`, `jwk` and `x5u` are refused. RFC 7515 lets a reader ignore them, but a reader that honours them
///   may verify by another key than that of `x5c`.
/// - The values of other members are ignored. Xcode writes `typ` and `kid`.
struct ProtectedHeader: Sendable {
    /// The certificates' encodings, one after the other.
    let buffer: [UInt8]
    /// The certificates, decoded from ``buffer``.
    let certificates: [Certificate]
    /// The offset in the token where the text of each certificate begins.
    let offsets: [Int]

    /// Reads the header of a token, and decodes the certificates of its `x5c`. No signature is verified.
    ///
    /// - Parameter index: set to the index of the certificate that is being read, which an error concerns,
    ///   and to nil when all have been read. It is not set if an error comes before the first certificate.
    init(
        of jws: CompactSerialisation,
        certificateCount: Int,
        limits: TokenLimits,
        _ acceleration: Acceleration,
        reading index: inout Int?
    ) throws(Refusal) {
        let (segment, header) = try jws.checkHeader(limits, acceleration)
        let texts = header.elements("x5c") ?? []
        guard texts.count == certificateCount else {
            throw segment.mapped(header.refusal(.certificateCount, "x5c"))
        }
        var (buffer, certificates, offsets): ([UInt8], [Certificate], [Int]) = ([], [], [])
        for text in texts {
            index = certificates.count
            let offset = segment.offset(of: text.lowerBound)
            // Xcode escapes each solidus.
            guard let characters = JSONReader.string(text, segment.bytes),
                let bytes = certificateBytes(base64: characters[...], acceleration)
            else { throw Refusal(.certificateNotBase64, at: offset, reading: "x5c") }
            let range = buffer.count..<(buffer.count + bytes.count)
            buffer += bytes
            do throws(Refusal) {
                var reader = Reader(buffer.borrowedSpan, in: range)
                certificates.append(try Certificate(&reader))
                try reader.finish("Certificate")
            } catch {
                throw error.moved(to: offset)
            }
            offsets.append(offset)
        }
        index = nil
        (self.buffer, self.certificates, self.offsets) = (buffer, certificates, offsets)
    }

    /// The certificates together with their bytes.
    var list: CertificateList {
        @_lifetime(borrow self)
        get { CertificateList(certificates, in: buffer.borrowedSpan) }
    }

    /// The index of the certificate that an offset in ``buffer`` belongs to; nil if it is in none.
    func index(of offset: Int) -> Int? { certificates.firstIndex { $0.range.contains(offset) } }
}

extension CompactSerialisation {
    /// The bytes of each element of `x5c` in the header of a token, for showing the certificates. Elements
    /// that are not base64 are left out. The bytes need not be a certificate. Empty if the header cannot be
    /// read. Nothing is verified.
    package static func unverifiedCertificates(of token: [UInt8], _ limits: TokenLimits) -> [[UInt8]] {
        let span = token.borrowedSpan
        guard let end = span.firstIndex(of: UInt8(ascii: "."), in: span.indices), end <= limits.tokenBytes,
            let segment = try? Segment(span, in: 0..<end, "header", .none),
            let header = try? PayloadObject(segment.bytes, in: segment.bytes.indices, limits)
        else { return [] }
        return (header.elements("x5c") ?? []).compactMap { text in
            JSONReader.string(text, segment.bytes).flatMap { certificateBytes(base64: $0[...], .none) }
        }
    }

    /// Decodes the header, and checks that `alg` is ES256 and that `crit`, `jku`, `jwk` and `x5u` are absent.
    /// Accepts any value of the other members. Returns the header's segment and its members.
    @discardableResult
    package func checkHeader(
        _ limits: TokenLimits,
        _ acceleration: Acceleration = .none
    ) throws(Refusal) -> (Segment, PayloadObject) {
        let segment = try Segment(token.borrowedSpan, in: header, "header", acceleration)
        do throws(Refusal) {
            let header = try PayloadObject(segment.bytes, in: segment.bytes.indices, limits)
            guard header.utf8("alg") == [UInt8](utf8: "ES256") else {
                throw header.refusal(.unexpectedAlgorithm, "alg")
            }
            if header.has("crit") { throw header.refusal(.criticalHeader, "crit") }
            for name: StaticString in ["jku", "jwk", "x5u"] where header.has(name.description) {
                throw header.refusal(.otherKeySource, name)
            }
            return (segment, header)
        } catch {
            throw segment.mapped(error)
        }
    }
}
