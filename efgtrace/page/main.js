/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page: its parts in their order, light and dark, the part that is looked at. Parts far down
 * are drawn when the first ones have been seen.
 */
const root = document.documentElement;
const themeButton = document.getElementById("theme");

function setTheme(theme) {
    root.dataset.theme = theme;
    themeButton.setAttribute("aria-pressed", String(theme === "dark"));
    redraws.forEach((draw) => draw());
}

function followTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    setTheme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
    themeButton.addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
    let before = null; /* paper is white */
    addEventListener("beforeprint", () => { before = root.dataset.theme; setTheme("light"); });
    addEventListener("afterprint", () => setTheme(before));
}

function exportDocument() {
    const link = make("a", { href: URL.createObjectURL(new Blob([document.getElementById("document").textContent], { type: "application/json" })), download: run.format + ".json" });
    link.click();
    URL.revokeObjectURL(link.href);
}

/* What a link leads to is only there once all is drawn, and may be folded. */
function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const folded = target.querySelector(":scope > h2 + details");
    if (folded) folded.open = true;
    for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
    target.scrollIntoView({ behavior: "instant" });
}

function markPart() {
    const links = [...document.querySelectorAll("#contents ol a")];
    const watch = new IntersectionObserver(() => {
        const parts = links.map((link) => document.getElementById(link.hash.slice(1)));
        const at = parts.reduce((last, part, i) => part.getBoundingClientRect().top < innerHeight / 3 ? i : last, 0);
        links.forEach((link, i) => {
            link.classList.toggle("here", i === at);
            if (i === at) link.setAttribute("aria-current", "true");
            else link.removeAttribute("aria-current");
        });
    }, { threshold: [0, .25, .5, .75, 1] });
    links.forEach((link) => watch.observe(document.getElementById(link.hash.slice(1))));
}

function drawFooter() {
    const lacks = [!hasD3 && "D3", !hasDagre && "dagre"].filter(Boolean);
    document.getElementById("report").append(make("footer", null,
        make("p", null, `efgtrace ${kind.version}; a page of its own, which asks no network for anything. `,
            lacks.length ? `It was built without ${lacks.join(" and ")}: pictures that need them are tables.` : "Drawn with D3 and dagre, whose licences are in its source."),
        make("p", null, make("code", null, kind.command), " says the same as text, ", make("code", null, kind.json), " for programs.")));
}

const kinds = {
    "efgtrace-compare": () => ({ command: "efgtrace compare A B", json: "-f json", version: run.efgtrace, parts: [drawRuns, drawMatchedLoops, drawDifferences] }),
    "efgtrace-history": () => ({ command: "efgtrace history", json: "-f json", version: run.efgtrace, parts: [drawHistory, drawEachSeries] }),
};
const reports = () => ({
    command: "efgtrace report DIR", json: "--json", version: run.overview.version,
    parts: [drawOverview, drawLoops, drawIterations, drawHeat, drawSlow, drawTimeline, drawWaiting, drawCalls, drawFlame, drawFlow, drawMessages, drawCounters, drawPlugins, drawRanks, drawRankTable, drawRepresentative, drawGrowth],
});
const kind = (kinds[run.format] || reports)(), parts = [...kind.parts, drawFooter];

followTheme();
document.getElementById("export").addEventListener("click", exportDocument);
parts.slice(0, 2).forEach((draw) => draw());
performance.mark("first picture");
requestAnimationFrame(() => setTimeout(() => {
    parts.slice(2).forEach((draw) => draw());
    markPart();
    openTarget();
    addEventListener("hashchange", openTarget);
    root.dataset.drawn = "all";
    performance.mark("all drawn");
}));
