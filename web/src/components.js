// Per SM, channel, slice, core: small multiples, so that imbalance shows.
import { chart, escaped, FONT, tooltip } from "./charts.js";
import { ink } from "./colours.js";
import { stats } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { slotsChart } from "./slots.js";
import { count } from "./units.js";

const TITLES = {
  sm: "SMs", dram: "DRAM channels", l1: "L1 caches", l2: "L2 slices", constant_cache: "constant caches", link: "links",
  interconnect: "interconnects", copy_engine: "data transfer engines", core: "processor cores", full_empty: "full/empty bits", l3: "L3 slices",
};
const ORDER = ["sm", "dram", "l2", "l1", "constant_cache", "copy_engine", "link", "interconnect", "core", "l3"];
const COLUMNS = 4;
const FIRST = 8;

function kinds() {
  const found = new Map();
  for (const component of stats.components ?? []) {
    if (!component.kind) continue;
    if (!found.has(component.kind)) found.set(component.kind, []);
    found.get(component.kind).push(component);
  }
  const rank = (kind) => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
  return [...found].sort((a, b) => rank(a[0]) - rank(b[0]));
}

// One chart a counter, a bar a component; all begin at 0. The line is the mean.
function multiples(place, components, names) {
  const lines = Math.ceil(names.length / COLUMNS);
  const tall = 122;
  place.style.height = `${lines * tall + 6}px`;
  const values = names.map((name) => components.map((component) => component.counters[name] ?? 0));
  return chart(place, () => {
    const { text, soft, line } = ink();
    const grids = names.map((_, i) => ({
      left: `${(i % COLUMNS) * 25 + 0.6}%`, width: "22.6%", top: Math.floor(i / COLUMNS) * tall + 46, height: tall - 62,
    }));
    return {
      title: names.map((name, i) => {
        const most = Math.max(...values[i]);
        const mean = values[i].reduce((a, b) => a + b, 0) / values[i].length;
        return {
          left: grids[i].left, top: grids[i].top - 44, padding: 0, itemGap: 6,
          text: name.slice(name.indexOf(".") + 1).replaceAll("_", " "), textStyle: { color: text, fontSize: 12, fontWeight: 600, fontFamily: FONT },
          subtext: `most ${count(most)}, most / mean ${mean ? (most / mean).toFixed(2) : "–"}`, subtextStyle: { color: soft, fontSize: 10.5, fontFamily: FONT },
        };
      }),
      tooltip: tooltip(({ dataIndex, seriesIndex, value }) =>
        `<b>${escaped(components[dataIndex].name)}</b><br>${escaped(names[seriesIndex])}: ${count(value)}`),
      grid: grids,
      xAxis: names.map((_, i) => ({ type: "category", gridIndex: i, data: components.map((c) => c.name), axisLabel: { show: false },
        axisTick: { show: false }, axisLine: { lineStyle: { color: line } } })),
      yAxis: names.map((_, i) => ({ type: "value", gridIndex: i, min: 0, max: Math.max(1, ...values[i]), axisLabel: { show: false }, splitLine: { show: false } })),
      series: names.map((_, i) => ({
        type: "bar", xAxisIndex: i, yAxisIndex: i, data: values[i], barCategoryGap: "18%", itemStyle: { color: "#3b8fd0" },
        markLine: { symbol: "none", silent: true, label: { show: false }, lineStyle: { color: soft, type: "dashed", width: 1 }, data: [{ type: "average" }] },
      })),
    };
  });
}

// The counters with the largest differences between components matter first, after those that say most.
const SAY_MOST = ["sm.warp_instructions", "sm.blocks", "sm.memory_transactions", "sm.slots_memory", "dram.reads", "dram.writes",
  "dram.row_hits", "dram.data_bus_busy_cycles", "l1.read_hits", "l1.read_misses", "l2.read_hits", "l2.read_misses", "l2.write_hits", "l2.write_misses"];

function ofKind(kind, components) {
  const names = [...new Set(components.flatMap((c) => Object.keys(c.counters)))];
  const rank = (name) => (SAY_MOST.includes(name) ? SAY_MOST.indexOf(name) : SAY_MOST.length);
  names.sort((a, b) => rank(a) - rank(b));
  const result = [element("h3", {}, TITLES[kind] ?? kind, element("small", {}, ` ${components.length} of them, one bar each, from 0; dashed: their mean`))];
  const all = () => table([{ title: "counter", left: true }, ...components.map((c) => c.name)],
    names.map((name) => [name, ...components.map((c) => count(c.counters[name] ?? 0))]));
  if (kind === "sm") {
    const slots = components.map((c, i) => ({ label: String(i), title: c.name, slots: Object.fromEntries(Object.entries(c.counters)
      .filter(([name]) => name.startsWith("sm.slots_")).map(([name, value]) => [name.slice("sm.slots_".length), value])) }));
    if (slots.some((bar) => Object.keys(bar.slots).length > 0)) {
      const place = element("div", { class: "chart" });
      result.push(element("h4", {}, "Issue slots by cause, per SM", element("small", {}, " share of its slots, in %; number of the SM below")), place);
      queueMicrotask(() => slotsChart(place, slots, { vertical: true }));
    }
  }
  const place = element("div", { class: "chart" });
  result.push(place);
  queueMicrotask(() => multiples(place, components, names.slice(0, FIRST)));
  if (names.length > FIRST)
    result.push(details(`The other ${names.length - FIRST} counters as pictures`, () => {
      const more = element("div", { class: "chart" });
      queueMicrotask(() => multiples(more, components, names.slice(FIRST)));
      return more;
    }));
  result.push(details(`${TITLES[kind] ?? kind} in numbers`, all));
  return result;
}

export function componentsSection() {
  const result = section("components", "Parts of the machine",
    "What each part counted over the whole run. Bars of unequal height are work that is spread unevenly.");
  const single = [];
  let any = false;
  for (const [kind, components] of kinds()) {
    if (components.every((c) => Object.keys(c.counters).length === 0)) continue;
    any = true;
    if (components.length < 2) single.push(...components);
    else result.append(...ofKind(kind, components));
  }
  if (!any) result.append(element("p", { class: "note" }, "No part of the machine has counted anything in this run."));
  if (single.length > 0)
    result.append(details("Parts of which there is one", () => table([{ title: "part", left: true }, { title: "counter", left: true }, "value"],
      single.flatMap((c) => Object.entries(c.counters).map(([name, value]) => [c.name, name, count(value)])))));
  return result;
}
