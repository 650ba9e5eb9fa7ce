// The verdict and the steps of the validation.
import {steps, tokenSteps} from "./tables.js";
import {notAsked, notAskedOfToken} from "./policy.js";
import {counted, element, fill, place, shown, title} from "./dom.js";

const headings = {
    valid: "Valid", invalid: "Not valid", unsupported: "Not supported", unreadable: "No receipt here",
};
const marks = {passed: "✓", failed: "✕", skipped: "○", waiting: "·"};
const words = {passed: "Passed", failed: "Failed", skipped: "Not checked", waiting: "Not reached"};

/**
 * The steps that a valid receipt or token was not asked to pass. No date expires in a transaction receipt. The form
 * takes no list of distrusted certificates.
 */
function unchecked({verdict, isTransaction}) {
    return new Set([...verdict.not_checked, "distrust", ...isTransaction ? ["expiration-date"] : []]);
}

/** The state of each step. A receipt that is not valid has no list of unchecked steps, so the form tells. */
export function stepStates(summary, policy) {
    const {verdict} = summary;
    const left = verdict.not_checked ? unchecked(summary)
        : summary.token ? notAskedOfToken(policy, summary.receipt) : notAsked(policy, summary.isTransaction);
    const all = summary.token ? tokenSteps : steps;
    const failed = all.findIndex(step => step.name === verdict.step);
    return all.map((step, index) => {
        if (index === failed) return {...step, state: "failed"};
        if (failed >= 0 && index > failed) return {...step, state: "waiting"};
        return {...step, state: left.has(step.name) ? "skipped" : "passed"};
    });
}

function rootText(root) {
    if (!root) return null;
    const name = root.subject ? `${shown(root.subject)}.` : "";
    const digest = root.sha256 ? [element("span", {class: "digest"}, `SHA-256 ${root.sha256}`)] : [];
    switch (root.kind) {
        case "added": return [element("strong", {}, "Trusted through a root that you added"), `, not through Apple's. ${name} `, digest];
        case "xcode": return [element("strong", {}, "Signed by StoreKit testing in Xcode."), ` Anybody can make such a receipt. ${name} `, digest];
        default: return root.subject
            ? ["Trusted through Apple's root. ", name, " ", digest] : ["Trusted through Apple's root, which is built in."];
    }
}

/** One sentence for the live region and for the heading of the card. */
export function sentence(summary, problems) {
    const {verdict} = summary;
    if (!verdict) return notJudged(problems);
    if (verdict.status === "valid") {
        const count = unchecked(summary).size;
        return count ? `Valid. ${counted(count, "step was", "steps were")} not checked.` : "Valid. Every step was checked.";
    }
    return `${headings[verdict.status]}. Step ${verdict.step}: ${shown(verdict.error.message)}`;
}

export function showEmpty() {
    const card = place("verdict");
    card.removeAttribute("aria-busy");
    card.dataset.state = "empty";
    fill(card,
        element("h2", {id: "verdict-title"}, "No receipt yet"),
        element("p", {class: "lead"}, "Drop, choose or paste a receipt or a token. These are the steps that a receipt must pass."),
        stepList(steps.map(step => ({...step, state: "waiting"})), false));
}

/** Says that work is under way. The verdict about the last receipt must not stand beside the name of a new one. */
export function showBusy(isNew) {
    const card = place("verdict");
    card.setAttribute("aria-busy", "true");
    if (!isNew) return;
    card.dataset.state = "busy";
    fill(card, element("h2", {id: "verdict-title"}, "Judging the receipt…"));
}

export function showProblem(message) {
    const card = place("verdict");
    card.removeAttribute("aria-busy");
    card.dataset.state = "unreadable";
    fill(card, element("h2", {id: "verdict-title"}, "The receipt was not judged"),
        element("p", {class: "lead"}, shown(message)));
}

function stepList(states, hasWords = true) {
    return element("ol", {class: "steps", "aria-label": "Steps of the validation"}, states.map(step => element(
        "li", {"data-state": step.state},
        element("span", {class: "step-mark", "aria-hidden": "true"}, marks[step.state]),
        element("span", {class: "step-name"}, title(step.name)),
        hasWords && element("span", {class: "step-state"}, words[step.state]),
        element("span", {class: "step-meaning"}, step.meaning),
    )));
}

/** Why a receipt is read but not judged. */
function notJudged(problems) {
    return `The receipt is read, but not judged. ${Object.values(problems).join(" ")}`;
}

/** Shows the verdict. `acceptAny` chooses any app and any environment; `showPlace` goes to the error's bytes. */
export function showVerdict(summary, policy, problems, {acceptAny, showPlace}) {
    const card = place("verdict");
    const {verdict} = summary;
    card.removeAttribute("aria-busy");
    if (!verdict) {
        card.dataset.state = "waiting";
        fill(card,
            element("h2", {id: "verdict-title"}, "What must the receipt be?"),
            element("p", {class: "lead"}, notJudged(problems)),
            Object.keys(problems).every(isChoice) && element("div", {class: "row"},
                element("button", {type: "button", class: "primary", id: "accept-any", onclick: acceptAny},
                    "Judge for any app and any environment")),
            element("p", {class: "facts"}, facts(summary)));
        return;
    }
    card.dataset.state = verdict.status;
    const states = stepStates(summary, policy);
    const passed = states.filter(step => step.state === "passed").length;
    const skipped = states.filter(step => step.state === "skipped").length;
    const error = verdict.error;
    fill(card,
        element("h2", {id: "verdict-title"},
            element("span", {class: "seal", "aria-hidden": "true"}, verdict.status === "valid" ? "✓" : "✕"),
            headings[verdict.status]),
        element("p", {class: "lead"}, verdict.status === "valid"
            ? `${counted(passed, "step")} passed. ${skipped ? `${counted(skipped, "step was", "steps were")} not checked.` : "Nothing was left out."}`
            : shown(error.message)),
        error && element("dl", {class: "reason"},
            pair("Step", title(verdict.step)),
            pair("Code", element("code", {}, shown(verdict.code))),
            error.nested_token && pair("Token inside", element("code", {}, error.nested_token)),
            error.expected && pair("Found", error.found === null ? "nothing" : element("code", {}, shown(error.found))),
            error.expected && pair("Expected", error.expected.map((value, index) => [index ? " or " : "", element("code", {}, shown(value))])),
            error.offset !== null && pair("Place", [
                `byte ${error.offset} `,
                error.nested_token ? "of this token" : summary.bytes.length > 0 && element("button", {type: "button", class: "link", id: "show-place", onclick: showPlace}, "Show in the bytes"),
            ])),
        verdict.status === "valid" && element("p", {class: "root"}, rootText(summary.root)),
        stepList(states),
        element("p", {class: "facts"}, facts(summary)));
}

/** Whether "any" solves the problem with a field. */
function isChoice(name) {
    return name === "environment" || name === "bundle-id";
}

function pair(name, value) {
    return element("div", {}, element("dt", {}, name), element("dd", {}, value));
}

function facts(summary) {
    return [
        `Read as ${summary.form}, ${counted(summary.size, "byte")}.`,
        summary.verdict?.sha256 && [" ", element("span", {class: "digest"}, `SHA-256 ${summary.verdict.sha256}`)],
    ];
}
