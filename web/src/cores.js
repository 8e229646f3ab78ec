// What the processor's cores did for the GPU: programs that run ahead of kernels (--preexec), thread blocks (--cpu-blocks).
import { axisStyle, chart, escaped, tooltip } from "./charts.js";
import { colour, ink } from "./colours.js";
import { readable, shortName, stats } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { slotsChart } from "./slots.js";
import { count, share, time, timeOnAxis } from "./units.js";

const BARS = 16;
const launches = stats?.kernels ?? [];

// The level of cache that core and GPU share, as its counters are called: "l3".
const level = Object.keys(stats?.counters ?? {}).find((name) => name.endsWith(".processor_fills"))?.split(".")[0];
const ofLevel = (kernel, name) => kernel.counters[`${level}.${name}`] ?? 0;

// Launches that have `part`, by name, the one that took longest first, with the sums of what `add` gives of each.
function byName(part, add) {
  const all = new Map();
  for (const kernel of launches) {
    if (!kernel[part]) continue;
    const one = all.get(kernel.name) ?? { name: kernel.name, launches: 0, ps: 0, sums: {}, of: [] };
    all.set(kernel.name, one);
    one.launches += 1;
    one.ps += kernel.end_ps - kernel.start_ps;
    one.of.push(kernel);
    for (const [name, value] of Object.entries(add(kernel))) one.sums[name] = (one.sums[name] ?? 0) + value;
  }
  return [...all.values()].sort((a, b) => b.ps - a.ps);
}

const fieldsOf = (one) => (name, text = count(one.sums[name])) => ({ text, field: `${one.name}|${name}`, value: one.sums[name] });
const nameCell = (one) => ({ text: shortName(one.name), title: readable(one.name) });

function bars(title, hint, list, slots) {
  const place = element("div", { class: "chart" });
  const shown = list.slice(0, BARS).map((one) => ({ label: shortName(one.name), title: readable(one.name), slots: slots(one) }))
    .filter((one) => Object.values(one.slots).some((value) => value > 0));
  if (shown.length === 0) return [];
  queueMicrotask(() => slotsChart(place, shown, { left: 190 }));
  return [element("h4", {}, title, element("small", {}, ` ${hint}`)), place];
}

const PROGRAMS = ["instructions", "loads", "suppressed_loads", "requests", "l3_hits", "lines_from_memory", "polls", "private_hits", "stale_hits", "wrong_hits", "on_core_ps"];
const LEVEL = ["processor_fills", "processor_fills_used", "processor_fills_unused", "gpu_read_hits", "gpu_read_merges", "gpu_read_misses"];

function programs() {
  return byName("preexecution", (kernel) => {
    const p = kernel.preexecution;
    return { started: p.started_ps === null ? 0 : 1, ...Object.fromEntries(PROGRAMS.map((name) => [name, p[name]])),
      ...Object.fromEntries(LEVEL.map((name) => [name, ofLevel(kernel, name)])) };
  });
}

const DID = [
  { title: "kernel", left: true }, "launches", { title: "programs", hint: "that a core began before the kernel's end" }, { title: "accesses covered", hint: "of the kernel's to global memory" },
  { title: "time on a core" }, { title: "batches", hint: "after each the program looks whether its kernel has ended (polls)" }, "instructions", "loads",
  { title: "suppressed", hint: "loads that would have faulted, and gave 0" },
  { title: "answered by L1, L2", hint: "of the core, by line: the shared level did not see these loads" },
  { title: "stale", hint: "of these: a write of the GPU had reached the shared level since the line came" }, { title: "wrong", hint: "of these: other bytes than the shared level's" },
  { title: "skip_factor", left: true, hint: "in threads" },
];
const REACHED = [
  { title: "kernel", left: true }, { title: "lines asked for", hint: "by the program, of the shared level" }, { title: "there already" }, { title: "from memory" },
  { title: "lines brought", hint: "that cores brought into the shared level while the kernel ran, a hardware prefetcher's among them" }, { title: "used by the GPU", hint: "while they were there or on their way" },
  { title: "gone unused" }, { title: "GPU's reads: hits", hint: "of the shared level" }, { title: "late", hint: "joined a line on its way: a core's, or that of another read of the GPU" }, { title: "misses" },
];

function skips(one) {
  const factors = one.of.flatMap((kernel) => kernel.preexecution.skip_factor.map(([, threads]) => threads));
  if (factors.length === 0) return "";
  const [least, most] = [Math.min(...factors), Math.max(...factors)];
  return least === most ? count(least) : `first ${count(factors[0])}, ${count(least)} to ${count(most)}`;
}

function didRow(one) {
  const field = fieldsOf(one);
  const { accesses, covered } = one.of[0].preexecution;
  return [nameCell(one), count(one.launches), field("started"), `${count(covered)} of ${count(accesses)}`, field("on_core_ps", time(one.sums.on_core_ps)),
    ...["polls", "instructions", "loads", "suppressed_loads", "private_hits", "stale_hits", "wrong_hits"].map((name) => field(name)), skips(one)];
}

function reachedRow(one) {
  const field = fieldsOf(one);
  const part = (name, of) => ({ ...field(name), ...(one.sums[of] ? { bar: one.sums[name] / one.sums[of] } : {}) });
  return [nameCell(one), ...["requests", "l3_hits", "lines_from_memory", "processor_fills"].map((name) => field(name)),
    part("processor_fills_used", "processor_fills"), part("processor_fills_unused", "processor_fills"), ...["gpu_read_hits", "gpu_read_merges", "gpu_read_misses"].map((name) => field(name))];
}

// Of each launch the distance as it changed, over the run: [[from, to, threads], ...].
function distances() {
  return launches.filter((kernel) => kernel.preexecution?.skip_factor.length > 0).map((kernel) => {
    const { skip_factor: samples, ended_ps: ended } = kernel.preexecution;
    const times = samples.map(([ps]) => kernel.start_ps + ps);
    return { kernel, steps: samples.map(([, threads], i) => [times[i], i + 1 < times.length ? times[i + 1] : Math.max(times[i], ended ?? kernel.end_ps), threads]) };
  });
}

function distanceChart(place, list) {
  const steps = list.flatMap(({ kernel, steps: of }) => of.map((step, i) => ({ kernel, step, before: i > 0 ? of[i - 1][2] : null })));
  const [from, to] = [Math.min(...steps.map(({ step }) => step[0])), Math.max(...steps.map(({ step }) => step[1]))];
  return chart(place, () => ({
    grid: { left: 64, right: 20, top: 14, bottom: 30 },
    tooltip: tooltip(({ dataIndex }) => {
      const { kernel, step } = steps[dataIndex];
      return `<b>${escaped(readable(kernel.name))}</b>, command ${kernel.command}<br>skip_factor ${count(step[2])} threads<br>${time(step[0])} to ${time(step[1])}`;
    }),
    xAxis: { type: "value", min: from, max: to, ...axisStyle(), axisLabel: { ...axisStyle().axisLabel, formatter: (ps) => timeOnAxis(ps, to - from) } },
    yAxis: { type: "value", min: 0, name: "threads", ...axisStyle(), nameTextStyle: { color: ink().soft, align: "right" } },
    series: [{
      type: "custom", progressive: 0, clip: true, data: steps.map(({ step }) => step), encode: { x: [0, 1], y: 2 },
      renderItem: ({ dataIndex }, api) => {
        const { step, before } = steps[dataIndex];
        const points = [[step[0], step[2]], [step[1], step[2]]].map((at) => api.coord(at));
        if (before !== null) points.unshift(api.coord([step[0], before]));
        return { type: "polyline", shape: { points }, style: { stroke: colour("device_to_host"), lineWidth: 2.5, fill: "none" } };
      },
    }],
  }), { renderer: list.length > 100 ? "canvas" : "svg" });
}

function reasons(title, list, text) {
  const said = [...new Set(list.flatMap(text))];
  return said.length === 0 ? [] : [details(`${title} (${count(said.length)})`, () => element("ul", {}, ...said.map((one) => element("li", {}, one))))];
}

function preexecution() {
  const { programs_started: started, instructions, loads, suppressed_loads: suppressed, ...settings } = stats.preexecution;
  const list = programs();
  const told = Object.entries({ "programs started": ["programs_started", started], instructions: ["instructions", instructions], loads: ["loads", loads],
    "suppressed loads": ["suppressed_loads", suppressed] }).map(([title, [field, value]]) => [title, { text: count(value), field: `preexecution.${field}`, value }]);
  const result = [
    element("h3", {}, "Pre-execution", element("small", {}, ` programs that run ahead of kernels and load what these are going to access; mode ${settings.mode}`)),
    table(told.map(([title]) => title), [told.map(([, cell]) => cell)]),
  ];
  if (list.length === 0) return result;
  result.push(
    ...bars("Lines that cores brought", `into ${level?.toUpperCase()}, in %: what became of them until the kernel's end`, list, ({ sums }) => ({
      "used by the GPU": sums.processor_fills_used, "gone unused": sums.processor_fills_unused,
      "still there": Math.max(0, sums.processor_fills - sums.processor_fills_used - sums.processor_fills_unused) })),
    ...bars("Reads of the GPU", `at ${level?.toUpperCase()}, in %`, list, ({ sums }) => ({ hits: sums.gpu_read_hits, "joined a line on its way": sums.gpu_read_merges, misses: sums.gpu_read_misses })));
  const steps = distances();
  if (steps.length > 0) {
    const place = element("div", { class: "chart", style: "height:190px" });
    result.push(element("h4", {}, "skip_factor", element("small", {}, " how far ahead of the GPU a program fetches, in threads, over the run")), place);
    queueMicrotask(() => distanceChart(place, steps));
  }
  result.push(element("h4", {}, "What the programs did"), table(DID, list.map(didRow), { class: "wide" }), element("h4", {}, `What came of it at ${level?.toUpperCase()}`), table(REACHED, list.map(reachedRow), { class: "wide" }));
  if (steps.length > 0)
    result.push(details("skip_factor in numbers", () => table([{ title: "kernel", left: true }, "command", "from", "to", "threads"],
      steps.flatMap(({ kernel, steps: of }) => of.map(([from, to, threads]) => [shortName(kernel.name), kernel.command, time(from), time(to), count(threads)])))));
  const all = list.flatMap((one) => one.of);
  result.push(...reasons("Kernels without a program", all, (kernel) => (kernel.preexecution.no_program ? [`${shortName(kernel.name)}: ${kernel.preexecution.no_program}`] : [])),
    ...reasons("Accesses that are not prefetched", all, (kernel) => kernel.preexecution.not_prefetched.map((one) => `${shortName(kernel.name)}: ${one}`)),
    details("Settings", () => table([{ title: "setting", left: true }, { title: "value", left: true }], Object.entries(settings).map(([key, value]) => [key, String(value)]))));
  return result;
}

const gridBlocks = (kernel) => kernel.grid.reduce((a, b) => a * b, 1);

function blockRow(one) {
  const field = fieldsOf(one);
  const since = (name, pick) => {
    const times = one.of.filter((kernel) => kernel.cpu_blocks[name] !== null).map((kernel) => kernel.cpu_blocks[name] - kernel.start_ps);
    return times.length === 0 ? "" : time(pick(times));
  };
  return [nameCell(one), count(one.launches), field("grid"), { ...field("blocks"), bar: one.sums.blocks / one.sums.grid }, share(one.sums.blocks, one.sums.grid), field("claims"),
    field("instructions"), field("lines_written"), since("first_ps", (all) => Math.min(...all)), since("last_ps", (all) => Math.max(...all))];
}

function blocks() {
  const list = byName("cpu_blocks", (kernel) => {
    const { blocks: done, claims, instructions, lines_written } = kernel.cpu_blocks;
    return { grid: gridBlocks(kernel), blocks: done, claims, instructions, lines_written };
  });
  const cores = (stats.components ?? []).filter((one) => one.kind === "core");
  const cell = (name) => ({ text: count(stats.cpu_blocks[name]), field: `cpu_blocks.${name}`, value: stats.cpu_blocks[name] });
  return [
    element("h3", {}, "Thread blocks on cores", element("small", {}, " the GPU takes a kernel's blocks from the lowest number on, cores from the highest")),
    table(["blocks on cores", "instructions of these"], [[cell("blocks"), cell("instructions")]]),
    ...bars("Who executed the blocks", "in %", list, ({ sums }) => ({ "on SMs": sums.grid - sums.blocks, "on cores": sums.blocks })),
    table([{ title: "kernel", left: true }, "launches", "blocks", "on cores", "of all", { title: "claims", hint: "how often a core asked for a block" }, "instructions",
      { title: "lines written", hint: "of the GPU's memory, written back" }, { title: "first begun", hint: "after the kernel's first block; of several launches the earliest" },
      { title: "last done", hint: "after the kernel's first block; of several launches the latest" }], list.map(blockRow)),
    ...(cores.length > 1 ? [details("Each core", () => table([{ title: "core", left: true }, "instructions", "cycles"],
      cores.map((core) => [core.name, count(core.counters["core.instructions"] ?? 0), count(core.counters["core.cycles"] ?? 0)])))] : []),
    ...reasons("Kernels that ran on the GPU alone", list.flatMap((one) => one.of), (kernel) => (kernel.cpu_blocks.gpu_alone ? [`${shortName(kernel.name)}: ${kernel.cpu_blocks.gpu_alone}`] : [])),
  ];
}

// Nothing where cores did neither.
export function coresSection() {
  if (!stats.preexecution && !stats.cpu_blocks) return null;
  const result = section("cores", "What cores did for the GPU", "Sums of launches of one kernel, the longest first.");
  if (stats.preexecution) result.append(...preexecution());
  if (stats.cpu_blocks) result.append(...blocks());
  const grouped = (stats.kernel_groups ?? []).reduce((sum, group) => sum + group.launches, 0);
  if (grouped > 0) result.append(element("p", { class: "note" }, `The tables have the first ${count(launches.length)} launches; ${count(grouped)} more are in groups, which do not tell.`));
  return result;
}
