// CSV as `app-receipt corpus verify --csv` writes it: RFC 4180, a line feed after each line, every cell as text.
//
// A cell that would begin with a character that spreadsheets take for a formula gets an apostrophe in front.
// Backslashes, line ends, tabs, characters that steer text and semicolons are written as escapes: some
// spreadsheets take a semicolon for the end of the cell, and what follows it for a formula.

const formula = /^[=+\-@'\uFF1D\uFF0B\uFF0D\uFF20]/;
const active = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g;

/** Replaces every character that a program may act on by its escape. */
export function withoutActive(text) {
    return text.replace(active, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function csvCell(value) {
    let text = value === null || value === undefined ? "" : `${value}`;
    const mark = formula.test(text) ? "'" : "";
    text = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
    text = mark + withoutActive(text).replaceAll(";", "\\u003b");
    return /[", ]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvLine(values) {
    return `${values.map(csvCell).join(",")}\n`;
}
