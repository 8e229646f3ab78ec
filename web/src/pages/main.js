// The pages besides report.html: what the JSON text inside calls its kind is drawn.
import { element } from "../dom.js";
import { comparePage } from "./compare.js";
import { reproducePage } from "./reproduce.js";
import { page } from "./score.js";
import { sweepPage } from "./sweep.js";

const KINDS = { reproduce: reproducePage, sweep: sweepPage, compare: comparePage };

function draw() {
  const main = document.getElementById("report");
  const make = KINDS[page?.kind];
  if (!make) {
    main.replaceChildren(element("p", { class: "warn" }, "This page holds no results: duet compare, reproduce and sweep write such pages."));
    return;
  }
  const { title, facts, warnings, notes, sections } = make();
  const shown = sections.filter(Boolean);
  document.title = `${title} – Duet`;
  main.replaceChildren(
    element("h1", {}, title), element("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    ...warnings.map((text) => element("p", { class: "warn" }, text)), ...(notes ?? []).filter(Boolean).map((text) => element("p", { class: "note" }, text)),
    element("nav", {}, ...shown.map((one) => element("a", { href: `#${one.id}` }, one.querySelector("h2").textContent))), ...shown,
    element("details", {}, element("summary", {}, "Charts by Apache ECharts: licences"), element("pre", {}, document.getElementById("licenses").textContent)));
}

draw();
