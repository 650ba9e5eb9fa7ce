import AppReceipt
import Basics
import CMS
import DER
import SHA

/// Prints the verdict on each receipt. The validator is configured as the timed one, and so requires the
/// markers and the creation date.
func check(_ arguments: Arguments) throws {
    let trust = TrustPolicy.pinned([try anchor(arguments.required("--root"))])
    let validator = ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust))
    for path in try arguments.requiredInputs() {
        let bytes = try readFile(path)
        var object = JSONObject()
        object.add("input", fileName(path))
        if let reason = reasonToRefuse(bytes, validator) {
            object.add("verdict", "refused")
            object.add("reason", reason)
        } else {
            object.add("verdict", "accepted")
            object.add("content_sha256", try contentDigest(bytes))
        }
        object.write()
    }
}

private func reasonToRefuse(_ bytes: [UInt8], _ validator: ReceiptValidator) -> String? {
    do throws(ReceiptError) {
        _ = try validator.validate(bytes)
        return nil
    } catch {
        return "\(error)"
    }
}

private func contentDigest(_ bytes: [UInt8]) throws -> String {
    let envelope = try Envelope(bytes.span)
    let buffer = envelope.der ?? bytes
    return HashAlgorithm.sha256.digest(of: buffer.span.extracting(envelope.signedData.content)).description
}
