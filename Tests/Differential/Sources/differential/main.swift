import AppReceipt
import Foundation

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.isWriting {
        try writeInputs(options)
        exit(0)
    }
    exit(try Run(options).run() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("differential: \(error)\n".utf8))
    exit(2)
}
