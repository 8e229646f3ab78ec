// The timeline: threads, driver, streams and engines over time. Wheel or slider zoom, dragging moves.
import { axisStyle, chart, echarts, escaped, tooltip } from "./charts.js";
import { colour, ink, inkOn, kindColour } from "./colours.js";
import { isOtherCopy, spans, stats, timeline } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { bytes, count, rate, time, timeOnAxis } from "./units.js";

const whole = stats.account?.time_ps ?? 0;
const MOST_ROWS = 64;
const LANES = 4;

// Spans that overlap lie in lanes below each other; beyond the last lane they cover each other.
function inLanes(label, list) {
  const lanes = [];
  for (const span of [...list].sort((a, b) => a.start - b.start || b.end - a.end)) {
    let lane = lanes.findIndex((one) => one[one.length - 1].end <= span.start);
    if (lane < 0) lane = lanes.length < LANES ? lanes.push([]) - 1 : LANES - 1;
    lanes[lane].push(span);
  }
  return { label, lanes };
}

// "engine 0" of "data transfer engine 0": a row has little room.
function engineName(span) {
  return span.track.replace(/^data transfer /, "");
}

function allRows() {
  const rows = [];
  const of = (group) => spans.filter((span) => span.group === group);
  const byNumber = (list, label) => {
    const numbers = [...new Set(list.map((span) => span.number))].sort((a, b) => a - b);
    for (const number of numbers) rows.push(inLanes(label(number), list.filter((span) => span.number === number)));
  };
  byNumber(of("thread"), (number) => `host thread ${number}`);
  if (of("driver").length) rows.push(inLanes("driver", of("driver")));
  const work = of("stream");
  byNumber(work, (number) => (number === 0 ? "default stream" : `stream ${number}`));
  const moves = of("engine");
  byNumber(moves, (number) => engineName(moves.find((s) => s.number === number)));
  const byDirection = [["copies in", (s) => s.kind === "host_to_device"], ["copies out", (s) => s.kind === "device_to_host"],
    ["other copies, fills", (s) => isOtherCopy(s.kind)]];
  for (const [label, test] of [...(moves.length ? [] : byDirection), ["SMs (kernels)", (s) => s.kind === "kernel"]]) {
    const list = work.filter(test);
    if (list.length) rows.push(inLanes(label, list));
  }
  return rows;
}

// What is seen of the rows between two times, neighbours that share a pixel taken together.
function seen(rows, from, to, pixels) {
  const grain = (to - from) / pixels;
  const shapes = [];
  rows.forEach((row, index) => row.lanes.forEach((list, lane) => {
    let last = null;
    for (const span of list) {
      if (span.end < from || span.start > to) continue;
      const colourOf = span.group === "driver" ? colour(span.kind === "launch" ? "launch" : "driver") : kindColour(span.kind);
      if (last && last.fill === colourOf && span.start - last.to < grain && span.end - span.start < grain) {
        last.to = Math.max(last.to, span.end);
        last.more += span.count;
        continue;
      }
      last = { value: [index, span.start, span.end], row, lane, span, fill: colourOf, more: span.count, to: span.end,
        density: span.count > 1 ? 0.3 + (0.7 * Math.min(1, span.busy / (span.end - span.start || 1))) : 1 };
      shapes.push(last);
    }
  }));
  for (const shape of shapes) shape.value[2] = shape.to;
  return shapes;
}

function label(shape) {
  if (!shape) return "";  // of a mark
  const { span, more } = shape;
  const took = shape.value[2] - shape.value[1];
  const busy = span.count > 1 ? ` (${time(span.busy)} added up)` : "";
  const where = `${time(took)}${busy}<br>from ${time(shape.value[1])} to ${time(shape.value[2])}`;
  if (more > 1) return `<b>${count(more)} spans</b>, too close to tell apart here<br>${where}`;
  const ids = [span.command ? `command ${span.command}` : "", span.call ? `call ${span.call}` : ""].filter(Boolean).join(", ");
  const moved = span.bytes ? `<br>${bytes(span.bytes)}${span.group === "stream" || span.group === "engine" ? `, ${rate(span.bytes, took)}` : ""}` : "";
  const stage = span.kind === "launch" ? "<br>hand-over, to the first block"
    : span.group === "driver" ? `<br>stage (ii) ${time(span.prepared - span.start)}, hand-over ${time(span.end - span.prepared)}` : "";
  return `<b>${escaped(span.name)}</b><br>${where}${moved}${stage}<br>${ids}`;
}

function item(params, api, shape) {
  const lanes = shape.row.lanes.length;
  const tall = api.size([0, 1])[1] * 0.78;
  const y = api.coord([0, api.value(0)])[1] - tall / 2 + (shape.lane * tall) / lanes;
  const from = api.coord([api.value(1), 0])[0];
  const to = api.coord([api.value(2), 0])[0];
  const { x, y: top, width, height } = params.coordSys;
  const rect = echarts.graphic.clipRectByRect(
    { x: from, y, width: Math.max(to - from, 0.8), height: tall / lanes - (lanes > 1 ? 1 : 0) }, { x, y: top, width, height });
  if (!rect) return null;
  const box = { type: "rect", shape: rect, style: { fill: shape.fill, opacity: shape.density, ...(rect.width > 3 ? { stroke: ink().paper, lineWidth: 0.5 } : {}) } };
  if (rect.width < 42 || rect.height < 11 || shape.more > 1) return box;
  return { type: "group", children: [box, {
    type: "text", silent: true,
    style: { text: shape.span.name, x: rect.x + 4, y: rect.y + rect.height / 2, verticalAlign: "middle", fill: inkOn(shape.fill),
      fontSize: Math.min(11, rect.height), width: rect.width - 8, overflow: "truncate", ellipsis: "…" },
  }] };
}

export function timelineSection() {
  const result = section("timeline", "Timeline",
    "By thread, driver, stream and engine. Turn the wheel over it to zoom, drag to move, or use the slider below. " +
    "A span says what it is when the pointer is on it.");
  let rows = allRows();
  if (!whole || rows.length === 0) {
    result.append(element("p", { class: "note" }, "No call, copy or kernel has ended in this run, so there is nothing to draw."));
    return result;
  }
  const all = rows.length;
  rows = rows.slice(0, MOST_ROWS);
  const heights = rows.map((row) => row.lanes.length > 2 ? 1.4 : 1);
  const height = Math.round(heights.reduce((a, b) => a + b, 0) * 25 + 84);
  const place = element("div", { class: "chart", id: "timeline-chart", style: `height:${height}px` });
  const range = element("span", { id: "timeline-range" });
  let view = [0, whole];
  let drawing;
  let shapes = [];

  const show = (from, to) => {
    const least = Math.min(whole, 10);
    const size = Math.max(least, Math.min(whole, to - from));
    const start = Math.max(0, Math.min(whole - size, from));
    drawing?.dispatchAction({ type: "dataZoom", startValue: start, endValue: start + size });
  };
  const zoom = (by) => {
    const middle = (view[0] + view[1]) / 2;
    const half = ((view[1] - view[0]) * by) / 2;
    show(middle - half, middle + half);
  };
  const tell = () => {
    range.textContent = `shown: ${time(view[0])} to ${time(view[1])} (${time(view[1] - view[0])})`;
    range.dataset.from = view[0];
    range.dataset.to = view[1];
  };
  const series = () => {
    // ECharts copies what it is given: only numbers, the rest is found by index.
    shapes = seen(rows, view[0], view[1], Math.max(400, place.clientWidth));
    const data = shapes.map((shape) => shape.value);
    return {
      type: "custom", progressive: 0, data, encode: { x: [1, 2], y: 0 }, clip: true,
      renderItem: (params, api) => item(params, api, shapes[params.dataIndex]),
      markLine: {
        symbol: "none", silent: false, lineStyle: { color: ink().soft, type: "dashed" },
        label: { color: ink().soft, fontSize: 10, formatter: ({ name }) => name, position: "start" },
        data: (stats.marks ?? []).slice(0, 50).map((mark) => ({ name: mark.name, xAxis: mark.time_ps })),
      },
    };
  };
  const option = () => ({
    grid: { left: 128, right: 20, top: 22, bottom: 62 },
    tooltip: tooltip(({ componentType, dataIndex, name }) => (componentType === "markLine" ? escaped(name) : label(shapes[dataIndex]))),
    xAxis: { type: "value", min: 0, max: whole, ...axisStyle(),
      axisLabel: { ...axisStyle().axisLabel, formatter: (ps) => timeOnAxis(ps, view[1] - view[0]) } },
    yAxis: { type: "category", inverse: true, data: rows.map((row) => row.label), axisTick: { show: false },
      axisLine: { lineStyle: { color: ink().line } }, splitLine: { show: true, lineStyle: { color: ink().line, opacity: 0.5 } },
      axisLabel: { color: ink().text, fontSize: 12, interval: 0 } },
    dataZoom: [
      { type: "inside", filterMode: "none", minValueSpan: Math.min(whole, 10), startValue: view[0], endValue: view[1] },
      { type: "slider", filterMode: "none", bottom: 8, height: 20, minValueSpan: Math.min(whole, 10), startValue: view[0], endValue: view[1],
        labelFormatter: (ps) => time(Math.round(ps)), textStyle: { color: ink().soft, fontSize: 11 }, borderColor: ink().line, brushSelect: false },
    ],
    series: [series()],
  });

  result.append(
    element("div", { class: "tools" },
      element("button", { id: "zoom-in", onclick: () => zoom(0.5) }, "zoom in"),
      element("button", { id: "zoom-out", onclick: () => zoom(2) }, "zoom out"),
      element("button", { id: "zoom-all", onclick: () => show(0, whole) }, "whole run"), range),
    element("div", { class: "legend" }, ...[
      ["calls", "CUDA call"], ["driver", "driver"], ["launch", "kernel launch (hand-over to the GPU)"],
      ["host_to_device", "copy in"], ["device_to_host", "copy out"], ["other_copies", "other copy or fill"], ["kernels", "kernel"],
    ].map(([name, text]) => element("span", {}, element("i", { "data-colour": name }), text))),
    place);
  const notes = [];
  if (timeline.grain_ps > 0)
    notes.push(`There are more than 20,000 spans: neighbours of one kind on a track that together last no longer than ${time(timeline.grain_ps)} are drawn as one, paler where they take less of its time.`);
  if (all > MOST_ROWS) notes.push(`Of ${all} rows the first ${MOST_ROWS} are drawn.`);
  if ((stats.marks ?? []).length > 50) notes.push("The first 50 marks are drawn.");
  notes.push(spans.some((span) => span.group === "engine") ? "Rows of engines have the moves of each; that of the SMs has the kernels that used them."
    : "Rows of engines are made of the copies and kernels that used them, by direction; with duet run --trace-detail command the page has each engine, with block each SM.");
  result.append(...notes.map((text) => element("p", { class: "note" }, text)), details("Spans as a table", spanTable));
  tell();
  queueMicrotask(() => chart(place, option, { renderer: "canvas", made: (made) => {
    drawing = made;
    let asked = false;
    drawing.on("datazoom", () => {
      const zoomed = drawing.getOption().dataZoom[0];
      view = [Math.round(zoomed.startValue), Math.round(zoomed.endValue)];
      tell();
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        drawing.setOption({ series: [series()] });
      });
    });
  } }));
  return result;
}

function spanTable() {
  const most = 2000;
  const columns = [{ title: "track", left: true }, { title: "what", left: true }, "from", "to", "time", "bytes", "command", "call", "spans"];
  const track = (s) => (s.group === "thread" ? `host thread ${s.number}` : s.group === "driver" ? "driver" : s.group === "engine" ? engineName(s) : `stream ${s.number}`);
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  return [
    sorted.length > most ? element("p", { class: "note" }, `The first ${count(most)} of ${count(sorted.length)}.`) : null,
    table(columns, sorted.slice(0, most).map((s) => [track(s), s.name, time(s.start), time(s.end), time(s.end - s.start),
      s.bytes ? count(s.bytes) : "", s.command || "", s.call || "", s.count])),
  ].filter(Boolean);
}
