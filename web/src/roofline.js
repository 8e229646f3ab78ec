// The roofline: what each kernel reached of what the machine can issue and move. x: warp instructions per byte, y: warp
// instructions per second. A kernel is at DRAM's bytes (a disc) and at L2's (a ring), under the roof of each.
import { axisStyle, chart, escaped, tooltip } from "./charts.js";
import { colour, ink, inkOn } from "./colours.js";
import { dramBytes, dramPeak, kernelGroups, l2Peak, machineNumber, readable, shortName } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { boundBy } from "./flops.js";
import { bytes, count, rate, share, time } from "./units.js";

const NUMBERED = 24;  // of these the number stands beside the point
const SHOWN = 16;     // rows of the table that is open
const LEVELS = [["dram", "DRAM", "kernels"], ["l2", "L2", "device_to_host"]];

// What SMs can issue a second, all of them.
function issuePeak() {
  const [sms, schedulers, clock] = ["sm.count", "sm.schedulers", "core_clock_khz"].map((key) => machineNumber(`gpu.${key}`));
  return sms && schedulers && clock ? sms * schedulers * clock * 1000 : 0;
}
// Bytes between SMs and L2 in the direction that has more: cycles of ports times what they move in one.
function l2Bytes(counters) {
  const flits = Math.max(...["request", "response"].map((way) => counters[`interconnect.${way}_flits`] ?? 0));
  return flits * (machineNumber("gpu.interconnect.flit_bytes") ?? 0);
}
// One entry a name, the one that took longest first.
export function kernels() {
  const all = new Map();
  for (const g of kernelGroups()) {
    const k = all.get(g.name) ?? { name: g.name, launches: 0, ps: 0, warp: 0, thread: 0, counters: {}, stalls: {} };
    all.set(g.name, k);
    k.launches += g.launches;
    k.ps += g.time;
    k.warp += g.warp;
    k.thread += g.thread;
    for (const [name, value] of Object.entries(g.stalls)) k.stalls[name] = (k.stalls[name] ?? 0) + value;
    for (const [name, value] of Object.entries(g.counters)) k.counters[name] = (k.counters[name] ?? 0) + value;
  }
  const seconds = (k) => k.ps * 1e-12;
  return [...all.values()].filter((k) => k.warp > 0 && k.ps > 0).sort((a, b) => b.ps - a.ps).map((k, i) => ({
    ...k, number: i + 1, reached: k.warp / seconds(k), bytes: { dram: dramBytes(k.counters), l2: l2Bytes(k.counters) }, seconds: seconds(k),
  }));
}

function roofs() {
  const issue = issuePeak();
  const levels = LEVELS.map(([id, name, paint]) => ({ id, name, paint, peak: id === "dram" ? dramPeak() : l2Peak() })).filter((one) => one.peak > 0);
  return { issue, levels };
}
// What a kernel reached of each roof, the nearest first.
function parts(kernel, { issue, levels }) {
  return [{ name: "issue", of: kernel.reached / issue },
    ...levels.map(({ id, name, peak }) => ({ name, of: kernel.bytes[id] / kernel.seconds / peak }))].sort((a, b) => b.of - a.of);
}

export const perSecond = (value) => {
  const [size, unit] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]].find(([size]) => value >= size) ?? [1, ""];
  return `${Number((value / size).toPrecision(3))} ${unit}`;
};
export const ratio = (value) => (value >= 0.001 ? String(Number(value.toPrecision(3))) : value.toExponential(1));

function pointsOf(list, { levels }) {
  return levels.flatMap((level) => list.filter((kernel) => kernel.bytes[level.id] > 0).map((kernel) => ({ kernel, level, x: kernel.warp / kernel.bytes[level.id], y: kernel.reached })));
}

// Whole decades around numbers.
export function decades(values) {
  return [10 ** Math.floor(Math.log10(0.8 * Math.min(...values))), 10 ** Math.ceil(Math.log10(1.25 * Math.max(...values)))];
}
// Around points and the corners of roofs.
function axes(points, { issue, levels }) {
  const xs = [...points.map((p) => p.x), ...levels.map((one) => issue / one.peak)];
  const ys = points.map((p) => p.y);
  return { x: decades(xs), y: decades([...ys, issue]) };
}

function roofShape(api, level, issue, { x, y }) {
  const corner = issue / level.peak;
  const from = Math.max(x[0], y[0] / level.peak);
  const line = [[from, from * level.peak], [corner, issue], [x[1], issue]].map((at) => api.coord(at));
  const slope = Math.atan2(line[1][1] - line[0][1], line[1][0] - line[0][0]);
  const at = [0, 1].map((i) => line[0][i] + 0.3 * (line[1][i] - line[0][i]));
  const stroke = colour(level.paint);
  return { type: "group", silent: true, children: [
    { type: "polyline", silent: true, shape: { points: line }, style: { stroke, lineWidth: 1.6, fill: "none" } },
    { type: "text", silent: true, x: at[0], y: at[1], rotation: -slope,
      style: { text: `${level.name} ${rate(level.peak, 1e12)}`, fill: stroke, fontSize: 11, fontWeight: 600, align: "center", verticalAlign: "bottom", padding: [0, 0, 5, 0] } },
  ] };
}

function pointShape(api, point, all) {
  const [x, y] = api.coord([point.x, point.y]);
  const r = 5 + 15 * Math.sqrt(point.kernel.ps / all);
  const fill = colour(point.level.paint);
  const disc = point.level.id === "dram";
  const style = disc ? { fill, opacity: 0.85, stroke: ink().paper, lineWidth: 1 } : { fill: ink().paper, opacity: 0.85, stroke: fill, lineWidth: 2 };
  const shapes = [{ type: "circle", shape: { cx: x, cy: y, r }, style }];
  if (point.kernel.number <= NUMBERED)
    shapes.push({ type: "text", silent: true, style: { text: String(point.kernel.number), x, y, align: "center", verticalAlign: "middle", fontSize: 10, fontWeight: 600,
      fill: disc ? inkOn(fill) : ink().text } });
  return { type: "group", children: shapes };
}

function label({ kernel, level, x, y }, all) {
  const nearest = parts(kernel, all).map((part) => `${escaped(part.name)} ${share(part.of, 1)}`).join(", ");
  return `<b>${kernel.number} ${escaped(readable(kernel.name))}</b><br>${count(kernel.launches)} launches, ${time(kernel.ps)}<br>` +
    `${perSecond(y)}instructions/s, ${ratio(x)} a byte of ${level.name} (${rate(kernel.bytes[level.id], kernel.ps)})<br>of its roofs: ${nearest}`;
}

function picture(place, list, all) {
  const points = pointsOf(list, all);
  const ends = axes(points, all);
  const sum = list.reduce((total, kernel) => total + kernel.ps, 0);
  // The larger ones first, so that they hide none.
  points.sort((a, b) => b.kernel.ps - a.kernel.ps);
  return chart(place, () => {
    const style = axisStyle();
    const axis = (name, [min, max], gap) => ({ type: "log", min, max, name, nameLocation: "middle", nameGap: gap, ...style });
    return {
      grid: { left: 74, right: 24, top: 30, bottom: 46 },
      tooltip: tooltip(({ seriesIndex, dataIndex }) => (seriesIndex === 1 ? label(points[dataIndex], all) : "")),
      xAxis: { ...axis("warp instructions per byte", ends.x, 28), axisLabel: { ...style.axisLabel, formatter: ratio } },
      yAxis: { ...axis("warp instructions per second", ends.y, 54), axisLabel: { ...style.axisLabel, formatter: (value) => perSecond(value).trim() } },
      series: [
        { type: "custom", silent: true, progressive: 0, clip: true, data: all.levels.map((level) => [ends.x[0], level.peak]),
          renderItem: ({ dataIndex, coordSys }, api) => {
            const shape = roofShape(api, all.levels[dataIndex], all.issue, ends);
            if (dataIndex === 0) {
              const [x, y] = api.coord([ends.x[1], all.issue]);
              shape.children.push({ type: "text", silent: true, style: { text: `issue: ${perSecond(all.issue)}/s`, x: Math.min(x, coordSys.x + coordSys.width) - 4, y: y - 4,
                align: "right", verticalAlign: "bottom", fill: ink().text, fontSize: 11, fontWeight: 600 } });
            }
            return shape;
          } },
        { type: "custom", progressive: 0, clip: true, data: points.map((point) => [point.x, point.y]), z: 3,
          renderItem: ({ dataIndex }, api) => pointShape(api, points[dataIndex], sum) },
      ],
    };
  });
}

const COLUMNS = [
  { title: "", hint: "number in the picture" }, { title: "kernel", left: true }, "launches", { title: "time", hint: "of all launches" },
  { title: "warp instr.", hint: "of all launches" }, "warp instr. / s", { title: "of issue", hint: "of SMs times schedulers times the core clock" },
  { title: "thread instr. / s", hint: "with the lanes that were active" },
  { title: "DRAM's bytes", hint: "on the data buses" }, { title: "instr. / byte of DRAM" }, { title: "of DRAM", hint: "of its peak" },
  { title: "L2's bytes", hint: "between SMs and L2, of the direction that has more, headers included" }, { title: "instr. / byte of L2" }, { title: "of L2", hint: "of the peak of one direction" },
  { title: "bound by", left: true, hint: "a roof that it is near to, otherwise what most of its issue slots were lost to" },
];

function row(kernel, all) {
  const field = (what, value, text, more = {}) => ({ text, field: `${kernel.name}|${what}`, value, ...more });
  const level = (id) => {
    const peak = all.levels.find((one) => one.id === id)?.peak;
    const moved = kernel.bytes[id];
    if (!peak || !moved) return ["", "", ""];
    const of = moved / kernel.seconds / peak;
    return [field(`${id}_bytes`, moved, bytes(moved)), field(`${id}_intensity`, kernel.warp / moved, ratio(kernel.warp / moved)),
      field(`of_${id}`, of, share(of, 1), { bar: of })];
  };
  const issued = kernel.reached / all.issue;
  return [
    kernel.number, { text: shortName(kernel.name), title: readable(kernel.name) }, field("launches", kernel.launches, count(kernel.launches)),
    field("time_ps", kernel.ps, time(kernel.ps)), field("warp_instructions", kernel.warp, count(kernel.warp)),
    field("per_second", kernel.reached, perSecond(kernel.reached).trim()), field("of_issue", issued, share(issued, 1), { bar: issued }),
    field("threads_per_second", kernel.thread / kernel.seconds, perSecond(kernel.thread / kernel.seconds).trim()), ...level("dram"), ...level("l2"),
    boundBy(kernel, parts(kernel, all).map(({ name, of }) => [name, of])),
  ];
}

// Nothing where no kernel has counted bytes: without kernels, and on the functional GPU.
export function rooflineSection() {
  const list = kernels();
  const all = roofs();
  if (!all.issue || pointsOf(list, all).length === 0) return null;
  const result = section("roofline", "Roofline",
    "What each kernel reached of what the machine can issue and move: the nearer to its roof, the less is left. Size: its time, of all kernels'.");
  const place = element("div", { class: "chart", style: "height:430px" });
  const rows = (some) => table(COLUMNS, some.map((kernel) => row(kernel, all)), { class: "wide" });
  result.append(
    element("div", { class: "legend" }, ...all.levels.map((level) => element("span", {},
      element("i", { class: level.id === "dram" ? "round" : "ring", "data-colour": level.paint }),
      level.id === "dram" ? "at its instructions per byte of DRAM" : "at its instructions per byte between SMs and L2"))),
    place, rows(list.slice(0, SHOWN)));
  if (list.length > SHOWN) result.append(details(`${count(list.length - SHOWN)} more kernels`, () => rows(list.slice(SHOWN))));
  result.append(element("p", { class: "note" }, "Bytes are what moved while the kernel ran, whoever asked: of kernels that ran at once each has what all of them moved. " +
    "Every instruction counts here; floating-point operations have a roofline of their own where lines are counted."));
  queueMicrotask(() => picture(place, list, all));
  return result;
}
