#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Returns the contents of a file.
func readFile(_ path: String) throws -> [UInt8] {
    guard let file = unsafe fopen(path, "rb") else { throw Failure.work("cannot read \(path)") }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = unsafe fread(&chunk, 1, chunk.count, file)
        if count == 0 { break }
        bytes += chunk[..<count]
    }
    guard unsafe ferror(file) == 0 else { throw Failure.work("cannot read \(path)") }
    return bytes
}

/// Returns the receipts or tokens in a file. A file whose name ends in `.lp` is a corpus: each is preceded by
/// its length in four octets, most significant first. Any other file is one receipt or token.
func readReceipts(_ path: String) throws -> [[UInt8]] {
    let bytes = try readFile(path)
    guard path.hasSuffix(".lp") else { return [bytes] }
    var receipts: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard rest.count >= 4 + length else { throw Failure.work("\(path) ends within a record") }
        receipts.append([UInt8](rest.dropFirst(4).prefix(length)))
        rest = rest.dropFirst(4 + length)
    }
    guard !receipts.isEmpty else { throw Failure.work("\(path) is empty") }
    return receipts
}

/// Returns the last component of a path.
func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}
