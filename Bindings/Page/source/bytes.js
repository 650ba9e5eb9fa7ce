// The tree beside the bytes. Each highlights the other.
import {ASN1Node} from "./asn1.js";
import {transactionParts} from "./plist.js";
import {tokenParts} from "./tokens.js";
import {counted, element, fill, place} from "./dom.js";
import {HexView} from "./hex.js";
import {Tree} from "./tree.js";

export class ByteView {
    constructor() {
        this.hex = new HexView(offset => this.fromHex(offset), () => this.description);
        this.tree = new Tree(node => this.fromTree(node));
        this.description = "";
        this.parts = [];
    }

    show(summary) {
        const {bytes} = summary;
        const error = summary.verdict?.error;
        // The bytes of a token inside a token are not shown.
        this.errorOffset = error && error.offset !== null && !error.nested_token ? error.offset : null;
        if (!bytes.length) {
            this.parts = [];
            fill(place("bytes-body"), element("p", {class: "nothing"}, "There are no bytes."));
            return;
        }
        this.parts = summary.token ? tokenParts(bytes) : summary.showsInput
            ? [{name: "Input", bytes, node: null}]
            : summary.isProperty ? transactionParts(bytes) : [{name: "Receipt", bytes, node: new ASN1Node(bytes, 0, bytes.length, 0)}];
        if (this.parts[0].node?.end < bytes.length) {
            // Bytes after the first element are shown in the hexadecimal view only.
            this.parts[0].note = `${counted(bytes.length - this.parts[0].node.end, "byte follows", "bytes follow")} the element.`;
        }
        const notes = [
            summary.showsInput && !summary.token && "The input as it was read. No container could be decoded from it.",
            summary.bytesAreJudged === true && "SHA-256 confirms that these are the bytes that were judged.",
            summary.bytesAreJudged === false && "These bytes differ from the bytes that were judged. Do not rely on this view.",
            !summary.token && "The tree is for looking. The verdict does not depend on it.",
            this.parts[0].note,
        ];
        this.tabs = element("div", {class: "chips parts", role: "group", "aria-label": "Part"}, this.parts.map((part, index) =>
            element("button", {type: "button", "aria-pressed": index === 0 ? "true" : "false", onclick: () => this.choosePart(index)}, part.name)));
        this.panes = element("div", {class: "panes"}, this.tree.list, element("div", {class: "hex-pane"}, this.hex.view));
        fill(place("bytes-body"),
            element("p", {class: "hint"}, notes.filter(Boolean).join(" ")),
            this.errorOffset !== null && element("p", {class: "error-place"},
                element("span", {class: "swatch error", "aria-hidden": "true"}), `The error is at byte ${this.errorOffset} `,
                element("button", {type: "button", class: "link", onclick: () => this.showError()}, "Go there")),
            element("ul", {class: "legend"},
                element("li", {}, element("span", {class: "swatch header", "aria-hidden": "true"}), "Tag and length"),
                element("li", {}, element("span", {class: "swatch contents", "aria-hidden": "true"}), "Contents")),
            this.parts.length > 1 && this.tabs,
            this.panes,
            element("p", {class: "place-line", id: "place-line"}),
            element("p", {id: "hex-help", class: "hint"}, "Arrow keys move in the tree and in the bytes. Click or choose one, and the other follows."),
            this.hex.spoken);
        this.choosePart(0);
    }

    choosePart(index) {
        const part = this.parts[index];
        [...this.tabs.children].forEach((tab, at) => tab.setAttribute("aria-pressed", at === index ? "true" : "false"));
        this.part = index;
        this.tree.list.hidden = !part.node;
        this.panes.classList.toggle("alone", !part.node);
        const error = index === 0 ? this.errorOffset : null;
        this.hex.set(part.bytes, error);
        if (part.node) {
            this.tree.set(part.node, error);
            this.describe(part.node);
        }
        if (error !== null) this.showError(false);
    }

    showError(moves = true) {
        if (!this.parts.length) return;
        if (this.part !== 0) this.choosePart(0);
        const offset = this.errorOffset;
        if (this.parts[0].node) {
            const node = this.tree.goTo(offset);
            this.hex.mark(node.start, node.contents, node.end, false);
            this.describe(node);
        }
        this.hex.caret = offset;
        this.hex.reveal(offset);
        this.hex.schedule();
        if (moves) {
            place("bytes").scrollIntoView();
            this.hex.view.focus({preventScroll: true});
        }
    }

    /** Shows an element of the receipt at an offset. */
    goTo(offset) {
        if (this.part !== 0) this.choosePart(0);
        if (!this.parts[0].node) return;
        let item = this.tree.root;
        const node = this.tree.goTo(offset);
        // The outermost element that starts there, such as a whole certificate.
        for (item = this.tree.current; item.parent?.node && item.parent.node.start === offset;) item = item.parent;
        this.tree.current = item;
        this.tree.render();
        this.fromTree(item.node ?? node);
        place("bytes").scrollIntoView();
        this.tree.list.querySelector("[tabindex='0']")?.focus({preventScroll: true});
    }

    fromTree(node, scrolls = true) {
        this.hex.mark(node.start, node.contents, node.end, scrolls);
        this.describe(node);
    }

    fromHex(offset) {
        if (!this.parts[this.part].node) {
            this.description = "";
            fill(place("place-line"), `Byte ${offset}`);
            return;
        }
        const node = this.tree.goTo(offset);
        this.hex.mark(node.start, node.contents, node.end, false);
        this.describe(node);
    }

    describe(node) {
        const size = node.end - node.start;
        this.description = `${node.name}${node.note ? `, ${node.note}` : ""}`;
        fill(place("place-line"), element("strong", {}, node.name), node.note && `, ${node.note}`,
            `: bytes ${node.start} to ${node.end - 1}, ${counted(size, "byte")}, ${node.contents - node.start} of them tag and length.`);
    }
}
