// The purchases as rows: columns, order, filter and the time line. Runs in the worker, because a receipt can hold
// tens of thousands of purchases.

export const rowsPerPage = 50;
export const subscriptionsPerPage = 20;
/** How many periods of a subscription are shown: 20 years of months. */
export const periodLimit = 240;

/** The query for all rows, in the order of the receipt. */
export const everyRow = {filter: "", type: "", sort: "", isDescending: false, page: 0};

export const productTypes = [
    "Non-consumable", "Consumable", "Non-renewing subscription", "Auto-renewable subscription",
];

/** The columns of the table, in their order. */
export const columns = [
    {key: "product_id", title: "Product"},
    {key: "product_type", title: "Type"},
    {key: "purchase_date", title: "Purchased, UTC"},
    {key: "expires_date", title: "Expires, UTC"},
    {key: "cancellation_date", title: "Cancelled, UTC"},
    {key: "quantity", title: "Quantity"},
    {key: "transaction_id", title: "Transaction"},
    {key: "original_transaction_id", title: "Original transaction"},
    {key: "original_purchase_date", title: "First purchased, UTC"},
    {key: "offer", title: "Offer"},
    {key: "in_app_ownership_type", title: "Ownership"},
];

/** The value of a cell, as text. Empty if the receipt has none. */
export function cell(purchase, key) {
    const value = purchase[key];
    switch (key) {
        case "product_type": return value === null || value === undefined ? "" : productTypes[value] ?? `Type ${value}`;
        case "offer": return [
            purchase.is_trial_period ? "Trial" : "",
            purchase.is_in_intro_offer_period ? "Introductory" : "",
            purchase.promotional_offer_id ? `Promotional: ${purchase.promotional_offer_id}` : "",
        ].filter(Boolean).join(", ");
        case "in_app_ownership_type":
            return value === "PURCHASED" ? "Purchased" : value === "FAMILY_SHARED" ? "Family shared" : value ?? "";
        default: return value === null || value === undefined ? "" : `${value}`;
    }
}

function compared(one, other) {
    return one < other ? -1 : one > other ? 1 : 0;
}

/** The indices of the purchases that pass the filter, in order. */
export function selected(purchases, {filter, type, sort, isDescending}) {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    let indices = purchases.map((_, index) => index).filter(index => {
        const purchase = purchases[index];
        if (type !== "" && `${purchase.product_type ?? "none"}` !== type) return false;
        if (!words.length) return true;
        const text = columns.map(column => cell(purchase, column.key)).join(" ").toLowerCase();
        return words.every(word => text.includes(word));
    });
    if (sort) {
        const keys = purchases.map(purchase => cell(purchase, sort));
        // A purchase without the value comes last, in both orders.
        const filled = indices.filter(index => keys[index] !== "");
        const empty = indices.filter(index => keys[index] === "");
        // Numbers and texts have no common order, so a column is in the order of numbers only if it holds nothing else.
        if (filled.every(index => /^-?\d+$/.test(keys[index]))) for (const index of filled) keys[index] = BigInt(keys[index]);
        filled.sort((one, other) => compared(keys[one], keys[other]) * (isDescending ? -1 : 1) || one - other);
        indices = filled.concat(empty);
    }
    return indices;
}

/** The subscriptions with their periods, the latest first. One starts with each original transaction. */
export function subscriptions(purchases) {
    const groups = new Map();
    for (const purchase of purchases) {
        const from = Date.parse(purchase.purchase_date ?? "");
        const to = Date.parse(purchase.expires_date ?? "");
        if (Number.isNaN(from) || Number.isNaN(to)) continue;
        const key = purchase.original_transaction_id ?? purchase.transaction_id ?? purchase.product_id;
        if (!groups.has(key)) groups.set(key, {original: key, periods: [], products: new Set(), from, to, end: -Infinity});
        const group = groups.get(key);
        group.products.add(purchase.product_id);
        group.from = Math.min(group.from, from);
        group.to = Math.max(group.to, to);
        const cancelled = Date.parse(purchase.cancellation_date ?? "");
        // A cancellation ends its period at once.
        group.end = Math.max(group.end, Number.isNaN(cancelled) ? to : Math.min(to, cancelled));
        group.periods.push({
            from, to, cancelled: Number.isNaN(cancelled) ? null : cancelled, product: purchase.product_id,
            kind: purchase.is_trial_period ? "trial"
                : purchase.is_in_intro_offer_period || purchase.promotional_offer_id ? "offer" : "paid",
            isShared: purchase.in_app_ownership_type === "FAMILY_SHARED",
        });
    }
    const found = [...groups.values()].sort((one, other) => other.to - one.to || other.from - one.from);
    for (const group of found) {
        group.products = [...group.products];
        group.periods.sort((one, other) => one.from - other.from);
        group.count = group.periods.length;
        group.periods = group.periods.slice(-periodLimit);
    }
    return found;
}
