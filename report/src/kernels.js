// Per kernel: what issue slots were used for, occupancy and what limits it, hit rates, requests, DRAM.
import { kernelGroups, machineNumber, readable, shortName, stats } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { CAUSE_NAMES, slotsChart } from "./slots.js";
import { bytes, count, rate, share, time } from "./units.js";

const MOST = 16;
const whole = stats.account?.time_ps ?? 0;
const dim = (d) => (d ? d.join(" × ").replace(/( × 1)+$/, "") : "several");

function ratio(part, whole) {
  return whole > 0 ? { text: share(part, whole), bar: part / whole } : "";
}

// Bytes on the DRAM's data bus: cycles with data, times what a burst moves in them.
export function dramBytes(counters) {
  const burst = machineNumber("gpu.dram.burst_bytes");
  const cycles = machineNumber("gpu.dram.burst_cycles");
  const busy = counters["dram.data_bus_busy_cycles"];
  return burst && cycles && busy ? (busy / cycles) * burst : 0;
}
// Of all channels, bytes per second.
export function dramPeak() {
  const [channels, burst, cycles, clock] = ["channels", "burst_bytes", "burst_cycles", "command_clock_khz"]
    .map((key) => machineNumber(`gpu.dram.${key}`));
  return channels && burst && cycles && clock ? (channels * burst * clock * 1000) / cycles : 0;
}

export function hitRate(counters, kind) {
  const [hits, merges, misses] = ["read_hits", "read_merges", "read_misses"].map((name) => counters[`${kind}.${name}`] ?? 0);
  return ratio(hits, hits + merges + misses);
}

const COLUMNS = [
  { title: "kernel", left: true }, "grid", "block", "launches",
  { title: "time", hint: "from the first block to the completion, added up" },
  { title: "of run" }, { title: "cycles", hint: "per launch, core clock" },
  { title: "IPC per SM", hint: "warp instructions a cycle and SM" },
  { title: "active lanes", hint: "thread instructions of warp instructions times the warp's width" },
  { title: "occupancy", hint: "warps that an SM has room for, of those it can hold" },
  { title: "limited by", left: true },
  { title: "L1 hits", hint: "reads answered from L1 at once" }, { title: "L2 hits", hint: "reads answered from L2 at once" },
  { title: "requests / access", hint: "requests of load-store units to L1 for a global or local load or store or an atomic of a warp" },
  { title: "DRAM moved" }, { title: "DRAM rate", hint: "bytes on the data bus over the kernel's time; bar: of the machine's peak" },
  { title: "row hits", hint: "DRAM requests to an open row" },
];

function row(g) {
  const c = g.counters;
  const sms = machineNumber("gpu.sm.count");
  const width = machineNumber("gpu.sm.warp_width") ?? 32;
  const accesses = ["global_loads", "global_stores", "local_loads", "local_stores", "atomics"]
    .reduce((sum, name) => sum + (c[`sm.${name}`] ?? 0), 0);
  const rows = ["row_hits", "row_misses", "row_conflicts"].map((name) => c[`dram.${name}`] ?? 0);
  const moved = dramBytes(c);
  const peak = dramPeak();
  const span = ([least, most]) => (least === most ? share(most, 1) : `${share(least, 1)} – ${share(most, 1)}`);
  return [
    { text: `${shortName(g.name)}${g.cutOff ? " (cut off)" : ""}`, title: readable(g.name) }, dim(g.grid), dim(g.block), count(g.launches),
    { text: time(g.time), bar: whole ? g.time / whole : 0 }, share(g.time, whole), count(Math.round(g.cycles / g.launches)),
    g.cycles && sms ? (g.warp / g.cycles / sms).toFixed(2) : "",
    ratio(g.thread, g.warp * width), { text: span(g.occupancy), bar: g.occupancy[1] }, [...g.limits].join(", "),
    hitRate(c, "l1"), hitRate(c, "l2"), accesses ? ((c["sm.memory_transactions"] ?? 0) / accesses).toFixed(2) : "",
    moved ? bytes(moved) : "", moved && g.time ? { text: rate(moved, g.time), bar: peak ? moved / (g.time * 1e-12) / peak : 0 } : "",
    ratio(rows[0], rows[0] + rows[1] + rows[2]),
  ];
}

function occupancyNumbers(groups) {
  const key = (name) => machineNumber(`gpu.sm.${name}`);
  const of = (value, name) => (key(name) === undefined ? String(value ?? "") : `${count(value ?? 0)} of ${count(key(name))}`);
  return table([{ title: "kernel", left: true }, "block", "blocks per SM", "warps per SM", "registers per thread", "registers per SM", "shared memory per SM", "limited by"],
    groups.map((g) => {
      const threads = g.block ? g.block.reduce((a, b) => a * b, 1) : 0;
      const warps = Math.ceil(threads / (key("warp_width") ?? 32)) * (g.blocksPerSm ?? 0);
      return [shortName(g.name), dim(g.block), of(g.blocksPerSm, "max_blocks"), of(warps, "max_warps"), count(g.registers[1]),
        of(g.registers[1] * warps * (key("warp_width") ?? 32), "registers"),
        `${bytes((g.shared[1] === 0 ? 0 : g.shared[1]) * (g.blocksPerSm ?? 0))} of ${bytes(key("shared_bytes") ?? 0)}`, [...g.limits].join(", ")];
    }));
}

function counters(groups) {
  const names = [...new Set(groups.flatMap((g) => Object.keys(g.counters)))].sort();
  return table([{ title: "counter, summed over launches", left: true }, ...groups.map((g) => `${shortName(g.name)} <<< ${dim(g.grid)}, ${dim(g.block)} >>>`)],
    names.map((name) => [name, ...groups.map((g) => count(g.counters[name] ?? 0))]));
}

function stalls(groups) {
  const causes = [...new Set(groups.flatMap((g) => Object.keys(g.stalls)))];
  return table([{ title: "issue slots", left: true }, ...groups.map((g) => shortName(g.name))],
    causes.map((cause) => [`${CAUSE_NAMES[cause] ?? cause} (${cause})`, ...groups.map((g) => count(g.stalls[cause] ?? 0))]));
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
    const place = element("div", { class: "chart" });
    result.append(element("h3", {}, "Issue slots by cause", element("small", {}, " share of each kernel's slots, in %: what a scheduler issued, or why it issued nothing")), place);
    queueMicrotask(() => slotsChart(place, timed.map((g) => ({
      label: `${shortName(g.name)}  ${dim(g.grid)} × ${dim(g.block)}`, title: readable(g.name), slots: g.stalls,
    })), { left: 250 }));
    result.append(details("Issue slots in numbers", () => stalls(timed)));
  } else {
    result.append(element("p", { class: "note" }, "The functional GPU has no issue slots: only simple times a block."));
  }
  const peak = dramPeak();
  result.append(
    element("h3", {}, "Occupancy, hit rates, requests and DRAM", element("small", {}, peak ? ` DRAM's peak: ${rate(peak, 1e12)}` : "")),
    table(COLUMNS, shown.map(row)),
    element("p", { class: "note" }, "A kernel's counters are what rose while it ran, whoever counted. Reads that joined a fetch on its way (read_merges) are no hits here. " +
      "How many of the moved bytes the threads used is not counted; requests per access says how well accesses coalesce (1: one request a warp)."),
    details("Occupancy in numbers", () => occupancyNumbers(shown)),
    details("All counters of these kernels", () => counters(shown)));
  if (groups.length > MOST) result.append(details(`All ${count(groups.length)} kernels`, () => table(COLUMNS, groups.map(row))));
  const records = (stats.kernel_groups ?? []).reduce((sum, g) => sum + g.launches, 0);
  if (records > 0) result.append(element("p", { class: "note" }, `${count(records)} launches came in groups of equal ones: what limits occupancy and cut-offs are those of the first ones.`));
  return result;
}
