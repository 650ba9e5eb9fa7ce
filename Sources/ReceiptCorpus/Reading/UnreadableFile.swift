import DER
import ReceiptResults
import SystemCalls

extension Fault {
    /// A fault of the step `input`: the file could not be read.
    package init(cannotRead name: FileName, _ failure: System.Failure) {
        self.init(.cannotRead, message: "cannot read \(name.text): \(failure.message)")
    }
}
