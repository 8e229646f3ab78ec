// Per kernel its hottest source lines (duet run --lines): issue slots by cause, instructions and what memory was asked.
import { causeColour } from "./colours.js";
import { machineNumber, readable, shortName, stats } from "./data.js";
import { details, element, table } from "./dom.js";
import { causeName } from "./slots.js";
import { bytes, count, share } from "./units.js";

const MOST = 12; // lines of a kernel that are shown at once
const KERNELS = 8;
export const ALWAYS = 6; // columns, also where no line has anything there

export function allSlots(kernel) {
  return kernel.lines.reduce((sum, line) => sum + line.slots, kernel.no_line.no_warp);
}

// A bar as long as the line's part of the hottest line, in the colours of the causes.
export function bar(slots, most, total) {
  const parts = Object.entries(slots).filter(([, value]) => value > 0);
  const text = parts.map(([cause, value]) => `${causeName(cause)}: ${count(value)} (${share(value, total)})`).join("\n");
  return element("span", { class: "cause-bar", title: text, role: "img", "aria-label": text },
    ...parts.map(([cause, value], i) => element("i", { style: `width:${(100 * value) / (most || 1)}%;background:${causeColour(cause, i)}` })));
}

export const COLUMNS = [
  { title: "line", left: true }, { title: "source", left: true, hint: "as the file was when the run ended" },
  { title: "slots", hint: "of the kernel's issue slots: those in which an instruction of the line was issued, and those that were lost because a warp waited to issue one" },
  { title: "by cause", left: true, hint: "the longest bar is the hottest line's" },
  { title: "instructions", hint: "machine instructions of warps" },
  { title: "active lanes", hint: "thread instructions of instructions times the warp's width" },
  { title: "divergent branches", hint: "after which lanes of a warp went different ways" },
  { title: "requests / access", hint: "of a warp's accesses to global and local memory; 1: they coalesce" },
  { title: "bytes moved", hint: "of requests to L1: whole segments" },
  { title: "bytes used", hint: "of these those that threads read or write" },
  { title: "L1 hits", hint: "of reads: answered from L1 at once" },
  { title: "shared conflicts / access", hint: "passes beyond the first of an access to shared memory" },
];

export function fileName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function row(line, most, total, field) {
  const width = machineNumber("gpu.sm.warp_width") ?? 32;
  const reads = line.l1_hits + line.l1_misses;
  const name = line.line === 0 ? "other lines" : `${fileName(line.file)}:${line.line}`;
  const places = line.line === 0 ? "" : `${line.file}:${line.line}${line.inlined ? `, with ${line.inlined}` : ""}${line.ptx_line ? `, ${line.ptx}:${line.ptx_line}` : ""}`;
  return [
    { text: name, title: places }, { text: element("code", {}, line.text), title: line.text },
    { text: share(line.slots, total), title: `${count(line.slots)} slots`, field: `${field}.slots`, value: line.slots },
    bar({ issued: line.issued, ...line.stalls }, most, total),
    { text: count(line.instructions), field: `${field}.instructions`, value: line.instructions },
    line.instructions ? share(line.thread_instructions, line.instructions * width) : "",
    line.divergent_branches ? count(line.divergent_branches) : "",
    line.global_accesses ? (line.requests / line.global_accesses).toFixed(2) : "",
    line.requests ? { text: bytes(line.requested_bytes), field: `${field}.requested_bytes`, value: line.requested_bytes } : "",
    line.requests ? share(line.used_bytes, line.requested_bytes) : "",
    reads ? share(line.l1_hits, reads) : "",
    line.shared_accesses ? (line.shared_conflict_cycles / line.shared_accesses).toFixed(2) : "",
  ];
}

export function legend(lines) {
  const causes = [...new Set(lines.flatMap((line) => ["issued", ...Object.keys(line.stalls)]))];
  return element("div", { class: "legend" }, ...causes.map((cause, i) =>
    element("span", {}, element("i", { style: `background:${causeColour(cause, i)}` }), causeName(cause))));
}

function ofKernel(kernel, number) {
  const total = allSlots(kernel);
  const hot = kernel.lines.filter((line) => line.line !== 0);
  const most = hot[0]?.slots ?? 0;
  const rows = (lines) => {
    const all = lines.map((line) => row(line, most, total, `lines.${number}.lines.${kernel.lines.indexOf(line)}`));
    const used = COLUMNS.map((_, i) => i < ALWAYS || all.some((cells) => cells[i] !== ""));
    return table(COLUMNS.filter((_, i) => used[i]), all.map((cells) => cells.filter((_, i) => used[i])), { class: "lines" });
  };
  const shown = hot.slice(0, MOST);
  const left = kernel.lines.filter((line) => !shown.includes(line));
  const noWarp = kernel.no_line.no_warp;
  return [
    element("h4", { title: readable(kernel.kernel) }, shortName(kernel.kernel), element("small", {}, ` ${count(kernel.launches)} launch${kernel.launches === 1 ? "" : "es"}`)),
    legend(shown), rows(shown),
    element("p", { class: "note" }, `Of no line: ${share(noWarp, total) || "0 %"} of its slots, in which no warp was left.`),
    left.length > 0 ? details(`${count(left.length)} more lines`, () => rows(left)) : null,
  ].filter(Boolean);
}

// Nothing where they were not asked for.
export function hotLines() {
  const kernels = (stats.lines ?? []).map((kernel, number) => ({ kernel, number })).filter(({ kernel }) => kernel.lines.length > 0);
  if (kernels.length === 0) return [];
  const shown = kernels.slice(0, KERNELS);
  return [
    element("h3", { id: "lines" }, "Hot source lines", element("small", {}, " of each kernel, all its launches together, the hottest line first")),
    ...shown.flatMap(({ kernel, number }) => ofKernel(kernel, number)),
    element("p", { class: "note" }, "A lost slot is of the line that a warp waited to issue: for a load that is where its value is used, for a barrier the barrier. " +
      "Of several warps that wait for the same reason it is the first one."),
    kernels.length > shown.length ? details(`${count(kernels.length - shown.length)} more kernels`, () =>
      kernels.slice(KERNELS).flatMap(({ kernel, number }) => ofKernel(kernel, number))) : null,
  ].filter(Boolean);
}
