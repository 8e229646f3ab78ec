// Counters over time (duet run --interval): one small chart each, and what each SM, channel and data transfer engine
// did, all on one axis that zooms.
import { axisStyle, chart, echarts, escaped, FONT, tooltip } from "./charts.js";
import { colour, ink } from "./colours.js";
import { dramBytes, dramPeak, machineNumber, stats } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { heatCells, heatMaps, pixels } from "./heat.js";
import { count, rate, share, time, timeOnAxis } from "./units.js";

const TALL = 52;
const GAP = 32;  // between charts: the title of the one below
const HINT = "duet run --interval 1us PROGRAM draws counters over time here: DRAM's bandwidth, resident warps, hit rates, issue rate, queues.";

const intervals = stats?.intervals ?? [];
const END = Math.max(stats?.account?.time_ps ?? 0, intervals[intervals.length - 1]?.end_ps ?? 0);
const seconds = (one) => (one.end_ps - one.start_ps) * 1e-12;
const counted = (one, name) => one.counters[name] ?? 0;
const cycles = (one) => seconds(one) * (machineNumber("gpu.core_clock_khz") ?? 0) * 1000;

// Of an interval without an end (start and end are the same) nothing is a rate.
const perSecond = (name) => (one) => (seconds(one) > 0 ? counted(one, name) / seconds(one) : null);
const now = (name) => (one) => (one.state ? one.state[name] ?? 0 : null);
const partOf = (part, ...rest) => (one) => {
  const all = [part, ...rest].reduce((sum, name) => sum + counted(one, name), 0);
  return all > 0 ? counted(one, part) / all : null;
};
const hits = (kind) => partOf(`${kind}.read_hits`, `${kind}.read_merges`, `${kind}.read_misses`);
const bytesText = (value) => rate(value, 1e12) || "0";
const plain = (value) => count(Number.isInteger(value) ? value : Number(value.toPrecision(3)));
const percent = (value) => share(value, 1) || "0 %";

// `limit`: what the machine can do. `of`: whose counters say whether there is anything to draw.
const CHARTS = [
  { id: "dram", title: "DRAM bandwidth", text: bytesText, paint: "kernels", limit: dramPeak, limitName: "peak",
    value: (one) => (seconds(one) > 0 ? dramBytes(one.counters) / seconds(one) : null) },
  { id: "issue", title: "issue rate, warp instructions per core cycle", text: plain, paint: "launch", limitName: "SMs times schedulers",
    limit: () => (machineNumber("gpu.sm.count") ?? 0) * (machineNumber("gpu.sm.schedulers") ?? 0),
    value: (one) => (cycles(one) > 0 ? counted(one, "sm.warp_instructions") / cycles(one) : null) },
  { id: "warps", title: "resident warps", text: plain, paint: "driver", limitName: "room of all SMs",
    limit: () => (machineNumber("gpu.sm.count") ?? 0) * (machineNumber("gpu.sm.max_warps") ?? 0), value: now("sm.resident_warps") },
  { id: "l1_hits", title: "L1 read hits", text: percent, paint: "host_to_device", limit: () => 1, value: hits("l1") },
  { id: "l2_hits", title: "L2 read hits", text: percent, paint: "device_to_host", limit: () => 1, value: hits("l2") },
  { id: "l3_gpu_hits", title: "L3 hits of the GPU's reads", text: percent, paint: "copies", limit: () => 1,
    value: partOf("l3.gpu_read_hits", "l3.gpu_read_merges", "l3.gpu_read_misses") },
  { id: "dram_queued", title: "requests queued at DRAM", text: plain, paint: "other_copies", value: now("dram.queued") },
  { id: "tasks_queued", title: "tasks queued in streams", text: plain, paint: "calls", value: now("front_end.queued_tasks") },
  { id: "to_gpu", title: "link to the GPU", text: bytesText, paint: "host_to_device", value: perSecond("link.to_gpu_payload_bytes") },
  { id: "to_host", title: "link to the host", text: bytesText, paint: "device_to_host", value: perSecond("link.to_host_payload_bytes") },
  { id: "core_instructions", title: "instructions of cores per cycle of theirs", text: plain, paint: "kernels_and_copies",
    value: (one) => (counted(one, "core.cycles") > 0 ? counted(one, "core.instructions") / counted(one, "core.cycles") : null) },
];

// Those of which anything was counted, with their values.
function charts() {
  return CHARTS.map((one) => {
    const values = intervals.map(one.value);
    const most = values.reduce((a, b) => Math.max(a, b ?? 0), 0);
    const limit = one.limit?.() || 0;
    return { ...one, values, most, limit, top: limit && most > limit / 4 ? Math.max(limit, most) : most };
  }).filter((one) => one.most > 0);
}

function title(one) {
  const of = one.limit > 1 ? `, ${share(one.most, one.limit)} of ${one.limitName}: ${one.text(one.limit)}` : "";
  return [one.title, `most ${one.text(one.most)}${of}`];
}

function said(interval, list) {
  const one = intervals[interval];
  return `<b>${time(one.start_ps)} to ${time(one.end_ps)}</b>${one.samples > 1 ? ` (${count(one.samples)} intervals)` : ""}<br>` +
    list.map(({ title: name, values, text }) => `${escaped(name)}: ${values[interval] === null ? "–" : text(values[interval])}`).join("<br>");
}

// A bar from the foot; over it what the pointer is to find in the whole height.
function bar(params, api, one, painted) {
  const { x, y, width, height } = params.coordSys;
  const foot = api.coord([api.value(0), 0]);
  const head = api.coord([api.value(1), api.value(2)]);
  const span = pixels(foot[0], head[0]);
  const clip = (shape) => echarts.graphic.clipRectByRect({ ...span, ...shape }, { x, y, width, height });
  const field = clip({ y, height });
  if (!field) return null;
  const filled = clip({ y: head[1], height: foot[1] - head[1] });
  const children = [{ type: "rect", shape: field, style: { fill: painted, opacity: 0 } }];
  if (filled) children.push({ type: "rect", silent: true, shape: filled, style: { fill: painted } });
  return { type: "group", children };
}

// Where each grid lies, from the top.
function places(list, maps) {
  let top = 26;
  const next = (tall) => {
    const at = top;
    top += tall + GAP;
    return { left: 78, right: 20, top: at, height: tall, outerBoundsMode: "none" };
  };
  const grids = [...list.map(() => next(TALL)), ...maps.map((map) => next(map.tall))];
  return { grids, height: top + 22 };
}

function option(list, maps, grids, view) {
  const { text, soft, line } = ink();
  const style = axisStyle();
  const last = grids.length - 1;
  const cells = maps.map((map) => heatCells(map, view));
  return {
    title: [...list.map(title), ...maps.map((map) => [map.title, map.hint])].map(([name, rest], i) => ({
      left: grids[i].left, top: grids[i].top - 22, padding: 0,
      text: `{name|${name}}  {rest|${rest}}`,
      textStyle: { fontWeight: 400, rich: { name: { color: text, fontSize: 12, fontWeight: 600, fontFamily: FONT }, rest: { color: soft, fontSize: 11, fontWeight: 400, fontFamily: FONT } } },
    })),
    grid: grids,
    tooltip: tooltip(({ seriesIndex, dataIndex }) => (seriesIndex < list.length ? said(dataIndex, list)
      : maps[seriesIndex - list.length].said(cells[seriesIndex - list.length][dataIndex]))),
    xAxis: grids.map((_, i) => ({
      type: "value", gridIndex: i, min: 0, max: END, ...style, splitLine: { ...style.splitLine, show: i < list.length },
      axisLabel: { ...style.axisLabel, show: i === last, formatter: (ps) => timeOnAxis(ps, view[1] - view[0]) },
    })),
    yAxis: [
      ...list.map((one, i) => ({ type: "value", gridIndex: i, min: 0, max: one.top, interval: one.top, ...style,
        axisLabel: { ...style.axisLabel, formatter: (value) => (value ? one.text(value) : "0") } })),
      ...maps.map((map, i) => ({ type: "category", gridIndex: list.length + i, inverse: true, data: map.names.map((name) => name.split(" ").slice(-2).join(" ")), axisTick: { show: false },
        axisLine: { lineStyle: { color: line } }, axisLabel: { color: soft, fontSize: 10, interval: Math.ceil((12 * map.names.length) / map.tall) - 1 } })),
    ],
    dataZoom: [
      { type: "inside", xAxisIndex: grids.map((_, i) => i), filterMode: "none", startValue: view[0], endValue: view[1] },
      { type: "slider", xAxisIndex: grids.map((_, i) => i), filterMode: "none", bottom: 6, height: 20, startValue: view[0], endValue: view[1],
        labelFormatter: (ps) => time(Math.round(ps)), textStyle: { color: soft, fontSize: 11 }, borderColor: line, brushSelect: false },
    ],
    series: [
      ...list.map((one, i) => {
        const painted = colour(one.paint);
        return {
          type: "custom", progressive: 0, clip: true, xAxisIndex: i, yAxisIndex: i, data: intervals.map((v, at) => [v.start_ps, v.end_ps, one.values[at] ?? 0]),
          encode: { x: [0, 1], y: 2 }, renderItem: (params, api) => bar(params, api, one, painted),
          markLine: one.limit > 1 && one.top >= one.limit ? { symbol: "none", silent: true, label: { show: false },
            lineStyle: { color: soft, type: "dashed", width: 1 }, data: [{ yAxis: one.limit }] } : undefined,
        };
      }),
      ...maps.map((map, i) => map.series(cells[i], list.length + i)),
    ],
  };
}

// Draws, and draws again what is seen where that has changed.
function draw(place, list, maps, grids, { range, whole }) {
  let view = [0, END];
  const all = () => option(list, maps, grids, view);
  const tell = () => {
    range.textContent = `shown: ${time(view[0])} to ${time(view[1])} (${time(view[1] - view[0])})`;
    range.dataset.from = view[0];
    range.dataset.to = view[1];
  };
  tell();
  chart(place, all, { renderer: "canvas", made: (drawing) => {
    let asked = false;
    drawing.on("datazoom", () => {
      const zoomed = drawing.getOption().dataZoom[0];
      view = [Math.round(zoomed.startValue), Math.round(zoomed.endValue)];
      tell();
      if (asked || maps.length === 0) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        const { series, tooltip: told } = all();
        drawing.setOption({ series, tooltip: told });
      });
    });
    whole.onclick = () => drawing.dispatchAction({ type: "dataZoom", startValue: 0, endValue: END });
  } });
}

function numbers(list) {
  const columns = ["from", "to", "intervals", ...list.map((one) => one.title)];
  return table(columns, intervals.map((one, i) => [time(one.start_ps), time(one.end_ps), count(one.samples),
    ...list.map(({ id, values, text }) => (values[i] === null ? "" : { text: text(values[i]), field: `${i}.${id}`, value: values[i] }))]));
}

export function overTimeSection() {
  const result = section("over-time", "Over time");
  const list = charts();
  const maps = heatMaps(intervals);
  if (intervals.length === 0) result.append(element("p", { class: "note" }, HINT));
  else if (list.length + maps.length === 0) result.append(element("p", { class: "note" }, "Nothing that is drawn here was counted in any interval."));
  if (list.length + maps.length === 0) return result;
  const { grids, height } = places(list, maps);
  const place = element("div", { class: "chart", id: "over-time-chart", style: `height:${height}px` });
  const range = element("span", { id: "over-time-range" });
  const whole = element("button", { id: "over-time-all" }, "whole run");
  result.append(
    element("p", { class: "lead" }, `${intervals.length ? "What was counted in each interval of simulated time, and how queues and warps stood at its end. " : ""}Turn the wheel over it to zoom, drag to move.`),
    element("div", { class: "tools" }, whole, range), place);
  const together = Math.max(1, ...intervals.map((one) => one.samples));
  if (together > 1) result.append(element("p", { class: "note" }, `The page has ${count(together)} neighbouring intervals as one; stats.json has more of them (--records).`));
  if (list.length > 0) result.append(details("Intervals in numbers", () => numbers(list)));
  result.append(...maps.map((map) => details(`${map.title}, in numbers`, map.numbers)));
  queueMicrotask(() => draw(place, list, maps, grids, { range, whole }));
  return result;
}
