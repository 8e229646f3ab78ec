// ECharts, of it what the page uses, and what all its charts have in common: fonts, colours, size.
import * as echarts from "echarts/core";
import { BarChart, CustomChart } from "echarts/charts";
import {
  DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TitleComponent, TooltipComponent,
} from "echarts/components";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import { ink, isDark, isPrinting, onThemeChange } from "./colours.js";

echarts.use([
  BarChart, CustomChart, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TitleComponent,
  TooltipComponent, CanvasRenderer, SVGRenderer,
]);
export { echarts };

export const FONT = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const fits = []; // of each chart that is drawn

// Charts are drawn when they come near the window, and all of them before the page is printed: so a page with many
// opens at once.
const waiting = new Map();
const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) drawNow(target);
}, { rootMargin: "400px" });
function drawNow(place) {
  near.unobserve(place);
  waiting.get(place)?.();
  waiting.delete(place);
}

// `option()` is asked again when colours change. Canvas for what has very many shapes; SVG prints sharper. `made` is told
// the chart when it is drawn.
export function chart(place, option, { renderer = "svg", made = () => {} } = {}) {
  waiting.set(place, () => made(chartNow(place, option, { renderer })));
  near.observe(place);
}

export function chartNow(place, option, { renderer = "svg" } = {}) {
  const instance = echarts.init(place, null, { renderer });
  let dark;
  const draw = () => {
    dark = isDark();
    instance.setOption({
      animation: false,
      textStyle: { fontFamily: FONT, color: ink().text, fontSize: 12 },
      ...option(instance),
    }, { notMerge: true });
  };
  // A chart that has its size and its colours is not drawn again: that would double what opening or printing the page costs.
  const fit = () => {
    if (place.clientWidth !== instance.getWidth() || place.clientHeight !== instance.getHeight()) instance.resize();
  };
  draw();
  fits.push(() => {
    fit();
    if (dark !== isDark()) draw();
  });
  new ResizeObserver(fit).observe(place);
  return instance;
}

onThemeChange(() => {
  if (isPrinting()) [...waiting.keys()].forEach(drawNow);
  for (const again of fits) again();
});

export function tooltip(formatter, more = {}) {
  const { paper, text, line } = ink();
  return {
    confine: true, backgroundColor: paper, borderColor: line, textStyle: { color: text, fontSize: 12, fontFamily: FONT },
    formatter, ...more,
  };
}

export function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

export function axisStyle() {
  const { soft, line } = ink();
  return {
    axisLabel: { color: soft, fontSize: 11, hideOverlap: true },
    axisLine: { lineStyle: { color: line } },
    axisTick: { lineStyle: { color: line } },
    splitLine: { lineStyle: { color: line, opacity: 0.6 } },
    nameTextStyle: { color: soft },
  };
}

// A band of a custom series whose values are [row, from, to]: a rectangle of `height` of its row, of that the part
// between `low` and `high`, from its foot.
export function band(params, api, height, { low, high }, style) {
  const row = api.value(0);
  const from = api.coord([api.value(1), row]);
  const to = api.coord([api.value(2), row]);
  const tall = api.size([0, 1])[1] * height;
  const shape = echarts.graphic.clipRectByRect(
    { x: from[0], y: from[1] + tall / 2 - tall * high, width: Math.max(to[0] - from[0], 0.7), height: tall * (high - low) },
    { x: params.coordSys.x, y: params.coordSys.y, width: params.coordSys.width, height: params.coordSys.height });
  return shape && { type: "rect", shape, style };
}
