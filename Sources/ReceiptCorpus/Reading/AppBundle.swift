import SystemCalls

/// An app that is installed on a Mac: a directory `NAME.app`, whose receipt is the file
/// `Contents/_MASReceipt/receipt`. Nothing else in the directory is looked at, other apps in it included.
package struct AppBundle: Sendable {
    /// The directory, without slashes at the end.
    private let path: [UInt8]

    /// The app at a directory; nil if the name is not that of an app's directory. The name may be that of a
    /// symbolic link to the directory. Standard input is no app.
    ///
    /// The name ends in `.app`, each letter in upper or lower case, because macOS takes `.APP` for an app as
    /// well. There is at least one character before the ending. Slashes at the end are ignored.
    package init?(at name: FileName) {
        guard !name.isStandardInput, (try? System.status(path: name.bytes))?.kind == .directory else {
            return nil
        }
        let slash = UInt8(ascii: "/")
        var path = name.bytes
        while path.count > 1, path.last == slash { path.removeLast() }
        let last = path[(path.lastIndex(of: slash).map { $0 + 1 } ?? 0)...]
        let ending = last.suffix(4)
        guard last.count > 4, ending.first == UInt8(ascii: "."),
            ending.dropFirst().elementsEqual("app".utf8, by: { $0 | 0x20 == $1 })
        else { return nil }
        self.path = path
    }

    /// The file that holds the receipt. It need not exist.
    package var receipt: FileName { FileName(bytes: path + Array("/Contents/_MASReceipt/receipt".utf8)) }

    /// The first symbolic link among `Contents`, `_MASReceipt` and the receipt file; nil if there is none. A
    /// link may lead to the receipt of another app. The app's directory itself may be a link.
    package var link: FileName? {
        ["/Contents", "/Contents/_MASReceipt", "/Contents/_MASReceipt/receipt"].lazy
            .map { FileName(bytes: path + Array($0.utf8)) }.first { System.isLink(path: $0.bytes) }
    }
}
