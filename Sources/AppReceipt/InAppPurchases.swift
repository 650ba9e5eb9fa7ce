import DER

/// The purchases of a receipt that decode, in the order of the receipt; each is decoded when it is reached.
public struct InAppPurchases: Sequence, Sendable {
    let buffer: AttributeBuffer
    /// The way back to the input's offsets, where the buffer is not the input.
    let normalised: Normalised?
    /// The contents of the receipt's SET of attributes.
    let set: Range<Int>
    let limits: Limits

    /// An iterator before the first purchase. Each one decodes anew.
    public func makeIterator() -> Iterator { Iterator(buffer: buffer, rest: set, limits: limits) }

    /// Walks the receipt's attributes of type 17, and passes over those that do not decode.
    public struct Iterator: IteratorProtocol {
        let buffer: AttributeBuffer
        var rest: Range<Int>
        let limits: Limits

        /// Decodes up to the next purchase that does decode; nil where there is none left.
        public mutating func next() -> InAppPurchase? {
            while let value = nextValue() {
                do throws(Refusal) { return try InAppPurchase(buffer, value, limits: limits) } catch {
                    continue
                }
            }
            return nil
        }

        /// The value of the next attribute of type 17. The structure was found sound when the payload was
        /// read.
        mutating func nextValue() -> Range<Int>? {
            let value = Self.nextValue(buffer.bytes.span, in: rest)
            rest = (value ?? rest).upperBound..<rest.upperBound
            return value
        }

        private static func nextValue(_ bytes: Span<UInt8>, in rest: Range<Int>) -> Range<Int>? {
            var offset = rest.lowerBound
            while offset < rest.upperBound,
                let attribute = try? AttributeRange(bytes, at: offset, before: rest.upperBound)
            {
                if attribute.type == 17 { return attribute.value }
                offset = attribute.end
            }
            return nil
        }
    }
}

extension InAppPurchases {
    /// How many there are. All of them are decoded for it, without making an ``InAppPurchase`` of
    /// any.
    public var count: Int {
        var count = 0
        var iterator = makeIterator()
        while let value = iterator.nextValue() {
            if (try? InAppPurchase.Fields(buffer.bytes.span, value, limits: limits)) != nil { count += 1 }
        }
        return count
    }

    /// Calls `body` with each attribute of each purchase, as it is: nothing is decoded, copied or allocated.
    ///
    /// A purchase that does not decode is among them, up to what cannot be told apart.
    ///
    /// - Parameter body: is given the number of the purchase among all of the receipt, from zero, and of the
    ///   attribute the type, the version and the octets of the value.
    public func forEachAttribute(
        _ body: (_ purchase: Int, _ type: Int64, _ version: Int64, _ value: Span<UInt8>) -> Void
    ) {
        let bytes = buffer.bytes.span
        var number = 0
        var iterator = makeIterator()
        while let value = iterator.nextValue() {
            var outer = Reader(bytes, in: value)
            if let set = try? outer.read(.set, "in-app purchase") {
                var walk = AttributeWalk(bytes, in: set, limits: limits, "in-app purchase")
                while let attribute = try? walk.next() {
                    body(number, attribute.type, attribute.version, bytes.extracting(attribute.value))
                }
            }
            number += 1
        }
    }

    /// Those that do not decode.
    var malformed: [MalformedInAppPurchase] {
        var malformed: [MalformedInAppPurchase] = []
        var iterator = makeIterator()
        while let value = iterator.nextValue() {
            do throws(Refusal) {
                _ = try InAppPurchase.Fields(buffer.bytes.span, value, limits: limits)
            } catch {
                malformed.append(
                    MalformedInAppPurchase(
                        refusal: normalised?.inInput(error) ?? error,
                        value: buffer.bytes[value]
                    )
                )
            }
        }
        return malformed
    }
}

extension Payload {
    func purchases(_ limits: Limits) -> InAppPurchases {
        InAppPurchases(buffer: buffer, normalised: normalised, set: set, limits: limits)
    }
}

/// A purchase that does not decode: it grants nothing, and leaves the rest of the receipt usable.
public struct MalformedInAppPurchase: Sendable {
    /// Why.
    public let refusal: Refusal
    /// The octets of the attribute's value.
    public let value: ArraySlice<UInt8>
}
