// Per kernel: what issue slots were used for, occupancy and what limits it, hit rates, requests, DRAM.
import { dramBytes, dramPeak, hitPart, kernelGroups, machineNumber, readable, shortName, stats } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { hotLines } from "./lines.js";
import { memoryChart } from "./memory_chart.js";
import { occupancyCalculator, occupancyNumbers } from "./occupancy.js";
import { causeName, slotsChart } from "./slots.js";
import { bytes, count, rate, share, time } from "./units.js";

const MOST = 16;
const whole = stats.account?.time_ps ?? 0;
const dim = (d) => (d ? d.join("×").replace(/(×1)+$/, "") : "several");

// "scale<<<128, 256>>>"
function launchName(g) {
  return `${shortName(g.name)}<<<${dim(g.grid)}, ${dim(g.block)}>>>`;
}

function ratio(part, whole) {
  return whole > 0 ? { text: share(part, whole), bar: part / whole } : "";
}

export function hitRate(counters, kind) {
  const part = hitPart(counters, kind);
  return part === undefined ? "" : { text: share(part, 1), bar: part };
}

const WORK = [
  { title: "kernel", left: true }, "grid", "block", "launches",
  { title: "time", hint: "from the first block to the completion, added up" }, "of run",
  { title: "each", hint: "mean of its launches" },
  { title: "cycles each", hint: "of the core clock" },
  { title: "warp instr. / cycle, SM", hint: "warp instructions a cycle and SM" },
  { title: "active lanes", hint: "thread instructions of warp instructions times the warp's width" },
  { title: "occupancy", hint: "warps that an SM has room for, of those it can hold" },
  { title: "achieved", hint: "warps that were there, of those that an SM can hold: mean of the cycles in which it had a block" },
  { title: "limited by", left: true, hint: "what an SM has no more room for" },
];

function workRow(g) {
  const sms = machineNumber("gpu.sm.count");
  const width = machineNumber("gpu.sm.warp_width") ?? 32;
  const span = ([least, most]) => (least === most ? share(most, 1) : `${share(least, 1)} – ${share(most, 1)}`);
  return [
    { text: `${shortName(g.name)}${g.cutOff ? " (cut off)" : ""}`, title: readable(g.name) }, dim(g.grid), dim(g.block), count(g.launches),
    { text: time(g.time), bar: whole ? g.time / whole : 0 }, share(g.time, whole), time(Math.round(g.time / g.launches)),
    count(Math.round(g.cycles / g.launches)), g.cycles && sms ? (g.warp / g.cycles / sms).toFixed(2) : "",
    ratio(g.thread, g.warp * width), { text: span(g.occupancy), bar: g.occupancy[1] }, Object.keys(g.warpStates).length ? span(g.achieved) : "", [...g.limits].join(", "),
  ];
}

const MEMORY = [
  { title: "kernel", left: true }, { title: "accesses", hint: "loads and stores of global and local memory, and atomics, per warp" },
  { title: "requests to L1", hint: "of the load-store units" },
  { title: "requests / access", hint: "1: accesses coalesce into one request a warp" },
  { title: "bytes used", hint: "of the bytes that these requests ask for, those that threads read or write" },
  { title: "L1 hits", hint: "reads answered from L1 at once" }, { title: "L2 hits", hint: "reads answered from L2 at once" },
  { title: "constant hits", hint: "reads answered from the constant cache at once" },
  { title: "shared conflicts / access", hint: "passes beyond the first of an access to shared memory" },
  { title: "DRAM moved", hint: "bytes on the data bus" }, { title: "DRAM rate", hint: "over the kernel's time" },
  { title: "of peak", hint: "of all channels' data buses" }, { title: "row hits", hint: "DRAM requests to an open row" },
];

function memoryRow(g) {
  const c = g.counters;
  const accesses = ["global_loads", "global_stores", "local_loads", "local_stores", "atomics"]
    .reduce((sum, name) => sum + (c[`sm.${name}`] ?? 0), 0);
  const requests = c["sm.memory_transactions"] ?? 0;
  const shared = c["sm.shared_accesses"] ?? 0;
  const rows = ["row_hits", "row_misses", "row_conflicts"].map((name) => c[`dram.${name}`] ?? 0);
  const moved = dramBytes(c);
  return [
    { text: launchName(g), title: readable(g.name) }, count(accesses), count(requests), accesses ? (requests / accesses).toFixed(2) : "",
    ratio(c["sm.used_bytes"] ?? 0, c["sm.requested_bytes"] ?? 0), hitRate(c, "l1"), hitRate(c, "l2"), hitRate(c, "constant_cache"),
    shared ? ((c["sm.shared_conflict_cycles"] ?? 0) / shared).toFixed(2) : "",
    moved ? bytes(moved) : "", moved && g.time ? rate(moved, g.time) : "", ratio(moved / (g.time * 1e-12 || 1), dramPeak()),
    ratio(rows[0], rows[0] + rows[1] + rows[2]),
  ];
}

function counters(groups) {
  const names = [...new Set(groups.flatMap((g) => Object.keys(g.counters)))].sort();
  return table([{ title: "counter, summed over launches", left: true }, ...groups.map(launchName)],
    names.map((name) => [name, ...groups.map((g) => count(g.counters[name] ?? 0))]));
}

function causes(title, groups, of) {
  const names = [...new Set(groups.flatMap((g) => Object.keys(of(g))))];
  return table([{ title, left: true }, ...groups.map(launchName)],
    names.map((cause) => [`${causeName(cause)} (${cause})`, ...groups.map((g) => count(of(g)[cause] ?? 0))]));
}

// Issue slots, or warps' cycles, of each kernel: a chart, and its numbers.
function causesChart(timed, of, heading, what, numbers, unit) {
  const place = element("div", { class: "chart" });
  queueMicrotask(() => slotsChart(place, timed.map((g) => ({ label: launchName(g), title: readable(g.name), slots: of(g) })), { left: 250, unit }));
  return [element("h3", {}, heading, element("small", {}, what)), place, details(numbers, () => causes(unit, timed, of))];
}

export function kernelsSection() {
  const groups = kernelGroups();
  const result = section("kernels", "Kernels", "Launches of one kernel with one grid and block are taken together, the longest first.");
  if (groups.length === 0) {
    result.append(element("p", { class: "note" }, "This run has no kernel."));
    return result;
  }
  const shown = groups.slice(0, MOST);
  const timed = shown.filter((g) => Object.keys(g.stalls).length > 0);
  if (timed.length > 0) {
    result.append(
      ...causesChart(timed, (g) => g.stalls, "Issue slots by cause", " share of each kernel's slots, in %: what a scheduler issued, or why it issued nothing",
        "Issue slots in numbers", "issue slots"),
      ...causesChart(timed, (g) => g.warpStates, "Warp states", " share of the cycles of each kernel's warps, in %: selected to issue, able to but not selected, or why not able to",
        "Warp states in numbers", "warp cycles"));
  } else {
    result.append(element("p", { class: "note" }, "The functional GPU has no issue slots: only simple times a block."));
  }
  const peak = dramPeak();
  result.append(
    ...hotLines(),
    element("h3", {}, "Work and occupancy", element("small", {}, " occupancy: warps that an SM has room for, and what gives room for no more")),
    table(WORK, shown.map(workRow)), details("Occupancy in numbers", () => occupancyNumbers(shown, launchName)),
    ...occupancyCalculator(shown, launchName),
    element("h3", {}, "Memory", element("small", {}, ` hit rates, requests, DRAM${peak ? ` (its peak: ${rate(peak, 1e12)})` : ""}`)),
    table(MEMORY, shown.map(memoryRow)),
    element("p", { class: "note" }, "A kernel's counters are what rose while it ran, whoever counted. Reads that joined a fetch on its way (read_merges) are no hits here. " +
      "Requests per access say how well accesses coalesce (1: one request a warp), bytes used how much of what they ask for threads want."),
    ...memoryChart(shown.map((g) => ({ name: launchName(g), counters: g.counters, time: g.time, cycles: g.cycles }))),
    details("All counters of these kernels", () => counters(shown)));
  if (groups.length > MOST) result.append(details(`All ${count(groups.length)} kernels`, () => [table(WORK, groups.map(workRow)), table(MEMORY, groups.map(memoryRow))]));
  const records = (stats.kernel_groups ?? []).reduce((sum, g) => sum + g.launches, 0);
  if (records > 0) result.append(element("p", { class: "note" }, `${count(records)} launches came in groups of equal ones: what limits occupancy and cut-offs are those of the first ones.`));
  return result;
}
