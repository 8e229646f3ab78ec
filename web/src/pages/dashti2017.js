// Figures of dashti2017 that were measured on tk1 and kaveri, each point with its place in the scorecard.
import { bars, number, panels } from "./plots.js";
import { figures, mark, numbersTable, rowOf } from "./score.js";

const BYTES = (value) => (value >= 1048576 ? `${number(value / 1048576)} MB` : `${number(value / 1024)} KB`);
// Points with their places: [{..., at: "figures/3/0"}].
const pointsOf = (figure) => (figures[figure] ?? []).map((point, i) => ({ ...point, at: `figures/${figure}/${i}` }));
const unique = (list) => [...new Set(list)];
const line = (points, x, y) => points.filter((p) => Number.isFinite(p[y])).map((p) => [p[x], p[y]]).sort((a, b) => a[0] - b[0]);

// A panel for each of `parts`, {title, is}; in each a line a method.
function byMethod(points, parts, x, y, options) {
  const names = unique(points.map((p) => p.method));
  const list = parts.map(({ title, note, is }) => {
    const own = names.filter((name) => points.some((p) => p.method === name && is(p)));
    return { title, note, log: true, series: own.map((name) => line(points.filter((p) => p.method === name && is(p)), x, y)), colours: own.map((name) => names.indexOf(name)), labels: own };
  }).filter((panel) => panel.series.some((series) => series.length > 0));
  return panels(list, { columns: 2, tall: 170, names, ...options });
}

function figure3() {
  const points = pointsOf("3");
  const parts = ["gpu", "cpu"].flatMap((by) => ["write", "read"].map((access) => ({
    title: `${by === "gpu" ? "the GPU" : "a core"} ${access}s`, is: (p) => p.by === by && p.access === access })));
  return {
    lead: "Bandwidth over the array's size, in GB/s: default memory, which each side caches, and hostalloc, which nobody does. The paper: the GPU's falls where the array leaves L2, at 128 KB, " +
      "and a core's is a good deal lower with hostalloc.",
    charts: [byMethod(points, parts, "bytes", "gb_per_s", { xName: "array", yName: "GB/s", xFormat: BYTES })],
    numbers: () => numbersTable(["by, access, method, bytes", "GB/s"], points.map((p) => [`${p.by}, ${p.access}, ${p.method}, ${BYTES(p.bytes)}`, `${p.at}/gb_per_s`])),
  };
}

function figure4() {
  const points = pointsOf("4");
  const programs = unique(points.map((p) => p.program)), methods = unique(points.map((p) => p.method)).filter((method) => method !== "default");
  const chart = (key, quantity) => bars({ categories: programs, unit: "times", line: { value: 1, text: "default" },
    marks: quantity ? mark("figure 4", quantity, programs.indexOf("lud"), methods.indexOf("hostalloc")) : [],
    series: methods.map((method) => ({ name: method, values: programs.map((program) => points.find((p) => p.program === program && p.method === method)?.[key] ?? undefined) })) });
  return {
    lead: "Rodinia's programs, written anew: the overall run, then its kernels alone, over default's. The paper: hostalloc slows most down, lud by 9.5 times, kmeans by the host's part alone; managed is close to default.",
    charts: [chart("whole_over_default", "lud_whole"), chart("kernel_over_default", "lud_kernel")],
    numbers: () => numbersTable(["program, method", "overall, µs", "kernels, µs"], points.map((p) => [`${p.program}, ${p.method}`, `${p.at}/whole_us`, `${p.at}/kernel_us`])),
  };
}

function figure5() {
  const points = pointsOf("5").map((p) => ({ ...p, ns: Number.isFinite(p.us) ? (1000 * p.us) / p.threads : undefined }));
  const parts = [["own", 32, "an entry each, a line each"], ["own", 8, "an entry each, four a line"], ["first", 8, "all the first entry"]].map(([index, bytes, title]) => ({
    title, is: (p) => p.index === index && p.entry_bytes === bytes }));
  return {
    lead: "A kernel whose threads increment entries of 8 bytes: its time for each of them, over their number. The paper: the more threads share a line, the slower with hostalloc, and not with managed memory.",
    charts: [byMethod(points, parts, "threads", "ns", { xName: "threads", yName: "ns a thread" })],
    numbers: () => numbersTable(["method, index, bytes of an entry, threads", "µs"], points.map((p) => [`${p.method}, ${p.index}, ${p.entry_bytes}, ${number(p.threads)}`, `${p.at}/us`])),
  };
}

function figure6() {
  const points = pointsOf("6");
  const threads = unique(points.map((p) => p.threads));
  const share = (inL1, count) => {
    const of = (method) => points.find((p) => p.method === method && p.in_l1 === inL1 && p.threads === count)?.us;
    return Number.isFinite(of("hostalloc")) && Number.isFinite(of("managed")) ? of("hostalloc") / of("managed") : undefined;
  };
  return {
    lead: "All threads increment one entry: time with hostalloc over that with managed memory, where L1 may hold it and where not. The paper: the effect is less apparent with L1.",
    charts: [bars({ categories: threads.map((count) => `${number(count)} threads`), unit: "times", line: { value: 1, text: "managed" },
      series: [[false, "L2 alone"], [true, "L1 and L2"]].map(([inL1, name]) => ({ name, values: threads.map((count) => share(inL1, count)) })) })],
    numbers: () => numbersTable(["method, L1, threads", "µs"], points.map((p) => [`${p.method}, ${p.in_l1 ? "L1 and L2" : "L2 alone"}, ${number(p.threads)}`, `${p.at}/us`])),
  };
}

function figure7() {
  const points = pointsOf("7");
  const base = points.find((p) => p.method === "default")?.us, own = points.find((p) => p.method === "sharedalloc")?.us;
  const categories = points.map((p) => p.method);
  const marks = mark("figure 7", "over_default", categories.indexOf("sharedalloc"), 0);
  const speedup = points.map((p) => (Number.isFinite(base) && Number.isFinite(p.us) ? base / p.us : undefined));
  return {
    lead: "The microbenchmark of both sides at once on 128 MB: how many times faster than with default memory and its copies." +
      (Number.isFinite(own) && rowOf("figure 7", "over_managed") ? ` Over managed memory sharedalloc is ${number(rowOf("figure 7", "over_managed").measured)} times faster; the paper has 1.34.` : ""),
    charts: [bars({ categories, unit: "times", marks, line: { value: 1, text: "default" }, series: [{ name: "speedup", values: speedup }] })],
    numbers: () => numbersTable(["method", "µs"], points.map((p) => [p.method, `${p.at}/us`])),
  };
}

function figure9() {
  const points = pointsOf("9");
  const cross = points.findIndex((p) => p.sharedalloc_us < p.hostalloc_us);
  return {
    lead: "Time with sharedalloc over that with hostalloc, by the accesses outside of the critical section, which both sides enter by Peterson's lock; with sharedalloc its holder flushes." +
      (cross > 0 ? ` Here they cross between ${number(points[cross - 1].outside)} and ${number(points[cross].outside)} accesses.` : ""),
    charts: [bars({ categories: points.map((p) => number(p.outside)), unit: "times", line: { value: 1, text: "hostalloc" }, series: [{ name: "sharedalloc over hostalloc", values: points.map((p) =>
      (Number.isFinite(p.sharedalloc_us) && Number.isFinite(p.hostalloc_us) ? p.sharedalloc_us / p.hostalloc_us : undefined)) }] })],
    numbers: () => numbersTable(["accesses outside", "hostalloc, µs", "sharedalloc, µs"], points.map((p) => [number(p.outside), `${p.at}/hostalloc_us`, `${p.at}/sharedalloc_us`])),
  };
}

function figure11() {
  const points = pointsOf("11");
  return {
    lead: "What a kernel writes, launches included, over the array's size, in GB/s: buffers of OpenCL 1.2, fine-grained shared virtual memory of OpenCL 2.0, and memory of HSA's program. " +
      "The paper: of large arrays HSA has nine tenths of OpenCL 1.2's bandwidth and OpenCL 2.0 half; small ones take equally long.",
    charts: [byMethod(points, [{ title: "the GPU writes", is: () => true }], "bytes", "gb_per_s", { xName: "array", yName: "GB/s", xFormat: BYTES, columns: 1 })],
    numbers: () => numbersTable(["method, bytes", "GB/s"], points.map((p) => [`${p.method}, ${BYTES(p.bytes)}`, `${p.at}/gb_per_s`])),
  };
}

function figure12() {
  const points = pointsOf("12");
  const threads = unique(points.map((p) => p.threads));
  const us = (method, count) => points.find((p) => p.method === method && p.threads === count)?.us;
  const over = (count) => { const fine = us("hsa-fine", count), coarse = us("hsa-coarse", count); return Number.isFinite(fine) && Number.isFinite(coarse) ? fine / coarse : undefined; };
  return {
    lead: "All work-items write one word: the kernel's time in coherent memory over that in coarse-grained memory. The paper: 11 to 31 % more, and more with more work-items.",
    charts: [bars({ categories: threads.map((count) => `${number(count)} work-items`), unit: "times", line: { value: 1, text: "coarse-grained" }, marks: mark("figure 12", "many", threads.length - 1, 0),
      series: [{ name: "coherent", values: threads.map(over) }] })],
    numbers: () => numbersTable(["method, work-items", "µs"], points.map((p) => [`${p.method}, ${number(p.threads)}`, `${p.at}/us`])),
  };
}

function figure13() {
  const points = pointsOf("13");
  const parts = [[1, "every work-item writes"], [2, "every other one"]].map(([every, title]) => ({ title, is: (p) => p.every === every }));
  return {
    lead: "A kernel whose work-items write an entry each, padded to so many bytes: its time. The paper: unpadded entries are the fastest, and where every other work-item writes, OpenCL 2.0 is the slowest by far, less so with padding.",
    charts: [byMethod(points, parts, "entry_bytes", "us", { xName: "bytes of an entry", yName: "µs" })],
    numbers: () => numbersTable(["method, of how many one writes, bytes of an entry", "µs"], points.map((p) => [`${p.method}, ${p.every}, ${p.entry_bytes}`, `${p.at}/us`])),
  };
}

function table2() {
  const points = pointsOf("table 2");
  const chart = (key, unit, factor) => bars({ categories: points.map((p) => p.method), unit,
    series: [{ name: unit, values: points.map((p) => (Number.isFinite(p[key]) ? p[key] / factor : undefined)) }] });
  return {
    lead: "What the processor does in a second of launches of 1 MB: loads, and interrupts. The paper: OpenCL 2.0 loads most and OpenCL 1.2 least, which in turn is interrupted most, 21.1 thousand times, and HSA least, 7.6 thousand times.",
    charts: [chart("loads_per_s", "million loads a second", 1e6), chart("interrupts_per_s", "thousand interrupts a second", 1000)],
    numbers: () => numbersTable(["method", "loads a second", "interrupts a second"], points.map((p) => [p.method, `${p.at}/loads_per_s`, `${p.at}/interrupts_per_s`])),
  };
}

function figure15() {
  const points = pointsOf("15");
  const programs = unique(points.map((p) => p.program)), methods = unique(points.map((p) => p.method)).filter((method) => method !== "cl-1.2");
  const chart = (key, marks) => bars({ categories: programs, unit: "times", line: { value: 1, text: "OpenCL 1.2" }, marks,
    series: methods.map((method) => ({ name: method, values: programs.map((program) => {
      const of = (name) => points.find((p) => p.program === program && p.method === name)?.[key];
      return Number.isFinite(of(method)) && Number.isFinite(of("cl-1.2")) ? of(method) / of("cl-1.2") : undefined;
    }) })) });
  return {
    lead: "Four programs after Rodinia's: the overall run, then the kernels alone, over those with OpenCL 1.2. The paper: bfs and kmeans are slower with OpenCL 2.0 and with HSA, gaussian is faster with HSA, whose streamcluster has no local memory.",
    charts: [chart("whole_us", mark("figure 15", "gaussian_hsa_over_12", programs.indexOf("gaussian"), methods.indexOf("hsa-fine"))), chart("kernels_us", [])],
    numbers: () => numbersTable(["program, method", "overall, µs", "kernels, µs"], points.map((p) => [`${p.program}, ${p.method}`, `${p.at}/whole_us`, `${p.at}/kernels_us`])),
  };
}

export const DASHTI2017 = {
  title: "Analyzing memory management methods on integrated CPU-GPU systems (Dashti, Fedorova, 2017)",
  none: "Sections 3 and 4 on tk1, section 6 on kaveri. Figures 1, 2, 8 and 10 are drawings and listings; Figure 14 is in Figure 13's numbers.",
  figures: [
    { title: "Figure 3: bandwidth", key: "3", experiments: ["figure 3"], draw: figure3 },
    { title: "Figure 4: programs", key: "4", experiments: ["figure 4"], draw: figure4 },
    { title: "Figure 5: threads on a line", key: "5", experiments: ["figure 5"], draw: figure5 },
    { title: "Figure 6: threads on a line, with L1", key: "6", experiments: ["figure 6"], draw: figure6 },
    { title: "Figure 7: both sides at once", key: "7", experiments: ["figure 7", "figure 7, programs"], draw: figure7 },
    { title: "Figure 9: entries behind a lock", key: "9", experiments: ["figure 9"], draw: figure9 },
    { title: "Figure 11: bandwidth of frameworks", key: "11", experiments: ["figure 11"], draw: figure11 },
    { title: "Figure 12: one word", key: "12", experiments: ["figure 12"], draw: figure12 },
    { title: "Figures 13 and 14: padded entries", key: "13", experiments: ["figure 13"], draw: figure13 },
    { title: "Table 2: the processor", key: "table 2", experiments: ["table 2"], draw: table2 },
    { title: "Figure 15: programs of frameworks", key: "15", experiments: ["figure 15"], draw: figure15 },
  ],
};
