// Charts of the pages besides report.html: grouped bars and curves with what a paper states marked in them, spans over
// time, small multiples.
import { LineChart, ScatterChart } from "echarts/charts";
import { axisStyle, chart, echarts, escaped, FONT, tooltip } from "../charts.js";
import { ink, isDark } from "../colours.js";
import { element } from "../dom.js";
import { count } from "../units.js";

echarts.use([LineChart, ScatterChart]);

const LIGHT = ["#0072b2", "#e69f00", "#009e73", "#b3589a", "#56b4e9", "#d55e00", "#8d6e4f", "#7a5cc0"];
const DARK = ["#4a9be0", "#e8a520", "#22b48a", "#cf7db8", "#8fd0f5", "#e8763a", "#b8977a", "#a48be0"];
export function seriesColour(index) {
  return (isDark() ? DARK : LIGHT)[index % LIGHT.length];
}
// What the paper states is drawn in one colour everywhere, which no series has.
export function paperColour() {
  return isDark() ? "#ff8a80" : "#b3261e";
}

// As many digits as tell.
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  return count(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
}

function niceEnds(values, zero = true) {
  const known = values.filter((v) => Number.isFinite(v));
  if (known.length === 0) return [0, 1, 1];
  let low = Math.min(...known), high = Math.max(...known);
  if (zero) {
    low = Math.min(0, low);
    high = Math.max(0, high);
  }
  if (!(high > low)) return [low, low + 1, 1];
  const raw = (high - low) / 7, size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((f) => f * size >= raw) * size;
  const end = (x, way) => Number((way(Number((x / step).toPrecision(10))) * step).toPrecision(10));
  return [end(low, Math.floor), end(high, Math.ceil), step];
}

function legend(names, top = 0) {
  return { top, left: 0, itemWidth: 14, itemHeight: 10, textStyle: { color: ink().soft, fontSize: 12, fontFamily: FONT }, data: names };
}

// Behind a bar the band within which a row holds; in front of it a line at what the paper states.
function markSeries(marks, width, ends, front) {
  return {
    type: "custom", name: front ? "the paper's number" : "band in which the row holds", silent: true, z: front ? 6 : 1,
    itemStyle: { color: paperColour(), opacity: front ? 1 : 0.35 }, tooltip: { show: false },
    data: marks.map((mark) => [mark.at, mark.paper ?? mark.low ?? mark.high ?? 0]),
    renderItem: (params, api) => {
      const mark = marks[params.dataIndex];
      const layout = api.barLayout({ count: width, barGap: "8%", barCategoryGap: "24%" });
      const { offsetCenter, width: wide } = layout[mark.series ?? 0];
      const y = (value) => api.coord([mark.at, Math.max(ends[0], Math.min(ends[1], value))])[1];
      const [x] = api.coord([mark.at, 0]);
      const half = wide / 2 + 3, middle = x + offsetCenter;
      if (!front) {
        const top = y(mark.high ?? ends[1]), foot = y(mark.low ?? ends[0]);
        return { type: "rect", shape: { x: middle - half, y: top, width: 2 * half, height: Math.max(1, foot - top) }, style: { fill: paperColour(), opacity: 0.13 } };
      }
      const at = y(mark.paper);
      return {
        type: "group",
        children: [
          { type: "line", shape: { x1: middle - half, y1: at, x2: middle + half, y2: at }, style: { stroke: paperColour(), lineWidth: 2.5 } },
          { type: "text", x: middle, y: at - (wide < 34 && (mark.series ?? 0) % 2 === 1 ? 14 : 3), style: { text: mark.text ?? number(mark.paper), fill: paperColour(), stroke: ink().paper, lineWidth: 3, align: "center", verticalAlign: "bottom", font: `600 11px ${FONT}` } },
        ],
      };
    },
  };
}

// {categories, series: [{name, values}], unit, marks: [{at, series, paper, low, high, text}], line: {value, text}}
export function bars({ categories, series, unit = "", marks = [], line, height = 250 }) {
  const place = element("div", { class: "chart", style: `height:${height}px` });
  const banded = marks.filter((mark) => Number.isFinite(mark.low) || Number.isFinite(mark.high));
  const stated = marks.filter((mark) => Number.isFinite(mark.paper));
  const ends = niceEnds([...series.flatMap((one) => one.values), ...marks.flatMap((mark) => [mark.paper, mark.low, mark.high]), line?.value]);
  queueMicrotask(() => chart(place, () => {
    const { text, soft } = ink();
    return {
      grid: { left: 52, right: 14, top: 48, bottom: 24 },
      legend: legend([...series.map((one) => one.name), ...(stated.length ? ["the paper's number"] : []), ...(banded.length ? ["band in which the row holds"] : [])]),
      tooltip: tooltip((items) => {
        const list = Array.isArray(items) ? items : [items];
        const at = list[0].dataIndex;
        const lines = series.map((one, i) => `<span style="color:${seriesColour(i)}">■</span> ${escaped(one.name)}: ${number(one.values[at]) || "–"} ${escaped(unit)}`);
        const said = stated.filter((mark) => mark.at === at).map((mark) => `the paper${series.length > 1 ? `, ${escaped(series[mark.series ?? 0].name)}` : ""}: ${number(mark.paper)} ${escaped(unit)}`);
        return `<b>${escaped(categories[at])}</b><br>${[...lines, ...said].join("<br>")}`;
      }, { trigger: "axis", axisPointer: { type: "shadow", shadowStyle: { opacity: 0.06 } } }),
      xAxis: { type: "category", data: categories, axisTick: { show: false }, axisLine: { lineStyle: { color: ink().line }, onZero: true },
        axisLabel: { color: text, fontSize: 12, interval: 0, hideOverlap: false, overflow: "break", width: 1100 / categories.length } },
      yAxis: { type: "value", min: ends[0], max: ends[1], interval: ends[2], ...axisStyle(), name: unit, nameTextStyle: { color: soft, align: "right", fontSize: 11 }, nameGap: 8 },
      series: [
        ...(banded.length ? [markSeries(banded, series.length, ends, false)] : []),
        ...series.map((one, i) => ({
          type: "bar", name: one.name, data: one.values.map((v) => v ?? "-"), itemStyle: { color: seriesColour(i) }, barGap: "8%", barCategoryGap: "24%", z: 3,
          ...(i === 0 && line ? { markLine: { silent: true, symbol: "none", lineStyle: { color: soft, type: "dashed" }, data: [{ yAxis: line.value }],
            label: { position: "insideEndTop", color: soft, fontSize: 11, formatter: line.text } } } : {}),
        })),
        ...(stated.length ? [markSeries(stated, series.length, ends, true)] : []),
      ],
    };
  }));
  return place;
}

// {series: [{name, points: [[x, y]], dashed, step, colour, paper}], x, y: {name, log, base, format}, verticals: [{x, text}],
// horizontal: {value, text, paper}}; verticals are what the paper states.
export function curves({ series, x = {}, y = {}, verticals = [], horizontal, height = 300 }) {
  const place = element("div", { class: "chart", style: `height:${height}px` });
  const all = series.flatMap((one) => one.points.map((point) => point[1])).filter((v) => Number.isFinite(v));
  const xs = [...series.flatMap((one) => one.points.map((point) => point[0])), ...verticals.map((v) => v.x)];
  const ends = y.log ? [] : niceEnds([...all, horizontal?.value], y.zero ?? true);
  queueMicrotask(() => chart(place, () => {
    const { soft } = ink();
    const format = (axis) => axis.format ?? number;
    const axis = (of, more) => ({ type: of.log ? "log" : "value", logBase: of.base ?? 10, ...axisStyle(), ...more,
      axisLabel: { ...axisStyle().axisLabel, formatter: format(of) } });
    let colours = 0;
    const drawn = series.map((one) => (one.paper ? paperColour() : seriesColour(one.colour ?? colours++)));
    return {
      grid: { left: 64, right: 30, top: series.length > 5 ? 76 : 58, bottom: 42 },
      legend: { ...legend(series.map((one) => one.name)), icon: "roundRect" },
      tooltip: tooltip(({ seriesIndex, value }) =>
        `<b>${escaped(series[seriesIndex].name)}</b><br>${escaped(x.name ?? "x")}: ${format(x)(value[0])}<br>${escaped(y.name ?? "y")}: ${format(y)(value[1])}`),
      xAxis: axis(x, { name: x.name, nameLocation: "middle", nameGap: 26, min: x.log ? Math.min(...xs) : undefined, max: x.log ? Math.max(...xs) : undefined }),
      yAxis: axis(y, { name: y.name, nameTextStyle: { color: soft, align: "left", fontSize: 11 }, min: ends[0], max: ends[1], interval: ends[2] }),
      series: series.map((one, i) => ({
        type: "line", name: one.name, data: one.points, step: one.step ? "end" : false, symbol: one.paper || one.step ? "none" : "circle", symbolSize: 6,
        lineStyle: { color: drawn[i], width: 2, type: one.dashed ? "dashed" : "solid" }, itemStyle: { color: drawn[i] }, z: one.paper ? 2 : 4,
        ...(i === 0 ? { markLine: { silent: true, symbol: "none", lineStyle: { color: paperColour(), width: 1.5, type: "solid" },
          label: { color: paperColour(), fontSize: 11 },
          data: [...verticals.map((v) => ({ xAxis: v.x, label: { formatter: v.text, position: "end", align: v.x >= Math.max(...xs) ? "right" : v.x <= Math.min(...xs) ? "left" : "center" } })),
            ...(horizontal ? [{ yAxis: horizontal.value, lineStyle: { color: horizontal.paper ? paperColour() : soft, type: "dashed" },
              label: { formatter: horizontal.text, position: "insideEndTop", color: horizontal.paper ? paperColour() : soft } }] : [])] } } : {}),
      })),
    };
  }));
  return place;
}

const logEnds = ({ series }) => {
  const xs = series.flatMap((points) => points.map((p) => p[0]));
  return { min: Math.min(...xs), max: Math.max(...xs) };
};

// One small chart a panel: panels: [{title, note, categories, log, line, series: [points], colours: [at], labels: [text]}]; `log`: its numbers
// across stand on a logarithmic axis; `line`: a value that is marked. With `names`
// colours have a legend; a panel's series say which colour is theirs, and what the tooltip calls them.
export function panels(list, { columns = 3, tall = 150, step = false, scatter = false, xName = "", yName = "", names, zero = true, xFormat = number, yFormat = number } = {}) {
  const rows = Math.ceil(list.length / columns);
  const room = tall + 12 + (scatter ? 16 : 0), top = names ? 34 : 6;
  const place = element("div", { class: "chart", style: `height:${rows * room + top + 8}px` });
  const ys = list.map((panel) => niceEnds([...panel.series.flatMap((points) => points.map((p) => p[1])), ...(panel.line === undefined ? [] : [panel.line])], zero));
  const colourOf = (panel, at) => seriesColour(names ? panel.colours[at] : 0);
  const labels = list.flatMap((panel) => panel.series.map((_, at) => panel.labels?.[at] ?? panel.title));
  queueMicrotask(() => chart(place, () => {
    const { text, soft, line } = ink();
    const wide = 100 / columns;
    const grid = list.map((_, i) => ({ left: `${(i % columns) * wide + 5.2}%`, width: `${wide - 6.4}%`, top: top + Math.floor(i / columns) * room + 40, height: tall - 66 }));
    return {
      legend: names ? { ...legend(names), icon: "roundRect", type: "scroll" } : undefined,
      title: list.map((panel, i) => ({
        left: `${(i % columns) * wide + 0.3}%`, top: grid[i].top - 40, padding: 0, itemGap: 4, text: panel.title, textStyle: { color: text, fontSize: 12, fontWeight: 600, fontFamily: FONT, width: 1150 / columns, overflow: "truncate" },
        subtext: panel.note ?? "", subtextStyle: { color: soft, fontSize: 10.5, fontFamily: FONT },
      })),
      tooltip: tooltip(({ seriesIndex, value, name }) => `<b>${escaped(labels[seriesIndex])}</b><br>${escaped(xName)}: ${escaped(name || xFormat(value[0]))}<br>${escaped(yName)}: ${yFormat(value[1])}`),
      grid,
      xAxis: list.map((panel, i) => ({ type: panel.categories ? "category" : panel.log ? "log" : "value", logBase: 2, gridIndex: i, ...(panel.log ? logEnds(panel) : {}), data: panel.categories, ...axisStyle(), splitLine: { show: false }, boundaryGap: Boolean(panel.categories) && panel.categories.length === 1, scale: scatter || Boolean(panel.scale),
        name: scatter ? xName : "", nameLocation: "middle", nameGap: 20, axisLabel: { ...axisStyle().axisLabel, fontSize: 10, ...(panel.categories ? {} : { formatter: xFormat }) }, axisLine: { lineStyle: { color: line }, onZero: false } })),
      yAxis: list.map((_, i) => ({ type: "value", gridIndex: i, ...axisStyle(), min: ys[i][0], max: ys[i][1], interval: (ys[i][1] - ys[i][0]) / 2, axisLabel: { ...axisStyle().axisLabel, fontSize: 10, formatter: yFormat } })),
      series: list.flatMap((panel, i) => panel.series.map((points, at) => ({
        type: scatter && !panel.joined?.[at] ? "scatter" : "line", xAxisIndex: i, yAxisIndex: i, name: names?.[panel.colours[at]] ?? panel.title, data: points, step: step ? "end" : false,
        symbol: step && points.length > 1 ? "none" : "circle", symbolSize: panel.joined?.[at] ? 9 : 6, z: panel.joined?.[at] ? 5 : 3,
        lineStyle: { color: colourOf(panel, at), width: 1.6, opacity: step && panel.series.length > 1 ? 0.7 : 1 }, itemStyle: { color: colourOf(panel, at), opacity: scatter && !panel.joined?.[at] ? 0.55 : 1 },
        ...(at === 0 && panel.line !== undefined ? { markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: soft, type: "dashed", width: 1 }, data: [{ yAxis: panel.line }] } } : {}),
      }))),
    };
  }));
  return place;
}

// rows: [{label, spans: [{from, to, what}]}], kinds: names by `what`; times in one unit; marks: [{x, text}].
export function spans(rows, kinds, { unit, marks = [], range } = {}) {
  const place = element("div", { class: "chart", style: `height:${rows.length * 26 + 92}px` });
  const data = rows.flatMap((row, index) => row.spans.map((span) => ({ ...span, index })));
  const [least, most] = range ?? [Math.min(...data.map((span) => span.from)), Math.max(...data.map((span) => span.to))];
  queueMicrotask(() => chart(place, () => {
    const { text, line } = ink();
    return {
      grid: { left: 190, right: 34, top: 56, bottom: 34 },
      legend: { ...legend(kinds), icon: "roundRect" },
      tooltip: tooltip(({ seriesName, value }) => `<b>${escaped(rows[value[0]].label)}</b><br>${escaped(seriesName)}: ${number(value[2] - value[1])} ${unit}<br>from ${number(value[1])} to ${number(value[2])} ${unit}`),
      xAxis: { type: "value", ...axisStyle(), min: Math.floor(least), max: Math.ceil(most), name: unit, nameLocation: "end", nameGap: 4 },
      yAxis: { type: "category", inverse: true, data: rows.map((row) => row.label), axisTick: { show: false }, axisLine: { lineStyle: { color: line }, onZero: false },
        axisLabel: { color: text, fontSize: 12, width: 178, overflow: "truncate" } },
      series: kinds.map((kind, at) => ({
        type: "custom", name: kind, itemStyle: { color: seriesColour(at) }, encode: { x: [1, 2], y: 0 },
        data: data.filter((span) => span.what === at).map((span) => [span.index, span.from, span.to]),
        renderItem: (params, api) => {
          const from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]);
          const tall = api.size([0, 1])[1] * 0.66;
          return { type: "rect", shape: { x: from[0], y: from[1] - tall / 2, width: Math.max(0.8, to[0] - from[0]), height: tall }, style: { fill: seriesColour(at) } };
        },
        ...(at === 0 && marks.length ? { markLine: { silent: true, symbol: "none", lineStyle: { color: ink().soft, type: "dashed" }, label: { color: ink().soft, fontSize: 11, position: "start" },
          data: marks.map((mark) => ({ xAxis: mark.x, label: { formatter: mark.text } })) } } : {}),
      })),
    };
  }));
  return place;
}
