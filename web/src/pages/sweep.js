// The report of `duet sweep`: curves of a column over each axis, the Pareto front of two columns, what failed, all rows.
import { details, element, section, table } from "../dom.js";
import { bytes, count, time } from "../units.js";
import { number, panels } from "./plots.js";
import { page } from "./score.js";

const MOST_PANELS = 24;
const MOST_ROWS = 200;
const MOST_LINES = 24;
const MANY_TIMES = 8;
const beside = (panels, most) => Math.min(window.innerWidth < 700 ? 1 : most, panels);
const header = page?.header ?? [], axes = page?.axes ?? [], rows = page?.rows ?? [];
const STATUS = 2 + axes.length;  // run, program, the axes, status, the columns
const SPEEDUP = "speedup";  // the column of --baseline
const columns = header.slice(STATUS + 1);
const places = new Map(header.map((name, i) => [name, i]));
const cell = (row, name) => row[places.get(name)];
const numeric = (name) => rows.some((row) => cell(row, name) !== "") && rows.every((row) => Number.isFinite(Number(cell(row, name))));
const valueOf = (row, name) => (cell(row, name) === "" ? undefined : Number(cell(row, name)));
const programs = [...new Set(rows.map((row) => row[1]))];
const distinct = (name, of = rows) => [...new Set(of.map((row) => cell(row, name)).filter((text) => text !== ""))];
const ordered = (values) => (values.every((v) => Number.isFinite(Number(v))) ? values.sort((a, b) => a - b) : values);

// As its name says: picoseconds as time, bytes as bytes.
function formatOf(name) {
  if (/_ps(\.|$)/.test(name)) return (v) => time(Math.round(v));
  return /bytes/.test(name) ? bytes : number;
}

function select(label, names, chosen, change) {
  const result = element("select", { "aria-label": label, onchange: () => change(result.value) }, ...names.map((name) => element("option", { value: name, ...(name === chosen ? { selected: "" } : {}) }, name)));
  return element("label", {}, `${label} `, result);
}

// Of many lines in a panel one a colour: at each value of the axis the median of them.
function medians(lines, names) {
  const result = new Map();
  for (const { colour, points } of lines.values()) {
    const key = `${names ? `${names[colour]}, ` : ""}median`;
    if (!result.has(key)) result.set(key, { colour, all: new Map() });
    const all = result.get(key).all;
    for (const [x, y] of points) all.set(x, [...(all.get(x) ?? []), y]);
  }
  for (const one of result.values())
    one.points = [...one.all].sort((a, b) => a[0] - b[0]).map(([x, ys]) => [x, ys.sort((a, b) => a - b)[Math.floor((ys.length - 1) / 2)]]);
  return result;
}

// Where the values of a numeric axis stand: where they belong, on a logarithmic scale where the largest is many times the least.
function scaleOf(axis) {
  const values = distinct(axis).map(Number);
  if (!values.every(Number.isFinite)) return {};
  const least = Math.min(...values), most = Math.max(...values);
  return { numeric: true, log: least > 0 && most >= MANY_TIMES * least };
}

// Curves of one column over one axis: a panel a program, a line for each combination of the other axes; the colour is that
// of the axis which has most values. `valueIn(row)`: what is drawn, the column's own value unless said.
function overAxis(axis, column, zero, { valueIn = (row) => valueOf(row, column), yFormat = formatOf(column), line } = {}) {
  const { numeric: byValue, log } = scaleOf(axis);
  const others = axes.filter((one) => one !== axis);
  const by = others.map((one) => [one, distinct(one).length]).filter(([, n]) => n > 1 && n <= 8).sort((a, b) => b[1] - a[1])[0]?.[0];
  const names = by ? ordered(distinct(by)).map((value) => `${by} = ${value}`) : undefined;
  let many = false;
  const list = programs.map((program) => {
    const own = rows.filter((row) => row[1] === program && cell(row, axis) !== "" && valueIn(row) !== undefined);
    const categories = byValue ? undefined : ordered(distinct(axis, own));
    const lines = new Map();
    for (const row of own) {
      const key = others.map((one) => `${one} = ${cell(row, one)}`).join(", ");
      if (!lines.has(key)) lines.set(key, { colour: by ? Math.max(0, names.indexOf(`${by} = ${cell(row, by)}`)) : 0, points: [] });
      lines.get(key).points.push([byValue ? Number(cell(row, axis)) : categories.indexOf(cell(row, axis)), valueIn(row)]);
    }
    for (const one of lines.values()) one.points.sort((a, b) => a[0] - b[0]);
    const drawn = lines.size > MOST_LINES ? medians(lines, names) : lines;
    many ||= drawn !== lines;
    return { title: program, note: `${column} over ${axis}`, categories, scale: byValue, log, line, series: [...drawn.values()].map((one) => one.points), colours: [...drawn.values()].map((one) => one.colour),
      labels: [...drawn.keys()].map((key) => key || program) };
  }).filter((panel) => panel.series.length > 0);
  if (list.length === 0) return [element("p", { class: "note" }, `No run has both ${axis} and ${column}.`)];
  const shown = list.slice(0, MOST_PANELS);
  return [panels(shown, { columns: beside(shown.length, 3), tall: 190, xName: axis, yName: column, names, zero, xFormat: formatOf(axis), yFormat }),
    ...(many ? [element("p", { class: "note" }, `Of more than ${MOST_LINES} lines in a panel each is the median of those with its colour (of two in the middle the lower one).`)] : []),
    ...(list.length > shown.length ? [element("p", { class: "note" }, `The first ${MOST_PANELS} of ${list.length} programs; all are in the table.`)] : [])];
}

function curvesSection() {
  const result = section("curves", "Curves", `A panel a program, and a line for each combination of the other axes. Numbers stand where they belong, on a logarithmic axis where the largest is ${MANY_TIMES} times the least or more; other values at equal distances.`);
  const moving = axes.filter((axis) => distinct(axis).length > 1);
  const choices = columns.filter(numeric);
  if (moving.length === 0 || choices.length === 0) {
    result.append(element("p", { class: "note" }, moving.length === 0 ? "No axis of this sweep has two values." : "No run has a number yet."));
    return result;
  }
  const place = element("div");
  let column = choices[0], zero = true;
  const draw = () => place.replaceChildren(...moving.flatMap((axis) => [element("h3", {}, `Over ${axis}`), ...overAxis(axis, column, zero)]));
  result.append(element("div", { class: "tools" }, select("column", choices, column, (name) => { column = name; draw(); }),
    select("begins", ["at 0", "at the least value"], "at 0", (word) => { zero = word === "at 0"; draw(); })), place);
  draw();
  return result;
}

// How many times as much a run of the baseline has of a column: the runs differ in the baseline's axes alone, as in `duet sweep --baseline`.
function speedups(baseline, column) {
  const key = (row) => JSON.stringify([row[1], ...axes.filter((axis) => !(axis in baseline)).map((axis) => cell(row, axis))]);
  const usable = (row) => (valueOf(row, column) > 0 ? valueOf(row, column) : undefined);
  const same = (a, b) => a === b || (a !== "" && b !== "" && Number(a) === Number(b));
  const base = new Map();
  for (const row of rows)
    if (Object.entries(baseline).every(([axis, text]) => same(cell(row, axis), text)) && usable(row) && !base.has(key(row))) base.set(key(row), usable(row));
  return (row) => (usable(row) && base.has(key(row)) ? base.get(key(row)) / usable(row) : undefined);
}

const said = (baseline) => Object.entries(baseline).map(([axis, value]) => `${axis} = ${value}`).join(", ");

function speedupSection() {
  const moving = axes.filter((axis) => distinct(axis).length > 1);
  const columnsToCompare = columns.filter((name) => name !== SPEEDUP && numeric(name));
  const asked = Object.keys(page.baseline ?? {}).length > 0 ? Object.fromEntries(Object.entries(page.baseline).map(([axis, value]) => [axis, String(value)])) : null;
  const baselines = [...(asked ? [asked] : []), ...moving.flatMap((axis) => ordered(distinct(axis)).map((value) => ({ [axis]: value })))];
  if (moving.length === 0 || (!asked && columnsToCompare.length === 0)) return null;
  const result = section("speedup", "Speed-up", "The baseline's value over that of the run with the same other values: of times, how many times as fast. 1 is the baseline itself.");
  // The column that the sweep wrote itself, by time_ps.
  const WRITTEN = "time_ps, as in results.csv";
  const names = baselines.map((one, i) => (asked && i === 0 ? `${said(one)} (--baseline)` : said(one)));
  const choices = () => [...(asked && baseline === asked ? [WRITTEN] : []), ...columnsToCompare];
  let baseline = baselines[0], column = choices().find((name) => name === WRITTEN || name === "time_ps") ?? choices()[0];
  const place = element("div"), tools = element("div", { class: "tools" });
  const draw = () => {
    const valueIn = column === WRITTEN ? (row) => valueOf(row, SPEEDUP) : speedups(baseline, column);
    tools.replaceChildren(
      select("over", names, names[baselines.indexOf(baseline)], (name) => {
        baseline = baselines[names.indexOf(name)];
        if (!choices().includes(column)) column = columnsToCompare.includes("time_ps") ? "time_ps" : columnsToCompare[0] ?? WRITTEN;
        draw();
      }), select("of", choices(), column, (name) => { column = name; draw(); }));
    const compared = rows.filter((row) => valueIn(row) !== undefined);
    if (compared.length === 0) {
      place.replaceChildren(element("p", { class: "note" }, `No run has a number to compare with ${said(baseline)}.`));
      return;
    }
    const best = compared.reduce((a, b) => (valueIn(b) > valueIn(a) ? b : a));
    const text = (value) => `${number(value)}×`;
    place.replaceChildren(
      element("p", { class: "answer", "data-run": best[0] }, `The largest over ${said(baseline)} is ${text(valueIn(best))}: ${[best[1], ...axes.map((axis) => `${axis} = ${cell(best, axis)}`)].join(", ")}.`),
      ...moving.flatMap((axis) => [element("h3", {}, `Over ${axis}`), ...overAxis(axis, "speed-up", true, { valueIn, yFormat: text, line: 1 })]),
      details("Speed-ups in numbers", () => table([{ title: "run", left: true }, { title: "program", left: true }, ...axes.map((title) => ({ title, left: true })), "speed-up"],
        compared.slice(0, MOST_ROWS).map((row) => [row[0], row[1], ...axes.map((axis) => cell(row, axis)), { text: text(valueIn(row)), value: valueIn(row), bar: valueIn(row) / valueIn(best) }]))));
    if (compared.length > MOST_ROWS) place.append(element("p", { class: "note" }, `The first ${count(MOST_ROWS)} of ${count(compared.length)} runs.`));
  };
  result.append(tools, place);
  draw();
  return result;
}

// Of the runs of one program those that no other one beats in both.
function front(list, x, y) {
  const points = list.map((row) => [x, y].map(({ name, least }) => (least ? 1 : -1) * valueOf(row, name)));
  const beats = (a, b) => a[0] <= b[0] && a[1] <= b[1] && (a[0] < b[0] || a[1] < b[1]);
  return list.filter((_, i) => !points.some((other) => beats(other, points[i])));
}

function paretoSection() {
  const choices = [...columns, ...axes].filter(numeric);
  if (choices.length < 2) return null;
  const named = page.pareto;
  const result = section("pareto", "Pareto front", named.length
    ? `Of each program the runs that no other one beats in two things at once. The sweep names ${named.map((goal) => `${goal.name} (${goal.least ? "least" : "most"})`).join(", ")}: that front is pareto.csv.`
    : "Of each program the runs that no other one beats in two things at once. The sweep file names no front.");
  const goals = [0, 1].map((i) => ({ name: named[1 - i]?.name ?? (i === 0 ? choices.find((c) => axes.includes(c)) ?? choices[1] : choices.find((c) => !axes.includes(c)) ?? choices[0]), least: named[1 - i]?.least ?? true }));
  const place = element("div");
  const draw = () => {
    const [x, y] = goals;
    const fronts = programs.map((program) => {
      const own = rows.filter((row) => row[1] === program && valueOf(row, x.name) !== undefined && valueOf(row, y.name) !== undefined);
      const best = front(own, x, y).sort((a, b) => valueOf(a, x.name) - valueOf(b, x.name));
      return { program, own, best };
    }).filter((one) => one.own.length > 0);
    const point = (row) => [valueOf(row, x.name), valueOf(row, y.name)];
    place.replaceChildren(
      panels(fronts.slice(0, MOST_PANELS).map(({ program, own, best }) => ({ title: program, note: `${best.length} of ${own.length} runs in front`, series: [own.map(point), best.map(point)], colours: [0, 1], joined: [false, true],
        labels: [`${program}, a run`, `${program}, in front`] })), { columns: beside(fronts.length, 2), tall: 260, scatter: true, zero: false, xName: x.name, yName: y.name, names: ["runs", "in front"], xFormat: formatOf(x.name), yFormat: formatOf(y.name) }),
      details("Runs in front", () => rowsTable(fronts.flatMap((one) => one.best)), { class: "front", "data-runs": fronts.flatMap((one) => one.best.map((row) => row[0])).join(" ") }));
  };
  const pick = (i) => [select(["across", "up"][i], choices, goals[i].name, (name) => { goals[i].name = name; draw(); }),
    select("is better", ["least", "most"], goals[i].least ? "least" : "most", (word) => { goals[i].least = word === "least"; draw(); })];
  result.append(element("div", { class: "tools" }, ...pick(0), ...pick(1)), place);
  draw();
  return result;
}

function failuresSection() {
  const missing = rows.filter((row) => row[STATUS] === "");
  if (page.failures.length === 0 && missing.length === 0) return null;
  const result = section("failures", "Runs without a result");
  if (page.failures.length > 0)
    result.append(table([{ title: "run", left: true }, { title: "program", left: true }, ...axes.map((title) => ({ title, left: true })), { title: "status", left: true }, { title: "said last", left: true }],
      page.failures.map((one) => {
        const row = rows[one.run - 1];
        return [String(one.run), row[1], ...row.slice(2, STATUS), one.status, one.line];
      }), { class: "score" }));
  if (missing.length > 0) result.append(element("p", { class: "warn" }, `${count(missing.length)} runs have not ended: the same command goes on.`));
  return result;
}

function rowsTable(list) {
  return table(header.map((title, i) => ({ title: title.replaceAll(".", ".\u200b"), left: i <= STATUS })), list.slice(0, MOST_ROWS).map((row) => row.map((text, i) =>
    (i > STATUS && text !== "" && Number.isFinite(Number(text)) ? { text: number(Number(text)), field: `rows/${Number(row[0]) - 1}/${i}`, value: text } : text))));
}

function rowsSection() {
  const result = section("rows", "All runs", "results.csv. Find words of a row, as a program and a value.");
  const place = element("div");
  const note = element("p", { class: "note" });
  const draw = (words) => {
    const found = rows.filter((row) => words.every((word) => row.some((text) => text.toLowerCase().includes(word))));
    note.textContent = found.length > MOST_ROWS ? `The first ${count(MOST_ROWS)} of ${count(found.length)}; results.csv has all.` : `${count(found.length)} of ${count(rows.length)} runs.`;
    place.replaceChildren(rowsTable(found));
  };
  const search = element("input", { type: "search", placeholder: "find", "aria-label": "find", oninput: () => draw(search.value.toLowerCase().split(/\s+/).filter(Boolean)) });
  result.append(element("div", { class: "tools" }, search), note, place);
  draw([]);
  return result;
}

export function sweepPage() {
  const ended = (test) => rows.filter((row) => test(row[STATUS])).length;
  const failed = ended((s) => s !== "ok" && s !== ""), missing = ended((s) => s === "");
  return {
    title: `Sweep ${page.file}`,
    facts: [`${count(rows.length)} runs of ${programs.length} program${programs.length === 1 ? "" : "s"}`, `${count(ended((s) => s === "ok"))} done`,
      failed ? `${count(failed)} failed` : null, missing ? `${count(missing)} missing` : null, ...axes.map((axis) => `${axis}: ${ordered(distinct(axis)).slice(0, 12).join(", ")}${distinct(axis).length > 12 ? ", …" : ""}`)],
    warnings: [],
    sections: [curvesSection(), speedupSection(), paretoSection(), failuresSection(), rowsSection()],
  };
}
