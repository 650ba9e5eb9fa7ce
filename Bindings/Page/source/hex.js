// The bytes in hexadecimal. Only the rows in view exist, so that eight megabytes cost no more than eight rows.
import {element, fill} from "./dom.js";

const rowHeight = 20;
/** Browsers limit the height of an element. Beyond this height, scrolling moves in larger steps. */
const heightLimit = 8000000;
const digits = Array.from({length: 256}, (_, octet) => octet.toString(16).padStart(2, "0"));

export class HexView {
    /** `select` is called with an offset that a person chose. */
    constructor(select, describe) {
        this.select = select;
        this.describe = describe;
        this.rows = element("div", {class: "hex-rows"});
        this.spacer = element("div", {class: "hex-spacer"}, this.rows);
        this.spoken = element("p", {class: "vanish", role: "status"});
        this.view = element("div", {
            class: "hex", tabindex: "0", role: "application", "aria-label": "Bytes in hexadecimal",
            "aria-describedby": "hex-help", "aria-roledescription": "hex view",
            onscroll: () => this.schedule(), onkeydown: event => this.key(event), onclick: event => this.click(event),
        }, this.spacer);
        new ResizeObserver(() => this.fit()).observe(this.view);
        this.set(new Uint8Array(0), null);
    }

    set(bytes, errorOffset) {
        Object.assign(this, {bytes, errorOffset, caret: 0, selection: null});
        this.view.scrollTop = 0;
        this.fit();
    }

    /** Chooses the bytes in a row by the width, and the height of all rows. */
    fit() {
        this.perRow = this.view.clientWidth >= 530 ? 16 : 8;
        // The place after the last byte can be marked, too.
        this.rowCount = Math.ceil((this.bytes.length + 1) / this.perRow);
        this.height = Math.min(this.rowCount * rowHeight, heightLimit);
        this.spacer.style.height = `${this.height}px`;
        this.schedule();
    }

    get visible() { return Math.max(1, Math.ceil(this.view.clientHeight / rowHeight)); }

    get topRow() {
        const room = this.height - this.view.clientHeight;
        if (room <= 0) return 0;
        return Math.round(this.view.scrollTop / room * Math.max(0, this.rowCount - Math.floor(this.view.clientHeight / rowHeight)));
    }

    scrollToRow(row) {
        const rows = Math.max(1, this.rowCount - Math.floor(this.view.clientHeight / rowHeight));
        this.view.scrollTop = Math.max(0, Math.min(1, row / rows)) * (this.height - this.view.clientHeight);
    }

    /** Marks an element: its header, its contents. */
    mark(start, contents, end, scrolls = true) {
        this.selection = {start, contents, end};
        this.caret = start;
        if (scrolls) this.reveal(start);
        this.schedule();
    }

    reveal(offset) {
        const row = Math.floor(offset / this.perRow);
        if (row < this.topRow || row >= this.topRow + this.visible - 1) this.scrollToRow(Math.max(0, row - 3));
    }

    schedule() {
        if (this.isScheduled) return;
        this.isScheduled = true;
        requestAnimationFrame(() => {
            this.isScheduled = false;
            this.render();
        });
    }

    render() {
        const {bytes, perRow, selection} = this;
        const top = this.topRow;
        const width = Math.max(4, bytes.length.toString(16).length);
        const rows = [];
        for (let row = top; row < Math.min(this.rowCount, top + this.visible + 1); row++) {
            const cells = [];
            const letters = [];
            for (let offset = row * perRow; offset < Math.min((row + 1) * perRow, bytes.length + 1); offset++) {
                const isEnd = offset === bytes.length;
                if (isEnd && this.errorOffset !== offset) break;
                const names = [];
                if (selection && offset >= selection.start && offset < selection.end) {
                    names.push(offset < selection.contents ? "header" : "contents");
                }
                if (offset === this.errorOffset) names.push("error");
                if (offset === this.caret) names.push("caret");
                const title = offset === this.errorOffset ? "The error's place" : null;
                const octet = bytes[offset];
                cells.push(element("span", {class: names.join(" ") || null, "data-offset": offset, title}, isEnd ? "··" : digits[octet]));
                letters.push(element("span", {class: names.join(" ") || null, "data-offset": offset},
                    isEnd ? " " : octet > 0x20 && octet < 0x7f ? String.fromCharCode(octet) : octet === 0x20 ? "\u00a0" : "·"));
            }
            rows.push(element("div", {class: "hex-row"},
                element("span", {class: "offset"}, (row * perRow).toString(16).padStart(width, "0")),
                element("span", {class: `octets of-${perRow}`}, cells), element("span", {class: "letters"}, letters)));
        }
        fill(this.rows, rows);
    }

    click(event) {
        const offset = event.target.dataset?.offset;
        if (offset !== undefined) this.choose(Number(offset));
    }

    key(event) {
        const moves = {
            ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.perRow, ArrowDown: this.perRow,
            PageUp: -this.perRow * (this.visible - 1), PageDown: this.perRow * (this.visible - 1),
            Home: -this.bytes.length, End: this.bytes.length,
        };
        const move = moves[event.key];
        if (move === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        this.choose(Math.max(0, Math.min(this.bytes.length - 1, this.caret + move)));
    }

    choose(offset) {
        if (!this.bytes.length) return;
        const at = Math.min(offset, this.bytes.length - 1);
        this.select(at);
        this.caret = at;
        this.reveal(at);
        this.schedule();
        fill(this.spoken, `Byte ${at}: ${digits[this.bytes[at]]}. ${this.describe()}`);
    }
}
