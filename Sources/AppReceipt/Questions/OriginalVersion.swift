import Basics

// Paid to free: whether the customer bought the app before the version that became free.

/// A version of the app, in the form in which receipts of its platform state the original version (attribute
/// 19).
///
/// An App Store receipt states `CFBundleShortVersionString` on macOS and `CFBundleVersion` on every other
/// platform. For most apps these are different numbers, such as 2.1 and 1042. `Bundle.receiptAppVersion` of
/// the module `AppReceiptFoundation` is the one for the platform that the code runs on.
public enum AppVersion: Sendable, Hashable {
    /// `CFBundleVersion`, the build number. For all platforms except macOS.
    case bundleVersion(String)
    /// `CFBundleShortVersionString`, the version that customers see. For macOS.
    case shortVersion(String)
}

/// The answer to the question whether the app was bought before a version.
public enum BoughtBefore: Sendable, Hashable {
    /// Yes: the customer first bought the app in a version before the given one.
    case yes
    /// No: the customer first bought the app in the given version or in a later one.
    case no
    /// The receipt or the given version does not tell, for this reason.
    case undecided(Reason)

    /// The reason why the answer is neither yes nor no.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The receipt is from the sandbox, where every original version is `1.0`, or from StoreKit testing
        /// in Xcode. TestFlight and App Review use the sandbox, too.
        case testEnvironment = "test-environment"
        /// The receipt names no known environment.
        case unknownEnvironment = "unknown-environment"
        /// The receipt's platform (attribute 25) states the other kind of version than the caller gave: the
        /// receipt is from macOS and the caller gave a ``AppVersion/bundleVersion(_:)``, or from iOS and a
        /// ``AppVersion/shortVersion(_:)``.
        case otherPlatform = "other-platform"
        /// The receipt has no original version (attribute 19), or one that is empty or does not decode.
        case noVersion = "no-version"
        /// The receipt's original version is neither one number nor several numbers with single dots between
        /// them.
        case malformedVersion = "malformed-version"
        /// The version that the caller gave is neither one number nor several numbers with single dots
        /// between them.
        case malformedArgument = "malformed-argument"
    }
}

extension Receipt {
    /// Whether the customer first bought the app before a version. Ask it for a paid app that became free:
    /// a customer who bought an earlier version has paid for its contents.
    ///
    /// ```swift
    /// switch receipt.appWasBought(before: .bundleVersion("1042")) {
    /// case .yes: unlock()
    /// case .no: offer()
    /// case .undecided(let reason): decide(reason)
    /// }
    /// ```
    ///
    /// Versions are compared number by number, from left to right. A missing number is zero. So 9.9 is before
    /// 9.10, and neither of 10 and 10.0 is before the other. The numbers may have any number of digits. A
    /// version consists of one or more such numbers in ASCII digits, with single dots between the numbers.
    /// For any other text, the answer is undecided.
    ///
    /// The receipt states the version of the first purchase or download in the App Store. It stays when the
    /// app is updated. <doc:PaidToFree> has the whole story.
    ///
    /// - Parameter version: the first version that is free.
    public func appWasBought(before version: AppVersion) -> BoughtBefore {
        switch environment {
        case .production, .productionVPP: break
        case .productionSandbox, .productionVPPSandbox, .xcode: return .undecided(.testEnvironment)
        case nil: return .undecided(.unknownEnvironment)
        }
        let (limit, otherPlatform): (String, Int64) =
            switch version {
            case .bundleVersion(let text): (text, Self.platformOfMacOS)
            case .shortVersion(let text): (text, Self.platformOfIOS)
            }
        guard platform != otherPlatform else { return .undecided(.otherPlatform) }
        let given = [UInt8](utf8: limit)[...]
        guard given.isVersion else { return .undecided(.malformedArgument) }
        guard let original = values.octets(.originalAppVersion), !original.isEmpty else {
            return .undecided(.noVersion)
        }
        guard original.isVersion else { return .undecided(.malformedVersion) }
        return original.isVersion(before: given) ? .yes : .no
    }

    /// The number of macOS in attribute 25, by observation.
    private static var platformOfMacOS: Int64 { 2 }
    private static var platformOfIOS: Int64 { 3 }
}

extension ArraySlice<UInt8> {
    /// Whether the text is a version: one or more runs of ASCII digits, with single dots between them.
    fileprivate var isVersion: Bool {
        var needsDigit = true
        for octet in self {
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): needsDigit = false
            case UInt8(ascii: ".") where !needsDigit: needsDigit = true
            default: return false
            }
        }
        return !needsDigit
    }

    /// Whether this version is before another, number by number. Takes linear time, and allocates nothing.
    ///
    /// - Precondition: both are versions.
    fileprivate func isVersion(before version: Self) -> Bool {
        var (rest, otherRest) = (self, version)
        while !rest.isEmpty || !otherRest.isEmpty {
            let (number, other) = (rest.popNumber(), otherRest.popNumber())
            // Without leading zeros, the number with more digits is the larger one.
            guard number.count == other.count else { return number.count < other.count }
            guard number == other else { return number.lexicographicallyPrecedes(other) }
        }
        return false
    }

    /// Removes the first number and its dot. Returns its digits without leading zeros: none for zero, and
    /// none if the text is empty.
    private mutating func popNumber() -> Self {
        let number = prefix { $0 != UInt8(ascii: ".") }
        self = dropFirst(number.count + 1)
        return number.drop { $0 == UInt8(ascii: "0") }
    }
}
