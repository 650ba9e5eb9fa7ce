/// Recognises sources in formats that `corpus verify` does not cut into records.
package enum ForeignFormat {
    /// Recognises a format by the magic bytes that a source begins with.
    ///
    /// - Returns: a phrase to write after the source's name, such as `is Avro: export it, …`; nil if unknown.
    package static func recognise(_ beginning: ArraySlice<UInt8>) -> String? {
        let kinds: [(magic: [UInt8], phrase: String)] = [
            (
                Array("PAR1".utf8),
                "is Parquet: export it, as with duckdb -c \"COPY (SELECT * FROM 'FILE') TO '/dev/stdout' (FORMAT csv)\""
            ),
            (Array("Obj".utf8) + [1], "is Avro: export it, as with avro-tools tojson FILE"),
            ([0x1F, 0x8B], "is compressed: name it .gz, or use gzip -dc"),
            ([0x28, 0xB5, 0x2F, 0xFD], "is compressed: name it .zst, or use zstd -dc"),
            ([0xFD] + Array("7zXZ".utf8) + [0], "is compressed with xz: decompress it, as with xz -dc"),
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
        ]
        if isUTF16(beginning) { return utf16 }
        // The letters BZh may begin base64. The magic number of the first block may not.
        if beginning.starts(with: "BZh".utf8),
            beginning.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
        {
            return "is compressed with bzip2: decompress it, as with bzip2 -dc"
        }
        return kinds.first { beginning.starts(with: $0.magic) }?.phrase
    }

    /// Whether a source begins with the byte order mark of UTF-16.
    static func isUTF16(_ beginning: ArraySlice<UInt8>) -> Bool {
        beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF])
    }

    /// Recognises a format by its magic bytes or, less certainly, as UTF-16 or SQL by the first characters.
    ///
    /// - Returns: a phrase to write after the source's name, such as `is Avro: export it, …`; nil if unknown.
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
