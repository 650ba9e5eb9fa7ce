// The functions of Linux's C library that read files and write text.

@_extern(c)
func exit(_ status: Int32)

@_extern(c)
func fopen(_ path: UnsafePointer<CChar>, _ mode: UnsafePointer<CChar>) -> OpaquePointer?

@_extern(c)
func fread(_ bytes: UnsafeMutableRawPointer?, _ size: Int, _ count: Int, _ file: OpaquePointer) -> Int

@_extern(c)
func fclose(_ file: OpaquePointer) -> Int32

@_extern(c)
func puts(_ line: UnsafePointer<CChar>) -> Int32

func readFile(_ path: String) -> [UInt8] {
    guard let file = path.withCString({ path in "rb".withCString { fopen(path, $0) } }) else {
        print(line: "cannot read \(path)")
        exit(2)
        return []
    }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = chunk.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
        guard count > 0 else { break }
        contents += chunk[..<count]
    }
    _ = fclose(file)
    return contents
}

func print(line: String) { _ = line.withCString { puts($0) } }
