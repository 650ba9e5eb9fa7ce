import AppReceipt
import Foundation

#if canImport(UIKit) && !os(watchOS)
    import UIKit
#elseif os(watchOS)
    import WatchKit
#endif

extension DeviceIdentifier {
    /// The identifiers that the App Store may have used for this device, the most likely first.
    ///
    /// On iOS, iPadOS, tvOS, watchOS and visionOS there is one: `identifierForVendor`. On macOS and Mac
    /// Catalyst there are up to three addresses of network interfaces, as IOKit reports them: the built-in
    /// `en0`, the built-in `en1`, and any `en0`. An adapter can displace the built-in interface as `en0`. The
    /// network interfaces of the system may report a random address since macOS 15; IOKit reports the address
    /// of the hardware.
    ///
    /// Pass them to the validator. The array is empty if the system gives no identifier, such as before the
    /// device is first unlocked after a restart, and on systems without an App Store. A validator with an
    /// empty array refuses every receipt.
    @MainActor
    public static var current: [DeviceIdentifier] {
        #if os(macOS) || targetEnvironment(macCatalyst)
            candidates(among: RegistryInterfaces())
        #elseif os(watchOS)
            if #available(watchOS 6.2, *) {
                candidates(vendor: WKInterfaceDevice.current().identifierForVendor)
            } else {
                []
            }
        #elseif canImport(UIKit)
            candidates(vendor: UIDevice.current.identifierForVendor)
        #else
            []
        #endif
    }

    /// The candidates on a system with `identifierForVendor`.
    package static func candidates(vendor: UUID?) -> [DeviceIdentifier] {
        vendor.map { [DeviceIdentifier($0)] } ?? []
    }

    /// The candidates on a Mac, without repetitions.
    ///
    /// Apple's guide names this order, and takes the first address that exists. Here every address is a
    /// candidate, because the receipt may be older than the adapter that displaced the built-in interface.
    package static func candidates(among interfaces: some NetworkInterfaces) -> [DeviceIdentifier] {
        var candidates: [DeviceIdentifier] = []
        for (name, mustBeBuiltIn) in [("en0", true), ("en1", true), ("en0", false)] {
            // An address of InfiniBand or FireWire has more than six octets and never was an identifier.
            guard let address = interfaces.hardwareAddress(of: name, mustBeBuiltIn: mustBeBuiltIn),
                address.count == 6, let candidate = DeviceIdentifier(address),
                !candidates.contains(candidate)
            else { continue }
            candidates.append(candidate)
        }
        return candidates
    }
}

/// The network interfaces of a Mac.
package protocol NetworkInterfaces {
    /// The hardware address of an interface.
    ///
    /// - Parameters:
    ///   - name: the interface's name, such as `en0`.
    ///   - mustBeBuiltIn: whether only an interface that is built in counts.
    /// - Returns: the octets of the address; nil if there is no such interface.
    func hardwareAddress(of name: String, mustBeBuiltIn: Bool) -> [UInt8]?
}
