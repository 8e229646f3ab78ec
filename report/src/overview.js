// The first picture: where the time went. Two bars that each add up to the run, and below them the same on one time
// axis, with what went on at once.
import { band, axisStyle, chart, escaped, tooltip } from "./charts.js";
import { colour, ink, MOMENT_NAMES, NAMES } from "./colours.js";
import { length, lanes, moments, stats, timeline } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { share, time, timeOnAxis } from "./units.js";

const account = stats.account;
const whole = account?.time_ps ?? 0;

// The largest parts first, in words.
function sentence() {
  const parts = Object.entries(account.critical_path_ps).filter(([, ps]) => ps > 0).sort((a, b) => b[1] - a[1]);
  const said = parts.slice(0, 3).map(([name, ps]) => `${NAMES[name]} (${share(ps, whole)})`);
  const { kernels_and_copies: both, copies } = account.moments_ps;
  const hidden = both + copies > 0 ? ` Of the time with copies, ${share(both, both + copies)} lay behind kernels.` : "";
  return `The run took ${time(whole)} of simulated time. Its end waited for ${said.join(", ") || "nothing"}.${hidden}`;
}

// A bar of parts that add up to the run, with each part's name, time and share below it.
function partsBar(title, hint, field, parts, names) {
  const shown = Object.entries(parts).filter(([, ps]) => ps > 0);
  const bar = element("div", { class: "parts-bar", role: "img", "aria-label": title }, ...shown.map(([name, ps]) =>
    element("span", {
      class: "part", "data-colour": name, style: `flex-grow:${ps / whole}`,
      title: `${names[name]}: ${time(ps)}, ${share(ps, whole)}`,
    }, ps / whole > 0.055 ? share(ps, whole) : "")));
  const legend = element("ul", { class: "parts-legend" }, ...Object.entries(parts).map(([name, ps]) =>
    element("li", { class: ps === 0 ? "none" : undefined },
      element("i", { "data-colour": name }), `${names[name]} `,
      element("b", { "data-field": `${field}.${name}`, "data-value": ps }, time(ps)), ` ${share(ps, whole)}`)));
  return element("div", { class: "parts" }, element("h3", {}, title, element("small", {}, ` ${hint}`)), bar, legend);
}

function rowsOf(byLane, strip) {
  const busy = account.busy_ps;
  const idle = strip.filter(([what]) => ["driver", "calls", "between_calls"].includes(what));
  const { driver, calls, between_calls: between } = account.moments_ps;
  const flat = (what, list) => list.map(([from, to]) => [what, from, to]);
  const rows = [
    { label: "each moment once", total: whole, spans: strip, names: MOMENT_NAMES, strong: true },
    {
      label: "critical path", total: whole, names: NAMES, strong: true,
      spans: timeline.path.map(([part, from, to]) => [timeline.parts[part], from, to]),
    },
    { label: "CUDA calls", total: busy.calls, field: "account.busy_ps.calls", spans: flat("calls", byLane.calls) },
    { label: "driver", total: busy.driver, field: "account.busy_ps.driver", spans: flat("driver", byLane.driver) },
    { label: "copy in", total: length(byLane.host_to_device), spans: flat("host_to_device", byLane.host_to_device) },
    { label: "kernel launch", total: length(byLane.launch), spans: flat("launch", byLane.launch) },
    { label: "kernels", total: busy.kernels, field: "account.busy_ps.kernels", spans: flat("kernels", byLane.kernels) },
    { label: "copy out", total: length(byLane.device_to_host), spans: flat("device_to_host", byLane.device_to_host) },
    { label: "other copies", total: length(byLane.other_copies), spans: flat("other_copies", byLane.other_copies) },
    { label: "GPU idle", total: driver + calls + between, spans: idle.map(([, from, to]) => ["idle", from, to]) },
  ];
  return rows.filter((row) => row.label !== "other copies" || row.spans.length > 0);
}

// At most so many shapes a row: shorter ones that touch the same pixel are one.
function thinned(list, width = 2400) {
  if (list.length <= width) return list;
  const grain = whole / width;
  const result = [];
  for (const [what, from, to] of list) {
    const last = result[result.length - 1];
    if (last && to - from < grain && from - last[2] < grain && last[0] === what) last[2] = to;
    else if (last && to - from < grain / 4 && from - last[2] < grain) last[2] = Math.max(last[2], to);
    else result.push([what, from, to]);
  }
  return result;
}

function axisChart(place, rows) {
  const option = () => {
    const { text, soft, line } = ink();
    const data = rows.flatMap((row, index) => thinned(row.spans).map(([what, from, to]) => ({
      value: [index, from, to], what, row,
    })));
    return {
      grid: { left: 128, right: 128, top: 8, bottom: 30 },
      tooltip: tooltip(({ data: item }) => `<b>${escaped((item.row.names ?? NAMES)[item.what])}</b><br>` +
        `${time(item.value[2] - item.value[1])}<br>from ${time(item.value[1])} to ${time(item.value[2])}`),
      xAxis: { type: "value", min: 0, max: whole, ...axisStyle(),
        axisLabel: { ...axisStyle().axisLabel, formatter: (ps) => timeOnAxis(ps, whole) } },
      yAxis: [
        { type: "category", inverse: true, data: rows.map((row) => row.label), axisTick: { show: false },
          axisLine: { lineStyle: { color: line } },
          axisLabel: { color: text, fontSize: 12, interval: 0,
            formatter: (label, i) => (rows[i].strong ? `{strong|${label}}` : label), rich: { strong: { fontWeight: 600, color: text } } } },
        { type: "category", inverse: true, position: "right", data: rows.map((row) => row.label),
          axisTick: { show: false }, axisLine: { show: false },
          axisLabel: { color: soft, fontSize: 11, interval: 0,
            formatter: (_, i) => `${time(rows[i].total)}  ${share(rows[i].total, whole)}` } },
      ],
      series: [{
        type: "custom", data, encode: { x: [1, 2], y: 0 },
        renderItem: (params, api) => band(params, api, rows[api.value(0)].strong ? 0.8 : 0.62,
          { fill: colour(data[params.dataIndex].what) }),
      }],
    };
  };
  return chart(place, option);
}

function numbers(rows) {
  const part = (field, parts, names) => Object.entries(parts).map(([name, ps]) =>
    [names[name], time(ps), { text: String(ps), field: `${field}.${name}`, value: ps }, share(ps, whole), `${field}.${name}`]);
  const columns = [{ title: "what", left: true }, "time", "ps", "of run", { title: "field of stats.json", left: true }];
  return [
    element("p", { class: "note" }, "Both add up to ", element("b", {}, "account.time_ps"), ` = ${whole} ps.`),
    element("h4", {}, "Each moment once"), table(columns, part("account.moments_ps", account.moments_ps, MOMENT_NAMES)),
    element("h4", {}, "Critical path"), table(columns, part("account.critical_path_ps", account.critical_path_ps, NAMES)),
    element("h4", {}, "Rows of the time axis, what ran at once counted in each"),
    table([{ title: "row", left: true }, "time", "ps", "of run", { title: "from", left: true }], rows.map((row) =>
      [row.label, time(row.total), String(row.total), share(row.total, whole), row.field ?? "spans drawn here"])),
  ];
}

// What the rows show and the account does not agree on, openly.
function remarks(strip) {
  const drawn = {};
  for (const [what, from, to] of strip) drawn[what] = (drawn[what] ?? 0) + to - from;
  const off = Object.entries(account.moments_ps).reduce((sum, [name, ps]) => sum + Math.abs(ps - (drawn[name] ?? 0)), 0) / 2;
  const result = [];
  if (off > whole / 200) {
    result.push(`The row "each moment once" is drawn from calls, kernels and copies; it differs from the bar above it in ` +
      `${share(off, whole)} of the run: work of the driver for events and host functions, and what a cut-off left open, ` +
      `have no spans. The numbers are those of the account.`);
  }
  const path = timeline.path;
  const pathDrawn = path.reduce((sum, [, from, to]) => sum + to - from, 0);
  if (pathDrawn < whole) result.push(`The critical path is drawn for ${share(pathDrawn, whole)} of the run: its first 60,000 steps are kept.`);
  if ((timeline.calls.kept ?? 0) < (timeline.calls.all ?? 0))
    result.push(`Of ${timeline.calls.all.toLocaleString("en-US")} CUDA calls the first ${timeline.calls.kept.toLocaleString("en-US")} are drawn.`);
  return result.map((text) => element("p", { class: "note" }, text));
}

export function overview() {
  const result = section("overview", "Where did the time go?");
  if (!whole) {
    result.append(element("p", { class: "note" }, "Nothing took simulated time in this run."));
    return result;
  }
  const byLane = lanes();
  const strip = moments(byLane, whole);
  const rows = rowsOf(byLane, strip);
  const place = element("div", { class: "chart", style: `height:${rows.length * 27 + 42}px` });
  result.append(
    element("p", { class: "answer" }, sentence()),
    partsBar("Critical path", "what the program's end had to wait for; to shorten anything else changes nothing",
      "account.critical_path_ps", account.critical_path_ps, NAMES),
    partsBar("Each moment once", "what went on, counted for the first of kernel, copy, driver, call",
      "account.moments_ps", account.moments_ps, MOMENT_NAMES),
    element("h3", {}, "On one time axis", element("small", {}, " one row an activity; right: time in it, share of the run")),
    place, ...remarks(strip), details("Numbers of this picture", () => numbers(rows)));
  queueMicrotask(() => axisChart(place, rows));
  return result;
}
