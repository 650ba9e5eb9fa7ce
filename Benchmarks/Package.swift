// swift-tools-version: 6.2
import PackageDescription

/// The modules of the library that are measured, each by itself or as a part.
let measured = ["AppReceipt", "CMS", "DER", "PKIX", "RSA", "SHA"]
/// What makes the worst inputs that there can be.
let making = ["AppReceiptMint"]

// A package of its own, so that nobody who depends on the library builds a benchmark.
let package = Package(
    name: "app-receipt-bench",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-app-receipt", path: "..", traits: [.trait(name: "Accelerated")])
    ],
    targets: [
        .target(name: "AllocationCounter"),
        .executableTarget(
            name: "app-receipt-bench",
            dependencies: ["AllocationCounter"]
                + (measured + making).map { .product(name: $0, package: "swift-app-receipt") },
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
