// swift-tools-version: 6.2
import PackageDescription

/// The library modules that the benchmarks measure, each on its own or as part of a whole validation.
let measured = [
    "AppReceipt", "CMS", "DER", "ECDSA", "PKIX", "RSA", "Revocation", "SHA", "SignedPayloads",
    "VerifyReceipt",
]
/// The module that builds the attack inputs.
let minting = ["AppReceiptMint"]

// The benchmarks are a separate package, so that a package that depends on the library does not build them.
let package = Package(
    name: "app-receipt-bench",
    platforms: [.macOS(.v10_15)],
    dependencies: [
        .package(name: "swift-app-receipt", path: "..", traits: [.trait(name: "Accelerated")])
    ],
    targets: [
        .target(name: "AllocationCounter"),
        .executableTarget(
            name: "app-receipt-bench",
            dependencies: ["AllocationCounter"]
                + (measured + minting).map { .product(name: $0, package: "swift-app-receipt") },
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
