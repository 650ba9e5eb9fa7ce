import Foundation

/// A value behind a lock, for a class that several threads use.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    // Only read and written while the lock is held.
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Reads or changes the value. No other access happens meanwhile, so `body` must not wait for one.
    package func access<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
