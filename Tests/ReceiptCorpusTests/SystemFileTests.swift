import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("Files that the engine makes")
struct SystemFileTests {
    @Test("a new file is never an existing file, a link or a pipe", arguments: ["file", "link", "pipe"])
    func exclusive(_ kind: String) async throws {
        try await withDirectory { directory in
            let mine = directory.appending(path: "mine")
            try Data("mine".utf8).write(to: mine)
            let name = kind == "file" ? mine : directory.appending(path: "name")
            if kind == "link" {
                try FileManager.default.createSymbolicLink(at: name, withDestinationURL: mine)
            }
            if kind == "pipe" { #expect(unsafe mkfifo(name.path, 0o600) == 0) }
            #expect(throws: System.Failure.self) {
                try System.closeDescriptor(
                    System.openForResults(path: [UInt8](name.path.utf8), isNew: true)
                )
            }
            #expect(try Data(contentsOf: mine) == Data("mine".utf8))
        }
    }
}
