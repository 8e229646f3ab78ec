// `duet compare A B --html`: what changed in the machine and in the run, the largest first.
import { chart, axisStyle, escaped, tooltip } from "../charts.js";
import { colour, ink, inkOn, MOMENT_NAMES, NAMES, onThemeChange } from "../colours.js";
import { details, element, section, table } from "../dom.js";
import { causeName, slotsChart } from "../slots.js";
import { bytes, count, share, time } from "../units.js";
import { seriesColour } from "./plots.js";
import { page } from "./score.js";

const c = page?.comparison;
const FIRST = 12;
const SIDES = ["a", "b"];

// "+12.3 %", as the table on the terminal has it.
function changed({ a, b }) {
  if (a === 0) return b === 0 ? "" : "new";
  if (b === 0) return "gone";
  const percent = (100 * (b - a)) / a;
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)} %`;
}
function number(path, change, side, format = count) {
  return { text: format(change[side]), field: `comparison/${path}/${side}`, value: change[side] };
}
// A's and B's number and the difference, whose bar is its share of the largest one.
function three(path, change, most, format = count) {
  const difference = change.b - change.a;
  return [number(path, change, "a", format), number(path, change, "b", format),
    { text: `${difference < 0 ? "−" : "+"}${format(Math.abs(difference))}`, bar: most ? Math.abs(difference) / most : 0, colour: difference > 0 ? "var(--worse)" : "var(--better)" }, changed(change)];
}
const largest = (list, of) => Math.max(0, ...list.map((one) => Math.abs(of(one).b - of(one).a)));

// One bar a run, of parts that add up to it; on one scale.
function partsBars(title, hint, path, names) {
  const parts = c[path];
  const whole = Math.max(c.time_ps.a, c.time_ps.b);
  const same = Math.max(0, c.time_ps.a - parts.reduce((sum, part) => sum + part.a, 0));
  const piece = (what, ps, text) => {
    const place = element("span", { class: "part", style: `flex:0 0 ${(100 * ps) / whole}%`, title: `${text}: ${time(ps)}` }, ps / whole > 0.055 ? time(ps) : "");
    const paint = () => {
      const fill = what ? colour(what) : ink().line;
      place.style.background = fill;
      place.style.color = inkOn(fill);
    };
    paint();
    onThemeChange(paint);
    return place;
  };
  const bar = (side) => element("div", { class: "side" }, element("b", {}, side.toUpperCase()), element("div", { class: "parts-bar", role: "img", "aria-label": `${title}, ${side}` },
    ...parts.filter((part) => part[side] > 0).map((part) => piece(part.name, part[side], names[part.name] ?? part.name)), ...(same > 0 ? [piece(null, same, "the same on both sides")] : [])));
  const most = largest(parts, (part) => part);
  return [element("h3", {}, title, element("small", {}, ` ${hint}`)), ...SIDES.map(bar),
    table([{ title: "part", left: true }, "A", "B", "B − A", "change"], parts.map((part) => [
      names[part.name] ?? part.name, ...three(`${path}/${parts.indexOf(part)}`, part, most, time)])),
    same > 0 ? element("p", { class: "note" }, `Grey: ${time(same)} that are the same on both sides.`) : null].filter(Boolean);
}

function timeSection() {
  const { a, b } = c.time_ps;
  const result = section("time", "The run");
  const times = a > 0 && b > 0 ? (b < a ? `, ${(a / b).toFixed(2)} times as fast` : b > a ? `, ${(b / a).toFixed(2)} times as long` : "") : "";
  result.append(element("p", { class: "answer" }, a === b ? `Both runs took ${time(a)}.` : `A took ${time(a)} and B ${time(b)}: ${changed(c.time_ps)}${times}.`),
    table([{ title: "", left: true }, { title: "A", left: true }, { title: "B", left: true }], [
      ["folder", page.a, page.b], ...["command", "machine"].map((key) => [key, c.a[key], c.b[key]]),
      ["simulated time", number("time_ps", c.time_ps, "a", time), number("time_ps", c.time_ps, "b", time)],
      ["complete", ...SIDES.map((side) => (c[side].complete ? "yes" : "no, it was cut off"))]]));
  if (c.moments_ps.length > 0) result.append(...partsBars("Each moment once", "what went on, counted for the first of kernel, copy, driver, call", "moments_ps", MOMENT_NAMES));
  if (c.critical_path_ps.length > 0) result.append(...partsBars("Critical path", "what the program's end had to wait for", "critical_path_ps", NAMES));
  return result;
}

function machineSection() {
  const result = section("machine", "The machine");
  result.append(c.machine.length === 0 ? element("p", { class: "note" }, "Every key has the same value.")
    : table([{ title: "key", left: true }, { title: "A", left: true }, { title: "B", left: true }, { title: "unit", left: true }], c.machine.map((key) => [key.key, key.a ?? "–", key.b ?? "–", key.unit])));
  return result;
}

// Pairs of bars, A above B.
function pairs(list) {
  const place = element("div", { class: "chart", style: `height:${list.length * 40 + 66}px` });
  queueMicrotask(() => chart(place, () => ({
    grid: { left: 230, right: 66, top: 30, bottom: 28 },
    legend: { top: 0, left: 0, itemWidth: 14, itemHeight: 10, textStyle: { color: ink().soft, fontSize: 12 }, data: ["A", "B"] },
    tooltip: tooltip(({ dataIndex }) => `<b>${escaped(list[dataIndex].label)}</b><br>A: ${time(list[dataIndex].a)}<br>B: ${time(list[dataIndex].b)}<br>${changed(list[dataIndex])}`),
    xAxis: { type: "value", ...axisStyle(), axisLabel: { ...axisStyle().axisLabel, formatter: time } },
    yAxis: { type: "category", inverse: true, data: list.map((one) => one.label), axisTick: { show: false }, axisLine: { lineStyle: { color: ink().line } }, axisLabel: { color: ink().text, fontSize: 12, width: 216, overflow: "truncate" } },
    series: SIDES.map((side, i) => ({ type: "bar", name: side.toUpperCase(), data: list.map((one) => one[side]), itemStyle: { color: seriesColour(i) }, barGap: "6%", barCategoryGap: "26%",
      ...(i === 1 ? { label: { show: true, position: "right", color: ink().soft, fontSize: 11, formatter: ({ dataIndex }) => changed(list[dataIndex]) } } : {}) })),
  })));
  return place;
}

function workSection(id, title, lead, list, { nameOf = (one) => one.name, number: field, more = [] }) {
  if (list.length === 0) return null;
  const result = section(id, title, lead);
  result.append(pairs(list.slice(0, FIRST).map((one) => ({ label: nameOf(one), ...one.time_ps }))));
  const most = largest(list, (one) => one.time_ps);
  const heads = [field, ...more].flatMap((key) => SIDES.map((side) => `${key.replaceAll("_", " ")} ${side.toUpperCase()}`));
  result.append(table([{ title: "name", left: true }, "time A", "time B", "B − A", "change", ...heads], list.map((one, i) => [
    { text: nameOf(one), title: one.name }, ...three(`${id}/${i}/time_ps`, one.time_ps, most, time),
    ...[field, ...more].flatMap((key) => SIDES.map((side) => number(`${id}/${i}/${key}`, one[key], side, key === "bytes" ? bytes : count)))])));
  return result;
}

function kernelsSection() {
  const nameOf = (one) => page.readable[one.name] ?? one.name;
  const result = workSection("kernels", "Kernels", "Launches of one name together, their times added up, however much was at once. The largest difference first.", c.kernels, { nameOf, number: "launches", more: ["cycles", "warp_instructions"] });
  if (!result) return null;
  const slotted = c.kernels.slice(0, FIRST).filter((one) => (one.stalls ?? []).length > 0);
  if (slotted.length > 0) {
    const place = element("div", { class: "chart" });
    const bars = slotted.flatMap((one) => SIDES.map((side) => ({ label: `${nameOf(one)}, ${side.toUpperCase()}`, slots: Object.fromEntries(one.stalls.map((cause) => [cause.name, cause[side]])) })));
    result.append(element("h3", {}, "Issue slots by cause", element("small", {}, " share of each kernel's slots, in %")), place,
      details("Issue slots in numbers", () => slotted.map((one) => {
        const at = c.kernels.indexOf(one);
        const whole = SIDES.map((side) => one.stalls.reduce((sum, cause) => sum + cause[side], 0));
        return table([{ title: nameOf(one), left: true }, "A", "of A", "B", "of B"], one.stalls.map((cause, i) => [causeName(cause.name),
          ...SIDES.flatMap((side, k) => [number(`kernels/${at}/stalls/${i}`, cause, side), share(cause[side], whole[k])])]));
      })));
    queueMicrotask(() => slotsChart(place, bars.filter((bar) => Object.values(bar.slots).some((slots) => slots > 0)), { left: 250 }));
  }
  return result;
}

function countersSection() {
  if (c.counters.length === 0) return null;
  const result = section("counters", "Counters", "Of the whole run, those that changed, by the share that changed; 100 are added to the larger count, so that 3 against 5 does not come first.");
  const weight = ({ a, b }) => Math.abs(b - a) / (Math.max(a, b) + 100);
  const place = element("div");
  const draw = (word) => place.replaceChildren(table([{ title: "counter", left: true }, "A", "B", "B − A", "change"],
    c.counters.flatMap((one, i) => (one.name.includes(word) ? [[one.name, number(`counters/${i}`, one, "a"), number(`counters/${i}`, one, "b"),
      { text: `${one.b < one.a ? "−" : "+"}${count(Math.abs(one.b - one.a))}`, bar: weight(one) }, changed(one)]] : []))));
  const search = element("input", { type: "search", placeholder: "find", "aria-label": "find", oninput: () => draw(search.value.trim().toLowerCase()) });
  result.append(element("div", { class: "tools" }, search), place);
  draw("");
  return result;
}

export function comparePage() {
  return {
    title: c.a.command === c.b.command ? `${c.a.command}, two runs` : `${c.a.command} and ${c.b.command}`,
    facts: [`A: ${page.a} on ${c.a.machine}`, `B: ${page.b} on ${c.b.machine}`, `${time(c.time_ps.a)} and ${time(c.time_ps.b)}`, changed(c.time_ps)],
    warnings: SIDES.filter((side) => !c[side].complete).map((side) => `Run ${side.toUpperCase()} was cut off: its numbers are those up to then.`),
    sections: [timeSection(), machineSection(), kernelsSection(),
      workSection("copies", "Copies", "By kind, times added up.", c.copies, { nameOf: (one) => NAMES[one.name] ?? one.name.replaceAll("_", " "), number: "copies", more: ["bytes"] }),
      workSection("api", "API calls", "By function, times added up.", c.api, { number: "calls" }), countersSection()],
  };
}
