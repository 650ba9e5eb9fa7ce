// The table of purchases. The worker sorts, filters and hands over one page of rows.
import {Pager} from "./pager.js";
import {cell, columns, everyRow, productTypes} from "./rows.js";
import {counted, dateText, element, fill, place, shown} from "./dom.js";

export class PurchaseTable {
    constructor(ask) {
        this.ask = ask;
    }

    /** Shows the purchases of a new result. */
    show(summary) {
        this.query = {...everyRow};
        const body = place("purchase-table");
        const answer = summary.purchases;
        if (!answer.all) {
            fill(body, element("p", {class: "nothing"}, summary.receipt ? "The receipt has no purchase." : "No purchase was found."));
            return;
        }
        const types = summary.types.map(type => element("option", {value: type},
            type === "none" ? "No type" : productTypes[type] ?? `Type ${type}`));
        this.count = element("p", {class: "count", role: "status"});
        this.headers = columns.map(column => element("th", {scope: "col", "aria-sort": "none"},
            element("button", {type: "button", onclick: () => this.sort(column.key)}, column.title,
                element("span", {class: "arrow", "aria-hidden": "true"}))));
        this.body = element("tbody");
        this.pager = new Pager("Pages of the table", page => this.change({page}));
        let timer = 0;
        fill(body,
            element("div", {class: "tools"},
                element("div", {}, element("label", {for: "filter", class: "field-label"}, "Filter"),
                    element("input", {id: "filter", type: "search", autocomplete: "off", spellcheck: "false",
                        placeholder: "product, transaction, date…",
                        oninput: ({target}) => {
                            clearTimeout(timer);
                            timer = setTimeout(() => this.change({filter: target.value, page: 0}), 120);
                        }})),
                element("div", {}, element("label", {for: "type", class: "field-label"}, "Type"),
                    element("select", {id: "type", onchange: ({target}) => this.change({type: target.value, page: 0})},
                        element("option", {value: ""}, "All types"), types))),
            this.count,
            element("div", {class: "scroll", role: "region", "aria-label": "Table of purchases", tabindex: "0"},
                element("table", {}, element("caption", {class: "vanish"}, "Purchases"),
                    element("thead", {}, element("tr", {}, this.headers)), this.body)),
            this.pager.row);
        this.render(answer);
    }

    sort(key) {
        const isSame = this.query.sort === key;
        // Once upwards, once downwards, then the order of the receipt.
        if (isSame && this.query.isDescending) this.change({sort: "", isDescending: false, page: 0});
        else this.change({sort: key, isDescending: isSame, page: 0});
    }

    async change(changes) {
        // A new result, or a later change, brings another query.
        const query = this.query = {...this.query, ...changes};
        const answer = await this.ask({type: "rows", query});
        if (answer && query === this.query) this.render(answer);
    }

    render(answer) {
        this.query = {...this.query, page: answer.page};
        columns.forEach((column, index) => {
            const isSorted = this.query.sort === column.key;
            const order = !isSorted ? "none" : this.query.isDescending ? "descending" : "ascending";
            this.headers[index].setAttribute("aria-sort", order);
            this.headers[index].querySelector(".arrow").textContent = {none: "↕", ascending: "↑", descending: "↓"}[order];
        });
        fill(this.body, answer.rows.map(purchase => element("tr", {}, columns.map((column, index) => {
            const text = cell(purchase, column.key);
            const isDate = column.key.endsWith("_date");
            return element(index ? "td" : "th", {
                scope: index ? null : "row",
                class: /_id$/.test(column.key) && index ? "code" : column.key === "quantity" ? "number" : isDate ? "date" : null,
            }, text === "" ? element("span", {class: "none"}, "–") : isDate ? dateText(text).replace(" UTC", "") : shown(text));
        }))));
        if (!answer.rows.length) {
            fill(this.body, element("tr", {}, element("td", {colspan: columns.length, class: "nothing"}, "No purchase passes the filter.")));
        }
        const isAll = answer.count === answer.all;
        fill(this.count, isAll ? counted(answer.all, "purchase") : `${answer.count} of ${counted(answer.all, "purchase")}`);
        this.pager.show(answer.page, answer.pages);
    }
}
