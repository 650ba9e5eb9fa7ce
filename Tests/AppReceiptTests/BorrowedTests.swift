import AppReceipt
import AppReceiptMint
import DER
import RSA
import Testing

@Suite("Receipts in borrowed bytes")
struct BorrowedTests {
    /// The error for borrowed bytes with a new cache; nil if the receipt is accepted.
    private static func error(_ validator: ReceiptValidator, _ bytes: [UInt8]) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try validator.validate(bytes.span)
            return nil
        } catch {
            return error
        }
    }

    @Test("get the verdict of an array with equal bytes, with a remembered path and without")
    func verdicts() throws {
        let good = Minted.receipt
        var tampered = good
        tampered[tampered.count - 1] ^= 1
        let alone = try Minted.validator.validate(good.span)
        #expect(alone.bundleIdentifier == "com.example.app")
        let error = Self.error(Minted.validator, tampered)
        #expect(error?.step == .signature && error?.code == .signatureMismatch)
        var cache = ValidationCache()
        for _ in 0..<2 {
            let receipt = try Minted.validator.validate(good.span, cache: &cache)
            #expect(receipt.creationDate == Minted.creationDate)
        }
    }

    @Test("are accepted up to the limit and refused beyond it")
    func limit() throws {
        let bytes = Minted.receipt
        func validator(_ inputBytes: Int) -> ReceiptValidator {
            var limits = Limits.standard
            limits.inputBytes = inputBytes
            return ReceiptValidator(
                environments: .any,
                bundleIdentifier: .any,
                trust: Minted.fingerprints(Minted.mint.root),
                limits: limits
            )
        }
        let tooFew = validator(bytes.count - 1)
        #expect(Self.error(validator(bytes.count), bytes) == nil)
        #expect(
            Verdict(tooFew, bytes)
                == .refused(.container, .inputTooLarge, offset: 0, certificateIndex: nil)
        )
        let error = Self.error(tooFew, bytes)
        #expect(error?.step == .container && error?.code == .inputTooLarge && error?.offset == 0)
    }
}
