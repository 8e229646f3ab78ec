// report.html: builds the page from the JSON texts inside it.
import { callsSection, copiesSection, processorSection, restSection, warnings } from "./tables.js";
import { componentsSection } from "./components.js";
import { colour, onThemeChange } from "./colours.js";
import { stats } from "./data.js";
import { element } from "./dom.js";
import { kernelsSection } from "./kernels.js";
import { overview } from "./overview.js";
import { timelineSection } from "./timeline.js";
import { count, time } from "./units.js";

// Places of HTML that have the colour of a thing; with text on them in the ink that is legible.
function paint() {
  for (const place of document.querySelectorAll("[data-colour]")) {
    const fill = colour(place.dataset.colour);
    place.style.background = fill;
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(fill.slice(at, at + 2), 16));
    place.classList.toggle("light", 0.299 * r + 0.587 * g + 0.114 * b < 120);
  }
}

function facts() {
  const kernels = (stats.kernels ?? []).length + (stats.kernel_groups ?? []).reduce((sum, g) => sum + g.launches, 0);
  const copies = (stats.copies ?? []).length + (stats.copy_groups ?? []).reduce((sum, g) => sum + g.copies, 0);
  const calls = (stats.api ?? []).reduce((sum, call) => sum + call.calls, 0);
  const all = [
    `machine ${stats.machine}`, stats.host === "simulated" ? "on simulated cores" : "host code native",
    `${time(stats.account?.time_ps ?? stats.simulated_ps ?? 0)} simulated`,
    `${count(kernels)} kernel${kernels === 1 ? "" : "s"}, ${count(copies)} cop${copies === 1 ? "y" : "ies"}, ${count(calls)} CUDA call${calls === 1 ? "" : "s"}`,
    `simulation took ${stats.wall_seconds.toFixed(2)} s`,
  ];
  return element("p", { class: "facts" }, all.join(" · "));
}

function page() {
  const main = document.getElementById("report");
  if (!stats) {
    main.replaceChildren(element("p", { class: "warn" }, "This page holds no results: duet run writes report.html into the folder of a run."));
    return;
  }
  document.title = `${stats.command} on ${stats.machine} – Duet`;
  const sections = [overview(), timelineSection(), kernelsSection(), copiesSection(), callsSection(), processorSection(), componentsSection(), restSection()].filter(Boolean);
  main.replaceChildren(
    element("h1", {}, `${stats.command} on ${stats.machine}`), facts(), ...warnings(),
    element("nav", {}, ...sections.map((one) => element("a", { href: `#${one.id}` }, one.querySelector("h2").textContent))), ...sections);
  paint();
  onThemeChange(paint);
}

page();
