// Figures of lustig2013, drawn from what was measured, with what the paper's text states of them.
import { bars, curves, number, spans } from "./plots.js";
import { element } from "../dom.js";
import { bytes } from "../units.js";
import { figures, mark, numbersTable, rowOf, valueAt } from "./score.js";

const VARIANTS = ["baseline", "overlap-start", "overlap-finish", "full-overlap"];
const plain = (x) => number(x);
const size = { log: true, base: 2, name: "bytes", format: (x) => (x >= 1 ? bytes(x) : "") };
const points = (list, x, y) => list.map((one) => [one[x], one[y]]);
const paper = (experiment, quantity) => rowOf(experiment, quantity)?.paper;

// Curves over one list of sizes: {sizes, runtime_us: {name: [..]}} of the file.
function overSizes(path, sizesKey, names) {
  const at = valueAt(path);
  return names.map((name) => ({ name, points: at[sizesKey].map((x, i) => [x, at.runtime_us[name][i]]).filter((point) => point[1] > 0) }));
}
function sizesTable(path, sizesKey, names, what) {
  return numbersTable([what, ...names.map((name) => `${name}, µs`)], valueAt(path)[sizesKey].map((x, i) => [number(x), ...names.map((name) => `${path}/runtime_us/${name}/${i}`)]));
}

function figure1() {
  const names = Object.keys(figures[1].runtime_us);
  const crossover = paper("figure 1", "crossover");
  const measured = rowOf("figure 1", "crossover")?.measured;
  return {
    lead: `Breadth-first search by the number of nodes.${Number.isFinite(measured) ? ` One thread and the GPU cross at ${number(measured)} nodes here.` : ""}`,
    charts: [curves({ series: overSizes("figures/1", "sizes", names), x: { log: true, base: 2, name: "nodes", format: plain }, y: { log: true, name: "µs" },
      verticals: Number.isFinite(crossover) ? [{ x: crossover, text: `the paper: they cross at ${number(crossover)}` }] : [] })],
    numbers: () => sizesTable("figures/1", "sizes", names, "nodes"),
  };
}

function figure2() {
  const series = [["memcpy_h2d", "to the device"], ["memcpy_d2h", "to the host"]].filter(([key]) => figures[2][key]);
  return {
    lead: "cudaMemcpy on the discrete and on the integrated machine. The paper states that small copies are faster on the discrete one.",
    charts: [curves({ series: series.flatMap(([key, name]) => [["discrete_us", "discrete"], ["integrated_us", "integrated"]].map(([field, where]) => ({ name: `${where}, ${name}`, points: points(figures[2][key], "bytes", field), dashed: key === "memcpy_d2h" }))),
      x: size, y: { log: true, name: "µs" } })],
    numbers: () => series.map(([key, name]) => numbersTable([`bytes ${name}`, "discrete, µs", "integrated, µs"], figures[2][key].map((one, i) => [bytes(one.bytes), `figures/2/${key}/${i}/discrete_us`, `figures/2/${key}/${i}/integrated_us`]))),
  };
}

const STAGES = ["waits for its turn", "driver", "on the GPU"];
function timelineOf(keys, lead) {
  const there = keys.filter((key) => figures[key]);
  const times = there.flatMap((key) => figures[key].commands.flatMap((one) => [one.queued_us, one.end_us]));
  const range = [Math.floor(Math.min(0, ...times)), Math.ceil(Math.max(...times))];
  const parts = there.map((key) => {
    const { variant, benchmark, finish_us: finish, commands } = figures[key];
    const order = commands.map((one, i) => ({ ...one, i })).sort((a, b) => a.queued_us - b.queued_us || a.start_us - b.start_us);
    const label = (one) => `${one.name.startsWith("_Z") ? `kernel ${benchmark}` : one.name.replaceAll("_", " ")}, stream ${one.stream}`;
    return {
      chart: [element("h4", {}, `${key}: ${variant}, ${benchmark}`, element("small", {}, ` finishes ${number(finish)} µs after its data are ready`)),
        spans(order.map((one) => ({ label: label(one), spans: [
          { from: one.queued_us, to: one.driver_us, what: 0 }, { from: one.driver_us, to: one.start_us, what: 1 }, { from: one.start_us, to: one.end_us, what: 2 }] })),
        STAGES, { unit: "µs", range, marks: [{ x: 0, text: "data ready" }] })],
      table: () => numbersTable([`${key}: command`, "called, µs", "driver begins", "starts", "ends"], order.map((one) =>
        [label(one), ...["queued_us", "driver_us", "start_us", "end_us"].map((field) => `figures/${key}/commands/${one.i}/${field}`)])),
    };
  });
  return { lead, charts: parts.flatMap((part) => part.chart), numbers: () => parts.map((part) => part.table()) };
}

function figure8() {
  const kinds = [["8, counters", "with the profiler's counters, and timers at the calls"], ["8", "with timers at the calls alone"]].filter(([key]) => figures[key]);
  const range = [0, Math.ceil(Math.max(...kinds.flatMap(([key]) => figures[key].map((one) => one.end_us))))];
  const parts = kinds.map(([key, name]) => {
    const calls = figures[key];
    const functions = [...new Set(calls.map((one) => one.call))];
    return {
      chart: [element("h4", {}, name[0].toUpperCase() + name.slice(1), element("small", {}, ` ${calls.length} calls, ${number(calls[calls.length - 1].end_us)} µs`)),
        spans(functions.map((call) => ({ label: call, spans: calls.filter((one) => one.call === call).map((one) => ({ from: one.start_us, to: one.end_us, what: 0 })) })), ["in the call"], { unit: "µs", range })],
      table: () => numbersTable([`call, ${name}`, "begins, µs", "ends, µs"], calls.map((one, i) => [one.call, `figures/${key}/${i}/start_us`, `figures/${key}/${i}/end_us`])),
    };
  });
  return {
    lead: "CUDA calls of FIBLookup's offloads, in the program's time. The paper states that counters stretch and serialize, and that timers do not.",
    charts: parts.flatMap((part) => part.chart), numbers: () => parts.map((part) => part.table()),
  };
}

function figure9() {
  const stated = paper("figure 9", "least_difference");
  return {
    lead: "One copy of N bytes against two of N/2 in one stream: the difference is what the driver takes for a call.",
    charts: [curves({ series: [{ name: "difference", points: points(figures[9], "bytes", "difference_us") }], x: size, y: { name: "µs" },
      horizontal: Number.isFinite(stated) ? { value: stated, text: `the paper: ${number(stated)} µs`, paper: true } : undefined })],
    numbers: () => numbersTable(["bytes", "difference, µs"], figures[9].map((one, i) => [bytes(one.bytes), `figures/9/${i}/difference_us`])),
  };
}

function figure10() {
  const names = { memcpy_h2d: "cudaMemcpy to the device", memcpy_d2h: "cudaMemcpy to the host", memcpy_async_h2d_call: "cudaMemcpyAsync, the call", memcpy_async_h2d_sync: "cudaMemcpyAsync and synchronize" };
  const keys = Object.keys(names).filter((key) => figures[10][key]);
  // The paper's sums: microseconds and, at gigabytes a second, the bytes.
  const sum = (name, key, fixed, rate) => (Number.isFinite(fixed) && figures[10][key]
    ? [{ name, paper: true, dashed: true, points: figures[10][key].map((one) => [one.bytes, fixed + (Number.isFinite(rate) ? one.bytes / rate / 1000 : 0)]) }] : []);
  const of = (quantity) => paper("latencies", quantity);
  return {
    lead: "Copies by size. Dashed: the paper's sums, a fixed time and the bytes at its rate.",
    charts: [curves({ series: [...keys.map((key, i) => ({ name: names[key], points: points(figures[10][key], "bytes", "us"), colour: i })),
      ...sum("the paper, synchronous", "memcpy_h2d", of("sync_h2d_intercept"), of("sync_h2d_rate")), ...sum("the paper, asynchronous", "memcpy_async_h2d_sync", of("async_h2d_intercept"), of("async_h2d_rate")),
      ...sum("the paper, the call", "memcpy_async_h2d_call", of("async_call"))], x: size, y: { log: true, name: "µs" }, height: 340 })],
    numbers: () => numbersTable(["bytes", ...keys.map((key) => `${names[key]}, µs`)], figures[10][keys[0]].map((one, i) => [bytes(one.bytes), ...keys.map((key) => `figures/10/${key}/${i}/us`)])),
  };
}

function grid(path, means, marks = []) {
  const of = valueAt(path);
  const names = Object.keys(of);
  const there = VARIANTS.filter((variant) => names.some((name) => of[name][variant]));
  return {
    chart: bars({ categories: [...names, ...(means ? ["mean"] : [])], unit: "of baseline", line: { value: 1, text: "" }, marks,
      series: there.map((variant) => ({ name: variant, values: [...names.map((name) => of[name][variant]?.normalized), ...(means ? [valueAt(means)?.[variant]] : [])] })) }),
    table: () => [numbersTable(["normalized", ...there], [...names.map((name) => [name, ...there.map((variant) => `${path}/${name}/${variant}/normalized`)]), ...(means ? [["mean", ...there.map((variant) => `${means}/${variant}`)]] : [])]),
      numbersTable(["runtime, µs", ...there], names.map((name) => [name, ...there.map((variant) => `${path}/${name}/${variant}/runtime_us`)]))],
  };
}

function figure11() {
  const names = Object.keys(figures[11].benchmarks);
  const share = (gain) => 1 - gain / 100;
  const main = grid("figures/11/benchmarks", "figures/11/mean", mark("figure 11", "mean_gain", names.length, VARIANTS.indexOf("full-overlap"), share));
  const split = figures[11].split;
  const best = rowOf("figure 11", "best_gain");
  const parts = split ? [element("h4", {}, "What full-overlap saves, and of it what calls and driver cost"), bars({ categories: Object.keys(split), unit: "µs", series: [
    { name: "calls and driver", values: Object.values(split).map((one) => one["full-overlap"]?.calls_and_driver_us) }, { name: "overlap", values: Object.values(split).map((one) => one["full-overlap"]?.overlap_us) }] })] : [];
  return {
    lead: `Runtime as a share of the baseline's, less is better.${Number.isFinite(best?.paper) ? ` The paper's best gain, of a benchmark that its text does not name, is ${number(best.paper)} %, which is ${number(share(best.paper))} of the baseline.` : ""}`,
    charts: [main.chart, ...parts],
    numbers: () => [main.table(), split ? numbersTable(["full-overlap, µs", "saved", "calls and driver", "overlap"], Object.keys(split).filter((name) => split[name]["full-overlap"]).map((name) =>
      [name, ...["saved_us", "calls_and_driver_us", "overlap_us"].map((field) => `figures/11/split/${name}/full-overlap/${field}`)])) : null].flat().filter(Boolean),
  };
}

function figure12() {
  const charts = [], tables = [];
  const processor = figures["12, processor"] ?? {};
  const even = (variant, level) => paper("break-even", `${variant}${level}`);
  for (const level of ["-O2", "-O0"].filter((one) => processor[one])) {
    const own = processor[level];
    const thread = own.runtime_us.fresh;
    const relative = ["baseline", "full-overlap"].map((name) => ({ name, points: own.sizes.map((x, i) => [x, own.runtime_us[name][i] / thread[i]]) }));
    charts.push(element("h4", {}, `Offload's time, of that of one thread compiled with ${level}`, element("small", {}, " below 1 the GPU is faster")),
      curves({ series: relative, x: { log: true, base: 2, name: "elements", format: plain }, y: { log: true, name: "of one thread" }, horizontal: { value: 1, text: "break-even" },
        verticals: ["full-overlap", "baseline"].flatMap((variant) => (Number.isFinite(even(variant, level)) ? [{ x: even(variant, level), text: `the paper, ${variant}: ${number(even(variant, level))}` }] : [])) }));
    tables.push(sizesTable(`figures/12, processor/${level}`, "sizes", Object.keys(own.runtime_us), `elements, ${level}`),
      numbersTable([`break-even at elements, ${level}`, "baseline", "full-overlap"], Object.keys(own.break_even ?? {}).map((state) => [`inputs ${state === "fresh" ? "just written" : state}`, ...["baseline", "full-overlap"].map((variant) => `figures/12, processor/${level}/break_even/${state}/${variant}`)])));
  }
  if (figures[12]) {
    const names = VARIANTS.filter((one) => figures[12].runtime_us[one]);
    charts.push(element("h4", {}, "Offload's time by size"), curves({ series: overSizes("figures/12", "elements", names), x: { log: true, base: 2, name: "elements", format: plain }, y: { log: true, name: "µs" } }));
    tables.push(sizesTable("figures/12", "elements", names, "elements"));
  }
  return { lead: "vectorAdd by size, against one thread of the processor whose inputs were just written. Vertical: where the paper has the break-even.", charts, numbers: () => tables };
}

function section71() {
  const names = Object.keys(figures["7.1"]);
  const cell = (name) => figures["7.1"][name];
  const levels = ["-O2", "-O0"].filter((level) => names.some((name) => cell(name).processor_us[level]));
  return {
    lead: "One thread's time over the offload's: above 1 the GPU is faster, as the paper has it for all. Its inputs were just written.",
    charts: [bars({ categories: names, unit: "×", line: { value: 1, text: "as fast" }, series: levels.map((level) => ({ name: `one thread, ${level}`, values: names.map((name) => cell(name).processor_us[level]?.fresh / cell(name).gpu_us) })) })],
    numbers: () => numbersTable(["benchmark, µs", "offload", "kernels", "copies", "calls and driver", ...levels.map((level) => `thread ${level}, just written`), "warm", "cold"],
      names.map((name) => [name, ...["gpu_us", "kernels_us", "copies_us", "calls_and_driver_us"].map((field) => `figures/7.1/${name}/${field}`), ...levels.map((level) => `figures/7.1/${name}/processor_us/${level}/fresh`),
        `figures/7.1/${name}/processor_us/-O2/warm`, `figures/7.1/${name}/processor_us/-O2/cold`])),
  };
}

function integrated() {
  const own = grid("figures/integrated");
  return { lead: "Figure 11's programs on the integrated machine. The paper states that its techniques pay there too.", charts: [own.chart], numbers: () => own.table() };
}

function extensions() {
  const all = figures.extensions;
  const parts = Object.keys(all).flatMap((key) => all[key].map((cell, i) => ({ key, i, ...cell })));
  return {
    lead: "Extensions of sections 4.5 and 9: the first column is the way with the extension, the others do without it.",
    charts: [],
    open: true,
    numbers: () => parts.map((part) => numbersTable([`${part.key}: ${part.arguments}`, ...Object.keys(part.runtime_us)], [["µs", ...Object.keys(part.runtime_us).map((way) => `figures/extensions/${part.key}/${part.i}/runtime_us/${way}`)]])),
  };
}

const EXTENSIONS = ["granularity of tracking", "granularity of transmission", "look-ahead", "refusals", "region", "counter bits", "emptied at kernel end", "override set", "override release", "ring", "array"];
export const LUSTIG2013 = {
  title: "Reducing GPU offload latency via fine-grained CPU-GPU synchronization (Lustig, Martonosi, 2013)",
  none: "Figures 4, 5 and 7 are drawings and listings: nothing in them is measured.",
  figures: [
    { title: "Figure 1: breadth-first search", key: "1", experiments: ["figure 1"], draw: figure1 },
    { title: "Figure 2: copies, discrete and integrated", key: "2", experiments: ["figure 2"], draw: figure2 },
    { title: "Figure 3: an offload in time", key: "3a", experiments: ["figure 11"], quantities: /^$/, draw: () => timelineOf(["3a", "3b"], "vectorAdd's commands. 0 is when its data are ready.") },
    { title: "Figure 6: overlap-start and overlap-finish in time", key: "6a", experiments: ["figure 11"], quantities: /^$/, draw: () => timelineOf(["6a", "6b"], "vectorAdd's commands. 0 is when its data are ready.") },
    { title: "Figure 8: the profiler", key: "8", experiments: ["figure 8"], draw: figure8 },
    { title: "Figure 9: the driver's latency", key: "9", experiments: ["figure 9"], draw: figure9 },
    { title: "Figure 10: latencies of copies", key: "10", experiments: ["latencies"], draw: figure10 },
    { title: "Figure 11: seven benchmarks", key: "11", experiments: ["figure 11"], draw: figure11 },
    { title: "Figure 12: vectorAdd by size", key: "12", other: "12, processor", experiments: ["figure 12", "break-even"], draw: figure12 },
    { title: "Section 7.1: against one thread", key: "7.1", experiments: ["section 7.1"], draw: section71 },
    { title: "Section 1.2: the integrated machine", key: "integrated", experiments: ["integrated"], draw: integrated },
    { title: "Sections 4.5 and 9: extensions", key: "extensions", experiments: EXTENSIONS, draw: extensions },
  ],
};
