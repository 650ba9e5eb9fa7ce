// Judges the receipts of Vectors/ on a machine with words of 32 bits.
//
// The program is compiled for Embedded Swift and WebAssembly. An interpreter runs it and lets it read only
// the directory `Vectors`.

import Processor
import SHA

@_expose(wasm, "_start")
@_cdecl("_start")
func start() { proc_exit(judgeAll(.none) ? 0 : 1) }

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
