import AppReceipt
import Basics
import CMS
import DER
import Foundation
import PKIX
import SHA
import TestSupport
import Testing

/// A receipt's certificates as an independent implementation read them.
private struct Expected: Decodable {
    struct Certificate: Decodable {
        let subject_cn: String
        let issuer_cn: String
        let serial: String
        let key: String
        let sigalg: String
        let not_before: String
        let not_after: String
        let sha256: String
    }
    let digest: String
    let encoding: String
    let certificates: [Certificate]
}

@Suite("Genuine messages", .enabled(if: SharedData.isExpected, "../shared is not beside this checkout"))
struct GenuineTests {
    static let names: [String] = (try? SharedData.files(in: "receipts", suffix: ".der")) ?? []

    @Test("certificates have the fields of their record, and the signature is valid", arguments: names)
    func receipt(file: String) throws {
        let input = try SharedData.bytes("receipts/\(file)")
        let json = Data(try SharedData.bytes("receipts/\(file.dropLast(4)).json"))
        let expected = try JSONDecoder().decode(Expected.self, from: json)
        let envelope = try Envelope(input.span)
        #expect((envelope.normalised == nil) == (expected.encoding == "DER"))
        let bytes = envelope.der ?? input
        let message = envelope.signedData
        #expect("\(try message.signer.hashAlgorithm())" == expected.digest)
        let certificates = try SignedData.decodeCertificates(bytes.span, in: message.certificates)
        #expect(certificates.count == expected.certificates.count)
        for (certificate, expected) in zip(certificates, expected.certificates) {
            try Self.compare(certificate, expected, bytes)
        }
        var keys = KeyCache<SigningKey>(SigningKey.Requirements())
        try verify(input, &keys)

        // If one bit of the content is inverted, the signature is refused.
        var damaged = bytes
        damaged[message.content.upperBound - 1] ^= 1
        let code =
            message.signer.signedAttributes == nil ? "rsa.signature-mismatch" : "cms.message-digest-mismatch"
        let refusal = #expect(throws: Refusal.self) { try verify(damaged, &keys) }
        #expect(refusal.map { "\($0.code.name)" } == code)
    }

    private static func compare(
        _ certificate: Certificate,
        _ expected: Expected.Certificate,
        _ bytes: [UInt8]
    ) throws {
        func commonName(_ name: Name) -> String? {
            certificate.view(in: bytes.span).attributes(of: name).last {
                [UInt8](bytes[$0.type]) == [0x55, 0x04, 0x03]
            }
            .map { String(decoding: bytes[$0.value.contents], as: UTF8.self) }
        }
        #expect(commonName(certificate.subject) == expected.subject_cn)
        #expect(commonName(certificate.issuer) == expected.issuer_cn)
        let serialNumber = [UInt8](bytes[certificate.serialNumber].drop { $0 == 0 })
        let digits = expected.serial.count.isMultiple(of: 2) ? expected.serial : "0" + expected.serial
        #expect(serialNumber == hex(digits))
        let utc = { (time: Timestamp) in time.description.replacing("Z", with: "+00:00") }
        #expect(utc(certificate.validity.notBefore) == expected.not_before)
        #expect(utc(certificate.validity.notAfter) == expected.not_after)
        #expect(digest(.sha256, [UInt8](bytes[certificate.range])) == hex(expected.sha256))
        let hash = try SigningKey.Algorithm(ofCertificate: certificate.signatureAlgorithm).hash
        #expect("\(hash)WithRSA" == expected.sigalg)
    }
}
