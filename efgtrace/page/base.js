/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all parts of the page share: the document, elements, numbers for people, colours, the tip.
 *
 * Text of the traced program goes into the page by textContent only, here in make().
 */
const run = JSON.parse(document.getElementById("document").textContent);
const hasD3 = typeof d3 !== "undefined";
const hasDagre = typeof dagre !== "undefined";
const SVG = "http://www.w3.org/2000/svg";

/* An element "tag.class.class" with attributes and children: elements or text. Attributes that are
 * functions are handlers of events. */
function make(what, attributes, ...children) {
    const [tag, ...classes] = what.split(".");
    const element = document.createElement(tag);
    if (classes.length) element.className = classes.join(" ");
    for (const [name, value] of Object.entries(attributes || {})) {
        if (typeof value === "function") element.addEventListener(name, value);
        else if (value !== undefined && value !== null && value !== false)
            element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
}

/* What is inside something else, DEPTH levels deep: further to the right, with all of its lines. */
function nested(depth, ...children) {
    const element = make("span.nested", null, ...children);
    element.style.paddingLeft = Math.min(depth, 8) * .9 + "em";
    return element;
}

/* --- numbers, as the text of the report has them --- */

/* With so many DIGITS behind the point, as C prints it: of two that are equally near, the even one. */
function fixed(value, digits) {
    const text = value.toFixed(digits), isBetween = value.toFixed(digits + 25).endsWith("5" + "0".repeat(24));
    return isBetween && /[13579]$/.test(text) ? (value * (1 - 2 ** -50)).toFixed(digits) : text;
}

/* With as many DIGITS from the first that is not 0, and no 0 at the end of a fraction. */
function precise(value, digits) {
    const size = Math.abs(value);
    if (size < 1e-12) return "0";
    const text = fixed(value, Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
    return size >= 1e-4 && text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function threeDigits(value, unit) {
    return fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + " " + unit;
}

function ns(time) {
    time = Math.trunc(time);
    if (time < 1000) return time + " ns";
    if (time < 999.5e3) return threeDigits(time / 1e3, "us");
    if (time < 999.5e6) return threeDigits(time / 1e6, "ms");
    if (time < 600e9) return threeDigits(time / 1e9, "s");
    if (time < 7200e9) return threeDigits(time / 60e9, "min");
    return threeDigits(time / 3600e9, "h");
}

function scaled(value, units) {
    let unit = 0;
    for (; value >= 999.5 && unit < 4; unit++) value /= 1000;
    return unit ? threeDigits(value, units[unit]) : fixed(value, 0) + (units[0] ? " " + units[0] : "");
}

const bytes = (size) => scaled(size, ["B", "kB", "MB", "GB", "TB"]);
const count = (n) => n < 99999.5 ? fixed(n, 0) : scaled(n, ["", "thousand", "million", "billion", "trillion"]);
const percent = (share) => fixed(100 * share, 1) + "%";
const smallPercent = (share) => share > 0 && share < .95e-5 ? "under 0.001%" : share >= .995 && share < 1 ? "over 99%" : precise(100 * share, 2) + "%";
const of = (part, whole) => whole > 0 ? part / whole : 0;
const short = (n) => n < 99999.5 ? fixed(n, 0) : scaled(n, ["", "k", "M", "G", "T"]);
/* "12 to 21", "12" where both are the same */
const fromTo = (least, most) => least === most ? String(least) : `${least} to ${most}`;
const iterationsFrom = (first, last) => (first === last ? "iteration " : "iterations ") + fromTo(first, last);
const plural = (n, what) => count(n) + " " + what + (n === 1 ? "" : "s");
const units = { ns, bytes, count };
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);

function sourceOf(context) {
    if (context.is_call && context.line) return baseName(context.file) + ":" + context.line;
    if (context.file) return baseName(context.file);
    return baseName(context.module);
}

/* A list such as "0-3,8-14:2,..." as people read it. */
const ranksText = (list) => list === "" ? "none" : list.replace(/,/g, ", ").replace(/, \.\.\.$/, " and others");

/* As much of it as has room in MOST characters. */
function someRanks(list, most) {
    const text = ranksText(list);
    return text.length <= most ? text : text.slice(0, text.lastIndexOf(",", most)) + ", \u2026";
}

/* --- colours --- */

/* After Paul Tol's "bright" and "light", which people with any vision of colours can tell apart, but dark
 * enough for a contrast of 3 with what is behind; the functions with the most time get one each, in
 * all parts the same. */
const palette = ["#4477aa", "#e05a6d", "#9c8c14", "#228833", "#2898be", "#aa3377", "#d96f45", "#2a9a7a", "#77556a"];
const darkPalette = ["#6c9fd6", "#f07f8d", "#d6c85a", "#4fae5d", "#7fd4f0", "#cf5f9f", "#f0a080", "#5fcfae", "#b394a6"];
const colourOf = new Map((run.calls || []).slice(0, palette.length).map((call, i) => [call.call, i]));

const isDark = () => document.documentElement.dataset.theme === "dark";
const functionColour = (name) => colourOf.has(name) ? (isDark() ? darkPalette : palette)[colourOf.get(name)] : isDark() ? "#7d858e" : "#8d949c";
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function parse(colour) {
    const n = parseInt(colour.slice(1), 16);
    return [n >> 16, (n >> 8) & 255, n & 255];
}

/* A colour between two, of the form #rrggbb. */
function between(from, to, share) {
    const [a, b] = [parse(from), parse(to)], t = Math.max(0, Math.min(1, share));
    return "#" + a.map((x, i) => Math.round(x + (b[i] - x) * t).toString(16).padStart(2, "0")).join("");
}

/* How light a colour is, from 0 to 1, as WCAG 2 has it; black or white, whichever is read better on it. */
function lightOf(colour) {
    const [red, green, blue] = parse(colour).map((n) => n / 255 <= .03928 ? n / 255 / 12.92 : ((n / 255 + .055) / 1.055) ** 2.4);
    return .2126 * red + .7152 * green + .0722 * blue;
}
const inkOn = (colour) => (1.05 / (lightOf(colour) + .05) > (lightOf(colour) + .05) / .05 ? "#ffffff" : "#000000");

/* The more, the darker (in the dark: the brighter): time is orange, bytes are blue. What is not nothing has some colour. */
const LEAST_SHADE = .06;
const heat = (share) => isDark() ? between("#242a30", "#9e5012", Math.sqrt(share)) : between("#ffffff", "#f2994a", Math.sqrt(share));
const volume = (share) => isDark() ? between("#242a30", "#2f6da3", Math.sqrt(share)) : between("#ffffff", "#6aa9de", Math.sqrt(share));

/* What the colours OF(share) stand for, from the least to the most: as they are now, light or dark. */
function colourScale(of, least, most, more = null) {
    const scale = make("span.scale", { "aria-hidden": "true" });
    scale.style.background = `linear-gradient(90deg,${[0, .25, .5, .75, 1].map((share) => of(LEAST_SHADE + (1 - LEAST_SHADE) * share)).join(",")})`;
    return make("span", null, least, " ", scale, " ", most, more ? ` (${more})` : null);
}

/* What is drawn with colours is drawn again when they change. */
const redraws = [];
function onTheme(draw) {
    redraws.push(draw);
    draw();
}

/* --- parts of the page --- */

function section(id, title, lead, ...children) {
    const element = make("section", { id, "aria-labelledby": id + "-title" },
        make("h2", { id: id + "-title" }, title), lead ? make("p.lead", null, lead) : null, children);
    document.getElementById("report").append(element);
    const link = make("a", { href: "#" + id }, title);
    document.querySelector("#contents ol").append(make("li", null, link));
    return element;
}

/* A part whose data is not there says why. */
function lacking(id, title, part) {
    const why = (run.missing || {})[part] || "This run file does not have it.";
    section(id, title, null, make("p.notice", null, why));
    document.querySelector("#contents li:last-child a").classList.add("lacking");
}

/* A name where it may be broken: between its parts, but not EFGTRACE_SELECT; a long word between a small letter and a capital one. */
const LONG_WORD = 20;
function breakable(name) {
    const parts = name.split(/(?<=::|[<,(.\/]|[^A-Z]_)(?=[^:<,(_.\/])|(?=[+@]0x)/)
        .flatMap((part) => part.split(/(?<= )/).flatMap((word) => word.length > LONG_WORD ? word.split(/(?<=[a-z])(?=[A-Z])/) : [word]));
    return parts.flatMap((part, i) => i && !parts[i - 1].endsWith(" ") ? [document.createElement("wbr"), part] : [part]);
}

/* A text whose names may be broken; a number and its unit may not. */
const AMOUNT = /(\d[\d.]* (?:[num]?s|min|h|[kMGT]?B|thousand|[mb]illion|trillion)(?!\w))/;
const withNames = (text) => text.split(AMOUNT).flatMap((part, i) => i % 2 ? [make("span.whole", null, part)]
    : part.split(/(?<= )/).flatMap((word) => word.length > LONG_WORD ? breakable(word) : [word]));

/* What the page has no room for, if any. */
function leftOut(part, what) {
    const n = (run.left_out || {})[part], all = run.runs ? "efgtrace compare -f json A B" : "efgtrace report DIR --json";
    return n ? make("p.note", null, `${n} ${what} are left out of this page, which stays small; `, make("code", null, all), " has them.") : null;
}

function notDrawn(what, library) {
    return make("p.notice", null, "This page was built without " + library + ": " + what);
}

/* --- the tip --- */

const tip = document.getElementById("tip");

function showTip(at, title, facts, extra) {
    const list = make("dl", null, facts.map(([name, value]) => [make("dt", null, name), make("dd", null, value)]));
    tip.replaceChildren(make("div.title", null, title), list, ...(extra ? [extra] : []));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const x = at.clientX ?? at.x, y = at.clientY ?? at.y;
    tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
    tip.style.top = Math.max(4, y + 16 + box.height > innerHeight ? y - box.height - 10 : y + 16) + "px";
}

function hideTip() {
    tip.hidden = true;
}

/* TELL(event) shows it, by mouse and by keyboard. */
function withTip(element, tell) {
    element.addEventListener("mousemove", tell);
    element.addEventListener("mouseleave", hideTip);
    element.addEventListener("focus", () => {
        const box = element.getBoundingClientRect();
        if (element.matches(":focus-visible")) tell({ clientX: box.right, clientY: box.bottom });
    });
    element.addEventListener("blur", hideTip);
}

/* What a key does on an element that looks like a button. */
function onEnter(element, act) {
    element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        act(event);
    });
}
