extension VerifyReceiptClient {
    /// The status of an answer, as Apple's page on `status` lists it.
    public struct Status: RawRepresentable, Sendable, Hashable {
        /// The number in the answer.
        public let rawValue: Int

        /// Creates a status from its number. Every number is allowed.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// 0: the receipt is valid.
        public static var valid: Self { Self(rawValue: 0) }
        /// 21000: the request was not a POST request, or was not JSON.
        public static var badRequest: Self { Self(rawValue: 21_000) }
        /// 21002: the receipt is malformed, or the service had a temporary issue.
        public static var malformedReceipt: Self { Self(rawValue: 21_002) }
        /// 21003: the receipt could not be authenticated.
        public static var notAuthenticated: Self { Self(rawValue: 21_003) }
        /// 21004: the password does not match the account.
        public static var wrongPassword: Self { Self(rawValue: 21_004) }
        /// 21005: the service is not available at the moment.
        public static var unavailable: Self { Self(rawValue: 21_005) }
        /// 21006: the receipt is valid, and the subscription has expired. Only for iOS 6 receipts.
        public static var subscriptionExpired: Self { Self(rawValue: 21_006) }
        /// 21007: the receipt is of the sandbox, and was sent to production.
        public static var sandboxReceiptSentToProduction: Self { Self(rawValue: 21_007) }
        /// 21008: the receipt is of production, and was sent to the sandbox.
        public static var productionReceiptSentToSandbox: Self { Self(rawValue: 21_008) }
        /// 21009: internal data access error. Try again later.
        public static var internalError: Self { Self(rawValue: 21_009) }
        /// 21010: the account was not found, or has been deleted.
        public static var accountNotFound: Self { Self(rawValue: 21_010) }

        /// Whether the same request may get another status soon: 21005, 21009 and 21100 to 21199.
        public var isTemporary: Bool {
            self == .unavailable || self == .internalError || (21_100...21_199).contains(rawValue)
        }
    }
}
