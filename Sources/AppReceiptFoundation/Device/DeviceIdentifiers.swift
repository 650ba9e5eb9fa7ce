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
    /// Pass the array to the policy as `deviceIdentifiers`. The array is empty if the system gives no
    /// identifier, such as before the device is first unlocked after a restart, and on systems without an App
    /// Store. A validator with an empty array refuses every receipt.
    @MainActor
    public static var current: [DeviceIdentifier] {
        #if os(macOS) || targetEnvironment(macCatalyst)
            candidates(addressOf: RegistryInterfaces.hardwareAddress)
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

    /// The identifiers on a system with `identifierForVendor`: one for that UUID, none if it is nil.
    package static func candidates(vendor: UUID?) -> [DeviceIdentifier] {
        vendor.map { [DeviceIdentifier($0)] } ?? []
    }

    /// The hardware addresses of a Mac's built-in `en0`, built-in `en1` and any `en0`, in this order, as
    /// device identifiers. Repetitions and addresses that are not six octets long are left out. Apple's guide
    /// takes the first. All are kept here, because the receipt may be older than the adapter that displaced
    /// the built-in one.
    ///
    /// - Parameter addressOf: gives the octets of the hardware address of the interface that has the given
    ///   name; nil if there is none. If the flag is true, only a built-in interface counts.
    package static func candidates(
        addressOf: (_ name: String, _ mustBeBuiltIn: Bool) -> [UInt8]?
    ) -> [DeviceIdentifier] {
        var candidates: [DeviceIdentifier] = []
        for (name, mustBeBuiltIn) in [("en0", true), ("en1", true), ("en0", false)] {
            // An address of InfiniBand or FireWire has more than six octets and never was an identifier.
            guard let address = addressOf(name, mustBeBuiltIn), address.count == 6,
                let candidate = DeviceIdentifier(address), !candidates.contains(candidate)
            else { continue }
            candidates.append(candidate)
        }
        return candidates
    }
}
