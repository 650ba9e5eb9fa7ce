// Judges the receipts of Vectors/ on a machine with words of 32 bits.
//
// The program is compiled for Embedded Swift and WebAssembly. An interpreter runs it and lets it read only
// the directory `Vectors`.

import Processor
import SHA

@_expose(wasm, "_start")
@_cdecl("_start")
func start() { proc_exit(digestsAreRight() && judgeAll(.none) ? 0 : 1) }

/// Compares a digest by each hash algorithm with the digest of another implementation. This machine has
/// compression functions of its own.
///
/// The message has the bytes 0 to 199, which are two to four blocks.
func digestsAreRight() -> Bool {
    let message = [UInt8](0..<200)
    for algorithm in HashAlgorithm.allCases {
        let expected =
            switch algorithm {
            case .sha1:
                "54d11e99127d159799dbce10f51a75e697780478"
            case .sha256:
                "1901da1c9f699b48f6b2636e65cbf73abf99d0441ef67f5c540a42f7051dec6f"
            case .sha384:
                "7ea4bb2534c67036f49de7beb5fe8a2478df04ff3fef40a9cd4923999a590e99"
                    + "12df1297217ce1a021aa2fb1013498b8"
            case .sha512:
                "986058e9895e2c2ab8f9e8cbdf801db12a44842a56a91d5a4e87b1fc98b29372"
                    + "2c4664142e42c3c551ff898646268cd92b84ed230b8c94bed7798d4f27cd7465"
            }
        let digest = message.withUnsafeBufferPointer { bytes in
            algorithm.digest(of: Span(_unsafeElements: bytes)).description
        }
        guard digest.utf8.elementsEqual(expected.utf8) else {
            print(line: "a digest of \(digest.utf8.count / 2) bytes is wrong: \(digest)")
            return false
        }
    }
    print(line: "the digests by every hash algorithm are right")
    return true
}

// MARK: The calls of WASI, preview 1, that read files and write text

@_extern(wasm, module: "wasi_snapshot_preview1", name: "path_open")
@_extern(c)
func path_open(
    _ directory: Int32,
    _ lookupFlags: Int32,
    _ path: UnsafePointer<UInt8>?,
    _ pathByteCount: Int32,
    _ openFlags: Int32,
    _ rights: Int64,
    _ inheritedRights: Int64,
    _ flags: Int32,
    _ file: UnsafeMutablePointer<Int32>
) -> Int32

@_extern(wasm, module: "wasi_snapshot_preview1", name: "fd_read")
@_extern(c)
func fd_read(
    _ file: Int32,
    _ buffers: UnsafeRawPointer,
    _ count: Int32,
    _ read: UnsafeMutablePointer<UInt32>
) -> Int32

@_extern(wasm, module: "wasi_snapshot_preview1", name: "fd_write")
@_extern(c)
func fd_write(
    _ file: Int32,
    _ buffers: UnsafeRawPointer,
    _ count: Int32,
    _ written: UnsafeMutablePointer<UInt32>
) -> Int32

@_extern(wasm, module: "wasi_snapshot_preview1", name: "proc_exit")
@_extern(c)
func proc_exit(_ status: Int32)

struct WASIBuffer {
    let address: UInt32
    let count: UInt32

    init(_ address: UnsafeRawPointer?, _ count: Int) {
        self.address = UInt32(UInt(bitPattern: address))
        self.count = UInt32(count)
    }
}

/// Reads a file in the directory of the interpreter, which is descriptor 3.
func readFile(_ path: String) -> [UInt8] {
    let name = [UInt8](path.utf8)
    var file: Int32 = -1
    let mayRead: Int64 = 2
    let status = name.withUnsafeBufferPointer {
        path_open(3, 0, $0.baseAddress, Int32($0.count), 0, mayRead, 0, 0, &file)
    }
    guard status == 0 else {
        print(line: "cannot read \(path)")
        proc_exit(2)
        return []
    }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        var count: UInt32 = 0
        let status = chunk.withUnsafeMutableBytes { buffer in
            var vector = WASIBuffer(buffer.baseAddress, buffer.count)
            return fd_read(file, &vector, 1, &count)
        }
        guard status == 0, count > 0 else { return contents }
        contents += chunk[..<Int(count)]
    }
}

func print(line: String) {
    let bytes = [UInt8]((line + "\n").utf8)
    bytes.withUnsafeBytes { buffer in
        var written: UInt32 = 0
        var vector = WASIBuffer(buffer.baseAddress, buffer.count)
        _ = fd_write(1, &vector, 1, &written)
    }
}
