// Whole sources with the counts of their lines, and beside them the PTX of one line with the counts of its instructions.
import { shortName, sources, stats } from "./data.js";
import { element, section, table } from "./dom.js";
import { ALWAYS, allSlots, bar, COLUMNS, fileName, legend, row } from "./lines.js";
import { count, share } from "./units.js";

// The order of slots in duet-sources.
const CAUSES = ["issued", "unit_busy", "load_store_busy", "dependency", "memory", "tracked_order", "fence", "barrier", "fetch"];

// A kernel in a file that can be shown, the most slots first: {kernel, number, file, lines}.
function views() {
  const found = [];
  (stats.lines ?? []).forEach((kernel, number) => {
    for (const [at, file] of sources.files.entries()) {
      const lines = new Map(kernel.lines.map((line, i) => [line.line, { ...line, at: i }]).filter(([, line]) => line.line && line.file === file.path));
      if (lines.size && file.parts.length) found.push({ kernel, number, file, at, lines, slots: [...lines.values()].reduce((sum, line) => sum + line.slots, 0) });
    }
  });
  return found.sort((a, b) => b.slots - a.slots);
}

function ptxOf(view, line) {
  const { kernel, number, at } = view;
  const instructions = sources.kernels[number].instructions.map((one, i) => ({ one, i })).filter(({ one }) => one[2] === at && one[3] === line);
  const title = element("h4", {}, `PTX of line ${line}`, element("small", {}, ` ${[...new Set(instructions.map(({ one }) => fileName(sources.files[one[0]].path)))].join(", ")}`));
  if (instructions.length === 0) return [title, element("p", { class: "note" }, "No instruction of this line was executed, or the page had no room for it.")];
  const total = allSlots(kernel);
  const slots = ({ one }) => one[7].reduce((a, b) => a + b, 0);
  const most = Math.max(...instructions.map(slots));
  return [title, table([
    { title: "line", hint: "of the PTX" }, { title: "slots", hint: "of the kernel's issue slots" }, { title: "PTX", left: true }, { title: "by cause", left: true },
    { title: "instr.", hint: "machine instructions of warps" }, { title: "lanes", hint: "executions times active lanes" },
  ], instructions.map(({ one, i }) => [
    { text: one[1], value: one[1] }, { text: share(slots({ one }), total), bar: slots({ one }) / (most || 1), field: `sources.${number}.${i}.slots`, value: slots({ one }) },
    element("code", {}, one[4]), bar(Object.fromEntries(CAUSES.map((cause, at) => [cause, one[7][at]])), most, total), { text: count(one[5]), field: `sources.${number}.${i}.instructions`, value: one[5] },
    { text: count(one[6]), field: `sources.${number}.${i}.lanes`, value: one[6] },
  ]), { class: "ptx" })];
}

function drawn(view) {
  const { kernel, number, file, lines } = view;
  const total = allSlots(kernel);
  const most = Math.max(...[...lines.values()].map((line) => line.slots));
  const counted = new Map([...lines].map(([at, line]) => [at, row(line, most, total, `lines.${number}.lines.${line.at}`)]));
  const used = COLUMNS.map((_, i) => i > 1 && (i < ALWAYS || [...counted.values()].some((cells) => cells[i] !== "")));
  const rows = [];
  for (const [first, text] of file.parts)
    text.split("\n").forEach((code, i) => {
      const at = first + i;
      const cells = counted.get(at)?.slice() ?? COLUMNS.map(() => "");
      if (lines.has(at)) cells[2] = { ...cells[2], bar: lines.get(at).slots / (most || 1) };
      const name = lines.has(at) ? element("button", { type: "button", class: "line", "aria-label": `PTX of line ${at}` }, String(at)) : String(at);
      const shown = cells.filter((_, i) => used[i]);
      rows.push({ at, cells: [{ text: name, value: at }, ...shown.slice(0, 2), element("code", {}, code), ...shown.slice(2)] });
    });
  const heads = COLUMNS.filter((_, i) => used[i]);
  const left = table([{ title: "line" }, ...heads.slice(0, 2), { title: fileName(file.path), left: true, hint: `${file.path}, as it was when the run ended` }, ...heads.slice(2)], rows.map(({ cells }) => cells), { class: "source" });
  const right = element("aside", { "aria-live": "polite" });
  const body = left.querySelector("tbody");
  const all = [...body.rows];
  rows.forEach(({ at }, i) => { if (lines.has(at)) all[i].dataset.line = at; });
  const select = (line) => {
    for (const one of all) one.classList.toggle("selected", one.dataset.line === String(line));
    right.replaceChildren(...ptxOf(view, line));
  };
  body.addEventListener("click", ({ target }) => {
    const line = target.closest("tr")?.dataset.line;
    if (line) select(Number(line));
  });
  const hottest = [...lines.values()].reduce((a, b) => (b.slots > a.slots ? b : a)).line;
  const show = () => {
    select(hottest);
    const selected = body.querySelector(".selected");
    left.scrollTop = Math.max(0, selected.offsetTop - 140);
  };
  queueMicrotask(show);
  return { show, parts: [legend([...lines.values()]), element("div", { class: "source-view" }, left, right)] };
}

// Nothing where lines were not asked for, or no file could be read.
export function sourceSection() {
  const list = sources ? views() : [];
  if (list.length === 0) return null;
  const result = section("source", "Source", "The file with the counts of its lines. Press a line's number for its PTX; a column's head sorts, so the hottest line comes first.");
  const place = element("div");
  let now;
  const draw = (i) => {
    now = drawn(list[i]);
    place.replaceChildren(...now.parts);
  };
  const name = ({ kernel, file }) => `${shortName(kernel.kernel)} in ${fileName(file.path)}`;
  const choice = element("select", { "aria-label": "kernel and file", onchange: ({ target }) => draw(Number(target.value)) }, ...list.map((view, i) => element("option", { value: i }, name(view))));
  result.append(element("div", { class: "tools" }, choice, element("button", { type: "button", onclick: () => now.show() }, "hottest line")), place);
  draw(0);
  const notes = [];
  if (list.some(({ file }) => file.parts.length > 1 || file.parts[0][0] > 1)) notes.push("Of files for which the page has no room it has what lies around lines with counts.");
  const left = sources.kernels.reduce((sum, one) => sum + one.left, 0);
  if (left) notes.push(`${count(left)} instructions with the fewest slots had no room.`);
  result.append(...notes.map((text) => element("p", { class: "note" }, text)));
  return result;
}
