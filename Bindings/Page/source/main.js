// The page: takes a receipt, asks the worker, shows the answer.
import {workerText} from "./worker-text.js";
import {ByteView} from "./bytes.js";
import {counted, element, fill, grouped, place} from "./dom.js";
import {showCertificates, showFields} from "./fields.js";
import {fillForm, fragment, policyFromForm} from "./policy.js";
import {PurchaseTable} from "./purchases.js";
import {TimeLine} from "./timeline.js";
import {sentence, showBusy, showEmpty, showProblem, showVerdict} from "./verdict.js";

/** Inputs beyond this size are not read. The library refuses receipts of more than 8 MiB. */
const inputLimit = 32 << 20;
/** Text beyond this size is judged, but not put into the field, which would freeze the page. */
const fieldLimit = 1 << 16;

const worker = new Worker(URL.createObjectURL(new Blob([workerText], {type: "text/javascript"})));
const waiting = new Map();
let lastMessage = 0;
worker.onmessage = ({data}) => {
    const {resolve, reject} = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) resolve(data.value);
    else reject(new Error(data.error));
};
worker.onerror = event => showProblem(`The worker stopped: ${event.message}`);

function ask(message, transfer = []) {
    return new Promise((resolve, reject) => {
        const id = ++lastMessage;
        waiting.set(id, {resolve, reject});
        worker.postMessage({...message, id}, transfer);
    });
}

const table = new PurchaseTable(ask);
const line = new TimeLine(ask);
const view = new ByteView();
let hasReceipt = false;
let round = 0;
let lastExpectations = "";

/** Judges a new receipt, or the receipt that the worker has if bytes is null. */
async function judge(bytes) {
    const mine = ++round;
    const {policy, problems} = await policyFromForm();
    showProblems(problems);
    updateLink();
    if (bytes === null && !hasReceipt) return;
    hasReceipt = true;
    place("forget").hidden = false;
    showBusy();
    try {
        const summary = bytes ? await ask({type: "receipt", bytes, policy}, [bytes.buffer]) : await ask({type: "policy", policy});
        if (mine !== round || !summary) return;
        await show(summary, policy);
        // On a phone the verdict of a new receipt stands below the form.
        const card = place("verdict");
        if (bytes && card.getBoundingClientRect().top > innerHeight / 2) card.scrollIntoView();
    } catch (error) {
        if (mine !== round) return;
        place("results").hidden = true;
        showProblem(error.message);
        say(`The receipt was not judged. ${error.message}`);
    }
}

async function show(summary, policy) {
    showVerdict(summary, policy, {acceptAny, showPlace: () => view.showError()});
    place("results").hidden = false;
    place("claims").hidden = summary.isVerified || !summary.receipt;
    fill(place("claims-reason"), summary.verdict ? "The receipt is not valid under these expectations." : "The receipt is not judged yet.");
    for (const section of ["app", "purchases", "timeline"]) {
        place(section).dataset.verified = summary.receipt ? `${summary.isVerified}` : "none";
        fill(place(section).querySelector(".tag"), !summary.receipt ? "" : summary.isVerified ? "verified" : "unverified claims");
    }
    showFields(summary);
    showCertificates(summary, offset => view.goTo(offset));
    view.show(summary);
    line.show(summary);
    await table.show(summary);
    place("save-csv").disabled = !summary.receipt;
    say(sentence(summary));
}

function say(text) {
    fill(place("live"), text);
}

function acceptAny() {
    for (const box of document.querySelectorAll("input[name=environment]")) box.checked = box.value === "any";
    place("any-bundle-id").checked = true;
    place("verdict").focus({preventScroll: true});
    changed();
}

/** Shows what the form lacks, beside each field. Missing choices are no errors until a receipt is there. */
function showProblems(problems) {
    for (const paragraph of document.querySelectorAll(".problem")) {
        const name = paragraph.id.replace(/-problem$/, "");
        const isMissing = name === "environment" || name === "bundle-id";
        const text = isMissing && !hasReceipt ? undefined : problems[name];
        paragraph.hidden = text === undefined;
        fill(paragraph, text ?? "");
        const field = place(name);
        if (field) field.toggleAttribute("aria-invalid", text !== undefined);
        if (field && text !== undefined) field.setAttribute("aria-invalid", "true");
    }
    if (Object.keys(problems).some(name => place(name)?.closest("#advanced"))) place("advanced").open = true;
}

function updateLink() {
    const address = location.href.split("#")[0];
    const names = fragment();
    place("link").value = names ? `${address}#${names}` : address;
}

function note(text) {
    const paragraph = place("input-note");
    paragraph.hidden = !text;
    fill(paragraph, text ?? "");
}

async function takeFile(file) {
    if (file.size > inputLimit) {
        note(`${file.name} has ${counted(file.size, "byte")}. The page reads at most ${grouped(inputLimit)}.`);
        return;
    }
    place("text").value = "";
    note(`${file.name}, ${counted(file.size, "byte")}`);
    await judge(new Uint8Array(await file.arrayBuffer()));
}

async function takeText(text) {
    if (text.length > inputLimit) {
        note(`The text has ${counted(text.length, "character")}. The page reads at most ${grouped(inputLimit)}.`);
        return;
    }
    const isLong = text.length > fieldLimit;
    place("text").value = isLong ? "" : text;
    note(isLong ? `Pasted text, ${counted(text.length, "character")}` : "");
    await judge(new TextEncoder().encode(text));
}

async function changed() {
    const any = document.querySelector("input[name=environment][value=any]");
    for (const box of document.querySelectorAll("input[name=environment]")) {
        if (box !== any) box.disabled = any.checked;
    }
    place("bundle-id").disabled = place("any-bundle-id").checked;
    place("at-date").disabled = !place("at-given").checked;
    // A field fires events for the same value both while a person writes and when the field loses the focus.
    const files = ["root", "issuer"].flatMap(id => [id, ...[...place(id).files].map(file => [file.name, file.size, file.lastModified])]);
    const expectations = JSON.stringify([fragment(), place("without-markers").checked, files]);
    if (expectations === lastExpectations) return;
    lastExpectations = expectations;
    await judge(null);
}

function forget() {
    round++;
    hasReceipt = false;
    ask({type: "forget"});
    place("form").querySelectorAll("#file, #text").forEach(field => { field.value = ""; });
    note("");
    view.hex.set(new Uint8Array(0), null);
    for (const id of ["app-fields", "purchase-table", "timeline-body", "certificate-list", "bytes-body"]) fill(place(id));
    place("results").hidden = true;
    place("forget").hidden = true;
    showEmpty();
    say("The receipt is removed from the page.");
    place("text").focus();
}

async function save(format) {
    const blob = await ask({type: "export", format}).catch(error => say(`Nothing was saved. ${error.message}`));
    if (!blob) return;
    const address = URL.createObjectURL(blob);
    const isVerified = place("app").dataset.verified === "true";
    const anchor = element("a", {href: address, download: `${isVerified ? "" : "unverified-"}receipt.${format}`});
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** Copies the link. navigator.clipboard is missing over plain HTTP and can wait for a permission. */
function copyLink() {
    place("link").select();
    if (document.execCommand("copy")) {
        say("The link is copied.");
        place("copy").textContent = "Copied";
        place("copy").focus();
        setTimeout(() => { place("copy").textContent = "Copy"; }, 2000);
    } else {
        say("The link is selected. Copy it with the keyboard.");
    }
}

function listen() {
    place("form").addEventListener("submit", event => {
        event.preventDefault();
        const text = place("text").value;
        if (text.trim()) takeText(text);
        else if (hasReceipt) judge(null);
        else {
            note("Paste a receipt or choose a file first.");
            place("text").focus();
        }
    });
    place("file").addEventListener("change", ({target}) => {
        if (target.files.length) takeFile(target.files[0]);
    });
    for (const name of ["change", "input"]) {
        let timer = 0;
        place("form").addEventListener(name, ({target}) => {
            if (target.id === "file" || target.id === "text") return;
            clearTimeout(timer);
            timer = setTimeout(changed, name === "input" && target.type === "text" ? 300 : 0);
        });
    }
    document.addEventListener("paste", event => {
        const isField = event.target.closest?.("input, textarea") && event.target.id !== "text";
        if (isField) return;
        const file = event.clipboardData.files[0];
        const text = event.clipboardData.getData("text/plain");
        if (!file && !text) return;
        event.preventDefault();
        if (file) takeFile(file);
        else takeText(text);
    });
    listenForDrops();
    place("forget").addEventListener("click", forget);
    place("copy").addEventListener("click", copyLink);
    place("save-json").addEventListener("click", () => save("json"));
    place("save-csv").addEventListener("click", () => save("csv"));
    // A link within the page keeps the fragment of the address, which holds the expectations.
    document.addEventListener("click", event => {
        const anchor = event.target.closest?.("a[href^='#']");
        const target = anchor && place(anchor.getAttribute("href").slice(1));
        if (!target) return;
        event.preventDefault();
        target.scrollIntoView();
        target.focus({preventScroll: true});
    });
    addEventListener("hashchange", () => {
        fillForm(location.hash);
        changed();
    });
}

function listenForDrops() {
    const veil = place("veil");
    let depth = 0;
    const isUseful = event => [...event.dataTransfer.types].some(type => type === "Files" || type === "text/plain");
    addEventListener("dragenter", event => {
        if (!isUseful(event)) return;
        event.preventDefault();
        depth++;
        veil.hidden = false;
    });
    addEventListener("dragleave", () => {
        depth = Math.max(0, depth - 1);
        if (!depth) veil.hidden = true;
    });
    addEventListener("dragover", event => { if (isUseful(event)) event.preventDefault(); });
    addEventListener("drop", event => {
        event.preventDefault();
        depth = 0;
        veil.hidden = true;
        const file = event.dataTransfer.files[0];
        const text = event.dataTransfer.getData("text/plain");
        if (file) takeFile(file);
        else if (text) takeText(text);
    });
}

showEmpty();
fillForm(location.hash);
listen();
changed();
