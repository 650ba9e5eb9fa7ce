/// An object that holds one value. Its owners share the value by reference and make no copies of it.
package final class Shared<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
