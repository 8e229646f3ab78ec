// What each SM, DRAM channel or data transfer engine did over time: a row each, the darker the more. Of intervals, and of
// blocks where the run has recorded them.
import { echarts, escaped } from "./charts.js";
import { colour } from "./colours.js";
import { machineNumber, stats, timeline } from "./data.js";
import { element, table } from "./dom.js";
import { count, rate, share, time } from "./units.js";

const CELLS = 12000;  // of a picture; of more, neighbours in time are one
const NUMBERS = 20000; // cells of a table

const clockOf = (key) => (machineNumber(key) ?? 0) * 1000;
const seconds = ({ start_ps, end_ps }) => (end_ps - start_ps) * 1e-12;
const percent = (value) => share(value, 1) || "0 %";

// `value` of a component's counters in a time of so many seconds; of a `state` that at the end.
const MAPS = [
  { id: "sm_warps", kind: "sm", title: "Warps on each SM", statistic: "sm.resident_warps", state: true, paint: "driver", text: (value) => count(Math.round(value)),
    value: (warps) => warps, limit: () => machineNumber("gpu.sm.max_warps") },
  { id: "sm_issue", kind: "sm", title: "Issue slots used on each SM", statistic: "sm.slots_issued", paint: "launch", text: percent,
    value: (slots, s) => slots / (s * clockOf("gpu.core_clock_khz") * (machineNumber("gpu.sm.schedulers") ?? 1)), limit: () => 1 },
  { id: "dram_busy", kind: "dram", title: "Data bus of each DRAM channel", statistic: "dram.data_bus_busy_cycles", paint: "kernels", text: percent,
    value: (cycles, s) => cycles / (s * clockOf("gpu.dram.command_clock_khz")), limit: () => 1 },
  { id: "engine_bytes", kind: "copy_engine", title: "Each data transfer engine", statistic: "copy_engine.bytes", paint: "copies", text: (value) => rate(value, 1e12) || "0",
    value: (bytes, s) => bytes / s },
];

// A row a name; what it did in each of the times is of(row, i), null: nobody knows.
function heatMap(one, names, times, of) {
  const most = Math.max(0, ...names.flatMap((_, row) => times.map((_, i) => of(row, i) ?? 0)));
  const limit = one.limit?.() ?? 0;
  const top = limit && most > limit / 4 ? Math.max(limit, most) : most;
  return {
    ...one, names, times, of, most, top, tall: Math.max(28, Math.min(260, names.length * 12)),
    hint: `most ${one.text(most)}${limit > 1 ? ` of ${one.text(limit)}` : ""}; full colour: ${one.text(top)}`,
    said: (cell) => `<b>${escaped(names[cell.row])}</b><br>${escaped(one.title.toLowerCase())}: ${one.text(cell.value)}<br>${time(cell.from)} to ${time(cell.to)}`,
    series: (cells, axis) => series(one, cells, axis), numbers: () => numbers(one, names, times, of),
  };
}

// Mean number of blocks in each column of the run (--trace-detail block).
function blocksOnSms() {
  const { column_ps: column, sms } = timeline.blocks;
  const end = stats.account.time_ps;
  const times = sms[0].of.map((_, i) => ({ start_ps: i * column, end_ps: Math.min(end, (i + 1) * column) })).filter((one) => one.start_ps < one.end_ps);
  return heatMap({ id: "sm_blocks", title: "Blocks on each SM", paint: "kernels", text: (value) => count(Number(value.toPrecision(3))),
    limit: () => machineNumber("gpu.sm.max_blocks") }, sms.map((sm) => sm.name), times, (row, i) => sms[row].of[i] / (times[i].end_ps - times[i].start_ps));
}

export function heatMaps(intervals) {
  const ofIntervals = intervals.length === 0 ? [] : MAPS.map((one) => {
    const names = (stats.components ?? []).filter((c) => c.kind === one.kind).map((c) => c.name);
    const raw = names.map((name) => intervals.map((v) => (one.state && !v.state ? null : v.components[name]?.[one.statistic] ?? 0)));
    return heatMap(one, names, intervals, (row, i) =>
      (raw[row][i] === null || seconds(intervals[i]) <= 0 ? null : one.value(raw[row][i], seconds(intervals[i]))));
  });
  return [...(timeline.blocks ? [blocksOnSms()] : []), ...ofIntervals].filter((map) => map.names.length > 0 && map.most > 0);
}

// Whole pixels, so that what follows one another has no seam.
export function pixels(from, to) {
  const x = Math.round(from);
  return { x, width: Math.max(1, Math.round(to) - x) };
}

// What is seen between two times, with neighbours in time as one where there are too many; of those the mean.
export function heatCells(map, [from, to]) {
  const { times } = map;
  const seen = times.map((_, i) => i).filter((i) => times[i].end_ps > from && times[i].start_ps < to);
  const together = Math.max(1, Math.ceil((seen.length * map.names.length) / CELLS));
  const cells = [];
  for (let row = 0; row < map.names.length; ++row)
    for (let at = 0; at < seen.length; at += together) {
      const some = seen.slice(at, at + together).filter((i) => map.of(row, i) !== null);
      const all = some.reduce((sum, i) => sum + seconds(times[i]), 0);
      const value = some.reduce((sum, i) => sum + map.of(row, i) * seconds(times[i]), 0) / (all || 1);
      if (value > 0) cells.push({ row, from: times[some[0]].start_ps, to: times[some[some.length - 1]].end_ps, value, part: Math.min(1, value / map.top) });
    }
  return cells;
}

function series(one, cells, axis) {
  const fill = colour(one.paint);
  return {
    type: "custom", progressive: 0, clip: true, xAxisIndex: axis, yAxisIndex: axis, encode: { x: [1, 2], y: 0 }, data: cells.map((cell) => [cell.row, cell.from, cell.to]),
    renderItem: ({ dataIndex, coordSys }, api) => {
      const from = api.coord([api.value(1), api.value(0)]);
      const to = api.coord([api.value(2), api.value(0)]);
      const tall = api.size([0, 1])[1];
      const shape = echarts.graphic.clipRectByRect(
        { ...pixels(from[0], to[0]), y: from[1] - tall / 2, height: Math.max(1, tall - (tall > 5 ? 1 : 0)) }, coordSys);
      return shape && { type: "rect", shape, style: { fill, opacity: 0.12 + 0.88 * cells[dataIndex].part } };
    },
  };
}

function numbers({ id, text }, names, times, of) {
  const rows = Math.max(1, Math.floor(NUMBERS / names.length));
  return [
    times.length > rows ? element("p", { class: "note" }, `The first ${count(rows)} of ${count(times.length)} rows; duet stats csv FOLDER intervals prints all intervals.`) : null,
    table(["from", "to", ...names], times.slice(0, rows).map((one, i) => [time(one.start_ps), time(one.end_ps), ...names.map((name, row) => {
      const value = of(row, i);
      return value === null ? "" : { text: text(value), field: `${i}.${id}.${name}`, value };
    })])),
  ].filter(Boolean);
}
