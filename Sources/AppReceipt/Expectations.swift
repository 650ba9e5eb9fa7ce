/// Where a receipt comes from (attribute 0). Only this tells a sandbox purchase, which costs nothing, from a
/// real one: both are signed alike.
public enum ReceiptEnvironment: Sendable, Hashable, CaseIterable {
    case production
    case productionVPP
    /// TestFlight and App Review too.
    case productionSandbox
    case productionVPPSandbox
    /// StoreKit testing in Xcode, signed by its own root: see ``TrustPolicy/xcode``.
    case xcode

    /// As receipts write it.
    public var name: String {
        switch self {
        case .production: "Production"
        case .productionVPP: "ProductionVPP"
        case .productionSandbox: "ProductionSandbox"
        case .productionVPPSandbox: "ProductionVPPSandbox"
        case .xcode: "Xcode"
        }
    }

    /// By the name that receipts write, byte for byte. Nil for any other.
    public init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        self = known
    }
}

/// Which environments a receipt may come from.
///
/// There is no default. A shop that does not ask sells for nothing to whoever has a sandbox account; one that
/// accepts Production alone is refused by App Review, which buys in the sandbox.
public struct EnvironmentExpectation: Sendable {
    /// Nil for any.
    let accepted: [ReceiptEnvironment]?

    /// Any environment, and any that this package does not know, or none. The receipt says which it is.
    public static var any: Self { Self(accepted: nil) }
    /// One of these.
    public static func only(_ environments: ReceiptEnvironment...) -> Self { Self(accepted: environments) }
    /// One of these.
    public static func only(_ environments: [ReceiptEnvironment]) -> Self { Self(accepted: environments) }
}

/// Whose app a receipt may be for. There is no default: a receipt for another app is as well signed as ours.
public struct BundleIdentifierExpectation: Sendable {
    /// Nil for any.
    let accepted: [String]?

    /// Any app's.
    public static var any: Self { Self(accepted: nil) }
    /// This app's. Compared byte for byte.
    public static func exactly(_ identifier: String) -> Self { Self(accepted: [identifier]) }
    /// One of these apps'.
    public static func oneOf(_ identifiers: [String]) -> Self { Self(accepted: identifiers) }
}

/// What identifies a device in the hash of a receipt (attribute 5): the 16 bytes of `identifierForVendor` on
/// iOS, the 6 bytes of the primary network interface's address on macOS.
public struct DeviceIdentifier: Sendable, Hashable {
    /// 16 or 6 bytes, as they are hashed.
    public let bytes: [UInt8]

    /// Nil unless there are 16 or 6.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 || bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    /// From a UUID, `00112233-4455-6677-8899-AABBCCDDEEFF`; from 32 or 12 hexadecimal digits; or from a
    /// network address, `00:11:22:33:44:55`. Nil for anything else.
    public init?(_ text: String) {
        let characters = [UInt8](text.utf8)
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

    /// What receipts fetched from Apple's server are hashed with: 16 zero bytes.
    public static var server: Self { Self(bytes: [UInt8](repeating: 0, count: 16)) }

    private init(bytes: [UInt8]) { self.bytes = bytes }
}
