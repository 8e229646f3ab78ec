// report.html: builds the page from the JSON texts inside it.
import { adviceSection } from "./advice.js";
import { callsSection, copiesSection, methodsSection, processorSection, restSection, warnings } from "./tables.js";
import { componentsSection } from "./components.js";
import { coresSection } from "./cores.js";
import { colour, inkOn, onThemeChange } from "./colours.js";
import { stats } from "./data.js";
import { element } from "./dom.js";
import { flopsSection } from "./flops.js";
import { kernelsSection } from "./kernels.js";
import { overview } from "./overview.js";
import { overTimeSection } from "./over_time.js";
import { rooflineSection } from "./roofline.js";
import { sourceSection } from "./source.js";
import { timelineSection } from "./timeline.js";
import { count, time } from "./units.js";

// Places of HTML that have the colour of a thing.
function paint() {
  for (const place of document.querySelectorAll("[data-colour]")) {
    const fill = colour(place.dataset.colour);
    if (place.classList.contains("ring")) {
      place.style.borderColor = fill;
      continue;
    }
    place.style.background = fill;
    place.style.color = inkOn(fill);
  }
}

function facts() {
  const kernels = (stats.kernels ?? []).length + (stats.kernel_groups ?? []).reduce((sum, g) => sum + g.launches, 0);
  const copies = (stats.copies ?? []).length + (stats.copy_groups ?? []).reduce((sum, g) => sum + g.copies, 0);
  const calls = (stats.api ?? []).reduce((sum, call) => sum + call.calls, 0);
  const all = [
    `machine ${stats.machine}`, stats.host === "simulated" ? "on simulated cores" : "host code native",
    `${time(stats.account?.time_ps ?? stats.simulated_ps ?? 0)} simulated`,
    stats.account ? `${count(kernels)} kernel${kernels === 1 ? "" : "s"}, ${count(copies)} cop${copies === 1 ? "y" : "ies"}, ${count(calls)} CUDA call${calls === 1 ? "" : "s"}`
      : "no GPU in this run: no timeline",
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
  const withGpu = [adviceSection, timelineSection, overTimeSection, flopsSection, rooflineSection, kernelsSection, sourceSection, coresSection, copiesSection, methodsSection, callsSection];
  const sections = [overview, ...(stats.account ? withGpu : []), processorSection, componentsSection, restSection].map((make) => make()).filter(Boolean);
  main.replaceChildren(
    element("h1", {}, `${stats.command} on ${stats.machine}`), facts(), ...warnings(),
    element("nav", {}, ...sections.map((one) => element("a", { href: `#${one.id}` }, one.querySelector("h2").textContent))), ...sections);
  paint();
  onThemeChange(paint);
}

page();
