// The values of the receipt, and its certificates.
import {counted, dateText, element, fill, place, shown} from "./dom.js";
import {payloadView} from "./payload.js";

const titles = {
    bundle_id: "Bundle identifier", application_version: "Version", receipt_type: "Environment",
    claimed_environment: "Environment (not signed)", receipt_creation_date: "Created",
    original_application_version: "First version bought", purchase_date: "Purchased",
    original_purchase_date: "First purchased", preorder_date: "Pre-ordered", expiration_date: "Expires",
    app_item_id: "App Store item", developer_id: "Developer", download_id: "Download",
    version_external_identifier: "Version external identifier", age_rating: "Age rating", platform: "Platform",
    opaque_value: "Opaque value", sha1_hash: "SHA-1 hash of the device", signature_version: "Signature version",
    item_id: "Product item", unique_identifier: "Device", unique_vendor_identifier: "Vendor's device",
    subscription_group_identifier: "Subscription group", content_sha256: "SHA-256 of the signed content",
};
const dates = /_date$/;
/** Values of a transaction receipt that the table of purchases shows. */
const ofPurchase = new Set(["quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date",
    "original_purchase_date", "expires_date", "cancellation_date", "web_order_line_item_id", "is_trial_period",
    "is_in_intro_offer_period", "in_app_ownership_type"]);
const platforms = {2: "2 (macOS, by observation)", 3: "3 (iOS, by observation)"};

export function showFields(summary) {
    const body = place("app-fields");
    const {receipt} = summary;
    if (!receipt) {
        const wanted = summary.token ? "a payload" : "a receipt";
        fill(body, element("p", {class: "nothing"}, `Nothing in these bytes can be read as ${wanted}.`));
        return;
    }
    if (summary.token) {
        fill(body, payloadView(receipt, summary.isVerified));
        return;
    }
    const present = [];
    const absent = [];
    for (const [key, name] of Object.entries(titles)) {
        if (!(key in receipt) || summary.isTransaction && ofPurchase.has(key)) continue;
        const value = receipt[key];
        if (value === null) absent.push(name);
        else present.push(element("div", {}, element("dt", {}, name), element("dd", {class: isCode(key) ? "code" : null},
            dates.test(key) ? dateText(value) : key === "platform" ? platforms[value] ?? value : shown(value))));
    }
    fill(body,
        element("dl", {class: "fields"}, present),
        absent.length > 0 && element("p", {class: "hint"}, `The receipt does not have: ${absent.join(", ")}.`),
        list(receipt.malformed_in_app, "purchase that does not decode", "purchases that do not decode", "They grant nothing.",
            item => [element("code", {}, shown(item.code)), " ", element("code", {class: "digest"}, clipped(item.value))]),
        list(receipt.undocumented_attributes, "undocumented attribute", "undocumented attributes", "",
            item => [`Type ${item.type}, version ${item.version} `, element("code", {class: "digest"}, clipped(item.value))]),
        list(receipt.purchase_info, "signed entry", "signed entries", "",
            item => [element("code", {}, shown(item.key)), " ", element("code", {class: "digest"}, shown(item.value))]));
}

function isCode(key) {
    return /_id$|hash|opaque|identifier/.test(key);
}

function clipped(text) {
    return text === null ? "" : text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

function list(items, one, many, remark, row) {
    if (!items?.count) return null;
    return element("details", {class: "more"},
        element("summary", {}, counted(items.count, one, many)),
        remark && element("p", {class: "hint"}, remark),
        element("ul", {}, items.first.map(item => element("li", {}, row(item)))),
        items.count > items.first.length && element("p", {class: "hint"}, "The JSON has all of them."));
}

export function showCertificates(summary, select) {
    const {certificates} = summary;
    const body = place("certificate-list");
    const holder = summary.token ? "token" : "receipt";
    if (!certificates.count) {
        fill(body, element("p", {class: "nothing"}, "No certificate was found."));
        return;
    }
    const isListed = !summary.isTransaction && !summary.token;
    fill(body,
        element("p", {class: "hint"}, summary.isVerified
            ? `The certificates as they stand in the ${holder}.`
            : `The certificates as they stand in the ${holder}. Their names are claims until a path to a trusted root is found.`),
        element("ol", {class: "certificates"}, certificates.first.map((certificate, index) => element("li", {},
            element("p", {class: "subject"}, certificate.code
                ? `Certificate ${index} does not decode: ${shown(certificate.code)}`
                : commonName(certificate.subject)),
            element("dl", {class: "fields"},
                field("Subject", certificate.subject), field("Issuer", issuer(certificate)),
                field("Valid", certificate.not_before && `${dateText(certificate.not_before)} to ${dateText(certificate.not_after)}`),
                field("Serial number", certificate.serial_number, true), field("SHA-256", certificate.sha256, true, "whole")),
            isListed && element("button", {type: "button", class: "link", onclick: () => select(certificate.offset)},
                `Show in the bytes, at ${certificate.offset}`)))),
        certificates.count > certificates.first.length
            && element("p", {class: "hint"}, `${counted(certificates.count, "certificate")} in all. The JSON has all of them.`));
}

function issuer(certificate) {
    return certificate.issuer !== null && certificate.issuer === certificate.subject ? "itself" : certificate.issuer;
}

function commonName(subject) {
    return shown(/(?:^|, )CN=([^,]+)/.exec(subject)?.[1] ?? subject);
}

function field(name, value, isDigits = false, width = null) {
    return value && element("div", {class: width}, element("dt", {}, name), element("dd", {class: isDigits ? "code" : null}, shown(value)));
}
