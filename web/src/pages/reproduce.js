// `duet reproduce PAPER --html`: the scorecard, and the paper's figures drawn from what was measured.
import { details, element, section, table } from "../dom.js";
import { DASHTI2017 } from "./dashti2017.js";
import { LUSTIG2013 } from "./lustig2013.js";
import { number } from "./plots.js";
import { allRows, figures, page, rowsOf, scoreTable, value } from "./score.js";
import { YANG2012 } from "./yang2012.js";

const PAPERS = { yang2012: YANG2012, lustig2013: LUSTIG2013, dashti2017: DASHTI2017 };
const VERDICTS = [["holds", "good", "hold"], ["falls short", "bad", "fall short"], ["not run", "none", "not run"]];

const holding = (list) => list.filter((row) => row.verdict === "holds").length;
const isInput = (row) => row.kind === "input";
// "3 of 4 outcomes hold", and of numbers that were set how many come back.
function countsOf(rows) {
  const inputs = rows.filter(isInput), outcomes = rows.filter((row) => !isInput(row));
  return [outcomes.length ? `${number(holding(outcomes))} of ${number(outcomes.length)} outcomes hold` : null,
    inputs.length ? `${number(holding(inputs))} of ${number(inputs.length)} inputs come back` : null].filter(Boolean);
}

// Rows of one kind: how many have each verdict, and a table of those that are asked for.
function verdicts(kind, rows) {
  const place = element("div");
  const of = (verdict) => rows.filter((row) => row.verdict === verdict);
  const show = (verdict) => {
    place.replaceChildren(scoreTable(verdict ? of(verdict) : rows));
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.verdict === (verdict ?? "")));
  };
  const buttons = [[null, "all"], ...VERDICTS].map(([verdict]) => element("button", { "data-verdict": verdict ?? "", onclick: () => show(verdict) }, `${verdict ?? "all"} (${verdict ? of(verdict).length : rows.length})`));
  show(null);
  return [element("div", { class: "parts-bar", role: "img", "aria-label": `${kind} by verdict` }, ...VERDICTS.filter(([verdict]) => of(verdict).length).map(([verdict, paint, many]) =>
    element("span", { class: `part verdict-${paint}`, style: `flex-grow:${of(verdict).length}` }, `${of(verdict).length} ${many}`))),
  element("div", { class: "tools" }, ...buttons), place];
}

function scorecard() {
  const result = section("scorecard", "Scorecard", "A row holds where what was measured lies in its band, which was fixed before it was measured.");
  const inputs = allRows().filter(isInput), outcomes = allRows().filter((row) => !isInput(row));
  if (outcomes.length > 0)
    result.append(element("div", { id: "outcomes" }, element("h3", {}, "Outcomes", element("small", {}, " what nobody set: measured results that the paper's are held against")), ...verdicts("outcomes", outcomes)));
  if (inputs.length > 0)
    result.append(element("div", { id: "inputs" }, element("h3", {}, "Inputs, read back", element("small", {}, " numbers of the paper that the machine file or the programs were given: that they come back shows that the machine is the paper's, and is no result")),
      ...verdicts("inputs", inputs)));
  return result;
}

// Why a figure is not there, from its rows.
function reason(figure) {
  const rows = rowsOf(figure.experiments);
  if (rows.length === 0) return "none of its rows was asked for (--only)";
  const notes = [...new Set(rows.filter((row) => row.verdict === "not run").map((row) => row.note).filter(Boolean))];
  return notes.length ? notes.join("; ") : "its rows were measured where a claim asks for another machine or option, and not on the paper's machine itself";
}

// A scorecard that another Duet wrote may lack what a figure needs: then the figure says so, and the rest is there.
function attempt(make) {
  try {
    return make();
  } catch (error) {
    return [element("p", { class: "warn" }, `Cannot be drawn: this scorecard holds other data than this Duet writes (${error.message}).`)];
  }
}

function figureSection(figure, at) {
  const result = section(`figure-${at}`, figure.title);
  const rows = rowsOf(figure.experiments).filter((row) => !figure.quantities || figure.quantities.test(row.quantity));
  const there = [figure.key, figure.other].some((key) => key && figures[key] && Object.keys(figures[key]).length > 0);
  if (!there) result.append(element("p", { class: "warn" }, `Not measured: ${reason(figure)}.`));
  else {
    result.append(...attempt(() => {
      const { lead, charts, numbers, open } = figure.draw();
      const table = () => attempt(() => [numbers()].flat(3));
      return [element("p", { class: "lead" }, lead), ...charts, ...(open ? table() : [details("Numbers of this picture", table)])];
    }));
  }
  if (rows.length > 0) result.append(details(`What the paper states of it: ${countsOf(rows).join(", ")}`, () => scoreTable(rows), there ? {} : { open: "" }));
  return result;
}

// Of a paper without one mean: each quantity that the other side moves by more than a tenth.
function choicesByQuantity(list) {
  const result = section("choices", "What the paper leaves open", "Each choice, and what moves by more than a tenth with the other side of it.");
  const rows = list.flatMap((one, i) => Object.entries(one.value.values).flatMap(([experiment, own]) => Object.keys(own)
    .filter((quantity) => Math.abs((one.alternative.values[experiment]?.[quantity] ?? NaN) - own[quantity]) > 0.1 * Math.abs(own[quantity]))
    .map((quantity) => [one.question, `${experiment}, ${quantity.replaceAll("_", " ")}`, one.value.side, value(`choices/${i}/value/values/${experiment}/${quantity}`),
      one.alternative.side, value(`choices/${i}/alternative/values/${experiment}/${quantity}`)])));
  result.append(table([{ title: "question", left: true }, { title: "quantity", left: true }, { title: "taken", left: true }, "", { title: "other", left: true }, ""], rows, { class: "score" }));
  result.append(details("Reasons", () => table([{ title: "choice", left: true }, { title: "why this side", left: true }], list.map((one) => [one.id, one.reason]), { class: "score" })));
  return result;
}

function choices() {
  const list = page.choices ?? [];
  if (list.length === 0) return null;
  if (list.every((one) => one.value.values)) return choicesByQuantity(list);
  const result = section("choices", "What the paper leaves open", "Each choice, and what the mean gain would be with the other side of it.");
  const benchmarks = [...new Set(list.flatMap((one) => Object.keys(one.value.benchmarks ?? {})))];
  const most = Math.max(1e-9, ...list.flatMap((one) => [one.value, one.alternative].map((side) => Math.abs(side.mean_gain_percent ?? 0))));
  const cell = (path) => {
    const own = value(path);
    return own === "" ? "failed" : { ...own, bar: Math.abs(own.value) / most };
  };
  result.append(table([{ title: "choice", left: true }, { title: "question", left: true }, { title: "side", left: true }, "mean gain, %"], list.flatMap((one, i) =>
    [["value", "taken"], ["alternative", "other"]].map(([side, word]) => [word === "taken" ? one.id : "", word === "taken" ? one.question : "", `${word}: ${one[side].side}`, cell(`choices/${i}/${side}/mean_gain_percent`)])), { class: "score" }));
  if (benchmarks.length > 0)
    result.append(details("By benchmark", () => table([{ title: "choice", left: true }, ...benchmarks], list.flatMap((one, i) => ["value", "alternative"].map((side) => [`${one.id}, ${side}`, ...benchmarks.map((name) => {
      const own = one[side].benchmarks?.[name];
      return typeof own === "number" ? value(`choices/${i}/${side}/benchmarks/${name}`) : value(`choices/${i}/${side}/benchmarks/${name}/full-overlap/normalized`);
    })])))));
  result.append(details("Reasons", () => table([{ title: "choice", left: true }, { title: "why this side", left: true }], list.map((one) => [one.id, one.reason]), { class: "score" })));
  return result;
}

export function reproducePage() {
  const paper = PAPERS[page.paper] ?? { title: page.paper, none: "", figures: [] };
  const rows = allRows();
  const controls = rows.filter((row) => row.control);
  return {
    title: `${page.paper}, reproduced`,
    facts: [paper.title, `machine ${page.machine}`, ...countsOf(rows),
      ...(controls.length ? [`${controls.filter((row) => row.control.fails).length} of ${controls.length} controls fail as they must`] : ["controls not measured (--controls)"])],
    warnings: page.quick ? ["Smaller inputs than the paper's (--quick): verdicts of such rows are for a first look."] : [],
    notes: [paper.none],
    sections: [scorecard(), ...paper.figures.map(figureSection), choices()],
  };
}
