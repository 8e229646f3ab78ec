// The memory chart: what the parts of the memory system counted for a kernel or the whole run, from SMs through L1, crossbar and
// L2 to DRAM and the host, and how much of its peak each way between them moved. Numbers are those of stats.json.
import { dramBytes, dramPeak, hitPart, l2Peak, machineNumber, stats } from "./data.js";
import { details, element, svg, table } from "./dom.js";
import { NEAR } from "./flops.js";
import { bytes, count, share } from "./units.js";

const WIDE = 1190, NARROW = 350;  // of the picture
const LEAST = 900;                // pixels of the page from which on it is the wide one
const LINE = 15, HEAD = 26;

const hasL3 = Object.keys(stats?.counters ?? {}).some((name) => name.startsWith("l3."));
const hasHostMemory = Boolean(stats?.processor) && (stats.components ?? []).some(({ kind }) => kind === "host_memory");
const percent = (part) => share(part, 1) || "0 %";
// At most nine characters.
const short = (value) => (value < 1e7 ? count(value) : `${Number((value / (value < 1e9 ? 1e6 : 1e9)).toPrecision(4))} ${value < 1e9 ? "M" : "G"}`);
const ofPeak = (part) => `${percent(part)} of peak`;
const sum = (c, ...names) => names.reduce((total, name) => total + (c[name] ?? 0), 0);
const reads = (kind) => (m) => sum(m.c, `${kind}.read_hits`, `${kind}.read_merges`, `${kind}.read_misses`);
const writes = (kind) => (m) => sum(m.c, `${kind}.write_hits`, `${kind}.write_misses`);
const counted = (name) => (m) => m.c[name] ?? 0;
const cycles = (m) => m.cycles * (machineNumber("gpu.sm.count") ?? 0);
const flits = (way) => (m) => (m.c[`interconnect.${way}_flits`] ?? 0) * (machineNumber("gpu.interconnect.flit_bytes") ?? 0);
const seconds = (m) => m.ps * 1e-12;
const part = (value, whole) => (whole > 0 ? value / whole : undefined);

// m: {c: counters, ps: time, cycles: of the core clock}. A value that is undefined is none: 0 of 0, or no peak.
const fact = (id, label, value, text = short, more = {}) => ({ id, label, value, text, ...more });
const quiet = { quiet: true };  // not drawn where it is 0
const BOXES = {
  sm: { title: "SMs", facts: [
    fact("warp_instructions", "warp instructions", counted("sm.warp_instructions")), fact("global_loads", "global loads", counted("sm.global_loads")),
    fact("global_stores", "global stores", counted("sm.global_stores")), fact("local_loads", "local loads", counted("sm.local_loads")),
    fact("local_stores", "local stores", counted("sm.local_stores")), fact("atomics", "global atomics", counted("sm.atomics")),
    fact("textures", "of these, textures", counted("sm.texture_accesses"), short, quiet), fact("shared_accesses", "shared accesses", counted("sm.shared_accesses")),
    fact("constant_loads", "constant loads", counted("sm.constant_loads")) ] },
  l1: { title: "L1 caches", facts: [
    fact("l1_hits", "read hits", (m) => hitPart(m.c, "l1"), percent), fact("l1_reads", "reads", reads("l1")), fact("l1_misses", "read misses", counted("l1.read_misses")),
    fact("l1_writes", "writes", writes("l1")), fact("l1_passed", "passed to L2", counted("l1.passed")) ] },
  shared: { title: "shared memory", facts: [
    fact("shared_passes", "passes", (m) => sum(m.c, "sm.shared_accesses", "sm.shared_conflict_cycles")), fact("shared_conflicts", "conflicts", counted("sm.shared_conflict_cycles")) ] },
  constant: { title: "constant caches", facts: [fact("constant_hits", "read hits", (m) => hitPart(m.c, "constant_cache"), percent), fact("constant_reads", "reads", reads("constant_cache"))] },
  instruction: { title: "instruction caches", facts: [
    fact("fetch_hits", "hits", counted("sm.instruction_hits")), fact("fetched_lines", "lines fetched", (m) => sum(m.c, "sm.instruction_misses", "sm.instruction_prefetches")) ] },
  crossbar: { title: "crossbar", facts: [] },
  l2: { title: "L2 slices", facts: [
    fact("l2_hits", "read hits", (m) => hitPart(m.c, "l2"), percent), fact("l2_reads", "reads", reads("l2")), fact("l2_misses", "read misses", counted("l2.read_misses")),
    fact("l2_writes", "writes", writes("l2")), fact("l2_atomics", "atomics", counted("l2.atomics")), fact("l2_write_backs", "write-backs", counted("l2.write_backs")) ] },
  l3: { title: "L3 slices", facts: [fact("l3_hits", "read hits", (m) => hitPart(m.c, "l3"), percent), fact("l3_reads", "reads", reads("l3")), fact("l3_writes", "writes", writes("l3"))] },
  dram: { title: "DRAM", facts: [
    fact("dram_reads", "reads", counted("dram.reads")), fact("dram_writes", "writes", counted("dram.writes")), fact("dram_moved", "moved", (m) => dramBytes(m.c), bytes),
    fact("dram_of_peak", "of peak", (m) => (dramPeak() && m.ps ? dramBytes(m.c) / seconds(m) / dramPeak() : undefined), percent),
    fact("dram_row_hits", "row hits", (m) => part(m.c["dram.row_hits"] ?? 0, sum(m.c, "dram.row_hits", "dram.row_misses", "dram.row_conflicts")), percent) ] },
  host: { title: "host memory", facts: [
    fact("host_requests", "SM requests", counted("host_bridge.requests")),
    // Nobody counts these by kernel.
    fact("host_read", "read, whole run", () => (hasHostMemory ? stats.processor.totals.dram_read_bytes : undefined), bytes, { whole: true }),
    fact("host_written", "written, whole run", () => (hasHostMemory ? stats.processor.totals.dram_written_bytes : undefined), bytes, { whole: true }) ] },
};
// `of`: what was moved of what can be moved.
const rateOf = (moved, peak) => (m) => (m.ps && peak() ? moved(m) / seconds(m) / peak() : undefined);
const ARROWS = [
  { id: "sm-l1", title: "SMs to L1 caches", peak: "a request a cycle and SM", of: fact("l1_of_peak", "requests to L1, of peak", (m) => part(m.c["sm.memory_transactions"] ?? 0, cycles(m)), ofPeak), facts: [
    fact("requests", "requests", counted("sm.memory_transactions")), fact("requested_bytes", "bytes requested", counted("sm.requested_bytes"), bytes) ] },
  { id: "sm-shared", title: "SMs to shared memory", peak: "a pass a cycle and SM",
    of: fact("shared_of_peak", "passes of shared memory, of peak", (m) => part(sum(m.c, "sm.shared_accesses", "sm.shared_conflict_cycles"), cycles(m)), ofPeak), facts: [] },
  ...["constant", "instruction"].map((to) => ({ id: `sm-${to}`, title: `SMs to ${BOXES[to].title}`, facts: [] })),
  ...["l1", "constant", "instruction"].map((from) => ({ id: `${from}-crossbar`, title: `${BOXES[from].title} to the crossbar`, facts: [] })),
  { id: "crossbar-l2", title: "crossbar to L2", peak: "all ports of one direction", of: fact("request_of_peak", "requests in the crossbar, of peak", rateOf(flits("request"), l2Peak), ofPeak), facts: [
    fact("request_packets", "packets", counted("interconnect.request_packets")), fact("request_bytes", "bytes with headers", flits("request"), bytes) ] },
  { id: "l2-crossbar", title: "L2 to the crossbar", peak: "all ports of one direction", of: fact("response_of_peak", "answers in the crossbar, of peak", rateOf(flits("response"), l2Peak), ofPeak), facts: [
    fact("response_packets", "packets", counted("interconnect.response_packets")), fact("response_bytes", "bytes with headers", flits("response"), bytes) ] },
  { id: "l2-l3", title: "L2 to L3", facts: [fact("l3_request_packets", "packets", counted("l3_interconnect.request_packets"))] },
  { id: "l3-l2", title: "L3 to L2", facts: [fact("l3_response_packets", "packets", counted("l3_interconnect.response_packets"))] },
  { id: "above-dram", title: "to DRAM, written", peak: "all data buses", of: fact("written_of_peak", "written to DRAM, of peak", rateOf(counted("dram.written_bytes"), dramPeak), ofPeak), facts: [
    fact("written_bytes", "bytes written", counted("dram.written_bytes"), bytes) ] },
  { id: "dram-above", title: "from DRAM, read", peak: "all data buses", of: fact("read_of_peak", "read from DRAM, of peak", rateOf(counted("dram.read_bytes"), dramPeak), ofPeak), facts: [
    fact("read_bytes", "bytes read", counted("dram.read_bytes"), bytes) ] },
  ...[["to_host", "crossbar-host", "to the host"], ["to_gpu", "host-crossbar", "from the host"]].map(([way, id, title]) => ({ id, title: `link, ${title}`, peak: "the wire is taken",
    of: fact(`${way}_of_peak`, `link ${title}, time taken`, (m) => part(m.c[`link.${way}_busy_ps`] ?? 0, m.ps), (part) => `${percent(part)} of time`), facts: [
      fact(`${way}_packets`, "packets", counted(`link.${way}_packets`)), fact(`${way}_bytes`, "payload", counted(`link.${way}_payload_bytes`), bytes) ] })),
];

const isThere = (id) => hasL3 || !id.split("-").includes("l3");

// What can be drawn: kernels whose memory somebody counted.
export function hasMemory(counters) {
  return ["sm.memory_transactions", "sm.shared_accesses", "l1.read_misses", "l2.read_hits", "l2.read_misses", "dram.reads"].some((name) => counters[name] > 0);
}

const heightOf = (facts) => HEAD + facts.length * LINE + 4;

// Boxes {x, y, w, h} and arrows {points, label: [x, y], way} of one of two forms. `facts`: those of a box that are drawn.
function wideLayout(facts) {
  const b = { sm: { x: 0, y: 8, w: 170 }, l1: { x: 300, y: 8, w: 165 }, crossbar: { x: 574, y: 8, w: 64 }, l2: { x: 776, y: 8, w: 150 } };
  const right = { x: 1045, w: 145 }, h = (id) => heightOf(facts[id]);
  for (const id of Object.keys(b)) b[id].h = h(id);
  let y = b.l1.y + b.l1.h + 14;
  for (const id of ["shared", "constant", "instruction"]) {
    b[id] = { x: 300, y, w: 165, h: h(id) };
    y += b[id].h + 14;
  }
  b.dram = { ...right, y: hasL3 ? 8 + h("l3") + 66 : 8, h: h("dram") };
  if (hasL3) b.l3 = { ...right, y: 8, h: h("l3") };
  b.host = { ...right, y: Math.max(b.dram.y + b.dram.h, b.l2.y + b.l2.h) + 40, h: Math.max(86, h("host")) };
  const foot = Math.max(y - 14, b.host.y + b.host.h);
  b.sm.h = b.crossbar.h = foot - 8;
  const middle = (id) => b[id].y + b[id].h / 2;
  const across = (from, to, y, label = true) => {
    const ends = b[from].x < b[to].x ? [b[from].x + b[from].w, b[to].x] : [b[from].x, b[to].x + b[to].w];
    return { points: ends.map((x) => [x, y]), label: label ? [(ends[0] + ends[1]) / 2, y] : null };
  };
  const a = { "sm-l1": across("sm", "l1", b.l1.y + 46), "sm-shared": across("sm", "shared", middle("shared")), "sm-constant": across("sm", "constant", middle("constant")),
    "sm-instruction": across("sm", "instruction", middle("instruction")), "crossbar-l2": across("crossbar", "l2", 36), "l2-crossbar": across("l2", "crossbar", 100),
    "crossbar-host": across("crossbar", "host", b.host.y + 14), "host-crossbar": across("host", "crossbar", b.host.y + 64) };
  for (const id of ["l1", "constant", "instruction"]) a[`${id}-crossbar`] = across(id, "crossbar", middle(id), false);
  const down = (from, to, x, way) => {
    const ends = [b[from].y + b[from].h, b[to].y];
    return { points: (way === "down" ? ends : [...ends].reverse()).map((y) => [x, y]), label: [x + (way === "down" ? -8 : 8), (ends[0] + ends[1]) / 2], side: way === "down" ? "end" : "start" };
  };
  if (hasL3) Object.assign(a, { "l2-l3": across("l2", "l3", 30), "l3-l2": across("l3", "l2", 62), "above-dram": down("l3", "dram", 1096, "down"), "dram-above": down("l3", "dram", 1114, "up") });
  else Object.assign(a, { "above-dram": across("l2", "dram", 36), "dram-above": across("dram", "l2", 90) });
  return { boxes: b, arrows: a, width: WIDE, height: foot + 8 };
}

function narrowLayout(facts) {
  const h = (id) => heightOf(facts[id]), gap = 54, full = 300;
  const b = { sm: { x: 0, y: 4, w: full, h: h("sm") } };
  let y = b.sm.y + b.sm.h + gap;
  b.l1 = { x: 0, y, w: 146, h: h("l1") };
  for (const id of ["shared", "constant", "instruction"]) {
    b[id] = { x: 154, y, w: 146, h: h(id) };
    y += b[id].h + 10;
  }
  const next = (id, room = gap, height = h(id)) => {
    b[id] = { x: 0, y: y + room, w: full, h: height };
    y = b[id].y + height;
  };
  y -= 10;
  next("crossbar", 28, 30);
  next("l2");
  if (hasL3) next("l3");
  next("dram");
  next("host");
  const foot = (id) => b[id].y + b[id].h;
  const down = (from, to, x, label = true) => ({ points: [[x, foot(from)], [x, b[to].y]], label: label ? [x + 12, (foot(from) + b[to].y) / 2] : null, side: "start" });
  const up = (from, to, x) => ({ points: [[x, b[from].y], [x, foot(to)]], label: [x + 12, (foot(to) + b[from].y) / 2], side: "start" });
  const above = hasL3 ? "l3" : "l2";
  const middle = (id) => b[id].y + b[id].h / 2;
  const side = (x, to) => ({ points: [[x, foot("sm")], [x, middle(to)], [full, middle(to)]], label: null });
  b.sm.w = NARROW;
  b.crossbar.w = NARROW;
  const a = { "sm-l1": down("sm", "l1", 16), "sm-shared": down("sm", "shared", 190), "sm-constant": side(330, "constant"), "sm-instruction": side(316, "instruction"),
    "l1-crossbar": down("l1", "crossbar", 60, false), "instruction-crossbar": down("instruction", "crossbar", 220, false),
    "constant-crossbar": { points: [[154, middle("constant")], [150, middle("constant")], [150, b.crossbar.y]], label: null },
    "crossbar-l2": down("crossbar", "l2", 16), "l2-crossbar": up("l2", "crossbar", 170), "above-dram": down(above, "dram", 16), "dram-above": up("dram", above, 170),
    "crossbar-host": { points: [[342, foot("crossbar")], [342, middle("host")], [full, middle("host")]], label: [16, b.host.y - gap / 2], side: "start", lead: "to host" },
    "host-crossbar": { points: [[284, b.host.y], [284, b.host.y - 14], [322, b.host.y - 14], [322, foot("crossbar")]], label: [150, b.host.y - gap / 2], side: "start", lead: "to GPU" } };
  if (hasL3) Object.assign(a, { "l2-l3": down("l2", "l3", 16), "l3-l2": up("l3", "l2", 170) });
  return { boxes: b, arrows: a, width: NARROW, height: foot("host") + 6 };
}

const said = (facts, m) => facts.map((one) => [one, one.value(m)]).filter(([, value]) => value !== undefined).map(([one, value]) => `${one.label} ${one.text(value)}`);

function boxShape({ x, y, w, h }, box, facts, m) {
  const rows = facts.flatMap((one, i) => {
    const value = one.value(m), at = y + HEAD + LINE * i + 8;
    return [svg("text", { x: x + 8, y: at, class: "label" }, one.label),
      svg("text", { x: x + w - 8, y: at, "text-anchor": "end", "data-field": one.id, "data-value": value }, value === undefined ? "–" : one.text(value))];
  });
  const label = `${box.title}: ${said(facts, m).join(", ") || "nothing counted"}`;
  return svg("g", { tabindex: 0, role: "img", "aria-label": label, class: "box" }, svg("title", {}, label), svg("rect", { x, y, width: w, height: h, rx: 5 }),
    w < 100 ? svg("text", { x: x + w / 2, y: y + h / 2, "text-anchor": "middle", class: "name" }, box.title) : svg("text", { x: x + 8, y: y + 18, class: "name" }, box.title), ...rows);
}

// As thick as the part of the peak that it moved: 1.5 to 16 pixels. A way without a peak is dashed.
function arrowShape({ points, label, side, lead }, arrow, m) {
  const of = arrow.of?.value(m);
  const thick = of === undefined ? 1.2 : 1.5 + 14.5 * Math.min(1, of);
  const [[x0, y0], [x1, y1]] = points.slice(-2);
  const long = Math.hypot(x1 - x0, y1 - y0), [dx, dy] = [(x1 - x0) / long, (y1 - y0) / long];
  const head = Math.min(5 + thick / 2, long - 1), back = [x1 - dx * head, y1 - dy * head], half = 3.5 + thick / 2;
  const line = [...points.slice(0, -1), back].map((at) => at.join(" ")).join(" L ");
  const texts = [...arrow.facts, ...(of === undefined ? [] : [arrow.of])];
  const lines = texts.map((one) => ({ text: `${one.text(one.value(m))}${one.text === short ? ` ${one.label}` : ""}`, one }));
  const about = `${arrow.title}: ${said(texts, m).join(", ") || "see the two ends"}${arrow.peak ? ` (peak: ${arrow.peak})` : ""}`;
  const shapes = label ? lines.map(({ text, one }, i) => {
    // Beside a vertical arrow, else the first above and the others below it.
    const y = side ? label[1] + 4 + (i - (lines.length - 1) / 2) * 13 : label[1] + (i === 0 ? -5 - thick / 2 : 2 + thick / 2 + 11 * i);
    return svg("text", { x: label[0], y, "text-anchor": side ?? "middle", class: "label", "data-field": one.id, "data-value": one.value(m) }, lead && i === 0 ? `${lead}: ${text}` : text);
  }) : [];
  return svg("g", { tabindex: 0, role: "img", "aria-label": about, class: `arrow${of === undefined ? " unknown" : of >= NEAR ? " near" : ""}`, "data-arrow": arrow.id, "data-of": of },
    svg("title", {}, about), svg("path", { d: `M ${line}`, "stroke-width": thick, fill: "none" }),
    svg("path", { class: "head", d: `M ${x1} ${y1} L ${back[0] - dy * half} ${back[1] + dx * half} L ${back[0] + dy * half} ${back[1] - dx * half} Z` }), ...shapes);
}

function picture(name, m, wide) {
  const facts = Object.fromEntries(Object.entries(BOXES).map(([id, { facts }]) => [id, facts.filter((one) => !(one.quiet && !one.value(m)) && !(one.whole && one.value(m) === undefined))]));
  const { boxes, arrows, width, height } = (wide ? wideLayout : narrowLayout)(facts);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: `memory ${wide ? "wide" : "narrow"}`, role: "group", "aria-label": `memory chart of ${name}` },
    ...ARROWS.filter(({ id }) => isThere(id)).map((arrow) => arrowShape(arrows[arrow.id], arrow, m)),
    ...Object.keys(boxes).map((id) => boxShape(boxes[id], BOXES[id], facts[id], m)));
}

function numbers(all) {
  const rows = [...Object.entries(BOXES).filter(([id]) => isThere(id)).flatMap(([, { title, facts }]) => facts.map((one) => [title, one])),
    ...ARROWS.filter(({ id }) => isThere(id)).flatMap(({ title, facts, of }) => [...facts, ...(of ? [of] : [])].map((one) => [title, one]))];
  return table([{ title: "part", left: true }, { title: "what", left: true }, ...all.map(({ name }) => name)],
    rows.map(([title, one]) => [title, one.label, ...all.map(({ name, m }) => {
      const value = one.value(m);
      return value === undefined ? "" : { text: one.text(value), value, field: `memory|${name}|${one.id}` };
    })]).filter((row) => row.slice(2).some((cell) => cell !== "")));
}

// list: [{name, counters, time, cycles}], the one that is drawn first ahead; then the whole run.
export function memoryChart(list) {
  const run = { name: "the whole run", counters: stats.counters ?? {}, time: stats.account.time_ps, cycles: stats.account.time_ps * 1e-12 * 1000 * (machineNumber("gpu.core_clock_khz") ?? 0) };
  const all = [...list.filter(({ counters }) => hasMemory(counters)), run].map(({ name, counters, time, cycles }) => ({ name, m: { c: counters, ps: time, cycles } }));
  if (!hasMemory(run.counters)) return [];
  let chosen = all[0], wide;
  const place = element("div", { class: "memory-place" });
  const draw = () => {
    place.replaceChildren(picture(chosen.name, chosen.m, wide));
    place.dataset.of = chosen.name;
  };
  const select = element("select", { "aria-label": "memory chart of", onchange: () => { chosen = all[Number(select.value)]; draw(); } },
    ...all.map(({ name }, i) => element("option", { value: i }, name)));
  const fit = () => {
    const now = place.clientWidth === 0 || place.clientWidth >= LEAST;
    if (now === wide) return;
    wide = now;
    draw();
  };
  new ResizeObserver(fit).observe(place);
  wide = window.innerWidth >= LEAST;
  draw();
  return [
    element("h3", {}, "Memory chart", element("small", {}, " an arrow is as thick as the part of its peak that it moved; it is red from 60 % on, dashed where no peak is known")),
    element("div", { class: "tools" }, element("label", {}, "of ", select)), place,
    element("p", { class: "note" }, "Peaks: a request to L1 and a pass of shared memory a cycle and SM; all ports of one direction of the crossbar; all data buses of DRAM; of the link, the time for which its wire was taken. " +
      "The crossbar also carries copies and instructions, the link commands; L2 and DRAM serve whoever asks while the kernel runs."),
    details("Memory chart in numbers", () => numbers(all)),
  ];
}
