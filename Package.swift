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

let package = Package(
    name: "swift-app-receipt",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1), .macCatalyst(.v16)],
    products: modules.map { .library(name: $0.name, targets: [$0.name]) } + [
        .executable(name: "app-receipt", targets: ["app-receipt"])
    ],
    targets: modules.map { module in
        .target(
            name: module.name,
            dependencies: module.imports.map { .byName(name: $0) },
            swiftSettings: settings
        )
    }
        + modules.map { module in
            .testTarget(
                name: "\(module.name)Tests",
                // Receipts are minted for tests, and minted receipts are judged.
                dependencies: (modules.map(\.name) + ["TestSupport"]).map { .byName(name: $0) },
                swiftSettings: settings
            )
        } + [
            .executableTarget(
                name: "app-receipt",
                dependencies: modules.map { .byName(name: $0.name) },
                swiftSettings: settings
            ),
            .testTarget(
                name: "AppReceiptCommandTests",
                dependencies: ["app-receipt", "TestSupport"],
                swiftSettings: settings
            ),
            .target(
                name: "TestSupport",
                dependencies: ["DER", "AppReceiptMint"],
                path: "Tests/TestSupport",
                swiftSettings: settings
            ),
        ],
    swiftLanguageModes: [.v6]
)
