// Subscriptions over time: one line for each subscription, one bar for each period. The bars are drawn for the eye;
// the list of periods below each line says the same in words.
import {counted, element, fill, place, shown} from "./dom.js";
import {Pager} from "./pager.js";
import {subscriptionsPerPage} from "./rows.js";

const day = 86400000;

function dayText(time) {
    return new Date(time).toISOString().slice(0, 10);
}

/** Round dates within the span, at most eight. */
function ticks(from, to) {
    const months = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600];
    const length = (to - from) / day / 30.4;
    const step = months.find(count => length / count <= 7) ?? 1200;
    const start = new Date(from);
    const found = [];
    let month = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step;
    for (; found.length < 12; month += step) {
        const time = Date.UTC(Math.floor(month / 12), month % 12, 1);
        if (time > to) break;
        if (time >= from) found.push({time, text: step >= 12 ? `${Math.floor(month / 12)}` : new Date(time).toISOString().slice(0, 7)});
    }
    return found;
}

function periodText(period) {
    const kind = {trial: "trial", offer: "offer", paid: "full price"}[period.kind];
    return [
        `${dayText(period.from)} to ${dayText(period.to)}, ${kind}`,
        period.isShared && ", family shared",
        period.cancelled !== null && `, cancelled ${dayText(period.cancelled)}`,
    ];
}

export class TimeLine {
    constructor(ask) {
        this.ask = ask;
    }

    show(summary) {
        this.created = Date.parse(summary.receipt?.receipt_creation_date ?? "");
        this.generation = summary.generation;
        const body = place("timeline-body");
        if (!summary.timeline.count) {
            fill(body, element("p", {class: "nothing"}, "No purchase has an expiration date."));
            return;
        }
        this.chart = element("div");
        this.pager = new Pager("Pages of the time line", page => this.turn(page));
        fill(body, this.chart, this.pager.row);
        this.render(summary.timeline);
    }

    render({count, page, span, groups}) {
        let [from, to] = span;
        if (!Number.isNaN(this.created)) [from, to] = [Math.min(from, this.created), Math.max(to, this.created)];
        const margin = Math.max(day, (to - from) * 0.02);
        [from, to] = [from - margin, to + margin];
        const left = time => `${((time - from) / (to - from) * 100).toFixed(3)}%`;
        const width = (start, end) => `${(Math.max(end - start, 0) / (to - from) * 100).toFixed(3)}%`;
        const lines = () => [
            ticks(from, to).map(tick => element("span", {class: "rule", style: {left: left(tick.time)}})),
            !Number.isNaN(this.created) && element("span", {class: "rule created", style: {left: left(this.created)}}),
        ];
        const bars = period => {
            const end = period.cancelled === null ? period.to : Math.min(Math.max(period.cancelled, period.from), period.to);
            const names = `bar ${period.kind}${period.isShared ? " shared" : ""}`;
            const title = periodText(period).filter(Boolean).join("");
            return [
                element("span", {class: names, title, style: {left: left(period.from), width: width(period.from, end)}}),
                end < period.to && element("span", {class: "bar cancelled", title, style: {left: left(end), width: width(end, period.to)}}),
            ];
        };
        fill(this.chart,
            element("ul", {class: "legend"},
                ["trial", "offer", "paid", "cancelled"].map(kind => element("li", {},
                    element("span", {class: `key bar ${kind}`, "aria-hidden": "true"}),
                    {trial: "Trial", offer: "Offer", paid: "Full price", cancelled: "Cancelled"}[kind])),
                !Number.isNaN(this.created) && element("li", {}, element("span", {class: "key rule created", "aria-hidden": "true"}),
                    `Receipt created ${dayText(this.created)}`)),
            element("div", {class: "axis", "aria-hidden": "true"}, ticks(from, to).map(tick => {
                const share = (tick.time - from) / (to - from);
                return element("span", {class: share > 0.9 ? "late" : null, style: {left: left(tick.time)}}, tick.text);
            })),
            element("ol", {class: "lines"}, groups.map(group => element("li", {},
                element("p", {class: "line-name"}, shown(group.products.join(", ")),
                    element("span", {class: "line-end"}, this.endText(group))),
                element("div", {class: "track", "aria-hidden": "true"}, lines(), group.periods.map(bars)),
                element("details", {class: "more"},
                    element("summary", {}, counted(group.count, "period"),
                        element("span", {class: "vanish"}, ` of ${shown(group.products.join(", "))}`)),
                    element("ul", {}, group.periods.map(period => element("li", {}, periodText(period))))),
                group.count > group.periods.length && element("p", {class: "hint"},
                    `Only the latest ${group.periods.length} of ${counted(group.count, "period")} are shown. The JSON has all of them.`)))));
        this.pager.show(page, Math.ceil(count / subscriptionsPerPage));
    }

    /** How the subscription ends. */
    endText({end, to}) {
        if (end < to) return `cancelled ${dayText(end)}`;
        if (Number.isNaN(this.created)) return `until ${dayText(end)}`;
        return end > this.created ? `runs until ${dayText(end)}` : `ended ${dayText(end)}`;
    }

    async turn(page) {
        const {generation} = this;
        const answer = await this.ask({type: "timeline", page});
        if (answer && generation === this.generation) this.render(answer);
    }
}
