// Pictures of explain.html: plain SVG whose colours are those of the style sheet, so they follow light and dark.
import { element, svg } from "../dom.js";

const WIDE = 1120, LEFT = 128, RIGHT = 20;

function picture(height, label, ...children) {
  return svg("svg", { viewBox: `0 0 ${WIDE} ${height}`, class: "picture", role: "img", "aria-label": label }, ...children);
}
// Microseconds with as many decimals as tell marks apart that lie `step` apart.
const onAxis = (ps, step) => `${(ps / 1e6).toFixed(Math.max(0, -Math.floor(Math.log10(step / 1e6))))} µs`;
const title = (text) => svg("title", {}, text);

// x of a time, and the marks below the picture.
function axis([from, to], height, left = LEFT) {
  const span = Math.max(1, to - from);
  const x = (time) => left + ((time - from) / span) * (WIDE - left - RIGHT);
  const raw = span / 6, size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * size >= raw) * size;
  const marks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step)
    marks.push(svg("line", { x1: x(at), x2: x(at), y1: 0, y2: height, class: "grid" }),
      svg("text", { x: x(at), y: height + 14, "text-anchor": "middle", class: "soft" }, onAxis(at, step)));
  return { x, marks };
}

// rows: [{label, spans: [{from, to, kind, text, waits}]}]; `waits`: since when it waited before.
export function spans(rows, range, label, rowHeight = 22) {
  const height = rows.length * rowHeight;
  const { x, marks } = axis(range, height);
  const bars = rows.flatMap(({ label: name, spans: own }, row) => {
    const y = row * rowHeight, middle = y + rowHeight / 2;
    return [svg("text", { x: LEFT - 8, y: middle + 4, "text-anchor": "end" }, name),
      ...own.filter(({ from, waits }) => waits < from).map(({ from, text, waits }) => svg("line", { x1: x(waits), x2: x(from), y1: middle, y2: middle, class: "waits" }, title(`${text}: waits`))),
      ...own.map(({ from, to, kind, text }) => svg("rect", { x: x(from), y: y + 3, width: Math.max(1.2, x(to) - x(from)), height: rowHeight - 6, rx: 1.5, class: `k-${kind}` }, title(text)))];
  });
  return picture(height + 20, label, ...marks, ...bars);
}

// A counter over time: points [time, launched, complete].
export function steps(points, range, label) {
  const height = 190, most = Math.max(1, ...points.map(([, launched]) => launched));
  const { x, marks } = axis(range, height);
  const y = (value) => height - 4 - (value / most) * (height - 22);
  const path = (index) => points.reduce((text, point, i) => (i === 0 ? `M${x(range[0])},${y(0)}` : text) + `H${x(point[0])}V${y(point[index])}`, "") + `H${x(range[1])}`;
  const name = (text, at, way, kind) => svg("text", { x: x(at), y: 12, "text-anchor": way, class: kind }, text);
  const lastLaunch = points.find(([, launched]) => launched === most) ?? points[0];
  return picture(height + 20, label, ...marks,
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => svg("text", { x: LEFT - 8, y: y(part * most) + 4, "text-anchor": "end", class: "soft" }, String(Math.round(part * most)))),
    svg("path", { d: path(1), class: "line launched" }), svg("path", { d: path(2), class: "line completed" }),
    name("launched", lastLaunch[0], "start", "launched"), name("complete", range[1], "end", "completed"));
}

// Columns: [{label, value, text}].
export function columns(list, label) {
  const height = 130, most = Math.max(1, ...list.map(({ value }) => value)), wide = (WIDE - LEFT - RIGHT) / list.length;
  return picture(height + 20, label, svg("text", { x: LEFT - 8, y: 14, "text-anchor": "end", class: "soft" }, String(most)),
    ...list.flatMap(({ label: name, value, text }, i) => [
      svg("rect", { x: LEFT + i * wide + wide * 0.1, width: wide * 0.8, y: height - (value / most) * (height - 6), height: (value / most) * (height - 6), class: "k-computing" }, title(text)),
      list.length <= 40 || i % Math.ceil(list.length / 20) === 0 ? svg("text", { x: LEFT + (i + 0.5) * wide, y: height + 14, "text-anchor": "middle", class: "soft" }, name) : null]));
}

// The levels inside each other; what a part is called in the paper stands before it.
export function nested(levels) {
  const part = ({ term, name, holds }) => element("div", { class: "part-box" }, element("b", {}, term === "-" ? "" : term), element("span", {}, name), element("small", {}, holds));
  return levels.reduceRight((inner, level) => element("div", { class: `level level-${level.level}` },
    element("h3", {}, `Level ${level.level}: ${level.of}`), element("div", { class: "boxes" }, ...level.parts.map(part)), inner), null);
}
