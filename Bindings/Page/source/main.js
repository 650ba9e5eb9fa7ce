// The page: takes a receipt, asks the worker, shows the answer.
import {ByteView} from "./bytes.js";
import {counted, element, fill, grouped, place, shown} from "./dom.js";
import {showCertificates, showFields} from "./fields.js";
import {Judge} from "./judge.js";
import {fillForm, fragment, policyFromForm} from "./policy.js";
import {PurchaseTable} from "./purchases.js";
import {TimeLine} from "./timeline.js";
import {sentence, showBusy, showEmpty, showProblem, showVerdict} from "./verdict.js";

/** Inputs beyond this size are not read. The library refuses receipts of more than 8 MiB. */
const inputLimit = 32 << 20;
/** Text beyond this size is judged, but not put into the field, which would freeze the page. */
const fieldLimit = 1 << 16;

const judge = new Judge(reason => {
    receipt = null;
    round++;
    fail(reason);
});
/** Questions about the result in view. The answer is null if the worker has another result by now. */
const ask = message => judge.ask({...message, generation: shownRound}).catch(error => fail(error.message));
const table = new PurchaseTable(ask);
const line = new TimeLine(ask);
const view = new ByteView();
/** The receipt that was given last: the promise of its bytes, and whether the worker has them. */
let receipt = null;
/** Counts what was asked for: a receipt, other expectations, no receipt. Only the latest may show a result. */
let round = 0;
/** The round whose result is in view. */
let shownRound = 0;
let lastExpectations = "";

/** Judges the receipt by the form's expectations. */
async function update() {
    const mine = ++round;
    const current = receipt;
    updateLink();
    if (current) showBusy(!current.isWithWorker);
    try {
        const [{policy, problems}, bytes] = await Promise.all([policyFromForm(), current?.bytes]);
        if (mine !== round) return;
        showProblems(problems);
        if (!current) return;
        const isNew = !current.isWithWorker;
        current.isWithWorker = true;
        const message = {type: isNew ? "receipt" : "policy", policy, generation: mine};
        const summary = isNew ? await judge.ask({...message, bytes}, [bytes.buffer]) : await judge.ask(message);
        if (mine !== round) return;
        Object.assign(problems, summary.problems);
        showProblems(problems);
        show(summary, policy, problems);
        // On a phone the verdict of a new receipt stands below the form.
        const card = place("verdict");
        if (isNew && card.getBoundingClientRect().top > innerHeight / 2) card.scrollIntoView();
    } catch (error) {
        if (mine === round) fail(error.message);
    }
}

function fail(message) {
    place("results").hidden = true;
    showProblem(message);
    say(`The receipt was not judged. ${message}`);
}

function show(summary, policy, problems) {
    shownRound = summary.generation;
    showVerdict(summary, policy, problems, {acceptAny, showPlace: () => view.showError()});
    place("results").hidden = false;
    place("claims").hidden = summary.isVerified || !summary.receipt;
    fill(place("claims-reason"), summary.verdict ? "The receipt is not valid under these expectations." : "The receipt is not judged yet.");
    for (const section of ["app", "purchases", "timeline"]) {
        place(section).dataset.verified = summary.receipt ? `${summary.isVerified}` : "none";
        fill(place(section).querySelector(".tag"), !summary.receipt ? "" : summary.isVerified ? "verified" : "unverified claims");
    }
    for (const name of ["timeline", "purchases"]) {
        place(name).hidden = document.querySelector(`.jump a[href="#${name}"]`).hidden = Boolean(summary.token);
    }
    fill(place("app-title").firstChild, summary.token ? "Payload " : "App ");
    showFields(summary);
    showCertificates(summary, offset => view.goTo(offset));
    view.show(summary);
    line.show(summary);
    table.show(summary);
    place("save-csv").disabled = !summary.receipt || Boolean(summary.token);
    say(sentence(summary, problems));
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
    for (const paragraph of document.querySelectorAll(".problem[id$=-problem]")) {
        const name = paragraph.id.replace(/-problem$/, "");
        const isMissing = name === "environment" || name === "bundle-id";
        const text = isMissing && !receipt ? undefined : problems[name];
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

/** Takes a new receipt: the promise of its bytes. The old result leaves the page at once. */
async function take(bytes) {
    receipt = {bytes, isWithWorker: false};
    place("forget").hidden = false;
    place("results").hidden = true;
    await update();
}

/** Takes the first of some files. */
async function takeFiles(files) {
    const file = files[0];
    place("text").value = "";
    const rest = files.length > 1 ? ` It is the first of ${files.length} files; the page judges one at a time.` : "";
    note(`${shown(file.name)}, ${counted(file.size, "byte")}.${rest}`);
    await take(bytesOf(file));
}

async function bytesOf(file) {
    checkSize(file.size, shown(file.name), "byte");
    try {
        return new Uint8Array(await file.arrayBuffer());
    } catch {
        throw new Error(`${shown(file.name)} could not be read. It may be a folder, or it changed after it was chosen.`);
    }
}

async function takeText(text) {
    const isLong = text.length > fieldLimit;
    place("text").value = isLong ? "" : text;
    note(isLong ? `Pasted text, ${counted(text.length, "character")}` : "");
    await take(encoded(text));
}

async function encoded(text) {
    checkSize(text.length, "The text", "character");
    return new TextEncoder().encode(text);
}

function checkSize(size, name, unit) {
    if (size > inputLimit) throw new Error(`${name} has ${counted(size, unit)}. The page reads at most ${grouped(inputLimit)}.`);
}

async function changed() {
    const any = document.querySelector("input[name=environment][value=any]");
    for (const box of document.querySelectorAll("input[name=environment]")) {
        if (box !== any) box.disabled = any.checked;
    }
    place("bundle-id").disabled = place("any-bundle-id").checked;
    place("at-date").disabled = !place("at-given").checked;
    // A field fires events for the same value both while a person writes and when the field loses the focus.
    const files = ["root", "issuer", "evidence"].flatMap(id => [id, ...[...place(id).files].map(file => [file.name, file.size, file.lastModified])]);
    const expectations = JSON.stringify([fragment(), place("bundle-id").value, files]);
    if (expectations === lastExpectations) return;
    lastExpectations = expectations;
    await update();
}

function forget() {
    round++;
    receipt = null;
    judge.ask({type: "forget"}).catch(error => fail(error.message));
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
    const file = await ask({type: "export", format});
    if (file === null) say("Nothing was saved, because the receipt is being judged again.");
    if (!file) return;
    const address = URL.createObjectURL(file.blob);
    const anchor = element("a", {href: address, download: `${file.isVerified ? "" : "unverified-"}receipt.${format}`});
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** Fills the form from the address, and reports what is left out. */
function readLink() {
    const unknown = fillForm(location.hash);
    const text = unknown.length
        ? `The page does not understand this part of the link, and left it out: ${shown(unknown.join(", "))}. Check the fields.` : "";
    place("link-unknown").hidden = !unknown.length;
    fill(place("link-unknown"), text);
    say(text);
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
        else if (receipt) update();
        else {
            note("Paste a receipt or choose a file first.");
            place("text").focus();
        }
    });
    place("file").addEventListener("change", ({target}) => {
        if (target.files.length) takeFiles(target.files);
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
        const {files} = event.clipboardData;
        const text = event.clipboardData.getData("text/plain");
        if (!files.length && !text) return;
        event.preventDefault();
        if (files.length) takeFiles(files);
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
        readLink();
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
        const {files} = event.dataTransfer;
        const text = event.dataTransfer.getData("text/plain");
        if (files.length) takeFiles(files);
        else if (text) takeText(text);
    });
}

showEmpty();
readLink();
listen();
changed();
