// What the page holds, parsed, and what is derived from it: sums of spans, groups of launches.

function parsed(id) {
  return JSON.parse(document.getElementById(id).textContent || "null");
}

export const stats = parsed("duet-stats");
export const timeline = parsed("duet-timeline") ?? { grain_ps: 0, calls: {}, names: [], kinds: [], tracks: [], parts: [], path: [], moments: [], readable: {} };
export const measuredAdvice = parsed("duet-advice");
export const sources = parsed("duet-sources");
const machineKeys = parsed("duet-machine") ?? [];
export { machineKeys };

const keys = new Map(machineKeys.map(([key, text]) => [key, text]));
// A number of the machine, or undefined where it has no such key.
export function machineNumber(key) {
  const value = Number(keys.get(key));
  return keys.has(key) && Number.isFinite(value) ? value : undefined;
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

// Between SMs and L2, of one direction, bytes per second: no more ports move than the side with fewer has.
export function l2Peak() {
  const [slices, sms, flit, clock] = ["l2_slices", "sm.count", "interconnect.flit_bytes", "interconnect.clock_khz"].map((key) => machineNumber(`gpu.${key}`));
  return slices && sms && flit && clock ? Math.min(slices, sms) * flit * clock * 1000 : 0;
}
// Part of the reads of a cache that found their bytes there at once; undefined without reads.
export function hitPart(counters, kind) {
  const [hits, merges, misses] = ["read_hits", "read_merges", "read_misses"].map((name) => counters[`${kind}.${name}`] ?? 0);
  return hits + merges + misses > 0 ? hits / (hits + merges + misses) : undefined;
}

export function readable(name) {
  return timeline.readable?.[name] ?? name;
}
// Without its parameters, where a label has little room.
export function shortName(name) {
  const full = readable(name).replace(/\(anonymous namespace\)::/g, "");
  const end = full.indexOf("(");
  return end > 0 ? full.slice(0, end) : full;
}

// Spans of the timeline as objects; `kind` and `name` as words.
export const spans = timeline.tracks.flatMap(({ group, number, name: track, spans: list }) =>
  list.map(([name, kind, start, end, prepared, command, call, bytes, count, busy]) => ({
    group, number, track, start, end, prepared, command, call, bytes, count, busy,
    kind: timeline.kinds[kind], name: name === null ? "several" : readable(timeline.names[name]),
  })));
// A move is of the kind of its copy.
const copyOf = new Map(spans.filter(({ group, count }) => group === "stream" && count === 1).map(({ command, kind }) => [command, kind]));
for (const span of spans) if (span.group === "engine") span.kind = copyOf.get(span.command) ?? "move";

const COPIES = new Set(["host_to_device", "device_to_host"]);
export function isOtherCopy(kind) {
  return kind !== "call" && kind !== "kernel" && !COPIES.has(kind);
}

// A piece of a row: for `of` of the time between `from` and `to` it was `what`. Where a piece follows another one of
// its kind and both are whole, they are one.
function pieces(list) {
  const result = [];
  for (const [what, from, to, of] of list) {
    const last = result[result.length - 1];
    if (last && last.what === what && last.to === from && last.of === last.to - last.from && of === to - from) {
      last.to = to;
      last.of += of;
    } else result.push({ what, from, to, of });
  }
  return result;
}

function momentName(moment) {
  return moment & 1 ? (moment & 2 ? "kernels_and_copies" : "kernels") : moment & 2 ? "copies" : moment & 4 ? "driver"
    : moment & 8 ? "calls" : "between_calls";
}

// Each moment of the run once, in the order of the run; and those with an activity, whatever else went on.
export const moments = pieces(timeline.moments.map(([moment, from, to, of]) => [momentName(moment), from, to, of]));
export function momentsWith(test, what) {
  return pieces(timeline.moments.filter(([moment]) => test(moment)).map(([, from, to, of]) => [what, from, to, of]));
}

// Spans that overlap are joined: time in at least one of them. Of spans that stand for several, what these took.
export function rowOfSpans(test, what) {
  const result = [];
  const sorted = spans.filter((span) => span.end > span.start && test(span)).sort((a, b) => a.start - b.start);
  for (const { start: from, end: to, count, busy } of sorted) {
    const last = result[result.length - 1];
    const of = count > 1 ? Math.min(to - from, busy) : to - from;
    if (last && from < last.to) {
      last.of = Math.min(Math.max(last.to, to) - last.from, last.of + (last.of === last.to - last.from ? Math.max(0, to - last.to) : of));
      last.to = Math.max(last.to, to);
    } else result.push({ what, from, to, of });
  }
  return result;
}

// Launches of one kernel with one grid and block, in groups: those of `kernels` and of `kernel_groups`.
export function kernelGroups() {
  const groups = new Map();
  const of = (name, grid, block) => {
    const id = JSON.stringify([name, grid, block]);
    if (!groups.has(id))
      groups.set(id, {
        name, grid, block, launches: 0, time: 0, cycles: 0, warp: 0, thread: 0, stalls: {}, warpStates: {}, counters: {},
        occupancy: [1, 0], achieved: [1, 0], limits: new Set(), registers: [Infinity, 0], shared: [Infinity, 0], cutOff: 0, blocksPerSm: 0,
        queued: 0, driver: 0, shortest: Infinity, longest: 0,
      });
    return groups.get(id);
  };
  const addAll = (into, from, value = (x) => x) => {
    for (const [key, x] of Object.entries(from ?? {})) into[key] = (into[key] ?? 0) + value(x);
  };
  const spread = (range, least, most = least) => {
    range[0] = Math.min(range[0], least);
    range[1] = Math.max(range[1], most);
  };
  for (const k of stats.kernels ?? []) {
    const g = of(k.name, k.grid, k.block);
    const took = k.end_ps - k.start_ps;
    g.launches += 1;
    g.time += took;
    g.shortest = Math.min(g.shortest, took);
    g.longest = Math.max(g.longest, took);
    g.queued += k.driver_start_ps - k.queued_ps;
    g.driver += k.start_ps - k.driver_start_ps;
    g.cycles += k.cycles;
    g.warp += k.warp_instructions;
    g.thread += k.thread_instructions;
    if (!k.complete) g.cutOff += 1;
    addAll(g.stalls, k.stalls);
    addAll(g.warpStates, k.warp_states);
    addAll(g.counters, k.counters);
    spread(g.occupancy, k.occupancy);
    spread(g.achieved, k.achieved_occupancy);
    spread(g.registers, k.registers);
    spread(g.shared, k.shared_bytes ?? 0);
    g.blocksPerSm = k.blocks_per_sm;
    if (k.occupancy_limit) g.limits.add(k.occupancy_limit);
    g.preexecution ??= k.preexecution;
  }
  for (const k of stats.kernel_groups ?? []) {
    const g = of(k.name, k.grid, k.block);
    g.launches += k.launches;
    g.time += k.executed_ps.sum;
    g.shortest = Math.min(g.shortest, k.executed_ps.min);
    g.longest = Math.max(g.longest, k.executed_ps.max);
    g.queued += k.queued_for_ps.sum;
    g.driver += k.driver_ps.sum;
    g.cycles += k.cycles.sum;
    g.warp += k.warp_instructions.sum;
    g.thread += k.thread_instructions.sum;
    addAll(g.stalls, k.stalls);
    addAll(g.warpStates, k.warp_states);
    addAll(g.counters, k.counters, (x) => x.sum);
    spread(g.occupancy, k.occupancy.min, k.occupancy.max);
    spread(g.achieved, k.achieved_occupancy.min, k.achieved_occupancy.max);
    spread(g.registers, k.registers.min, k.registers.max);
  }
  return [...groups.values()].sort((a, b) => b.time - a.time);
}

// Copies by kind: number, bytes, time from the first packet to the end, added up.
export function copyKinds() {
  const kinds = new Map();
  const of = (kind) => {
    if (!kinds.has(kind)) kinds.set(kind, { kind, copies: 0, bytes: 0, time: 0, driver: 0, queued: 0 });
    return kinds.get(kind);
  };
  for (const c of stats.copies ?? []) {
    const k = of(c.kind);
    k.copies += 1;
    k.bytes += c.bytes;
    k.time += c.end_ps - c.start_ps;
    k.driver += c.start_ps - c.driver_start_ps;
    k.queued += c.driver_start_ps - c.queued_ps;
  }
  for (const c of stats.copy_groups ?? []) {
    const k = of(c.kind);
    k.copies += c.copies;
    k.bytes += c.bytes.sum;
    k.time += c.executed_ps.sum;
    k.driver += c.driver_ps.sum;
    k.queued += c.queued_for_ps.sum;
  }
  return [...kinds.values()].sort((a, b) => b.time - a.time);
}
