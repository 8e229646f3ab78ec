// The scorecard that the page holds, and what figures need of it: rows by quantity, cells that say where they are from.
import { element, table } from "../dom.js";
import { number } from "./plots.js";

export const page = JSON.parse(document.getElementById("duet-page").textContent || "null");
const rows = page?.rows ?? [];
export const figures = page?.figures ?? {};

// Rows of some experiments, each with its place in the file.
export function rowsOf(experiments) {
  return rows.map((row, at) => ({ ...row, at })).filter((row) => experiments.includes(row.experiment));
}
export function allRows() {
  return rows.map((row, at) => ({ ...row, at }));
}
// The row of a quantity; undefined where this scorecard lacks it.
export function rowOf(experiment, quantity) {
  return rowsOf([experiment]).find((row) => row.quantity === quantity);
}

// What the paper states of a bar, from its row: {at, series, paper, low, high}.
export function mark(experiment, quantity, at, series = 0, convert = (x) => x) {
  const row = rowOf(experiment, quantity);
  if (!row) return [];
  const side = (value) => (Number.isFinite(value) ? convert(value) : undefined);
  const [low, high] = [side(row.low), side(row.high)].sort((a, b) => a - b);
  return [{ at, series, paper: side(row.paper), low: side(row.low) === undefined ? undefined : low, high: side(row.high) === undefined ? undefined : high }];
}

// A number of the file, found again by the place it names: value("figures/10/BSc/skip_factor").
export function valueAt(path) {
  return path.split("/").reduce((tree, key) => tree?.[key], page);
}
export function value(path, convert = (x) => x) {
  const found = valueAt(path);
  if (!Number.isFinite(found)) return "";
  return { text: number(convert(found)), field: path, value: found };
}

// A table of a figure: rows [label, path, ...], each path a number of the file.
export function numbersTable(columns, lines) {
  return table([{ title: columns[0], left: true }, ...columns.slice(1)],
    lines.map(([label, ...paths]) => [label, ...paths.map((path) => (typeof path === "string" ? value(path) : path ?? ""))]));
}

const range = ({ low, high }) => (Number.isFinite(low) && Number.isFinite(high) ? (low === high ? number(low) : `${number(low)} to ${number(high)}`)
  : Number.isFinite(low) ? `${number(low)} or more` : Number.isFinite(high) ? `${number(high)} or less` : "");

// Where the measured value lies beside the band and what the paper states. Far outside it is an arrow at the edge.
function gauge(row) {
  const points = [row.low, row.high, row.paper].filter(Number.isFinite);
  if (points.length === 0 || !Number.isFinite(row.measured)) return "";
  const least = Math.min(...points), most = Math.max(...points);
  const room = most - least || Math.abs(most) || 1;
  const from = least - room, to = most + room;
  const at = (x) => Math.max(0, Math.min(100, (100 * (x - from)) / (to - from)));
  const low = Number.isFinite(row.low) ? at(row.low) : 0, high = Number.isFinite(row.high) ? at(row.high) : 100;
  const away = row.measured < from ? "◀" : row.measured > to ? "▶" : "";
  return element("span", { class: "gauge", role: "img", "aria-label": `band ${range(row)}, measured ${number(row.measured)}` },
    element("i", { class: "band", style: `left:${low}%;width:${Math.max(1.5, high - low)}%` }),
    Number.isFinite(row.paper) ? element("i", { class: "paper", style: `left:${at(row.paper)}%` }) : null,
    element("i", { class: `dot ${row.verdict === "holds" ? "good" : "bad"}`, style: `left:${at(row.measured)}%` }, away));
}

function verdict(row) {
  const kind = { holds: "good", "falls short": "bad" }[row.verdict] ?? "none";
  return element("b", { class: `verdict ${kind}` }, row.verdict);
}

function control(row) {
  if (!row.control) return "";
  return element("span", {}, element("b", { class: `verdict ${row.control.fails ? "good" : "bad"}` }, row.control.fails ? "fails as it must" : "does not fail"),
    ` ${number(row.control.measured)} ${row.unit ?? ""}: ${row.control.what}`);
}

export function scoreTable(list) {
  const controls = list.some((row) => row.control);
  return table([{ title: "row", left: true }, { title: "what the paper claims", left: true }, { title: "verdict", left: true }, "paper", "measured", { title: "unit", left: true },
    "band", { title: "band, measured ●, paper |", left: true }, { title: "note", left: true }, ...(controls ? [{ title: "control", left: true }] : [])],
  list.map((row) => [row.id, row.claim, verdict(row), value(`rows/${row.at}/paper`), value(`rows/${row.at}/measured`), row.unit ?? "", range(row), gauge(row), row.note ?? "",
    ...(controls ? [control(row)] : [])]), { class: "score" });
}
