#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// libFuzzer calls this function with every input. The function keeps no state between calls, so a failing
/// input fails again on its own.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's buffer has `count` bytes and lives until this function returns. The array is a copy.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    target.run(input)
    return 0
}

/// The target that the environment variable `FUZZ_TARGET` names.
let target: Target = {
    // The environment does not change while this runs.
    guard let name = unsafe getenv("FUZZ_TARGET"), let target = unsafe Target(rawValue: String(cString: name))
    else { fatalError("FUZZ_TARGET is one of \(Target.allCases.map(\.rawValue).joined(separator: ", "))") }
    return target
}()
