// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled the same way: Swift 6 mode, strict memory safety, and lifetimes for the
/// non-escapable reader.
let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableExperimentalFeature("Lifetimes"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The trait under which processors' own instructions are used; code asks for it as a condition of that name.
let accelerated = "Accelerated"

// Swift 6.2 has no name for most of those instructions.
#if compiler(>=6.3)
    let traits: Set<Trait> = [
        .trait(
            name: accelerated,
            description: "Uses SHA and AVX-512 instructions where the processor has them (x86-64, Arm64)."
        )
    ]
#else
    let traits: Set<Trait> = []
#endif

/// The architectures of which some processors have instructions that others have not, by every name that
/// compilers have for them.
let (x86, arm) = (["x86_64"], ["aarch64", "arm64", "arm64e"])

/// Of a target that uses instructions of one architecture, most of which not every such processor has. The flags
/// reach all its code, and are meant for that architecture alone; others overlook them. Optimised even in debug
/// builds, it emits no copies of the standard library's generic functions, which would be compiled with these
/// flags, and which the linker could take for the whole program. Embedded Swift does emit some, and compiles
/// functions again where they are called: there the trait is for Arm64, by Swift 6.3 or newer.
func instructions(_ flags: String..., of architecture: [String]) -> [SwiftSetting] {
    let compiler = architecture.flatMap { name in flags.flatMap { ["-Xarch_\(name)", $0] } }
    return [
        .enableExperimentalFeature("BuiltinModule"),
        .unsafeFlags(
            (compiler + ["-Qunused-arguments"]).flatMap { ["-Xcc", $0] } + ["-O"],
            .when(traits: [accelerated])
        ),
    ]
}

/// Which modules call targets of such instructions.
let leaves: [String: [String]] = [
    "SHA": ["SHAExtensions", "AVX512VL", "IFMA", "ArmSHA256", "ArmSHA512"],
    "RSA": ["IFMA"],
    "AppReceipt": ["VBMI", "AdvancedSIMD"],
]

/// The modules of the house, each with those above it that it imports.
let modules: [(name: String, imports: [String])] = [
    ("DER", []),
    ("SHA", []),
    ("RSA", ["DER", "SHA"]),
    ("PKIX", ["DER", "SHA", "RSA"]),
    ("CMS", ["DER", "SHA", "RSA", "PKIX"]),
    ("AppReceipt", ["DER", "SHA", "RSA", "PKIX", "CMS"]),
    ("AppReceiptMint", ["DER", "SHA", "RSA"]),
]

let libraries: [Target] = modules.map { module in
    .target(
        name: module.name,
        dependencies: module.imports.map { .byName(name: $0) }
            + (leaves[module.name] ?? []).map {
                .target(name: $0, condition: .when(traits: [accelerated]))
            },
        swiftSettings: settings
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

/// A target for each set of instructions.
let instructionSets: [Target] = [
    .target(
        name: "SHAExtensions",
        swiftSettings: settings + instructions("-msha", "-msse4.1", of: x86)
    ),
    .target(
        name: "AVX512VL",
        swiftSettings: settings + instructions("-mavx512vl", "-mbmi", "-mbmi2", of: x86)
    ),
    .target(name: "IFMA", swiftSettings: settings + instructions("-mavx512ifma", "-mxsave", of: x86)),
    .target(name: "VBMI", swiftSettings: settings + instructions("-mavx512vbmi", of: x86)),
    .target(
        name: "ArmSHA256",
        swiftSettings: settings + instructions("-march=armv8-a+sha2", of: arm)
    ),
    .target(
        name: "ArmSHA512",
        swiftSettings: settings + instructions("-march=armv8-a+sha3", of: arm)
    ),
    .target(name: "AdvancedSIMD", swiftSettings: settings + instructions(of: arm)),
]

let others: [Target] = [
    // The records of corpora, apart from what reads and writes files, so that it can be fuzzed.
    .target(
        name: "CorpusRecords",
        dependencies: ["DER", "SHA", "AppReceipt"],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "app-receipt",
        dependencies: modules.map { .byName(name: $0.name) } + ["CorpusRecords"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "CorpusRecordsTests",
        dependencies: ["CorpusRecords", "DER"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "AppReceiptCommandTests",
        dependencies: ["app-receipt", "TestSupport"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "TestSupportTests",
        dependencies: ["TestSupport"],
        swiftSettings: settings
    ),
    .target(
        name: "TestSupport",
        dependencies: ["DER", "SHA", "AppReceiptMint"],
        path: "Tests/TestSupport",
        swiftSettings: settings
    ),
]

let package = Package(
    name: "swift-app-receipt",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1), .macCatalyst(.v16)],
    products: modules.map { .library(name: $0.name, targets: [$0.name]) } + [
        .executable(name: "app-receipt", targets: ["app-receipt"])
    ],
    traits: traits,
    targets: libraries + instructionSets + others + tests,
    swiftLanguageModes: [.v6]
)
