// The roofline of floating-point operations: what each kernel computed a second, over its operations per byte of DRAM, below
// the peaks of the units and of DRAM. And what bounds a kernel, in words.
import { axisStyle, chart, escaped, tooltip } from "./charts.js";
import { colour, ink, inkOn } from "./colours.js";
import { dramPeak, machineNumber, readable, shortName, stats } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { decades, kernels, perSecond, ratio } from "./roofline.js";
import { causeName } from "./slots.js";
import { bytes, count, rate, share, time } from "./units.js";

const NUMBERED = 24;
const SHOWN = 16;
export const NEAR = 0.6;  // of a roof: it bounds the kernel

// A kind of numbers: its name, what a unit does of it at once, the units of an SM, dashes of its roof.
const KINDS = [
  { id: "fp16", name: "FP16", timing: "half", each: 4, units: () => machineNumber("gpu.sm.sp_units"), dash: [2, 3] },
  { id: "fp32", name: "FP32", timing: "floating", each: 2, units: () => machineNumber("gpu.sm.sp_units"), dash: null },
  { id: "fp64", name: "FP64", timing: "double_precision", each: 2, units: () => machineNumber("gpu.sm.dp_units") || machineNumber("gpu.sm.sfu_units"), dash: [7, 4] },
];

// Operations a second of all SMs, when each lane's instruction is a product and a sum.
function peakOf(kind) {
  const [sms, width, schedulers, clock, interval] = ["sm.count", "sm.warp_width", "sm.schedulers", "core_clock_khz", `sm.${kind.timing}.interval_cycles`]
    .map((key) => machineNumber(`gpu.${key}`));
  return kind.each * (width ?? 0) * Math.min(schedulers ?? 0, (kind.units() ?? 0) / (interval || 1)) * (sms ?? 0) * (clock ?? 0) * 1000;
}

// What keeps a kernel from being faster: the roof that it is near to, otherwise why its issue slots stayed empty.
// roofs: [[name, part reached]].
export function boundBy(kernel, roofs) {
  const [nearest, of] = [...roofs].sort((a, b) => b[1] - a[1])[0] ?? ["", 0];
  if (of >= NEAR) return `${nearest}: ${share(of, 1)} of its peak`;
  const all = Object.values(kernel.stalls).reduce((a, b) => a + b, 0);
  if (all === 0) return "";
  const issued = kernel.stalls.issued ?? 0;
  if (issued >= NEAR * all) return `issue: ${share(issued, all)} of the slots`;
  const [cause, lost] = Object.entries(kernel.stalls).filter(([name]) => name !== "issued").sort((a, b) => b[1] - a[1])[0];
  const kind = { unit_busy: "units", load_store_busy: "load-store units", no_warp: "too few warps" }[cause] ?? "latency";
  return `${kind}: ${causeName(cause)}, ${share(lost, all)} of the slots`;
}

// Those whose every launch has been counted by line.
function counted() {
  const lines = new Map((stats.lines ?? []).map((one) => [one.kernel, one]));
  return kernels().filter(({ name, warp }) => {
    const found = lines.get(name);
    return found?.flops && found.lines.reduce((sum, line) => sum + line.instructions, 0) === warp;
  }).map((kernel) => {
    const flops = lines.get(kernel.name).flops;
    const sum = KINDS.reduce((all, { id }) => all + flops[id], 0);
    // Of a mixture: the time that it takes at least.
    const least = KINDS.reduce((all, kind) => all + (flops[kind.id] ? flops[kind.id] / peakOf(kind) : 0), 0);
    const dram = kernel.bytes.dram;
    const peak = sum / least;
    return { ...kernel, flops, sum, perSecond: sum / kernel.seconds, peak, intensity: dram ? sum / dram : Infinity, ofPeak: least / kernel.seconds,
      ofDram: dram / kernel.seconds / (dramPeak() || Infinity) };
  });
}

const roofsOf = (kernel) => [["floating-point rate", kernel.ofPeak], ["DRAM bandwidth", kernel.ofDram]];

function label(kernel) {
  const kinds = KINDS.filter(({ id }) => kernel.flops[id]).map(({ id, name }) => `${count(kernel.flops[id])} ${name}`).join(", ");
  return `<b>${kernel.number} ${escaped(readable(kernel.name))}</b><br>${perSecond(kernel.perSecond)}FLOP/s, ${share(kernel.ofPeak, 1)} of its peak<br>` +
    `${Number.isFinite(kernel.intensity) ? `${ratio(kernel.intensity)} FLOP a byte of DRAM (${rate(kernel.bytes.dram, kernel.ps)}, ${share(kernel.ofDram, 1)})` : "no byte of DRAM"}<br>` +
    `${kinds}<br>bound by ${escaped(boundBy(kernel, roofsOf(kernel)))}`;
}

function picture(place, list, kinds, dram) {
  const finite = list.map((kernel) => kernel.intensity).filter(Number.isFinite);
  const peaks = kinds.map(peakOf);
  const corners = dram ? peaks.map((peak) => peak / dram) : [];
  const xs = decades([...finite, ...corners]);
  const ys = decades([...list.map((kernel) => kernel.perSecond), ...peaks]);
  const whole = list.reduce((sum, kernel) => sum + kernel.ps, 0);
  const points = [...list].sort((a, b) => b.ps - a.ps);
  return chart(place, () => {
    const style = axisStyle();
    const axis = (name, [min, max], gap) => ({ type: "log", min, max, name, nameLocation: "middle", nameGap: gap, ...style });
    const roofs = (api, area) => {
      const fill = colour("kernels");
      const line = (points, dash) => ({ type: "polyline", silent: true, shape: { points: points.map((at) => api.coord(at)) }, style: { stroke: fill, lineWidth: 1.6, fill: "none", lineDash: dash } });
      const text = (said, x, y, more) => ({ type: "text", silent: true, x, y, style: { text: said, fill: ink().text, fontSize: 11, fontWeight: 600, verticalAlign: "bottom", padding: [0, 0, 4, 0], ...more } });
      const shapes = [];
      const top = Math.max(...peaks);
      if (dram) {
        const from = [Math.max(xs[0], ys[0] / dram), 0];
        from[1] = from[0] * dram;
        const ends = [from, [top / dram, top]];
        const [a, b] = ends.map((at) => api.coord(at));
        shapes.push(line(ends, null), text(`DRAM ${rate(dram, 1e12)}`, a[0] + 0.35 * (b[0] - a[0]), a[1] + 0.35 * (b[1] - a[1]),
          {}));
        shapes[shapes.length - 1].rotation = -Math.atan2(b[1] - a[1], b[0] - a[0]);
      }
      kinds.forEach((kind, i) => {
        const y = api.coord([xs[1], peaks[i]])[1];
        shapes.push(line([[dram ? peaks[i] / dram : xs[0], peaks[i]], [xs[1], peaks[i]]], kind.dash),
          text(`${kind.name} ${perSecond(peaks[i])}FLOP/s`, area.x + area.width - 4, y, { align: "right" }));
      });
      return { type: "group", silent: true, children: shapes };
    };
    return {
      grid: { left: 74, right: 24, top: 30, bottom: 46 },
      tooltip: tooltip(({ seriesIndex, dataIndex }) => (seriesIndex === 1 ? label(points[dataIndex]) : "")),
      xAxis: { ...axis("floating-point operations per byte of DRAM", xs, 28), axisLabel: { ...style.axisLabel, formatter: ratio } },
      yAxis: { ...axis("operations per second", ys, 54), axisLabel: { ...style.axisLabel, formatter: (value) => perSecond(value).trim() } },
      series: [
        { type: "custom", silent: true, progressive: 0, clip: true, data: [[xs[0], ys[0]]], renderItem: ({ coordSys }, api) => roofs(api, coordSys) },
        { type: "custom", progressive: 0, clip: true, z: 3, data: points.map((kernel) => [Number.isFinite(kernel.intensity) ? kernel.intensity : xs[1], kernel.perSecond]),
          renderItem: ({ dataIndex }, api) => {
            const kernel = points[dataIndex];
            const [x, y] = api.coord([api.value(0), api.value(1)]);
            const fill = colour("kernels");
            const r = 5 + 15 * Math.sqrt(kernel.ps / whole);
            // Far below both roofs: hollow.
            const far = kernel.ofPeak < NEAR && kernel.ofDram < NEAR;
            const children = [{ type: "circle", shape: { cx: x, cy: y, r }, style: { fill: far ? ink().paper : fill, stroke: far ? fill : ink().paper, lineWidth: far ? 2 : 1, opacity: 0.9 } }];
            if (kernel.number <= NUMBERED)
              children.push({ type: "text", silent: true, style: { text: String(kernel.number), x, y, align: "center", verticalAlign: "middle", fontSize: 10, fontWeight: 600, fill: far ? ink().text : inkOn(fill) } });
            return { type: "group", children };
          } },
      ],
    };
  });
}

// Nothing where no kernel computes with floating point, or nobody has counted it.
export function flopsSection() {
  const all = counted();
  const list = all.filter((kernel) => kernel.sum > 0);
  if (list.length === 0) return null;
  const kinds = KINDS.filter((kind) => list.some((kernel) => kernel.flops[kind.id]) && peakOf(kind) > 0);
  const result = section("flops", "Roofline of floating-point operations",
    "What each kernel computed a second, over its operations per byte of DRAM: below the slope it cannot get more bytes, below the flat roofs it cannot compute more. Size: its time.");
  const place = element("div", { class: "chart", style: "height:400px" });
  const field = (kernel, what, value, text, more = {}) => ({ text, field: `${kernel.name}|${what}`, value, ...more });
  const rows = (some) => table([
    { title: "", hint: "number in the picture" }, { title: "kernel", left: true }, "launches", { title: "time", hint: "of all launches" },
    ...kinds.map(({ name }) => ({ title: `${name} operations`, hint: "of all lanes" })), "FLOP / s", { title: "of peak", hint: "of what the units can do of such a mixture of numbers" },
    "DRAM's bytes", "FLOP / byte", { title: "of DRAM", hint: "of its peak" }, { title: "bound by", left: true, hint: `a roof of which it reaches ${share(NEAR, 1)} or more, otherwise what most of its issue slots were lost to` },
  ], some.map((kernel) => [kernel.number, { text: shortName(kernel.name), title: readable(kernel.name) }, count(kernel.launches), { text: time(kernel.ps), value: kernel.ps },
    ...kinds.map(({ id }) => field(kernel, id, kernel.flops[id], count(kernel.flops[id]))), field(kernel, "flop_s", kernel.perSecond, perSecond(kernel.perSecond).trim()),
    field(kernel, "of_peak", kernel.ofPeak, share(kernel.ofPeak, 1), { bar: kernel.ofPeak }), kernel.bytes.dram ? { text: bytes(kernel.bytes.dram), value: kernel.bytes.dram } : "",
    kernel.bytes.dram ? field(kernel, "intensity", kernel.intensity, ratio(kernel.intensity)) : "", field(kernel, "of_dram", kernel.ofDram, share(kernel.ofDram, 1), { bar: kernel.ofDram }),
    boundBy(kernel, roofsOf(kernel))]), { class: "wide" });
  const first = list[0];
  result.append(
    element("p", { class: "answer" }, `${shortName(first.name)} computes ${perSecond(first.perSecond)}FLOP/s, ${share(first.ofPeak, 1)} of the peak of its numbers, with ${share(first.ofDram, 1)} of DRAM's bandwidth. `
      + `It is bound by ${boundBy(first, roofsOf(first))}.`),
    place, rows(list.slice(0, SHOWN)));
  if (list.length > SHOWN) result.append(details(`${count(list.length - SHOWN)} more kernels`, () => rows(list.slice(SHOWN))));
  const none = all.length - list.length, unknown = kernels().length - all.length;
  result.append(element("p", { class: "note" }, "A hollow circle is far below both roofs: neither bytes nor operations bound it. An addition, a product, a quotient, a root and a function are one operation, a fused product and sum two; " +
    "lanes that a guard switches off count. Peaks are those of fused products and sums."
    + (list.some((kernel) => !kernel.bytes.dram) ? " A kernel at the right edge moved no byte of DRAM." : "")
    + (none ? ` ${count(none)} kernel${none === 1 ? " computes" : "s compute"} with integers alone.` : "")
    + (unknown ? ` Of ${count(unknown)} kernel${unknown === 1 ? "" : "s"} not every launch was counted by line.` : "")));
  queueMicrotask(() => picture(place, list, kinds, dramPeak()));
  return result;
}
