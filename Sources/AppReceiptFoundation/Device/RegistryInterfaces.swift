#if os(macOS) || targetEnvironment(macCatalyst)
    import Foundation
    import IOKit

    /// The network interfaces in the registry of IOKit, which reports the addresses of the hardware.
    enum RegistryInterfaces {
        static func hardwareAddress(of name: String, mustBeBuiltIn: Bool) -> [UInt8]? {
            guard let service = service(of: name, mustBeBuiltIn: mustBeBuiltIn), let key = key("IOMACAddress")
            else { return nil }
            defer { IOObjectRelease(service) }
            // The interface itself has no address; its controller, a parent in the registry, has one.
            let address = unsafe IORegistryEntrySearchCFProperty(
                service,
                kIOServicePlane,
                key,
                nil,
                IOOptionBits(kIORegistryIterateRecursively | kIORegistryIterateParents)
            )
            return (address as? Data).map { [UInt8]($0) }
        }

        /// The first interface with this name, which must be built in if `mustBeBuiltIn`; nil if there is
        /// none. The caller releases the interface.
        private static func service(of name: String, mustBeBuiltIn: Bool) -> io_service_t? {
            var iterator = io_iterator_t()
            // Port 0 is the default port. IOServiceGetMatchingServices consumes the dictionary.
            // IOBSDNameMatching reads the string, which ends in a zero, and keeps no pointer; the iterator is
            // a variable of this function.
            guard let matching = unsafe IOBSDNameMatching(0, 0, name),
                unsafe IOServiceGetMatchingServices(0, matching, &iterator) == KERN_SUCCESS
            else { return nil }
            defer { IOObjectRelease(iterator) }
            while case let candidate = IOIteratorNext(iterator), candidate != 0 {
                if !mustBeBuiltIn || isBuiltIn(candidate) { return candidate }
                IOObjectRelease(candidate)
            }
            return nil
        }

        /// Whether an interface's property `IOBuiltin` is true. False if the interface lacks the property.
        private static func isBuiltIn(_ service: io_service_t) -> Bool {
            guard let key = key("IOBuiltin") else { return false }
            // The function creates the value, so this code owns it and takes it as retained.
            let property = unsafe IORegistryEntryCreateCFProperty(service, key, nil, 0)
            return unsafe property?.takeRetainedValue() as? Bool ?? false
        }

        private static func key(_ name: String) -> CFString? {
            // The function copies the string, which ends in a zero.
            unsafe CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue)
        }
    }
#endif
