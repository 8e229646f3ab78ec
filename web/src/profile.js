// Functions of a program on simulated cores, from samples: where their time goes, and who called whom.
import { causeColour } from "./colours.js";
import { stats } from "./data.js";
import { details, element, table } from "./dom.js";
import { causeName, slotsChart } from "./slots.js";
import { count, share, time } from "./units.js";

const SHOWN = 12;  // functions in the picture
const NARROW = 0.004;  // calls with fewer of all samples are left out of the picture

// {name, samples, calls: Map}: one node a function in its place under its callers.
function callTree(stacks) {
  const root = { name: "all samples", samples: 0, calls: new Map() };
  for (const { functions, samples } of stacks) {
    root.samples += samples;
    let at = root;
    for (const name of functions.split(";")) {
      if (!at.calls.has(name)) at.calls.set(name, { name, samples: 0, calls: new Map() });
      at = at.calls.get(name);
      at.samples += samples;
    }
  }
  return root;
}

// A row of boxes a depth, each below its caller and as wide as its samples.
function calls(node, all, depth = 0) {
  const told = `${node.name}: ${share(node.samples, all)} of the samples`;
  const inner = [...node.calls.values()].filter((call) => call.samples >= NARROW * all).sort((a, b) => b.samples - a.samples);
  const box = element("div", { class: "frame", title: told, style: `background:${causeColour("memory_below", 0)}${depth % 2 ? "33" : "55"}` }, node.name);
  const row = element("div", { class: "frames" }, ...inner.map((call) => calls(call, all, depth + 1)));
  return element("div", { class: "frame-column", style: `flex:0 0 ${(100 * node.samples) / (depth === 0 ? node.samples : node.caller)}%` }, box, inner.length ? row : null);
}

// Of each node the samples of the one above it.
function withCallers(node) {
  for (const call of node.calls.values()) {
    call.caller = node.samples;
    withCallers(call);
  }
  return node;
}

export function profile() {
  const found = stats.processor?.profile ?? stats.profile;
  if (!found) return [];
  const all = found.samples;
  const most = ({ self }) => Object.entries(self).sort(([, a], [, b]) => b - a)[0];
  const place = element("div", { class: "chart" });
  const pictured = found.functions.filter((one) => one.self_samples > 0).slice(0, SHOWN);
  queueMicrotask(() => slotsChart(place, pictured.map((one) => ({ label: `${share(one.self_samples, all)} ${one.name}`, title: one.name, slots: one.self })),
    { left: 330, unit: "samples" }));
  const tree = withCallers(callTree(found.stacks));
  return [
    element("h3", {}, "Functions", element("small", {}, ` ${count(all)} samples of threads on cores, one each ${time(found.period_ps)}; what each function did or waited for itself`)),
    place,
    element("h4", {}, "Who called whom", element("small", {}, " a box is as wide as its samples; callers are known where code keeps frame pointers (-fno-omit-frame-pointer)")),
    element("div", { class: "scroll", role: "img", "aria-label": `Calls by samples: ${pictured.map((one) => `${one.name} ${share(one.total_samples, all)}`).join(", ")}` },
      element("div", { class: "frames calls" }, calls(tree, all))),
    details(`All ${count(found.functions.length)} functions`, () => table([{ title: "function", left: true }, { title: "self", hint: "samples in the function alone" }, "of all",
      { title: "total", hint: "with what it called, as far as frames are known" }, "of all", { title: "most of self", left: true }],
    found.functions.map((one) => [one.name, { text: count(one.self_samples), value: one.self_samples, bar: one.self_samples / all }, share(one.self_samples, all),
      { text: count(one.total_samples), value: one.total_samples }, share(one.total_samples, all),
      one.self_samples ? `${causeName(most(one)[0])}, ${share(most(one)[1], one.self_samples)}` : ""]))),
  ];
}
