import AppReceipt
import Basics
import CMS
import DER
import Foundation
import SHA
import SignedPayloads

/// Prints the verdict on each receipt, and on each token, whose name ends in `.jws`. The validators are
/// configured as the timed ones, and so require the markers and the date.
func check(_ arguments: Arguments) throws {
    let root = try arguments.required("--root")
    let trust = TrustPolicy.pinned([try anchor(root)])
    let tokenValidator = try tokenValidator(root: root, .none)
    let validator = ReceiptValidator(ReceiptPolicy(environments: .any, bundleIdentifier: .any, trust: trust))
    for path in try arguments.requiredInputs() {
        let bytes = try readFile(path)
        var object = JSONObject()
        object.add("input", fileName(path))
        let isToken = path.hasSuffix(".jws")
        let reason = isToken ? reasonToRefuse(token: bytes, tokenValidator) : reasonToRefuse(bytes, validator)
        if let reason {
            object.add("verdict", "refused")
            object.add("reason", reason)
        } else {
            object.add("verdict", "accepted")
            object.add("content_sha256", try isToken ? payloadDigest(token: bytes) : contentDigest(bytes))
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

/// Known signers must not change a verdict, so the token is judged with the same cache again.
private func reasonToRefuse(token: [UInt8], _ validator: SignedPayloadValidator) -> String? {
    var cache = SignedPayloadCache()
    do {
        let token = try Token(token)
        for _ in 0..<20 { _ = try token.judge(validator, &cache) }
        return nil
    } catch {
        return "\(error)"
    }
}

private func payloadDigest(token: [UInt8]) throws -> String {
    let segments = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let text = String(decoding: segments[1], as: UTF8.self)
        .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let payload = Data(base64Encoded: text + padding) else {
        throw Failure.work("the payload of a token is not base64url")
    }
    return HashAlgorithm.sha256.digest(of: [UInt8](payload).span).description
}
