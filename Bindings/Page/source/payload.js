// The payload of a token, with the tokens inside it.
import {counted, dateText, element, shown} from "./dom.js";

/** The members of a payload under Apple's names: values first, then objects. A token inside a notification is one. */
export function payloadView(payload, isVerified, level = 3) {
    const {unknown_members: unknown, ...known} = payload;
    const all = Object.entries(known);
    const isObject = value => value !== null && typeof value === "object" && !Array.isArray(value);
    const values = all.filter(([, value]) => value !== null && !isObject(value));
    const absent = all.filter(([, value]) => value === null).map(([name]) => name);
    return [
        element("dl", {class: "fields"}, values.map(([name, value]) => element("div", {}, element("dt", {}, name),
            element("dd", {class: /Id$|Token$/.test(name) ? "code" : null}, dateText(shown(Array.isArray(value) ? value.join(", ") : value)))))),
        absent.length > 0 && element("p", {class: "hint"}, `Absent: ${absent.join(", ")}.`),
        others(Object.entries(unknown ?? {})),
        all.filter(([, value]) => isObject(value)).map(([name, value]) => element("section", {class: "inner"},
            element(`h${level}`, {}, name,
                /^signed/.test(name) && [" ", element("span", {class: "tag"}, isVerified ? "a token, verified" : "a token, not verified")]),
            payloadView(value, isVerified, Math.min(level + 1, 6)))),
    ];
}

function others(members) {
    if (!members.length) return null;
    return element("details", {class: "more"},
        element("summary", {}, counted(members.length, "member that this version does not know", "members that this version does not know")),
        element("ul", {}, members.map(([name, value]) => element("li", {},
            element("code", {}, shown(name)), " ", element("code", {class: "digest"}, shown(JSON.stringify(value)))))));
}
