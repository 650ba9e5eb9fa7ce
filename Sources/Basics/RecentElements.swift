/// The elements that were appended last, up to a capacity. A further element replaces the oldest.
package struct RecentElements<Element: Sendable>: Sendable {
    /// The elements, in the order of arrival until the capacity is reached.
    package var elements: ContiguousArray<Element> = []
    @usableFromInline let capacity: Int
    /// The index of the oldest element once the capacity is reached.
    @usableFromInline var oldest = 0

    /// Creates an empty list. Precondition: the capacity is 1 or more.
    @inlinable
    package init(capacity: Int) { self.capacity = capacity }

    /// Appends an element. It replaces the oldest if there are as many as the capacity.
    @inlinable
    package mutating func append(_ element: Element) {
        guard elements.count == capacity else {
            // A path of three certificates fills each list with three elements at most.
            if elements.isEmpty { elements.reserveCapacity(3) }
            return elements.append(element)
        }
        elements[oldest] = element
        oldest = (oldest + 1) % capacity
    }
}
