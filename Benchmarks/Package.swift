// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who depends on the library builds a benchmark.
let package = Package(
    name: "app-receipt-bench",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "swift-app-receipt", path: "..")],
    targets: [
        .target(name: "AllocationCounter"),
        .executableTarget(
            name: "app-receipt-bench",
            dependencies: [
                "AllocationCounter",
                .product(name: "AppReceipt", package: "swift-app-receipt"),
                .product(name: "CMS", package: "swift-app-receipt"),
                .product(name: "DER", package: "swift-app-receipt"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
