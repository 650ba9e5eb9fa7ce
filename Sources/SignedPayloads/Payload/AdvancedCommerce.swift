// The objects of the Advanced Commerce API. With it, an app sells items that App Store Connect does not list.
// All prices and amounts are in thousandths of the unit of the payload's currency.

import Basics

/// The data of a purchase that was made with the Advanced Commerce API.
public struct AdvancedCommerceTransactionInfo: Sendable {
    /// All members of the JSON object about the purchase, documented or not.
    public let members: PayloadObject

    /// The texts about the purchase that the customer sees.
    public var descriptors: AdvancedCommerceDescriptors? {
        members.object("descriptors").map(AdvancedCommerceDescriptors.init)
    }
    /// The estimated tax of the purchase, in thousandths of the currency's unit.
    public var estimatedTax: Int64? { members.integer("estimatedTax") }
    /// The items of the purchase.
    public var items: [AdvancedCommerceTransactionItem]? {
        members.objects("items")?.map(AdvancedCommerceTransactionItem.init)
    }
    /// The billing period of a subscription, in ISO 8601, such as `P1M`.
    public var period: String? { members.text("period") }
    /// The UUID that the app gave to its request.
    public var requestReferenceId: String? { members.text("requestReferenceId") }
    /// The tax code of the purchase.
    public var taxCode: String? { members.text("taxCode") }
    /// The price of the purchase without tax, in thousandths of the currency's unit.
    public var taxExclusivePrice: Int64? { members.integer("taxExclusivePrice") }
    /// The tax rate of the purchase, as a decimal number in text.
    public var taxRate: String? { members.text("taxRate") }
}

/// An item that was bought with the Advanced Commerce API.
public struct AdvancedCommerceTransactionItem: Sendable {
    /// All members of the item, documented or not.
    public let members: PayloadObject

    /// The app's identifier of the item (`SKU`).
    public var sku: String? { members.text("SKU") }
    /// The description of the item.
    public var description: String? { members.text("description") }
    /// The name of the item that the customer sees.
    public var displayName: String? { members.text("displayName") }
    /// The offer that lowered the item's price; nil without one.
    public var offer: AdvancedCommerceOffer? { members.object("offer").map(AdvancedCommerceOffer.init) }
    /// The price of the item, in thousandths of the currency's unit.
    public var price: Int64? { members.integer("price") }
    /// The refunds of the item; nil if the payload does not have the member.
    public var refunds: [AdvancedCommerceRefund]? {
        members.objects("refunds")?.map(AdvancedCommerceRefund.init)
    }
    /// The time when the App Store took the item back; nil if it did not.
    public var revocationDate: Timestamp? { members.date("revocationDate") }
}

/// The data of a renewal, for a subscription of the Advanced Commerce API.
public struct AdvancedCommerceRenewalInfo: Sendable {
    /// All members of the JSON object about the renewal, documented or not.
    public let members: PayloadObject

    /// A value of the App Store that the app gives back in its next request about the subscription.
    public var consistencyToken: String? { members.text("consistencyToken") }
    /// The texts about the subscription that the customer sees.
    public var descriptors: AdvancedCommerceDescriptors? {
        members.object("descriptors").map(AdvancedCommerceDescriptors.init)
    }
    /// The items that renew.
    public var items: [AdvancedCommerceRenewalItem]? {
        members.objects("items")?.map(AdvancedCommerceRenewalItem.init)
    }
    /// The billing period of the subscription, in ISO 8601, such as `P1M`.
    public var period: String? { members.text("period") }
    /// The UUID that the app gave to its request.
    public var requestReferenceId: String? { members.text("requestReferenceId") }
    /// The tax code of the subscription.
    public var taxCode: String? { members.text("taxCode") }
}

/// An item of a subscription of the Advanced Commerce API.
public struct AdvancedCommerceRenewalItem: Sendable {
    /// All members of the item, documented or not.
    public let members: PayloadObject

    /// The app's identifier of the item (`SKU`).
    public var sku: String? { members.text("SKU") }
    /// The description of the item.
    public var description: String? { members.text("description") }
    /// The name of the item that the customer sees.
    public var displayName: String? { members.text("displayName") }
    /// The offer that lowers the item's price at the renewal; nil without one.
    public var offer: AdvancedCommerceOffer? { members.object("offer").map(AdvancedCommerceOffer.init) }
    /// The price of the item, in thousandths of the currency's unit.
    public var price: Int64? { members.integer("price") }
    /// The increase of the item's price; nil if there is none.
    public var priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo? {
        members.object("priceIncreaseInfo").map(AdvancedCommercePriceIncreaseInfo.init)
    }
}

/// The texts about a purchase or subscription that the customer sees.
public struct AdvancedCommerceDescriptors: Sendable {
    /// All members of the JSON object with the texts, documented or not.
    public let members: PayloadObject

    /// The description of the purchase or subscription.
    public var description: String? { members.text("description") }
    /// The name of the purchase or subscription that the customer sees.
    public var displayName: String? { members.text("displayName") }
}

/// A lower price for an item, for some periods.
public struct AdvancedCommerceOffer: Sendable {
    /// All members of the offer, documented or not.
    public let members: PayloadObject

    /// The length of one period of the offer, in ISO 8601, such as `P1M`.
    public var period: String? { members.text("period") }
    /// The number of periods for which the offer lasts.
    public var periodCount: Int64? { members.integer("periodCount") }
    /// The item's price in each period of the offer, in thousandths of the currency's unit.
    public var price: Int64? { members.integer("price") }
    /// The reason for the offer, such as `WIN_BACK`.
    public var reason: String? { members.text("reason") }
}

/// A refund of an item.
public struct AdvancedCommerceRefund: Sendable {
    /// All members of the refund, documented or not.
    public let members: PayloadObject

    /// The amount of the refund, in thousandths of the currency's unit.
    public var refundAmount: Int64? { members.integer("refundAmount") }
    /// The time of the refund.
    public var refundDate: Timestamp? { members.date("refundDate") }
    /// The reason for the refund.
    public var refundReason: String? { members.text("refundReason") }
    /// The type of the refund, such as `FULL` or `PRORATED`.
    public var refundType: String? { members.text("refundType") }
}

/// An increase of an item's price.
public struct AdvancedCommercePriceIncreaseInfo: Sendable {
    /// All members of the JSON object about the price increase, documented or not.
    public let members: PayloadObject

    /// The SKUs of other items, which the App Store cancels too if the customer does not consent to the new
    /// price of this item.
    public var dependentSKUs: [String]? { members.texts("dependentSKUs") }
    /// The new price of the item, in thousandths of the currency's unit.
    public var price: Int64? { members.integer("price") }
    /// The status of the price increase: `SCHEDULED`, `PENDING` or `ACCEPTED`.
    public var status: String? { members.text("status") }
}
