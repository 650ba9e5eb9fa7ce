// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the library do not build it.
let package = Package(
    name: "app-receipt-differential",
    platforms: [.macOS(.v10_15)],
    dependencies: [
        .package(name: "swift-app-receipt", path: "../..", traits: [.trait(name: "Accelerated")])
    ],
    targets: [
        .executableTarget(
            name: "differential",
            dependencies: ["AppReceipt", "AppReceiptMint", "CMS", "DER", "PKIX", "Processor", "RSA", "SHA"]
                .map {
                    .product(name: $0, package: "swift-app-receipt")
                },
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
