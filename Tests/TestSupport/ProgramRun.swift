import Foundation

/// One run of a program to its end: its output and its exit status.
///
/// The test waits for the program without occupying a thread. All tests share one thread for each core, so a
/// test that blocks its thread keeps other tests from running.
public struct ProgramRun: Sendable {
    /// The exit status, or the negative number of the signal that ended the program.
    public let status: Int32
    public let output: [UInt8]
    /// The text on standard error. It is in `output` if the two are joined.
    public let errors: String

    /// The output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }

    /// The variables with which `Tests/Adequacy/mutate` chooses a planted defect. Every program gets them.
    private static let mutant = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("MUTANT") }

    /// Waits for a turn (``ProgramTurns``), and runs a program.
    ///
    /// - Parameters:
    ///   - path: the path of the program. `/usr/bin/env` finds a program by its name.
    ///   - input: the bytes of its standard input.
    ///   - environment: its variables, to which ``mutant`` is added; nil means the variables of the tests.
    ///   - joinsErrors: whether standard error goes to `output`.
    public init(
        _ path: String,
        _ arguments: [String],
        input: [UInt8] = [],
        environment: [String: String]? = nil,
        directory: URL = SharedData.packageRoot,
        joinsErrors: Bool = false
    ) async throws {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = directory
        if let environment { process.environment = environment.merging(Self.mutant) { own, _ in own } }
        (status, output, errors) = try await withDirectory { directory in
            // The outputs are files, because a full pipe would keep the process waiting.
            func write(_ name: String, _ bytes: [UInt8]) throws {
                try Data(bytes).write(to: directory.appending(path: name))
            }
            func bytes(_ name: String) throws -> [UInt8] {
                [UInt8](try Data(contentsOf: directory.appending(path: name)))
            }
            try write("input", input)
            try write("output", [])
            try write("errors", [])
            // The files are open for the time of a turn only. Hundreds of runs wait for a turn at once, and
            // with a thousand open files Foundation on Linux reads past its list of them.
            let status = try await ProgramTurns.shared.take {
                let files = try ["input", "output", "errors"].map { name in
                    try FileHandle(forUpdating: directory.appending(path: name))
                }
                defer { for file in files { try? file.close() } }
                process.standardInput = files[0]
                process.standardOutput = files[1]
                process.standardError = joinsErrors ? files[1] : files[2]
                return try await process.start().value
            }
            let errors = joinsErrors ? [] : try bytes("errors")
            return (status, try bytes("output"), String(decoding: errors, as: UTF8.self))
        }
    }
}

extension Process {
    /// Starts the program. The task waits for the program's end without occupying a thread.
    ///
    /// - Returns: a task whose value is the exit status, or the negative number of the signal that ended the
    ///   program.
    public func start() throws -> Task<Int32, Never> {
        let (ends, end) = AsyncStream<Int32>.makeStream()
        terminationHandler = { process in
            let status = process.terminationStatus
            end.yield(process.terminationReason == .exit ? status : -status)
        }
        try run()
        return Task {
            for await status in ends { return status }
            preconditionFailure("the stream has one element")
        }
    }
}

/// Limits the number of programs that run at once.
///
/// A program that waits for its test must not take a turn: the test may need a turn for another program
/// before it goes on.
public actor ProgramTurns {
    /// Twice as many turns as there are cores, because some programs sleep.
    public static let shared = ProgramTurns(2 * ProcessInfo.processInfo.activeProcessorCount)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    /// Waits for a turn, and runs a body.
    public nonisolated func take<Result>(_ body: () async throws -> Result) async throws -> Result {
        await begin()
        do {
            let result = try await body()
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    private func begin() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func end() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

/// Runs a body that blocks. The body gets a thread of its own, so that other tests go on.
///
/// An expectation in the body would belong to no test. The body returns values, and the test checks them.
public func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// Makes a directory for the files of one test, and removes it afterwards.
public func withDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}
