/// The elements that were appended last, up to a capacity. A further element replaces the oldest.
@usableFromInline package struct RecentElements<Element: Sendable>: Sendable {
    /// The kept elements, in the order in which they were appended, until the capacity is reached. From then
    /// on, a new element stands at the index of the element that it replaced.
    @usableFromInline package var elements: ContiguousArray<Element> = []
    @usableFromInline let capacity: Int
    /// The index of the oldest element, which a new one replaces once the capacity is reached; 0 before.
    @usableFromInline var oldest = 0

    /// Creates an empty list that keeps at most `capacity` elements.
    ///
    /// Precondition: the capacity is 1 or more.
    @inlinable
    package init(capacity: Int) { self.capacity = capacity }

    /// Adds an element. If the list is full, the new element replaces the oldest.
    @inlinable
    package mutating func append(_ element: Element) {
        let count = elements.count
        guard count == capacity else {
            // A path of three certificates fills each list with three elements at most.
            if count == 0 { elements.reserveCapacity(3) }
            return elements.append(element)
        }
        elements[oldest] = element
        oldest = (oldest + 1) % capacity
    }
}
