#if canImport(StoreKit)
    import Foundation
    import StoreKit

    /// Asks for a new receipt by StoreKit's `SKReceiptRefreshRequest`.
    ///
    /// The system may ask the customer to sign in. Apple has deprecated the class in iOS 18 and macOS 15.
    @available(watchOS 6.2, *)
    public struct StoreKitRefreshRequest: ReceiptRefreshRequest {
        /// Creates a request for a new receipt. It does nothing until ``refresh()`` is called.
        public init() {}

        /// Asks for a new receipt and waits for the App Store's answer.
        ///
        /// - Throws: StoreKit's error, or `CancellationError` if the task is cancelled.
        public func refresh() async throws {
            let completion = Completion<Void>()
            let run = await StoreKitRefreshRun(completion)
            await run.start()
            do {
                try await completion.value()
            } catch {
                await run.cancel()
                throw error
            }
        }
    }

    /// Holds one `SKReceiptRefreshRequest` and is its delegate. StoreKit does not retain a delegate.
    @available(watchOS 6.2, *)
    @MainActor
    private final class StoreKitRefreshRun: NSObject, SKRequestDelegate {
        private let request: SKReceiptRefreshRequest
        private let completion: Completion<Void>

        init(_ completion: Completion<Void>) {
            self.completion = completion
            request = SKReceiptRefreshRequest(receiptProperties: nil)
            super.init()
        }

        func start() {
            request.delegate = self
            request.start()
        }

        func cancel() {
            request.delegate = nil
            request.cancel()
        }

        nonisolated func requestDidFinish(_ request: SKRequest) { completion.finish(.success(())) }

        nonisolated func request(_ request: SKRequest, didFailWithError error: any Error) {
            completion.finish(.failure(error))
        }
    }

    /// Asks for a new app transaction by StoreKit's `AppTransaction.refresh`.
    ///
    /// The system may ask the customer to sign in. Apple documents that the call renews the app transaction,
    /// and does not document that it renews the receipt file. Unless the call throws, the refresher reads
    /// the file again. A receipt that is still not valid counts as a failure.
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public struct AppTransactionRefreshRequest: ReceiptRefreshRequest {
        /// Creates a request for a new app transaction. It does nothing until ``refresh()`` is called.
        public init() {}

        /// Asks for a new app transaction and waits for the App Store's answer. The signature of the app
        /// transaction is not used: the verdict is the receipt's.
        ///
        /// - Throws: StoreKit's error.
        public func refresh() async throws { _ = try await AppTransaction.refresh() }
    }
#endif
