#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What libFuzzer calls with every input. Nothing is kept between calls, so that an input that fails once
/// fails again by itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's own buffer, of that many bytes, is there until this returns; the array is a copy.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    target.run(input)
    return 0
}

/// The target that the environment variable `FUZZ_TARGET` names.
let target: Target = {
    // A string that nobody changes while this runs.
    guard let name = unsafe getenv("FUZZ_TARGET"), let target = unsafe Target(rawValue: String(cString: name))
    else { fatalError("FUZZ_TARGET is one of \(Target.allCases.map(\.rawValue).joined(separator: ", "))") }
    return target
}()
