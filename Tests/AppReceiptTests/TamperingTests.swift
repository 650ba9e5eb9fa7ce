import AppReceipt
import AppReceiptMint
import CMS
import DER
import TestSupport
import Testing

@Suite(
    "Tampering with genuine receipts",
    .enabled(if: SharedData.isExpected, "../shared is not beside this checkout")
)
struct TamperingTests {
    static let accepted = GenuineReceipt.all.filter { $0.isAcceptedUnderAppleRoot || $0.isXcode }

    /// A part of a receipt, and the steps that may find a changed bit in it. The step depends on the meaning
    /// of the bit: part of a date, part of a name, or part of a field that no step reads before the
    /// signature.
    struct Part {
        let name: String
        let range: Range<Int>
        let steps: Set<ReceiptError.Step>
    }

    @Test("one bit turned anywhere that is signed, or signs, is found at its step", arguments: accepted)
    func bits(_ genuine: GenuineReceipt) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: genuine.trust)
        )
        var generator = SeededGenerator(seed: UInt64(genuine.der.count))
        for part in try parts(genuine) {
            // The ends, the middle, and a few anywhere.
            var offsets = [
                part.range.lowerBound, part.range.upperBound - 1,
                (part.range.lowerBound + part.range.upperBound) / 2,
            ]
            offsets += (0..<5).map { _ in Int.random(in: part.range, using: &generator) }
            for offset in offsets {
                let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
                var tampered = genuine.der
                tampered[offset] ^= bit
                do throws(ReceiptError) {
                    _ = try validator.validate(tampered)
                    Issue.record("accepted with bit \(bit) of byte \(offset) turned, in \(part.name)")
                } catch {
                    #expect(
                        part.steps.contains(error.step),
                        "\(part.name), bit \(bit) of byte \(offset): \(error)"
                    )
                }
            }
        }
    }

    private func parts(_ genuine: GenuineReceipt) throws -> [Part] {
        let envelope = try Envelope(genuine.der.span)
        let message = envelope.signedData
        let bytes = envelope.der ?? genuine.der
        func inInput(_ range: Range<Int>) -> Range<Int> {
            guard let normalised = envelope.normalised else { return range }
            let start = normalised.inputOffset(of: range.lowerBound)
            return start..<(start + range.count)
        }
        let content = inInput(message.content)
        var parts = [
            Part(
                name: "payload",
                range: content,
                steps: [.creationDate, .certificatePath, .signature]
            ),
            Part(name: "signature", range: inInput(message.signer.signature), steps: [.signature]),
            Part(
                name: "digest algorithm",
                range: inInput(message.signer.digestAlgorithm.range),
                steps: [.container, .signature]
            ),
        ]
        if case .issuerAndSerialNumber(let issuer, let serialNumber) = message.signer.identifier {
            parts.append(Part(name: "issuer", range: inInput(issuer), steps: [.container, .certificatePath]))
            parts.append(
                Part(
                    name: "serial number",
                    range: inInput(serialNumber),
                    steps: [.container, .certificatePath]
                )
            )
        }
        let certificates = try SignedData.decodeCertificates(bytes.span, in: message.certificates)
        for (index, certificate) in certificates.enumerated() {
            // The root's fingerprint covers every bit of the root. A changed bit in the root's length may
            // make an earlier step fail.
            let isRoot = index == certificates.count - 1
            let steps: Set<ReceiptError.Step> =
                isRoot ? [.root, .certificatePath, .container] : [.certificatePath]
            parts.append(
                Part(
                    name: "tbsCertificate \(index)",
                    range: inInput(certificate.tbsCertificate),
                    steps: steps
                )
            )
            parts.append(
                Part(
                    name: "signatureValue \(index)",
                    range: inInput(certificate.signatureValue),
                    steps: steps
                )
            )
        }
        return parts
    }

    @Test("cut short at any length it is refused, as a container", arguments: accepted)
    func truncation(_ genuine: GenuineReceipt) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: genuine.trust)
        )
        for count in 0..<genuine.der.count {
            do throws(ReceiptError) {
                _ = try validator.validate([UInt8](genuine.der.prefix(count)))
                Issue.record("accepted with \(count) bytes")
            } catch {
                #expect(error.step == .container && error.offset <= count, "\(count) bytes: \(error)")
            }
        }
    }

    @Test("followed by anything it is refused", arguments: accepted)
    func trailing(_ genuine: GenuineReceipt) throws {
        let validator = ReceiptValidator(
            ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: genuine.trust)
        )
        let error = try #require(throws: ReceiptError.self) { try validator.validate(genuine.der + [0]) }
        #expect(error.code == .trailingBytes && error.offset == genuine.der.count)
    }
}
