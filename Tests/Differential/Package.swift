// swift-tools-version: 6.2
import PackageDescription

/// A program that uses modules of the library.
func program(_ name: String, _ modules: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: modules.map { .product(name: $0, package: "swift-app-receipt") },
        swiftSettings: [
            .strictMemorySafety(),
            .enableExperimentalFeature("Lifetimes"),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
    )
}

// A separate package, so that users of the library do not build it.
let package = Package(
    name: "app-receipt-differential",
    platforms: [.macOS(.v10_15)],
    dependencies: [
        .package(name: "swift-app-receipt", path: "../..", traits: [.trait(name: "Accelerated")])
    ],
    targets: [
        program(
            "differential",
            ["AppReceipt", "AppReceiptMint", "CMS", "DER", "PKIX", "Processor", "RSA", "SHA"]
        ),
        program("tokens", ["PKIX", "SignedPayloads"]),
        program("evidence", ["DER", "PKIX", "Revocation", "SignedPayloads"]),
    ],
    swiftLanguageModes: [.v6]
)
