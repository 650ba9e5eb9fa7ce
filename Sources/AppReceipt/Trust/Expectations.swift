import Basics

/// The environment that made a receipt (attribute 0).
///
/// A sandbox purchase costs nothing. Its receipt is signed by the same certificates as the receipt of a real
/// purchase.
public enum ReceiptEnvironment: Sendable, Hashable, CaseIterable {
    /// The App Store.
    case production
    /// The Volume Purchase Program.
    case productionVPP
    /// The sandbox. TestFlight and App Review use it too.
    case productionSandbox
    /// The sandbox of the Volume Purchase Program.
    case productionVPPSandbox
    /// StoreKit testing in Xcode, which signs with a certificate of its own. See
    /// ``TrustPolicy/xcodeTesting``.
    case xcode

    /// The name of this environment in attribute 0 of a receipt, such as `ProductionSandbox`.
    public var name: String {
        switch self {
        case .production: "Production"
        case .productionVPP: "ProductionVPP"
        case .productionSandbox: "ProductionSandbox"
        case .productionVPPSandbox: "ProductionVPPSandbox"
        case .xcode: "Xcode"
        }
    }

    /// The environment with this name, compared byte for byte; nil for an unknown name.
    public init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.name.hasSameBytes(as: name) }) else {
            return nil
        }
        self = known
    }
}

/// The environments that a receipt may come from.
///
/// There is no default. A server that accepts every environment grants free purchases to everyone with a
/// sandbox account. A server that accepts `Production` alone fails App Review, which buys in the sandbox.
public struct EnvironmentExpectation: Sendable, Hashable {
    /// The accepted environments, none if empty; nil accepts any environment, also an unknown or missing one.
    package let accepted: [ReceiptEnvironment]?

    /// Accepts any environment, also an unknown or missing one. A trust policy may still require `Xcode`.
    public static var any: Self { Self(accepted: nil) }
    /// Accepts these environments only. Without arguments, every receipt is refused.
    public static func only(_ environments: ReceiptEnvironment...) -> Self { Self(accepted: environments) }
    /// Accepts these environments only. An empty array refuses every receipt.
    public static func only(_ environments: [ReceiptEnvironment]) -> Self { Self(accepted: environments) }
}

/// The apps that a receipt may be for.
///
/// There is no default: a receipt for another app has a valid signature too.
public struct BundleIdentifierExpectation: Sendable, Hashable {
    /// The accepted identifiers, none if empty; nil accepts any bundle identifier, also a missing one.
    package let accepted: [String]?

    /// Accepts any bundle identifier, and receipts without one.
    public static var any: Self { Self(accepted: nil) }
    /// Accepts this bundle identifier only, compared byte for byte.
    public static func exactly(_ identifier: String) -> Self { Self(accepted: [identifier]) }
    /// Accepts these bundle identifiers only, compared byte for byte. An empty array refuses every receipt.
    public static func oneOf(_ identifiers: [String]) -> Self { Self(accepted: identifiers) }
}

/// The identifier of a device, which the device hash of a receipt covers (attribute 5).
///
/// On iOS it is the 16 bytes of `identifierForVendor`, on macOS the 6 bytes of the primary network
/// interface's address.
public struct DeviceIdentifier: Sendable, Hashable {
    /// The identifier's bytes, 16 or 6. The device hash covers them.
    package let bytes: [UInt8]

    /// Creates an identifier from its bytes. Returns nil unless there are 16 or 6.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 || bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    /// Creates an identifier from text. Returns nil if the text has none of these forms:
    ///
    /// - a UUID, such as `00112233-4455-6677-8899-AABBCCDDEEFF`
    /// - 32 or 12 hexadecimal digits
    /// - a MAC address with colons, such as `00:11:22:33:44:55`
    ///
    /// Letters may be in upper or lower case.
    public init?(_ text: String) {
        let characters = [UInt8](utf8: text)
        var digits: [UInt8] = []
        for (index, character) in characters.enumerated() {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(character - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(character - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(character - UInt8(ascii: "A") + 10)
            case UInt8(ascii: "-") where characters.count == 36 && [8, 13, 18, 23].contains(index): continue
            case UInt8(ascii: ":") where characters.count == 17 && index % 3 == 2: continue
            default: return nil
            }
        }
        guard digits.count % 2 == 0 else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// The identifier that the device hash covers in receipts that were fetched from Apple's server: 16 zero
    /// bytes.
    public static var server: Self { Self(bytes: [UInt8](repeating: 0, count: 16)) }

    /// Creates an identifier from its bytes. Precondition, which is not checked: there are 16 or 6.
    package init(bytes: [UInt8]) { self.bytes = bytes }
}
