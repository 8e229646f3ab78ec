// Figures of yang2012, drawn from what was measured, with what the paper's text states of them.
import { bars, number, panels } from "./plots.js";
import { element } from "../dom.js";
import { figures, mark, numbersTable, rowOf, valueAt } from "./score.js";

const NAMES = {
  BSc: "BlackScholes", VD: "VecAdd", FFT: "FFT", MM: "matrix multiplication", Con: "convolution", TMV: "transposed matrix times vector",
  BS: "BitonicSort", MC: "MonteCarlo", MV: "matrix times vector",
};
const at = (list, name) => list.indexOf(name);
const mean = (values) => (values.length && values.every(Number.isFinite) ? values.reduce((a, b) => a + b, 0) / values.length : undefined);
const of = (path) => valueAt(path);
const programs = (figure) => Object.keys(figures[figure] ?? {});

// Bars of benchmarks and, behind them, of their mean: series [{name, path: (benchmark) => path, mean: [experiment, quantity]}].
function benchmarkBars(figure, series, { unit, marks = [], line, means = true, also = [] } = {}) {
  const names = programs(figure);
  const measured = ([experiment, quantity]) => rowOf(experiment, quantity)?.measured;
  const extra = [...(means ? [{ label: "mean", of: (one) => (one.mean ? measured(one.mean) : undefined) ?? mean(names.map((n) => of(one.path(n)))) }] : []), ...also];
  const categories = [...names, ...extra.map((one) => one.label)];
  const chart = bars({
    categories, unit, line, marks: marks.flatMap((make) => make(categories)),
    series: series.map((one) => ({ name: one.name, values: [...names.map((n) => of(one.path(n))), ...extra.map((more) => more.of(one))] })),
  });
  const cell = (one, more) => {
    const row = more.label === "mean" && one.mean ? rowOf(...one.mean) : undefined;
    if (row) return `rows/${row.at}/measured`;
    const found = more.of(one);
    return { text: found === undefined ? "" : `${number(found)} *` };
  };
  const numbers = () => [
    numbersTable(["benchmark", ...series.map((one) => (unit ? `${one.name}, ${unit}` : one.name))],
      [...names.map((n) => [`${n} ${NAMES[n] ? `(${NAMES[n]})` : ""}`, ...series.map((one) => one.path(n))]),
        ...extra.map((more) => [more.label, ...series.map((one) => cell(one, more))])]),
    ...(extra.length ? [element("p", { class: "note" }, "* computed for this page: of what stands above, or in a row.")] : []),
  ];
  return { charts: [chart], numbers };
}

function figure4() {
  const names = ["un_1", "un_2", "un_4", "un_8", "un_16", "un_1_pref", "un_2_pref", "un_4_pref", "un_8_pref", "un_16_pref"].filter((n) => figures[4][n]);
  const one = of("figures/4/un_1/processor"), eight = of("figures/4/un_8_pref/processor");
  const times = (quantity) => rowOf("figure 4", quantity)?.paper;
  const marks = [];
  const put = (name, series, factor, base, what) => {
    if (at(names, name) >= 0 && Number.isFinite(factor * base)) marks.push({ at: at(names, name), series, paper: factor * base, text: `${number(factor)}× ${what}` });
  };
  put("un_16", 0, times("unroll_16"), one, "un_1");
  put("un_8_pref", 1, times("gpu_share"), eight, "un_8_pref");
  return {
    lead: "Requests for lines of 64 bytes in every 100,000 cycles of the processor, of VecAdd. un_N: unrolled N times; pref: with the next-line prefetcher. The paper states factors, " +
      "so its marks stand at these times what was measured here.",
    charts: [bars({ categories: names, unit: "requests", marks, series: [
      { name: "processor", values: names.map((n) => of(`figures/4/${n}/processor`)) }, { name: "GPU", values: names.map((n) => of(`figures/4/${n}/gpu`)) }] })],
    numbers: () => numbersTable(["program", "processor", "GPU"], names.map((n) => [n, `figures/4/${n}/processor`, `figures/4/${n}/gpu`])),
  };
}

function figure6() {
  const moving = new Set(["BS", "MV"]);
  const names = programs("6");
  const list = names.map((name) => {
    const launches = figures[6][name];
    return { title: name, note: `${launches.length} launch${launches.length > 1 ? "es" : ""} · the paper: ${moving.has(name) ? "keeps moving" : "settles"}`,
      series: launches.map((points) => points.map(([t, v]) => [t / 1000, v])) };
  });
  return {
    lead: "skip_factor over a kernel's time, a line a launch (benchmarks with several launches have several lines).",
    charts: [panels(list, { step: true, xName: "µs", yName: "skip_factor" })],
    numbers: () => numbersTable(["benchmark, launch", "changes", "first", "last", "last change at, ns"], names.flatMap((name) => figures[6][name].map((points, i) => {
      const end = points.length - 1;
      return [`${name} ${i + 1}`, { text: number(end) }, `figures/6/${name}/${i}/0/1`, `figures/6/${name}/${i}/${end}/1`, `figures/6/${name}/${i}/${end}/0`];
    }))),
  };
}

function figure10() {
  const ways = [["no-preex", "no-preex"], ["adaptive", "adaptive"], ["profiled", "profiled"], ["perfect L3", "perfect L3"]].filter(([key]) => programs("10").some((n) => figures[10][n][key]));
  const ipc = benchmarkBars("10", ways.map(([key, name]) => ({ name, path: (n) => `figures/10/${n}/${key}/ipc` })), { unit: "IPC", means: false, line: { value: 128, text: "peak, as the paper has it: 128" } });
  const gains = [["adaptive", "adaptive", "adaptive_mean", "adaptive_best"], ["profiled", "profiled", "profiled_mean", "profiled_best"]];
  const best = (one) => rowOf("figure 10", `${one.key}_best`)?.measured;
  const gain = benchmarkBars("10", gains.map(([key, name, quantity]) => ({ key, name, path: (n) => `figures/10/${n}/${key}_gain_percent`, mean: ["figure 10", quantity] })), {
    unit: "%", also: [{ label: "best", of: best }],
    marks: [
      (all) => programs("10").flatMap((n) => mark("figure 10", `adaptive_${n}`, at(all, n))),
      (all) => gains.flatMap(([key], i) => ["mean", "best"].flatMap((what) => mark("figure 10", `${key}_${what}`, at(all, what), i))),
    ],
  });
  const perfect = ways.some(([key]) => key === "perfect L3")
    ? benchmarkBars("10", [{ name: "perfect L3", path: (n) => `figures/10/${n}/perfect_gain_percent`, mean: ["perfect L3", "perfect_mean"] }], {
      unit: "%", marks: [(all) => ["MM", "Con"].flatMap((n) => mark("perfect L3", `perfect_${n}`, at(all, n)))] }) : undefined;
  return {
    lead: "Thread instructions a cycle; below, what pre-execution gains, and what an L3 that always hits would. The paper's best is MonteCarlo.",
    charts: [ipc.charts[0], element("h4", {}, "Gain in IPC"), gain.charts[0], ...(perfect ? [element("h4", {}, "What a perfect L3 gains"), perfect.charts[0]] : [])],
    numbers: () => [ipc, gain, ...(perfect ? [perfect] : [])].flatMap((one) => one.numbers()),
  };
}

const figure11 = () => ({
  lead: "The GPU's reads that hit L3.",
  ...benchmarkBars("11", [{ name: "no-preex", path: (n) => `figures/11/${n}/no-preex`, mean: ["figure 10", "l3_off"] }, { name: "adaptive", path: (n) => `figures/11/${n}/adaptive`, mean: ["figure 10", "l3_adaptive"] }],
    { unit: "%", marks: [(all) => mark("figure 10", "l3_off", at(all, "mean"), 0), (all) => mark("figure 10", "l3_adaptive", at(all, "mean"), 1)] }),
});
const figure12 = () => ({
  lead: "Of the lines that the core brought to L3, those that the GPU used.",
  ...benchmarkBars("12", [{ name: "accuracy", path: (n) => `figures/12/${n}/accuracy_percent`, mean: ["figure 10", "accuracy"] }], { unit: "%", marks: [(all) => mark("figure 10", "accuracy", at(all, "mean"))] }),
});
const figure13 = () => ({
  lead: "Instructions of the core as a share of those of the GPU's threads.",
  ...benchmarkBars("13", [{ name: "adaptive", path: (n) => `figures/13/${n}/adaptive`, mean: ["figure 10", "instructions_adaptive"] }, { name: "profiled", path: (n) => `figures/13/${n}/profiled`, mean: ["figure 10", "instructions_profiled"] }],
    { unit: "%", marks: [(all) => mark("figure 10", "instructions_adaptive", at(all, "mean"), 0), (all) => mark("figure 10", "instructions_profiled", at(all, "mean"), 1)] }),
});

// Figures 14 to 16: gains by variant, and times without pre-execution.
function variants(figure, lead, order, quantities = {}) {
  const names = order.filter((one) => figures[figure][one]);
  const benchmarks = Object.keys(figures[figure][names[0]] ?? {});
  const part = (key, unit, means, line) => {
    const value = (n, b) => of(`figures/${figure}/${n}/${b}/${key}`);
    return {
      chart: bars({
        categories: [...benchmarks, ...(means ? ["mean"] : [])], unit, line,
        series: names.map((n) => ({ name: n, values: [...benchmarks.map((b) => value(n, b)), ...(means ? [mean(benchmarks.map((b) => value(n, b)))] : [])] })),
        marks: means ? names.flatMap((n, i) => (quantities[n] ? mark(`figure ${figure}`, quantities[n], benchmarks.length, i) : [])) : [],
      }),
      table: () => numbersTable(["benchmark", ...names.map((n) => `${n}, ${unit}`)], [...benchmarks.map((b) => [b, ...names.map((n) => `figures/${figure}/${n}/${b}/${key}`)]),
        ...(means ? [["mean *", ...names.map((n) => ({ text: number(mean(benchmarks.map((b) => value(n, b)))) }))]] : [])]),
    };
  };
  const gain = part("gain_percent", "%", true), time = part("normalized_time", "× own", false, { value: 1, text: "" });
  return {
    lead, charts: [element("h4", {}, "Gain in IPC, adaptive"), gain.chart, element("h4", {}, "Time without pre-execution, of that on the machine itself"), time.chart],
    numbers: () => [gain.table(), time.table(), element("p", { class: "note" }, "* computed for this page: of what stands above.")],
  };
}

function figure17() {
  const part = (names, title) => {
    const benchmarks = Object.keys(figures[17][names[0]] ?? {});
    return {
      charts: [element("h4", {}, title), bars({ categories: benchmarks, unit: "IPC", series: names.map((n) => ({ name: n, values: benchmarks.map((b) => of(`figures/17/${n}/${b}/ipc`)) })) })],
      numbers: () => numbersTable(["benchmark", ...names], benchmarks.map((b) => [b, ...names.map((n) => `figures/17/${n}/${b}/ipc`)])),
    };
  };
  const named = (word) => Object.keys(figures[17]).filter((n) => n.startsWith(word));
  const parts = [part(named("batch_size"), "Batch size"), part(named("threshold"), "Threshold (section 5.4; the paper has no figure of it)")];
  return {
    lead: "IPC with other parameters of the pre-execution program. The paper states that they matter little, and that 16 is best.",
    charts: parts.flatMap((one) => one.charts), numbers: () => parts.map((one) => one.numbers()),
  };
}

const figure18 = () => ({
  lead: "What it gains when the core executes thread blocks from the far end. The paper: less than 2 % for most, VecAdd most.",
  ...benchmarkBars("18", [{ name: "gain", path: (n) => `figures/18/${n}/gain_percent` }], { unit: "%", means: false, line: { value: 2, text: "2 %" }, marks: [(all) => mark("figure 18", "vecadd", at(all, "VD"))] }),
});
const prefetcher = () => ({
  lead: "What a stride prefetcher by instruction and warp on the GPU gains without pre-execution.",
  ...benchmarkBars("stride prefetcher", [{ name: "stride prefetcher", path: (n) => `figures/stride prefetcher/${n}`, mean: ["stride prefetcher", "mean_gain"] }],
    { unit: "%", marks: [(all) => mark("stride prefetcher", "mean_gain", at(all, "mean"))] }),
});
function table1() {
  const names = programs("table 1");
  return { lead: "Threads of each launch and of a block, as the programs have them.", charts: [],
    open: true, numbers: () => numbersTable(["benchmark", "threads", "threads per block"], names.map((n) => [`${n} (${NAMES[n] ?? n})`, `figures/table 1/${n}/threads`, `figures/table 1/${n}/threads_per_block`])) };
}

const OWN = "the machine itself";
export const YANG2012 = {
  title: "CPU-assisted GPGPU on fused CPU-GPU architectures (Yang, Xiang, Mantor, Zhou, 2012)",
  none: "Figures 1 to 3, 5 and 7 to 9 are drawings and listings: nothing in them is measured.",
  figures: [
    { title: "Figure 4: requests of core and GPU", key: "4", experiments: ["figure 4"], draw: figure4 },
    { title: "Figure 6: skip_factor over time", key: "6", experiments: ["figure 6"], draw: figure6 },
    { title: "Figure 10: performance", key: "10", experiments: ["figure 10", "perfect L3", "partition conflicts"], quantities: /^(adaptive|profiled|mc_|perfect|points)/, draw: figure10 },
    { title: "Figure 11: hits in L3", key: "11", experiments: ["figure 10"], quantities: /^l3_/, draw: figure11 },
    { title: "Figure 12: accuracy", key: "12", experiments: ["figure 10"], quantities: /^accuracy/, draw: figure12 },
    { title: "Figure 13: instructions", key: "13", experiments: ["figure 10"], quantities: /^instructions/, draw: figure13 },
    { title: "Figure 14: the GPU's clock", key: "14", experiments: ["figure 14"], draw: () => variants("14", "267, 480 (the machine itself) and 800 MHz. The paper states trends alone.", ["267 MHz", OWN, "800 MHz"]) },
    { title: "Figure 15: memory's clock", key: "15", experiments: ["figure 15"], draw: () => variants("15", "300, 600 (the machine itself) and 1200 MHz. The paper states trends alone.", ["300 MHz", OWN, "1200 MHz"]) },
    { title: "Figure 16: SPs per SM", key: "16", experiments: ["figure 16"], draw: () => variants("16", "16, 32 (the machine itself) and 64 SPs per SM, the latter in two readings.",
      ["16 SPs", OWN, "64 SPs, two warp instructions a cycle", "64 SPs, warps of 64 threads"],
      { "16 SPs": "mean_16", [OWN]: "mean_32", "64 SPs, two warp instructions a cycle": "mean_64", "64 SPs, warps of 64 threads": "mean_64_wide" }) },
    { title: "Figure 17: batch size and threshold", key: "17", experiments: ["figure 17"], draw: figure17 },
    { title: "Figure 18: thread blocks on the core", key: "18", experiments: ["figure 18"], draw: figure18 },
    { title: "Section 6: a stride prefetcher", key: "stride prefetcher", experiments: ["stride prefetcher"], draw: prefetcher },
    { title: "Table 1: the programs", key: "table 1", experiments: ["table 1"], draw: table1 },
  ],
};
