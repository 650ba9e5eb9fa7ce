import AppReceipt
import Basics
import CAppReceipt
import JSONText
import ReceiptResults
import SHA
import TransactionReceipt

/// The verdict about one receipt, with the values that the C functions for a result return. Immutable.
final class Outcome: Handle {
    let verdict: Result<ValidReceipt, ReceiptError>
    /// The container that the input was decoded to, or its first bytes if the input was cut. Empty if no
    /// container was decoded, for example because the input's text is too long.
    let container: [UInt8]
    /// The validator that gave the verdict.
    let validator: Validator
    /// The purchases of a valid app receipt that decode; they are decoded once. Nil for a transaction receipt
    /// and for a refusal.
    let purchases: [InAppPurchase]?
    /// The names of the checks that were not made, or whose result is not proven, with commas between
    /// them. Empty for a refusal.
    let notChecked: [UInt8]
    /// SHA-256 of the certificate of the receipt's root; nil for a refusal.
    let rootFingerprint: [UInt8]?

    init(_ verdict: Result<ValidReceipt, ReceiptError>, _ container: [UInt8], _ validator: Validator) {
        (self.verdict, self.container, self.validator) = (verdict, container, validator)
        let receipt = try? verdict.get()
        purchases = receipt?.app?.inAppPurchases
        var names: [UInt8] = []
        for step in receipt?.notChecked ?? [] {
            if !names.isEmpty { names.append(UInt8(ascii: ",")) }
            names.append(utf8: step.rawValue)
        }
        notChecked = names
        rootFingerprint = (receipt?.app?.rootFingerprint ?? receipt?.transaction?.rootFingerprint)?.bytes
        super.init(validator.memory)
    }

    /// SHA-256 of the receipt's signed content; nil for a refusal.
    var contentDigest: [UInt8]? { (receipt?.contentDigest ?? transaction?.contentDigest)?.bytes }
    var status: Status { if case .success = verdict { .ok } else { .refused } }
    var receipt: Receipt? { try? verdict.get().app }
    var transaction: PurchaseInfo? { try? verdict.get().transaction }
    var purchaseCount: Int { purchases?.count ?? (transaction == nil ? 0 : 1) }

    /// The value of an entry of a valid transaction receipt's purchase-info, in UTF-8. Nil if the entry is
    /// absent or its value is empty, and for an app receipt and a refusal.
    func entry(_ key: StaticString) -> ArraySlice<UInt8>? {
        transaction?.text(of: key).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The verdict and the receipt's values as a JSON object in UTF-8, as `app_receipt.h` describes it.
    var json: [UInt8] {
        let container = container
        var head = ResultHead()
        if !container.isEmpty { head.digest = HashAlgorithm.sha256.digest(of: container.borrowedSpan) }
        switch verdict {
        case .success(let receipt): head.receipt = receipt
        case .failure(let error):
            let fault = Fault(error)
            head.fault = fault
            head.mismatch = Mismatch(fault, container, validator.judge.policy)
        }
        return JSONWriter.object { json in
            json.verdict(head)
            if let receipt {
                json.member("receipt") {
                    $0.receipt(receipt.unverified, contentDigest: receipt.contentDigest)
                }
            }
            if let transaction {
                json.member("transaction_receipt") {
                    $0.transaction(
                        transaction.unverified,
                        contentDigest: transaction.contentDigest,
                        withEntries: true
                    )
                }
            }
        }.bytes
    }
}

@c @implementation
public func app_receipt_result_release(_ result: OpaquePointer?) { unsafe take(result, Outcome.self) }

@c @implementation
public func app_receipt_result_verdict(_ result: OpaquePointer?) -> Int32 {
    status { () throws(Status) in try unsafe object(result, Outcome.self).status }
}

@c @implementation
public func app_receipt_result_error(
    _ result: OpaquePointer?,
    _ error: UnsafeMutablePointer<app_receipt_error>?
) -> Int32 {
    unsafe with(result, Outcome.self) { (outcome) throws(Status) in
        let place = try unsafe place(error)
        guard case .failure(let error) = outcome.verdict else { return .absent }
        unsafe place.pointee = app_receipt_error(error)
        return .ok
    }
}

@c @implementation
public func app_receipt_result_json(
    _ result: OpaquePointer?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe with(result, Outcome.self) { (outcome) throws(Status) in
        try unsafe write(outcome.json[...], buffer, capacity, length)
    }
}

@c @implementation
public func app_receipt_inspect_unverified(
    _ bytes: UnsafePointer<UInt8>?,
    _ length: Int,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(Status) in
        let input = try unsafe copy(bytes, length, within: Limits.standard.inputBytes)
        let json = JSONWriter.object { $0.inspection(container(in: input) ?? [], isValid: false) }
        return try unsafe write(json.bytes[...], buffer, capacity, needed)
    }
}

@c @implementation
public func app_receipt_decode(
    _ bytes: UnsafePointer<UInt8>?,
    _ length: Int,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
    status { () throws(Status) in
        let input = try unsafe copy(bytes, length, within: Limits.standard.inputBytes)
        return try unsafe write(container(in: input)?[...], buffer, capacity, needed)
    }
}

/// The container that an input holds, not validated. Nil if there is none, and for one that is longer than
/// the limit: its end may be missing, because a long input is cut.
private func container(in input: [UInt8]) -> [UInt8]? {
    guard let container = try? ReceiptInput.container(input[...]),
        container.count <= Limits.standard.inputBytes
    else { return nil }
    return container
}

extension app_receipt_error {
    init(_ error: ReceiptError) {
        unsafe self.init(error.refusal, step: error.step.text, certificate: error.certificateIndex)
    }

    init(_ refusal: Refusal, step: StaticString, certificate: Int? = nil) {
        let kind: StaticString =
            switch refusal.code.kind {
            case .invalid: "invalid"
            case .unsupported: "unsupported"
            case .unreadable: "unreadable"
            }
        unsafe self.init(
            code: Int32(refusal.code.number),
            certificate: certificate.flatMap { Int32(exactly: $0) } ?? -1,
            offset: Int64(refusal.offset),
            name: refusal.code.name.characters,
            step: step.characters,
            kind: kind.characters,
            message: refusal.code.meaning.characters,
            reading: refusal.reading.characters
        )
    }
}

extension StaticString {
    /// The address of the literal's characters, which a zero byte follows. A literal that is a single Unicode
    /// scalar may have no address. The library's names and sentences are longer.
    var characters: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension ReceiptError.Step {
    /// The published name of the step of a receipt's validation, as a literal. It is also the step's raw
    /// value (a test compares them).
    var text: StaticString {
        switch self {
        case .input: "input"
        case .container: "container"
        case .creationDate: "creation-date"
        case .certificatePath: "certificate-path"
        case .root: "root"
        case .distrust: "distrust"
        case .revocation: "revocation"
        case .intermediateMarker: "intermediate-marker"
        case .leafMarker: "leaf-marker"
        case .signature: "signature"
        case .payload: "payload"
        case .environment: "environment"
        case .bundleIdentifier: "bundle-identifier"
        case .appVersion: "app-version"
        case .deviceHash: "device-hash"
        case .expirationDate: "expiration-date"
        }
    }
}
