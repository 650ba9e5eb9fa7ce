// The tree of elements. An element's children are made when it is opened, one page at a time.
import {pageSize} from "./asn1.js";
import {element, fill, shown} from "./dom.js";

export class Tree {
    /** `select` is called with the node that a person chose. */
    constructor(select) {
        this.select = select;
        this.list = element("div", {
            class: "tree", role: "tree", "aria-label": "Elements",
            onkeydown: event => this.key(event), onclick: event => this.click(event),
        });
        this.items = [];
    }

    set(node, errorOffset) {
        this.errorOffset = errorOffset;
        this.root = this.item(node, 1, 1, 1, null);
        this.current = this.root;
        // The way into the container: SEQUENCE, [0], SEQUENCE.
        for (let item = this.root, depth = 0; item?.node?.hasChildren && depth < 3; depth++) {
            this.open(item);
            item = item.children.find(({node}) => node?.isConstructed);
        }
        this.render();
    }

    item(node, level, position, count, parent) {
        return {node, level, position, count, parent, isOpen: false, children: [], page: 0};
    }

    open(item, page = item.page) {
        if (!item.node?.hasChildren) return;
        const {nodes, hasMore} = item.node.page(page);
        item.page = page;
        item.isOpen = true;
        const first = page * pageSize;
        const count = hasMore ? -1 : first + nodes.length;
        item.children = nodes.map((node, index) => this.item(node, item.level + 1, first + index + 1, count, item));
        if (page > 0) item.children.unshift(this.turn(item, page - 1, `Elements ${first - pageSize + 1} to ${first}`));
        if (hasMore) item.children.push(this.turn(item, page + 1, `Elements from ${first + nodes.length + 1} on`));
    }

    turn(parent, page, text) {
        return {turnTo: page, text, level: parent.level + 1, position: 0, count: -1, parent, children: [], isOpen: false};
    }

    /** The items in view order. */
    flat() {
        const found = [];
        const pending = [this.root];
        while (pending.length) {
            const item = pending.pop();
            found.push(item);
            if (item.isOpen) for (let index = item.children.length - 1; index >= 0; index--) pending.push(item.children[index]);
        }
        return found;
    }

    render(focuses = false) {
        this.items = this.flat();
        fill(this.list, this.items.map((item, index) => this.row(item, index)));
        const row = this.list.children[this.items.indexOf(this.current)];
        if (focuses) row?.focus({preventScroll: true});
        this.reveal(row);
    }

    reveal(row) {
        if (!row) return;
        const box = this.list.getBoundingClientRect();
        const place = row.getBoundingClientRect();
        if (place.top < box.top) this.list.scrollTop -= box.top - place.top + 24;
        else if (place.bottom > box.bottom) this.list.scrollTop += place.bottom - box.bottom + box.height / 3;
    }

    row(item, index) {
        const {node} = item;
        const isCurrent = item === this.current;
        const properties = {
            role: "treeitem", "aria-level": item.level, "data-index": index, tabindex: isCurrent ? "0" : "-1",
            "aria-selected": isCurrent ? "true" : "false", style: {"--level": Math.min(item.level - 1, 24)},
        };
        if (!node) return element("div", {...properties, class: "turn"}, element("span", {class: "twist", "aria-hidden": "true"}, "⋯"), item.text);
        if (node.hasChildren) properties["aria-expanded"] = item.isOpen ? "true" : "false";
        if (item.position) {
            properties["aria-posinset"] = item.position;
            properties["aria-setsize"] = item.count;
        }
        const isError = this.errorOffset !== null && this.isErrorNode(item);
        return element("div", properties,
            element("span", {class: "twist", "aria-hidden": "true"}, node.hasChildren ? (item.isOpen ? "▾" : "▸") : ""),
            element("span", {class: "tag-name"}, node.name),
            node.value && element("span", {class: "tree-value"}, ` ${shown(node.value)}`),
            node.note && element("span", {class: "tree-note"}, ` ${node.note}`),
            node.fault && element("span", {class: "tree-fault"}, ` ${node.fault}`),
            isError && element("span", {class: "tree-fault"}, " error here"),
            element("span", {class: "tree-place"}, ` ${node.start}, ${node.end - node.start} bytes`));
    }

    /** Whether the error lies in this element and in none of its children in view. */
    isErrorNode(item) {
        const holds = ({node}) => node && node.start <= this.errorOffset && this.errorOffset < node.end;
        if (item === this.root && this.errorOffset >= item.node.end) return true;
        return holds(item) && !(item.isOpen && item.children.some(holds));
    }

    /** Opens the way to the deepest element at an offset, and makes the element the current one. */
    goTo(offset) {
        let item = this.root;
        while (item.node.hasChildren) {
            const inner = item.node.inner;
            if (inner && (offset < inner[0] || offset >= inner[1])) break;
            const page = item.node.pageWith(offset);
            if (!item.isOpen || item.page !== page) this.open(item, page);
            const next = item.children.find(({node}) => node && node.start <= offset && offset < node.end);
            if (!next) break;
            item = next;
        }
        this.current = item;
        this.render();
        return item.node;
    }

    choose(item, focuses = true) {
        if (!item) return;
        if (item.turnTo !== undefined) {
            const {parent} = item;
            const isForward = item.turnTo > parent.page;
            this.open(parent, item.turnTo);
            const nodes = parent.children.filter(child => child.node);
            item = (isForward ? nodes[0] : nodes.at(-1)) ?? parent;
        }
        this.current = item;
        this.render(focuses);
        if (item.node) this.select(item.node);
    }

    click(event) {
        const row = event.target.closest("[role=treeitem]");
        const item = row && this.items[Number(row.dataset.index)];
        if (!item) return;
        // A click opens an element. A click on the mark before its name opens or closes it.
        if (item.node?.hasChildren && (event.target.closest(".twist") || !item.isOpen)) this.toggle(item);
        this.choose(item);
    }

    toggle(item) {
        if (item.isOpen) item.isOpen = false;
        else this.open(item);
    }

    key(event) {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const index = this.items.indexOf(this.current);
        const item = this.current;
        const actions = {
            ArrowDown: () => this.choose(this.items[Math.min(index + 1, this.items.length - 1)]),
            ArrowUp: () => this.choose(this.items[Math.max(index - 1, 0)]),
            Home: () => this.choose(this.items[0]),
            End: () => this.choose(this.items.at(-1)),
            ArrowRight: () => {
                if (item.node?.hasChildren && !item.isOpen) this.open(item);
                else if (item.isOpen) return this.choose(item.children[0]);
                this.choose(item);
            },
            ArrowLeft: () => {
                if (item.isOpen) {
                    item.isOpen = false;
                    this.choose(item);
                } else {
                    this.choose(item.parent);
                }
            },
            Enter: () => {
                if (item.node?.hasChildren) this.toggle(item);
                this.choose(item);
            },
        };
        const action = actions[event.key === " " ? "Enter" : event.key];
        if (!action) return;
        event.preventDefault();
        action();
    }
}
