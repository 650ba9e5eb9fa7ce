// The buttons to the previous and the next page. They stay in place, and are never disabled, so that they keep the
// keyboard's focus.
import {element, fill} from "./dom.js";

export class Pager {
    /** `turn` is called with the number of a page, from 0. */
    constructor(name, turn) {
        this.turn = turn;
        this.previous = element("button", {type: "button", onclick: () => this.move(-1)}, "Previous");
        this.next = element("button", {type: "button", onclick: () => this.move(1)}, "Next");
        this.status = element("span", {role: "status"});
        this.row = element("div", {class: "row pager", role: "group", "aria-label": name}, this.previous, this.status, this.next);
    }

    show(page, pages) {
        Object.assign(this, {page, pages});
        this.row.hidden = pages <= 1;
        this.previous.setAttribute("aria-disabled", page === 0 ? "true" : "false");
        this.next.setAttribute("aria-disabled", page + 1 >= pages ? "true" : "false");
        fill(this.status, `Page ${page + 1} of ${pages}`);
    }

    move(step) {
        const page = this.page + step;
        if (page >= 0 && page < this.pages) this.turn(page);
    }
}
