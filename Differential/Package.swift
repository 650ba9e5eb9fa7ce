// swift-tools-version: 6.2
import PackageDescription

// A package of its own: nobody who uses the library is to build it.
let package = Package(
    name: "app-receipt-differential",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-app-receipt", path: "..", traits: [.trait(name: "Accelerated")])
    ],
    targets: [
        .executableTarget(
            name: "differential",
            dependencies: ["AppReceipt", "AppReceiptMint", "CMS", "DER", "PKIX", "RSA", "SHA"].map {
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
