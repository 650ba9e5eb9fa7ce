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

let package = Package(
    name: "swift-app-receipt",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1), .macCatalyst(.v16)],
    products: [
        .library(name: "DER", targets: ["DER"]),
    ],
    targets: [
        .target(name: "DER", swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["DER"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "DERTests", dependencies: ["DER", "TestSupport"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
