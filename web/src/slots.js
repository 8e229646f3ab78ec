// Stacked bars of slots by cause, one bar a kernel, an SM or a core, each 100 %.
import { axisStyle, chart, escaped, tooltip } from "./charts.js";
import { causeColour, ink, inkOn } from "./colours.js";
import { count, share } from "./units.js";

const CAUSE_NAMES = {
  issued: "issued", unit_busy: "unit busy", load_store_busy: "load-store unit busy", dependency: "waits for a result",
  memory: "waits for memory", tracked_order: "order of tracked memory", fence: "fence", barrier: "barrier",
  fetch: "waits for instructions", no_warp: "no warp left",
};

export function causeName(cause) {
  return CAUSE_NAMES[cause] ?? cause.replaceAll("_", " ");
}

// bars: [{label, slots: {cause: number}}]. Causes that none has are left out.
export function slotsChart(place, bars, { vertical = false, left = 210, unit = "slots" } = {}) {
  const causes = [...new Set(bars.flatMap((bar) => Object.keys(bar.slots)))]
    .filter((cause) => bars.some((bar) => bar.slots[cause] > 0));
  const totals = bars.map((bar) => Object.values(bar.slots).reduce((a, b) => a + b, 0));
  place.style.height = vertical ? "230px" : `${bars.length * 30 + 76}px`;
  return chart(place, () => {
    const { text, soft } = ink();
    const names = { type: "category", data: bars.map((bar) => bar.label), inverse: !vertical, axisTick: { show: false },
      axisLine: { lineStyle: { color: ink().line } },
      axisLabel: { color: vertical ? soft : text, fontSize: vertical ? 11 : 12, interval: vertical ? "auto" : 0, hideOverlap: true,
        ...(vertical ? {} : { width: left - 14, overflow: "truncate" }) } };
    const shares = { type: "value", min: 0, max: 100, ...axisStyle(),
      axisLabel: { ...axisStyle().axisLabel, formatter: "{value} %" } };
    return {
      grid: { left: vertical ? 48 : left, right: 16, top: vertical ? 46 : 46, bottom: 26 },
      legend: { top: 0, left: 0, itemWidth: 11, itemHeight: 11, textStyle: { color: soft, fontSize: 12 }, data: causes.map((c) => causeName(c)) },
      tooltip: tooltip(({ dataIndex, seriesIndex }) => {
        const bar = bars[dataIndex];
        const lines = causes.map((cause, i) => {
          const line = `${escaped(causeName(cause))}: ${count(bar.slots[cause] ?? 0)} (${share(bar.slots[cause] ?? 0, totals[dataIndex])})`;
          return i === seriesIndex ? `<b>${line}</b>` : line;
        });
        return `<b>${escaped(bar.title ?? bar.label)}</b><br>${lines.join("<br>")}<br>all: ${count(totals[dataIndex])} ${unit}`;
      }),
      xAxis: vertical ? names : shares, yAxis: vertical ? shares : names,
      series: causes.map((cause, i) => ({
        type: "bar", stack: "slots", name: causeName(cause), itemStyle: { color: causeColour(cause, i) },
        barWidth: vertical ? "82%" : 18,
        data: bars.map((bar, at) => (totals[at] ? (100 * (bar.slots[cause] ?? 0)) / totals[at] : 0)),
        label: vertical ? undefined : { show: true, fontSize: 10, color: inkOn(causeColour(cause, i)),
          formatter: ({ value }) => (value >= 6 ? `${value.toFixed(0)} %` : "") },
      })),
    };
  });
}
