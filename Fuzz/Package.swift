// swift-tools-version: 6.2
import PackageDescription

/// The modules of the library that take bytes from outside, and the one that signs.
let fuzzed = ["AppReceipt", "AppReceiptMint", "CMS", "DER", "PKIX", "RSA", "SHA"]

// A package of its own: its sanitizers are flags of the whole build.
let package = Package(
    name: "app-receipt-fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-app-receipt", path: "..", traits: [.trait(name: "Accelerated")])
    ],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: fuzzed.map { .product(name: $0, package: "swift-app-receipt") },
            swiftSettings: [
                .strictMemorySafety(),
                .enableExperimentalFeature("Lifetimes"),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
