// Small helpers for the page. Text is inserted as text nodes only; nothing here reads markup.
import {withoutActive} from "./csv.js";

/** Finds an element of the page by its id. */
export function place(id) {
    return document.getElementById(id);
}

/** Makes an element. Properties that begin with "on" are listeners; a style is set property by property. */
export function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
        else if (key === "style") for (const [name, text] of Object.entries(value)) made.style.setProperty(name, text);
        else made.setAttribute(key, value === true ? "" : value);
    }
    append(made, children);
    return made;
}

function append(parent, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        parent.append(child instanceof Node ? child : document.createTextNode(`${child}`));
    }
}

/** Replaces everything in an element. */
export function fill(parent, ...children) {
    parent.replaceChildren();
    append(parent, children);
}

/** Text from a receipt, with the characters that steer text written as escapes. */
export function shown(text) {
    return withoutActive(`${text}`);
}

const number = new Intl.NumberFormat("en");

export function counted(count, one, many = `${one}s`) {
    return `${number.format(count)} ${count === 1 ? one : many}`;
}

export function grouped(count) {
    return number.format(count);
}

/** A date of a receipt, in UTC. */
export function dateText(text) {
    const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/.exec(text);
    return match ? `${match[1]} ${match[2]} UTC` : text;
}

/** A title from a published name: certificate-path becomes Certificate path. */
export function title(name) {
    const words = name.replaceAll("-", " ");
    return words[0].toUpperCase() + words.slice(1);
}
