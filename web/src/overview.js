// The first picture: where the time went. Two bars that each add up to the run, and below them the same on one time
// axis, with what went on at once.
import { band, axisStyle, chart, escaped, tooltip } from "./charts.js";
import { colour, ink, MOMENT_NAMES, NAMES, SHORT_NAMES } from "./colours.js";
import { isOtherCopy, moments, momentsWith, rowOfSpans, stats, timeline } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { count, share, time, timeOnAxis } from "./units.js";

const account = stats.account;
const whole = account?.time_ps ?? 0;

// The largest parts first, in words.
function sentence() {
  const parts = Object.entries(account.critical_path_ps).filter(([, ps]) => ps > 0).sort((a, b) => b[1] - a[1]);
  const said = parts.slice(0, 3).map(([name, ps]) => `${SHORT_NAMES[name]} (${share(ps, whole)})`);
  const { kernels_and_copies: both, copies } = account.moments_ps;
  const hidden = both > 0 ? ` Of the time with copies, ${share(both, both + copies)} lay behind kernels.`
    : copies > 0 && account.busy_ps.kernels > 0 ? " No copy lay behind a kernel." : "";
  return `The run took ${time(whole)} of simulated time. Its end waited for ${said.join(", ") || "nothing"}.${hidden}`;
}

// A bar of parts that add up to `whole`, with each part's name, size and share below it.
function partsBar(title, hint, field, parts, names, whole = account.time_ps, text = time, shares = (name) => share(parts[name], whole)) {
  const shown = Object.entries(parts).filter(([, ps]) => ps > 0);
  const bar = element("div", { class: "parts-bar", role: "img", "aria-label": title }, ...shown.map(([name, ps]) =>
    element("span", {
      class: "part", "data-colour": name, style: `flex-grow:${ps / whole}`,
      title: `${names[name]}: ${text(ps)}, ${shares(name)}`,
    }, ps / whole > 0.055 ? shares(name) : "")));
  const legend = element("ul", { class: "parts-legend" }, ...Object.entries(parts).map(([name, ps]) =>
    element("li", { class: ps === 0 ? "none" : undefined },
      element("i", { "data-colour": name }), `${names[name]} `,
      element("b", { "data-field": `${field}.${name}`, "data-value": ps }, text(ps)), ` ${shares(name)}`)));
  return element("div", { class: "parts" }, element("h3", {}, title, element("small", {}, ` ${hint}`)), bar, legend);
}

function rowsOf() {
  const busy = account.busy_ps;
  const { driver, calls, between_calls: between } = account.moments_ps;
  const sum = (pieces) => pieces.reduce((total, piece) => total + piece.of, 0);
  const ofSpans = (label, what, test) => {
    const list = rowOfSpans(test, what);
    return { label, total: sum(list), pieces: list };
  };
  const copies = (label, what, test) => ofSpans(label, what, (s) => s.group === "stream" && test(s.kind));
  const rows = [
    { label: "each moment once", total: whole, pieces: moments, names: MOMENT_NAMES, strong: true },
    {
      label: "critical path", total: whole, strong: true,
      pieces: timeline.path.map(([part, from, to]) => ({ what: timeline.parts[part], from, to, of: to - from })),
    },
    { label: "API calls", total: busy.calls, field: "account.busy_ps.calls", pieces: momentsWith((m) => m & 8, "calls") },
    { label: "driver", total: busy.driver, field: "account.busy_ps.driver", pieces: momentsWith((m) => m & 4, "driver") },
    ofSpans("of it, kernel launch", "launch", (s) => s.kind === "launch"),
    copies("copy in", "host_to_device", (kind) => kind === "host_to_device"),
    { label: "kernels", total: busy.kernels, field: "account.busy_ps.kernels", pieces: momentsWith((m) => m & 1, "kernels") },
    copies("copy out", "device_to_host", (kind) => kind === "device_to_host"),
    copies("other copies", "other_copies", isOtherCopy),
    { label: "GPU idle", total: driver + calls + between, pieces: momentsWith((m) => !(m & 3), "idle") },
  ];
  return rows.filter((row) => row.label !== "other copies" || row.pieces.length > 0);
}

// What is drawn of a row: its pieces, or, of very many, a column a pixel, as tall as the share of its time.
function shapes(pieces, columns = 1100) {
  if (pieces.length <= 2 * columns && pieces.every((piece) => piece.of === piece.to - piece.from))
    return pieces.map(({ what, from, to }) => ({ what, from, to, low: 0, high: 1, of: to - from }));
  const width = whole / columns;
  const parts = Array.from({ length: columns }, () => new Map());
  for (const { what, from, to, of } of pieces) {
    const density = of / (to - from);
    for (let i = Math.floor(from / width); i < columns && i * width < to; ++i) {
      const inside = Math.min(to, (i + 1) * width) - Math.max(from, i * width);
      parts[i].set(what, (parts[i].get(what) ?? 0) + Math.max(0, inside) * density);
    }
  }
  const result = [];
  parts.forEach((column, i) => {
    let low = 0;
    for (const [what, of] of [...column].sort()) {
      const high = Math.min(1, low + of / width);
      const last = result[result.length - 1];
      if (high - low > 0.999 && last && last.what === what && last.high - last.low > 0.999 && last.to === i * width) {
        last.to = (i + 1) * width;
        last.of += of;
      } else if (high - low > 0.004) result.push({ what, from: i * width, to: (i + 1) * width, low, high, of });
      low = high;
    }
  });
  return result;
}

function axisChart(place, rows) {
  const option = () => {
    const { text, soft, line } = ink();
    // ECharts copies what it is given: only numbers, the rest is found by index.
    const drawn = rows.flatMap((row, index) => shapes(row.pieces).map((shape) => ({ shape, row, index })));
    const data = drawn.map(({ shape, index }) => [index, shape.from, shape.to]);
    return {
      grid: { left: 134, right: 128, top: 8, bottom: 30 },
      tooltip: tooltip(({ dataIndex }) => {
        const { shape, row } = drawn[dataIndex];
        const part = shape.high - shape.low < 0.999 ? ` (${time(Math.round(shape.of))} of it)` : "";
        return `<b>${escaped((row.names ?? NAMES)[shape.what])}</b><br>${time(Math.round(shape.to - shape.from))}${part}<br>` +
          `from ${time(Math.round(shape.from))} to ${time(Math.round(shape.to))}`;
      }),
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
        type: "custom", progressive: 0, data, encode: { x: [1, 2], y: 0 },
        renderItem: (params, api) => {
          const { shape, row } = drawn[params.dataIndex];
          return band(params, api, row.strong ? 0.8 : 0.62, shape, { fill: colour(shape.what) });
        },
      }],
    };
  };
  const very = rows.reduce((sum, row) => sum + shapes(row.pieces).length, 0) > 2000;
  return chart(place, option, { renderer: very ? "canvas" : "svg" });
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

// What is drawn and is not all of it, openly.
function remarks(rows) {
  const result = [];
  const path = timeline.path;
  const pathDrawn = path.reduce((sum, [, from, to]) => sum + to - from, 0);
  if (rows.some((row) => row.pieces.length > 2200 || row.pieces.some((piece) => piece.of < piece.to - piece.from)))
    result.push("Where more goes on than pixels can show, the height of a column is the share of its time.");
  if (pathDrawn < whole) result.push(`The critical path is drawn for ${share(pathDrawn, whole)} of the run: its first 60,000 steps are kept.`);
  if ((timeline.calls.kept ?? 0) < (timeline.calls.all ?? 0))
    result.push(`Of ${timeline.calls.all.toLocaleString("en-US")} API calls the first ${timeline.calls.kept.toLocaleString("en-US")} are drawn.`);
  return result.map((text) => element("p", { class: "note" }, text));
}

// What the calls were about while driver and GPU stood idle.
function idleCalls() {
  const longest = Object.entries(account.idle_calls_ps ?? {}).filter(([, ps]) => ps >= whole / 100).slice(0, 3);
  if (longest.length === 0) return [];
  return [element("p", { class: "note", id: "idle-calls" }, "While driver and GPU stood idle the program was in ",
    longest.map(([text, ps]) => `${text} (${share(ps, whole)})`).join("; "), ".")];
}

// The same of simulated cores: dispatch slots by use, of all cores together.
const USES = {
  retiring: "the program's work", bad_speculation: "wrong predictions", front_end: "fetch has no more", instruction_cache: "instructions not in the cache",
  memory_l2: "loads from L2", memory_below: "loads from below L2", stores: "store buffer full", core: "slow or dependent instructions", serial: "system calls, atomics, fences",
};
// Shares in tenths of a percent that add up to 100 %, as on the terminal: rests go to the parts that lose most.
function tenths(parts, whole) {
  const list = parts.map(([name, n], i) => ({ name, i, whole: Math.floor((1000 * n) / whole), rest: (1000 * n) % whole }));
  const missing = 1000 - list.reduce((sum, one) => sum + one.whole, 0);
  for (const one of [...list].sort((a, b) => b.rest - a.rest || a.i - b.i).slice(0, missing)) one.whole += 1;
  return new Map(list.map((one) => [one.name, `${(one.whole / 10).toFixed(1)} %`]));
}

function coresTime() {
  const { headline, cores } = stats.processor ?? stats;
  if (!headline) return [];
  const slots = {};
  for (const core of cores) for (const [use, n] of Object.entries(core.slots)) slots[use] = (slots[use] ?? 0) + n;
  const all = Object.values(slots).reduce((a, b) => a + b, 0);
  const ofAll = tenths(Object.entries(slots), all);
  return [element("p", { class: "answer", id: "cores-headline" }, headline),
    partsBar("Dispatch slots of the cores", "cycles with a thread times the width of dispatch: what was dispatched, or what kept the next instruction back", "slots", slots, USES, all, count, (name) => ofAll.get(name))];
}

export function overview() {
  const result = section("overview", "Where did the time go?");
  if (!account) {  // a processor alone
    const parts = coresTime();
    result.append(element("p", { class: "answer" }, `The run took ${time(stats.simulated_ps ?? 0)} of simulated time.`), ...parts);
    if (parts.length === 0) result.append(element("p", { class: "note" }, "Nobody counted time on a core in this run."));
    return result;
  }
  if (!whole) {
    result.append(element("p", { class: "note" }, "Nothing took simulated time in this run."));
    return result;
  }
  const rows = rowsOf();
  const place = element("div", { class: "chart", style: `height:${rows.length * 27 + 42}px` });
  result.append(
    element("p", { class: "answer" }, sentence()),
    partsBar("Critical path", "what the program's end had to wait for; to shorten anything else changes nothing",
      "account.critical_path_ps", account.critical_path_ps, NAMES),
    partsBar("Each moment once", "what went on, counted for the first of kernel, copy, driver, call",
      "account.moments_ps", account.moments_ps, MOMENT_NAMES), ...idleCalls(), ...coresTime(),
    element("h3", {}, "On one time axis", element("small", {}, " one row an activity; right: time in it, share of the run")),
    place, ...remarks(rows), details("Numbers of this picture", () => numbers(rows)));
  queueMicrotask(() => axisChart(place, rows));
  return result;
}
