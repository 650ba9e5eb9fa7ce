/// File formats that are often passed by mistake and that the engine cannot read.
enum ForeignFormat {
    /// Recognises a format by its magic bytes.
    ///
    /// - Returns: a phrase that continues a sentence about the source, or nil.
    static func recognise(_ beginning: ArraySlice<UInt8>) -> String? {
        let kinds: [(magic: [UInt8], phrase: String)] = [
            ([0xFD] + Array("7zXZ".utf8) + [0], "is compressed with xz: decompress it, as with xz -dc"),
            (
                Array("BZh".utf8), "is compressed with bzip2: decompress it, as with bzip2 -dc"
            ),
            (Array("PK".utf8) + [3, 4], "is a ZIP archive: extract its files, as with unzip -p"),
            (
                Array("PGDMP".utf8) + [1],
                "is an archive of pg_dump in custom format: export rows with psql -c '\\copy TABLE TO STDOUT'"
            ),
            (
                Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0],
                "is binary COPY: export it without (FORMAT binary), for --format pgcopy"
            ),
            (
                Array("SQLite format 3".utf8) + [0],
                "is an SQLite database: export rows, as with sqlite3 -header -csv FILE 'SELECT …'"
            ),
            ([0xFF, 0xFE], utf16), ([0xFE, 0xFF], utf16),
        ]
        guard let kind = kinds.first(where: { beginning.starts(with: $0.magic) }) else { return nil }
        // The first three letters of bzip2 may begin base64. The magic number of its first block may not.
        if kind.magic.count == 3, !beginning.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]) {
            return nil
        }
        return kind.phrase
    }

    /// Recognises a format by its shape, which is less certain than magic bytes.
    ///
    /// - Returns: a phrase that continues a sentence about the source, or nil.
    static func suspect(_ beginning: ArraySlice<UInt8>) -> String? {
        if let phrase = recognise(beginning) { return phrase }
        let start = beginning.prefix(64)
        let zeros = start.enumerated().filter { $0.element == 0 }.map { $0.offset % 2 }
        if start.count >= 8, zeros.count >= start.count / 2 - 2, Set(zeros).count == 1 { return utf16 }
        let text = String(decoding: beginning.drop { $0 <= 0x20 }.prefix(64), as: UTF8.self).uppercased()
        let statements = [
            "-- ", "--\n", "/*", "CREATE ", "INSERT ", "BEGIN", "PRAGMA ", "SET ", "DROP ", "COPY ",
        ]
        guard statements.contains(where: { text.hasPrefix($0) }) else { return nil }
        return "is an SQL script, as pg_dump writes: export rows with psql -c '\\copy TABLE TO STDOUT'"
    }

    private static let utf16 = "is UTF-16: convert it, as with iconv -f UTF-16 -t UTF-8"
}
