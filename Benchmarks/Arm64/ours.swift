// Does one kind of work a number of times, for the counts of instructions that `Benchmarks/Arm64/count`
// takes.
//
// usage: ours MEASURE OPERATIONS FOLDER [portable]
//
// The folder has message.bin, text.base64, key.der and signature.bin. The measures are sha1, sha256, base64
// and rsa2048. The last argument leaves the processor's own instructions unused.

import AppReceipt
import Processor
import RSA
import SHA

@_cdecl("main")
func main(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
    let arguments = (1..<Int(count)).compactMap { arguments[$0].map { String(cString: $0) } }
    guard arguments.count >= 3, let operations = Int(arguments[1]) else { return 2 }
    let (measure, folder) = (arguments[0], arguments[2])
    let acceleration: Acceleration =
        arguments.count > 3 ? .none : .detected(auxiliaryVector: readFile("/proc/self/auxv"))
    let message = readFile(folder + "/message.bin")

    // The result of one operation: whether it succeeded.
    var operation: () -> Bool = { false }
    func digest(_ algorithm: HashAlgorithm) {
        operation = { algorithm.digest(of: message.span, acceleration: acceleration).count > 0 }
    }
    if measure.utf8.elementsEqual("sha1".utf8) {
        digest(.sha1)
    } else if measure.utf8.elementsEqual("sha256".utf8) {
        digest(.sha256)
    } else if measure.utf8.elementsEqual("base64".utf8) {
        let text = readFile(folder + "/text.base64")
        operation = { (try? ReceiptInput.decode(text, acceleration: acceleration)) != nil }
    } else if measure.utf8.elementsEqual("rsa2048".utf8),
        let key = try? PublicKey(subjectPublicKeyInfo: readFile(folder + "/key.der").span)
    {
        let signature = readFile(folder + "/signature.bin")
        let digest = HashAlgorithm.sha256.digest(of: message.span)
        operation = { (try? key.verify(signature.span, digest: digest, acceleration: acceleration)) != nil }
    }
    for _ in 0..<operations {
        guard operation() else { return 1 }
    }
    return 0
}
