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
        .library(name: "SHA", targets: ["SHA"]),
        .library(name: "RSA", targets: ["RSA"]),
        .library(name: "PKIX", targets: ["PKIX"]),
        .library(name: "CMS", targets: ["CMS"]),
        .library(name: "AppReceipt", targets: ["AppReceipt"]),
    ],
    targets: [
        .target(name: "DER", swiftSettings: settings),
        .target(name: "SHA", swiftSettings: settings),
        .target(name: "RSA", dependencies: ["DER", "SHA"], swiftSettings: settings),
        .target(name: "PKIX", dependencies: ["DER", "SHA", "RSA"], swiftSettings: settings),
        .target(name: "CMS", dependencies: ["DER", "SHA", "PKIX"], swiftSettings: settings),
        .target(
            name: "AppReceipt",
            dependencies: ["DER", "SHA", "RSA", "PKIX", "CMS"],
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: ["DER"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .testTarget(name: "DERTests", dependencies: ["DER", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "SHATests", dependencies: ["SHA", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "RSATests",
            dependencies: ["DER", "SHA", "RSA", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptTests",
            dependencies: ["DER", "SHA", "RSA", "PKIX", "CMS", "AppReceipt", "TestSupport"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
