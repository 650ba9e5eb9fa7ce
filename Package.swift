// swift-tools-version: 6.2
import PackageDescription

/// The language of every target: Swift 6 mode, strict memory safety, and lifetimes for the non-escapable reader.
let language: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableExperimentalFeature("Lifetimes"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The settings of all targets.
///
/// On Linux a debug build compiles each module as a whole, in one step. That takes less processor time, because
/// files of a module share the work of type checks. Other systems do not accept such flags in a dependency.
#if os(Linux)
    let settings =
        language + [
            .unsafeFlags(
                ["-disable-batch-mode", "-wmo", "-num-threads", "1", "-no-emit-module-separately-wmo"],
                .when(configuration: .debug)
            )
        ]
#else
    let settings = language
#endif

/// The trait that compiles code for processor instructions beyond the baseline; code tests `#if Accelerated`.
let accelerated = "Accelerated"

// Swift 6.2 has no names for most of these instructions.
#if compiler(>=6.3)
    let trait = Trait.trait(
        name: accelerated,
        description: "Uses SHA and vector instructions where the processor has them (x86-64, Arm64)."
    )
    // On by default on Linux; `--disable-default-traits` gives the portable build. Off elsewhere, because
    // nothing of it has run on Apple's systems.
    #if os(Linux)
        let traits: Set<Trait> = [trait, .default(enabledTraits: [accelerated])]
    #else
        let traits: Set<Trait> = [trait]
    #endif
#else
    let traits: Set<Trait> = []
#endif

/// The architectures with such instructions, under every name that compilers use for them.
let (x86, arm) = (["x86_64"], ["aarch64", "arm64", "arm64e"])

/// A target in `Sources/Kernels` that uses an instruction set of one architecture.
///
/// The flags apply to all code of the target and only on that architecture; compilers for others ignore them.
/// The target is optimised even in debug builds, so that it emits no copies of the standard library's generic
/// functions: the linker could use such a copy, compiled for one processor, for the whole program. Embedded
/// Swift does emit such copies, and compiles functions again in their callers. There the trait works on Arm64
/// only, with Swift 6.3 or newer.
func kernel(_ name: String, _ flags: String..., of architecture: [String]) -> Target {
    let compiler = architecture.flatMap { name in flags.flatMap { ["-Xarch_\(name)", $0] } }
    return .target(
        name: name,
        path: "Sources/Kernels/\(name)",
        swiftSettings: settings + [
            .enableExperimentalFeature("BuiltinModule"),
            .unsafeFlags(
                (compiler + ["-Qunused-arguments"]).flatMap { ["-Xcc", $0] } + ["-O"],
                .when(traits: [accelerated])
            ),
        ]
    )
}

/// The instruction set targets that each module calls.
let kernels: [String: [String]] = [
    "Processor": ["XSAVE"],
    "SHA": ["SHAExtensions", "AVX2", "AVX512VL", "ArmSHA256"],
    "RSA": ["AVX2", "AVX512VL", "IFMA"],
    "ECDSA": ["IFMA"],
    "AppReceipt": ["AVX2", "VBMI", "AdvancedSIMD"],
]

/// The core modules, each after the modules that it imports. Scripts take this list from .ci/modules.py.
let modules: [(name: String, imports: [String])] = [
    // Errors, times, and borrowed bytes: comparing, searching, copying.
    ("Basics", []),
    // ITU-T X.690: the reader, tags, object identifiers, integers, and the BER normaliser.
    ("DER", ["Basics"]),
    // The instruction sets of the processor, and the ones that a program may use.
    ("Processor", []),
    // RFC 8259: a reader that locates values, and a writer.
    ("JSONText", ["Basics"]),
    // FIPS 180-4.
    ("SHA", ["Basics", "Processor"]),
    // RFC 8017: public keys, Montgomery arithmetic, and verification by PKCS#1 v1.5.
    ("RSA", ["Basics", "DER", "Processor", "SHA"]),
    // FIPS 186-5: public keys on P-256 and P-384, and verification of signatures.
    ("ECDSA", ["Basics", "DER", "Processor", "SHA"]),
    // RFC 5280: certificates, paths to a pinned root, and the protocols of signature algorithms.
    ("PKIX", ["Basics", "DER", "Processor", "SHA"]),
    // RFC 6960, and RFC 5280 §5: OCSP responses and revocation lists that the caller hands in.
    ("Revocation", ["Basics", "DER", "Processor", "SHA", "PKIX"]),
    // RFC 5652: SignedData, and the signature over its content.
    ("CMS", ["Basics", "DER", "Processor", "SHA", "PKIX"]),
    // Apple's receipts: input, trust, validation, payload, and questions.
    ("AppReceipt", ["Basics", "DER", "JSONText", "Processor", "SHA", "RSA", "PKIX", "CMS"]),
    // The transaction receipts of iOS 6: property lists with signatures of their own.
    ("TransactionReceipt", ["Basics", "DER", "Processor", "SHA", "PKIX", "RSA", "AppReceipt"]),
    // RFC 7515, and what StoreKit 2 and App Store Server Notifications sign with it.
    (
        "SignedPayloads",
        ["Basics", "DER", "JSONText", "Processor", "SHA", "ECDSA", "PKIX", "AppReceipt"]
    ),
    // Apple's `verifyReceipt`: requests, answers, and status codes.
    (
        "VerifyReceipt",
        ["Basics", "DER", "JSONText", "Processor", "SHA", "AppReceipt", "TransactionReceipt"]
    ),
    // A verdict and its values as JSON and CSV.
    (
        "ReceiptResults",
        [
            "Basics", "DER", "JSONText", "Processor", "SHA", "RSA", "PKIX", "CMS", "AppReceipt",
            "TransactionReceipt", "SignedPayloads",
        ]
    ),
    // Private certificates, receipts and tokens, for tests.
    (
        "AppReceiptMint",
        ["Basics", "DER", "JSONText", "SHA", "ECDSA", "PKIX", "AppReceipt", "SignedPayloads"]
    ),
]

/// The settings of the core modules, and of the code that reads vectors for tests.
///
/// On Linux they are optimised in debug builds as well, because `swift test` runs the arithmetic for minutes
/// otherwise. All checks of a debug build stay, the checks of unsafe buffers included. On other systems a
/// debugger can step through them.
#if os(Linux)
    let core =
        settings + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
#else
    let core = settings
#endif

let libraries: [Target] = modules.map { module in
    .target(
        name: module.name,
        dependencies: module.imports.map { .byName(name: $0) }
            + (kernels[module.name] ?? []).map {
                .target(name: $0, condition: .when(traits: [accelerated]))
            },
        swiftSettings: core
    )
}

let tests: [Target] = modules.map { module in
    .testTarget(
        name: "\(module.name)Tests",
        // Receipts are minted for tests, and minted receipts are judged.
        dependencies: (modules.map(\.name) + ["TestSupport"]).map { .byName(name: $0) },
        swiftSettings: settings
    )
}

/// One target for each instruction set, in `Sources/Kernels`.
let instructionSets: [Target] = [
    kernel("XSAVE", "-mxsave", of: x86),
    kernel("SHAExtensions", "-msha", "-msse4.1", of: x86),
    kernel("AVX2", "-mavx2", "-mbmi", "-mbmi2", of: x86),
    kernel("AVX512VL", "-mavx512vl", "-mavx512bw", "-mbmi", "-mbmi2", of: x86),
    kernel("IFMA", "-mavx512ifma", of: x86),
    kernel("VBMI", "-mavx512vbmi", of: x86),
    kernel("ArmSHA256", "-march=armv8-a+sha2", of: arm),
    kernel("AdvancedSIMD", of: arm),
]

/// The interface for C. Its functions are checked against the header, which Swift 6.3 can do.
#if compiler(>=6.3)
    let c: [Target] = [
        .target(
            name: "CAppReceipt",
            path: "Bindings/C",
            exclude: ["README.md", "build", "examples", "test", "tests"],
            sources: ["source"],
            publicHeadersPath: "include"
        ),
        .target(
            name: "AppReceiptC",
            dependencies: [
                "Basics", "CAppReceipt", "DER", "JSONText", "PKIX", "Revocation", "SHA", "AppReceipt",
                "ReceiptResults", "SignedPayloads", "TransactionReceipt", "VerifyReceipt",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptCTests",
            dependencies: [
                "AppReceipt", "AppReceiptC", "AppReceiptMint", "CAppReceipt", "DER", "ReceiptResults",
                "SignedPayloads", "TestSupport",
            ],
            swiftSettings: settings
        ),
    ]
#else
    let c: [Target] = []
#endif

let others: [Target] = [
    // The system calls of the programs: files, processes, signals and the clock.
    .target(name: "SystemCalls", dependencies: ["Basics", "Processor"], swiftSettings: settings),
    // The engine of `corpus verify`: reading, judging, writing and resuming.
    .target(
        name: "ReceiptCorpus",
        dependencies: [
            "Basics", "DER", "JSONText", "Processor", "SHA", "PKIX", "AppReceipt", "ReceiptResults",
            "SignedPayloads", "SystemCalls", "TransactionReceipt",
        ],
        swiftSettings: settings
    ),
    // The only library that imports Foundation.
    .target(
        name: "AppReceiptFoundation",
        dependencies: ["Basics", "DER", "JSONText", "PKIX", "AppReceipt"],
        exclude: ["Replay/replay-guard.sql"],
        resources: [.copy("PrivacyInfo.xcprivacy")],
        swiftSettings: settings
    ),
    .testTarget(
        name: "AppReceiptFoundationTests",
        dependencies: [
            "app-receipt", "AppReceipt", "AppReceiptFoundation", "AppReceiptMint", "Basics", "DER",
            "TestSupport",
        ],
        exclude: ["server.py"],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "app-receipt",
        dependencies: modules.map { .byName(name: $0.name) } + ["ReceiptCorpus", "SystemCalls"],
        swiftSettings: settings
    ),
    // Every way that a receipt can go, for the tests of apps.
    .target(
        name: "AppReceiptTesting",
        dependencies: [
            "Basics", "DER", "RSA", "AppReceipt", "AppReceiptFoundation", "AppReceiptMint", "SignedPayloads",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "AppReceiptTestingTests",
        dependencies: [
            "AppReceipt", "AppReceiptFoundation", "AppReceiptMint", "AppReceiptTesting", "DER",
            "SignedPayloads", "TestSupport",
        ],
        swiftSettings: settings
    ),
    // The generator of hidden expectations, the program over it, and the plugins that run the program.
    .target(
        name: "ReceiptGuard",
        dependencies: ["AppReceipt", "Basics", "PKIX", "SHA"],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "receipt-guard-tool",
        dependencies: ["ReceiptGuard", "SystemCalls"],
        swiftSettings: settings
    ),
    .plugin(
        name: "ReceiptGuardCommand",
        capability: .command(
            intent: .custom(
                verb: "receipt-guard",
                description: "Writes Swift code that validates receipts against hidden expectations."
            ),
            permissions: [
                .writeToPackageDirectory(reason: "It writes ReceiptGuard.swift into a target's sources.")
            ]
        ),
        dependencies: ["receipt-guard-tool"]
    ),
    .plugin(
        name: "ReceiptGuardBuild",
        capability: .buildTool(),
        dependencies: ["receipt-guard-tool"]
    ),
    .testTarget(
        name: "ReceiptGuardTests",
        dependencies: ["AppReceipt", "PKIX", "ReceiptGuard", "SHA", "TestSupport", "receipt-guard-tool"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "ReceiptCorpusTests",
        dependencies: [
            "AppReceipt", "Basics", "DER", "JSONText", "PKIX", "ReceiptCorpus", "ReceiptResults", "SHA",
            "SignedPayloads", "SystemCalls", "TestSupport",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "AppReceiptCommandTests",
        dependencies: ["app-receipt", "Processor", "TestSupport"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "TestSupportTests",
        dependencies: ["TestSupport"],
        swiftSettings: settings
    ),
    .target(
        name: "TestSupport",
        dependencies: ["Basics", "DER", "Processor", "SHA", "AppReceiptMint"],
        path: "Tests/TestSupport",
        swiftSettings: core
    ),
]

/// A program that measures the library or attacks it.
func program(_ name: String, _ dependencies: [String], path: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies.map { .byName(name: $0) },
        path: path,
        swiftSettings: settings + [.treatAllWarnings(as: .error)]
    )
}

/// The benchmarks, the differential tests and the fuzz targets. Only builds with this variable in their environment have
/// them, so that users of the library do not build them.
let development: [Target] =
    Context.environment["APP_RECEIPT_DEVELOPMENT"] == nil
    ? []
    : [
        .target(name: "AllocationCounter", path: "Benchmarks/Sources/AllocationCounter"),
        program(
            "app-receipt-bench",
            modules.map(\.name) + ["AllocationCounter"],
            path: "Benchmarks/Sources/app-receipt-bench"
        ),
        program("differential", modules.map(\.name), path: "Tests/Differential/Sources/differential"),
        program("differential-tokens", modules.map(\.name), path: "Tests/Differential/Sources/tokens"),
        program("differential-evidence", modules.map(\.name), path: "Tests/Differential/Sources/evidence"),
        // libFuzzer brings its own `main`, and its flags apply to a whole build.
        program("fuzz", modules.map(\.name) + ["ReceiptCorpus"], path: "Tests/Fuzz/Sources/fuzz"),
    ]

let package = Package(
    name: "swift-app-receipt",
    platforms: [.macOS(.v10_15), .iOS(.v13), .tvOS(.v13), .watchOS(.v6), .visionOS(.v1), .macCatalyst(.v13)],
    products: modules.filter { !["JSONText", "ReceiptResults"].contains($0.name) }.map {
        .library(name: $0.name, targets: [$0.name])
    } + [
        .library(name: "AppReceiptFoundation", targets: ["AppReceiptFoundation"]),
        .library(name: "AppReceiptTesting", targets: ["AppReceiptTesting"]),
        .executable(name: "app-receipt", targets: ["app-receipt"]),
        .executable(name: "receipt-guard-tool", targets: ["receipt-guard-tool"]),
        .plugin(name: "ReceiptGuardCommand", targets: ["ReceiptGuardCommand"]),
        .plugin(name: "ReceiptGuardBuild", targets: ["ReceiptGuardBuild"]),
    ],
    traits: traits,
    // Each target comes after the targets that it imports. This is the order of .ci/modules.py.
    targets: libraries + instructionSets + c + others + development + tests,
    swiftLanguageModes: [.v6]
)
