// Occupancy of kernels: what an SM has room for and what warps reached, the limit that binds, and a calculator for other
// numbers of threads, registers and bytes of shared memory.
import { machineNumber, readable, shortName } from "./data.js";
import { details, element, svg, table } from "./dom.js";
import { occupancy } from "./occupancy_rule.js";
import { bytes, count, share } from "./units.js";

const KEYS = ["warp_width", "max_warps", "max_blocks", "max_threads", "max_threads_per_block", "registers", "max_registers_per_thread", "register_allocation_unit",
  "warp_allocation_unit", "shared_bytes", "max_shared_bytes_per_block", "shared_allocation_unit"];
const sm = Object.fromEntries(KEYS.map((key) => [key, machineNumber(`gpu.sm.${key}`)]));
const known = KEYS.every((key) => sm[key] !== undefined);

// `values`: where occupancy can change.
const all = (least, most, step) => Array.from({ length: Math.max(0, Math.ceil((most - least) / step)) + 1 }, (_, i) => Math.min(most, least + i * step));
const INPUTS = [
  { id: "threads", title: "threads a block", most: sm.max_threads_per_block, values: () => all(1, sm.max_threads_per_block, 1), text: count },
  { id: "registers", title: "registers a thread", most: sm.max_registers_per_thread, values: () => all(1, sm.max_registers_per_thread, 1), text: count },
  { id: "shared", title: "shared memory a block, bytes", axis: "shared memory a block", most: sm.max_shared_bytes_per_block,
    values: () => [0, ...all(1, sm.max_shared_bytes_per_block, Math.max(1, sm.shared_allocation_unit))], text: bytes },
];
const WIDTH = 380, HEIGHT = 190, LEFT = 44, RIGHT = 14, TOP = 12, FOOT = 34;

// What a group of launches asks of an SM; none where the page has no launch of it by itself.
function launched(g) {
  if (!g.block || !Number.isFinite(g.shared[0])) return null;
  const shared = g.shared[1];
  // A kernel that ran fits: what the system reserves in its blocks counts beside the limit.
  return { threads: g.block.reduce((a, b) => a * b, 1), registers: g.registers[1], shared, mostShared: Math.max(sm.max_shared_bytes_per_block, shared) };
}
const partOf = (fit) => (fit.blocks * fit.warpsPerBlock) / sm.max_warps;

export function occupancyNumbers(groups, launchName) {
  const field = (g, name, value, text = count(value)) => ({ text, value, field: `occupancy|${launchName(g)}|${name}` });
  return table([{ title: "kernel", left: true }, "blocks per SM", "warps per SM", "registers per thread", "registers per SM", "shared memory per SM",
    ...["blocks", "warps", "registers", "shared memory"].map((title) => ({ title: `blocks by ${title}`, hint: `that fit by the limit of ${title} alone` })), { title: "limited by", left: true }],
  groups.map((g) => {
    const asked = known ? launched(g) : null;
    const name = { text: launchName(g), title: readable(g.name) };
    if (!asked) return [name, g.blocksPerSm || "", "", count(g.registers[1]), "", "", "", "", "", "", [...g.limits].join(", ")];
    const fit = occupancy(sm, asked);
    const of = (part, value, key, text = count) => field(g, part, value, `${text(value)} of ${text(sm[key])}`);
    return [name, of("blocks", fit.blocks, "max_blocks"), of("warps", fit.blocks * fit.warpsPerBlock, "max_warps"), count(asked.registers),
      of("registers", fit.registersPerBlock * fit.blocks, "registers"), of("shared", fit.sharedPerBlock * fit.blocks, "shared_bytes", bytes),
      ...Object.entries(fit.fit).map(([limit, blocks]) => (Number.isFinite(blocks) ? field(g, `by ${limit}`, blocks) : "any")), fit.limit];
  }));
}

// Steps of occupancy over one input, the others as they are: [[from, to, part]].
function steps(input, asked) {
  const result = [];
  for (const x of input.values()) {
    const part = partOf(occupancy(sm, { ...asked, [input.id]: x }));
    const last = result[result.length - 1];
    if (last && last[2] === part) last[1] = x;
    else result.push([x, x, part]);
  }
  return result;
}

function curve(input, now, own, achieved) {
  const x = (value) => LEFT + ((Math.min(Math.max(value, 0), input.most) / (input.most || 1)) * (WIDTH - LEFT - RIGHT));
  const y = (part) => HEIGHT - FOOT - part * (HEIGHT - TOP - FOOT);
  const list = steps(input, now);
  const line = list.map(([from, to, part], i) => `${i ? "L" : "M"} ${x(from)} ${y(part)} L ${x(list[i + 1]?.[0] ?? to)} ${y(part)}`).join(" ");
  const point = (asked, kind) => svg("circle", { cx: x(asked[input.id]), cy: y(partOf(occupancy(sm, asked))), r: 5, class: kind });
  const marks = (input.id === "shared" ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map((part) => input.most * part);
  const label = `occupancy over ${input.axis ?? input.title}: this kernel ${input.text(own[input.id])}, ${share(partOf(occupancy(sm, own)), 1)}; as entered ${input.text(now[input.id])}, ${share(partOf(occupancy(sm, now)), 1)}`;
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "occupancy", role: "img", "aria-label": label, "data-input": input.id, "data-steps": JSON.stringify(list) }, svg("title", {}, label),
    ...[0, 0.5, 1].flatMap((part) => [svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(part), y2: y(part), class: "grid" }),
      svg("text", { x: LEFT - 6, y: y(part) + 4, "text-anchor": "end" }, `${100 * part} %`)]),
    ...marks.map((value, i) => svg("text", { x: x(value), y: HEIGHT - FOOT + 15, "text-anchor": i === 0 ? "start" : i === marks.length - 1 ? "end" : "middle" }, input.text(Math.round(value)))),
    svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, input.axis ?? input.title),
    achieved === undefined ? null : svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(achieved), y2: y(achieved), class: "achieved" }),
    svg("path", { d: line, class: "line" }), point(own, "own"), point(now, "now"));
}

export function occupancyCalculator(groups, launchName) {
  const list = known ? groups.map((g) => ({ g, own: launched(g) })).filter(({ own }) => own) : [];
  if (list.length === 0) return [];
  let { g, own } = list[0];
  const said = element("output", { class: "answer", id: "occupancy-answer" }), compared = element("p", { class: "note" }), fits = element("div"), curves = element("div", { class: "curves" });
  const fields = INPUTS.map((input) => ({ input, field: element("input", { type: "number", min: 0, step: 1, id: `occupancy-${input.id}`, oninput: () => draw() }) }));
  let frame;
  const draw = () => {
    const entered = Object.fromEntries(fields.map(({ input, field }) => [input.id, Math.max(0, Math.floor(Number(field.value) || 0))]));
    const now = { ...own, ...entered };
    const fit = occupancy(sm, now), warps = fit.blocks * fit.warpsPerBlock;
    said.replaceChildren(...(fit.blocks === 0 ? [`No block fits: ${fit.limit}.`]
      : [`${count(fit.blocks)} block${fit.blocks === 1 ? "" : "s"} on an SM, ${count(warps)} of ${count(sm.max_warps)} warps: ${share(partOf(fit), 1)}, limited by ${fit.limit}.`]));
    Object.assign(said.dataset, { blocks: fit.blocks, warps, limit: fit.limit });
    const achieved = Object.keys(g.warpStates).length ? g.achieved[1] : undefined;
    compared.textContent = `${shortName(g.name)} was launched with ${count(own.threads)} threads a block, ${count(own.registers)} registers a thread and ${bytes(own.shared)} of shared memory a block`
      + `${g.shared[0] === g.shared[1] ? "" : " (the most of its launches)"}: ${share(partOf(occupancy(sm, own)), 1)}${achieved === undefined ? "" : `; its warps reached ${share(achieved, 1)}`}.`;
    // Once a frame, however many numbers are entered until then.
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      curves.replaceChildren(...INPUTS.map((input) => curve(input, now, own, achieved)));
      fits.replaceChildren(table([{ title: "limit", left: true }, "a block takes", "an SM has", "blocks that fit"], [
        ["blocks", "1", count(sm.max_blocks), fit.fit.blocks], ["warps", `${count(fit.warpsPerBlock)}`, count(sm.max_warps), fit.fit.warps],
        ["registers", count(fit.registersPerBlock), count(sm.registers), fit.fit.registers], ["shared memory", bytes(fit.sharedPerBlock), bytes(sm.shared_bytes), fit.fit["shared memory"]],
      ].map(([name, takes, has, blocks]) => [name === fit.limit ? element("b", {}, `${name} (binds)`) : name, takes, has, blocks === undefined ? "" : Number.isFinite(blocks) ? count(blocks) : "any"])));
    });
  };
  const take = () => {
    for (const { input, field } of fields) field.value = own[input.id];
    draw();
  };
  const select = element("select", { "aria-label": "occupancy of", onchange: () => { ({ g, own } = list[Number(select.value)]); take(); } },
    ...list.map((one, i) => element("option", { value: i }, launchName(one.g))));
  take();
  return [
    element("h3", {}, "Occupancy calculator", element("small", {}, " blocks that fit on an SM of this machine, by CUDA's rules; filled: as launched, ring: as entered, dashed: what warps reached")),
    element("div", { class: "tools" }, element("label", {}, "of ", select), ...fields.map(({ input, field }) => element("label", {}, `${input.title} `, field)), element("button", { type: "button", onclick: take }, "as launched")),
    said, compared, curves, details("Blocks by each limit", () => fits),
    element("p", { class: "note" }, `Registers are given to warps in units of ${count(sm.register_allocation_unit)}, warps in units of ${count(sm.warp_allocation_unit)}, shared memory in units of ${bytes(sm.shared_allocation_unit)}. `
      + "Shared memory is static and dynamic together. A launch bound of the kernel itself is not applied."),
  ];
}
