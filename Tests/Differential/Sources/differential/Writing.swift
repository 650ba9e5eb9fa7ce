import Basics
import Foundation

/// Writes the roots and the inputs to standard output, for another judge.
///
/// Each line has fields between tabs. The line of a root has "root" and the certificate. The line of an
/// input has its number, its kind, its origin, the number of its root, how it is trusted ("markers",
/// "no-markers" or "xcode") and its octets. Messages that are not receipts are left out.
func writeInputs(_ options: Options) throws {
    let inputs = try Inputs(try Bases(vectors: options.vectors, shared: options.shared), seed: options.seed)
    for root in inputs.roots { try write("root\t\(Hexadecimal.digits(of: root.span))\n") }
    for index in options.first..<(options.first + options.count) {
        let input = inputs.input(index)
        guard case .receipt = input.judge else { continue }
        let markers = input.isStrict ? "markers" : "no-markers"
        let trust = inputs.xcodeRoots.contains(input.root) ? "xcode" : markers
        let octets = Hexadecimal.digits(of: input.octets.span)
        let fields = ["\(index)", input.kind.rawValue, input.origin, "\(input.root)", trust, octets]
        try write(fields.joined(separator: "\t") + "\n")
    }
}

private func write(_ text: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
}
