// explain.html: a run as the five sub-models of hu2016 see it. The data is explain.json (schema duet.explanation/1).
import { details, element, section, table } from "../dom.js";
import { bytes, count, share, time } from "../units.js";
import { columns, nested, spans, steps } from "./pictures.js";

const e = JSON.parse(document.getElementById("duet-page").textContent || "null")?.explanation;
const GLOSSARY = [["PE", "processing element: PE_C computes, PE_D moves data"], ["SE", "scheduling element"], ["TU", "task unit: takes tasks in"], ["TB", "task buffer: keeps their context"],
  ["PBS", "push-buffer stream: what the driver writes for one command"], ["SM", "streaming multiprocessor"], ["LSU", "load-store unit"]];
const SCRIPTS = [["computing", "computing script"], ["data-move", "data-move script"], ["control", "control script"], ["driver", "the driver prepares it"]];

const at = (ps) => (ps ? `${(Math.floor(ps / 1000) / 1000).toFixed(3)} µs` : "–");
const number = (path, value, text) => ({ text, field: path, value });
const of = (launch, path) => `launches/${e.launches.indexOf(launch)}/${path}`;
const legend = (list) => element("p", { class: "legend" }, ...list.map(([kind, name]) => element("span", {}, element("i", { class: `k-${kind}` }), name)));
const end = (ps) => ps || e.time_ps;

function range(list) {
  return list.length === 0 ? [0, 1] : [Math.min(...list.map(([from]) => from)), Math.max(...list.map(([, to]) => to))];
}

function hardware() {
  const result = section("hardware", "1 Hardware structure", "hu2016, sections 2.1 and 3.2. Components inside each other; those of one level see only each other and what encloses them.");
  result.append(nested(e.levels));
  return result;
}

function waited(command) {
  if (!command.driver_start_ps) return "has not begun";
  const parts = [];
  const last = command.waits_for.find((one) => one.end_ps === command.free_ps && command.free_ps > command.queued_ps);
  if (last) parts.push(`#${last.command} (${last.why}) until ${at(command.free_ps)}`);
  if (command.behind_ps > command.free_ps) parts.push(`#${command.behind} (channel ${command.channel} is in order) until ${at(command.behind_ps)}`);
  if (command.driver_start_ps > Math.max(command.free_ps, command.behind_ps)) parts.push(`the driver until ${at(command.driver_start_ps)}`);
  const held = command.waits_for.filter((one) => !one.end_ps || one.end_ps > command.driver_start_ps);
  for (const one of held) parts.push(`on the GPU for #${one.command} (${one.why})`);
  if (held.length === 0 && command.gpu_wait_ps > 1e5) parts.push(`on the GPU for ${command.script === "computing" ? "a queue, a counter or room" : "an engine"} until ${at(command.start_ps)}`);
  return parts.join(", then ") || "nothing";
}

function organization() {
  const result = section("organization", "2 Task organization", "hu2016, sections 2.2 and 3.1. The host's command script: each command becomes a push-buffer stream (PBS); a computing one instantiates the blocks of a kernel.");
  if (e.commands.length === 0) {
    result.append(element("p", { class: "note" }, "No call gave the GPU anything to do."));
    return result;
  }
  const streams = [...new Set(e.commands.map((one) => one.stream))].sort((a, b) => a - b);
  const rows = streams.map((stream) => ({ label: `stream ${stream}`, spans: e.commands.filter((one) => one.stream === stream && one.driver_start_ps).flatMap((one) => {
    const start = one.start_ps || one.prepared_ps || one.driver_start_ps;
    const text = `#${one.command} ${one.what}`;
    const prepared = Math.min(one.prepared_ps || start, start);
    return [{ from: one.driver_start_ps, to: prepared, kind: "driver", text: `${text}: the driver`, waits: one.queued_ps }, { from: start, waits: prepared, to: end(one.end_ps), kind: one.script, text: `${text}, ${at(start)} to ${at(one.end_ps)}` }];
  }) }));
  result.append(spans(rows, range(rows.flatMap((row) => row.spans.map((one) => [one.waits ?? one.from, one.to]))), "commands by stream over time"), legend(SCRIPTS),
    element("p", { class: "note" }, "A thin line: the command waits, before the driver takes it or on the GPU."),
    details("Commands in numbers", () => table([{ title: "#", left: true }, "stream", { title: "script", left: true }, { title: "what", left: true }, { title: "call", left: true }, "queued", "driver from", "GPU from", "complete", { title: "waited for", left: true }],
      e.commands.map((one, i) => [`#${one.command}`, one.stream, one.script, one.what, one.call_name, ...["queued_ps", "driver_start_ps", "start_ps", "end_ps"].map((key) => number(`commands/${i}/${key}`, one[key], at(one[key]))), waited(one)])), { open: "" }));
  const main = e.launches[e.main_launch];
  if (main) result.append(element("p", { class: "note" }, `Task instances of #${main.command}, ${main.name}: ${count(main.blocks)} blocks of level 1; ${count(main.warp_instructions)} warp instructions, each an instance of level 0 for each of its threads.`));
  if (e.commands.length < e.commands_in_all) result.append(element("p", { class: "note" }, `${e.commands.length} of ${e.commands_in_all} commands.`));
  return result;
}

function pushBuffer(command) {
  const whole = Math.max(1, ...command.push_buffer.map((one) => one.until_next_ps));
  return [element("h3", {}, `Push-buffer stream of #${command.command}`, element("small", {}, ` ${command.what}; stage (ii) ${at(command.driver_start_ps)} to ${at(command.prepared_ps)}`)),
    table([{ title: "push-buffer command", left: true }, "decoded", "until the next", { title: "what it does", left: true }],
      command.push_buffer.map((one) => [one.name, at(one.decoded_ps), { text: one.until_next_ps ? time(one.until_next_ps) : "", bar: one.until_next_ps / whole }, one.effect.replaceAll(" us", " µs")]))];
}

function histogram(launch) {
  return [element("h3", {}, "How long blocks take", element("small", {}, ` shortest ${time(launch.shortest_ps)}, median ${time(launch.median_ps)}, longest ${time(launch.longest_ps)}`)),
    columns(launch.bins.map((bin) => ({ label: time(bin.from_ps), value: bin.blocks, text: `${time(bin.from_ps)} to ${time(bin.to_ps)}: ${count(bin.blocks)} blocks` })), "blocks by their time")];
}

function execution(launch) {
  const result = section("execution", "3 Task execution", "hu2016, sections 2.3 and 3.3. The GigaThread engine decodes push-buffer commands; a block gets its context when it is dispatched, its warps consume the kernel's script, then its room is free again.");
  const moved = e.commands.find((one) => one.script === "data-move" && one.push_buffer.length > 0);
  const own = e.commands.find((one) => one.command === launch?.command);
  for (const command of [moved, own]) if (command) result.append(...pushBuffer(command));
  if (!launch) return result;
  const blocks = launch.shown_blocks.filter((block) => block.begin_ps);
  const rows = blocks.flatMap((block) => [
    { label: `block ${block.block}, SM ${block.sm}`, spans: [{ from: block.begin_ps, to: end(block.end_ps), kind: "context", text: `block ${block.block}, ${block.why}: ${at(block.begin_ps)} to ${at(block.end_ps)}` }] },
    ...block.warps.map((warp) => ({ label: `warp ${warp.warp}`, spans: [{ from: warp.begin_ps, to: end(warp.end_ps), kind: "computing", text: `warp ${warp.warp} in slot ${warp.slot}: ${at(warp.begin_ps)} to ${at(warp.end_ps)}` }] }))]);
  result.append(element("h3", {}, "Paths of blocks", element("small", {}, ` ${launch.name}, #${launch.command}: ${blocks.map((block) => `${block.block} is ${block.why}`).join(", ")}`)),
    spans(rows, range(rows.flatMap((row) => row.spans.map((one) => [one.from, one.to]))), "blocks and warps over time", 17), legend([["context", "context allocated"], ["computing", "a warp runs"]]));
  if (launch.bins.length > 0) result.append(...histogram(launch));
  const whole = Object.values(launch.stalls).reduce((a, b) => a + b, 0);
  if (whole > 0)
    result.append(details("Issue slots of the launch", () => table([{ title: "cause", left: true }, "slots", "share"],
      Object.entries(launch.stalls).filter(([, slots]) => slots > 0).map(([cause, slots]) => [cause.replaceAll("_", " "), number(of(launch, `stalls/${cause}`), slots, count(slots)), share(slots, whole)]))));
  return result;
}

function schedule(launch) {
  const result = section("schedule", "4 Task schedule", "hu2016, sections 2.4 and 3.4. Commands of a stream are executed in order. A launch holds a reference counter from SetLaunchID to the end of WaitRefCnt; it counts blocks that are launched and complete.");
  if (!launch?.set_launch_id_ps) return result;
  const until = end(launch.wait_ref_cnt_ps);
  result.append(element("p", {}, `Reference counter ${launch.reference_counter}: taken at ${at(launch.set_launch_id_ps)}, WaitRefCnt ends at ${at(launch.wait_ref_cnt_ps)}, ${time(until - launch.set_launch_id_ps)} later.`),
    steps(launch.points, [launch.set_launch_id_ps, until], "launched and complete blocks over time"),
    details("The counter in numbers", () => table(["time", "launched", "complete", "on SMs"], launch.points.map(([ps, launched, complete], i) => [number(of(launch, `points/${i}/0`), ps, at(ps)), launched, complete, launched - complete]))));
  if (launch.point_step > 1) result.append(element("p", { class: "note" }, `Every ${launch.point_step}th point is drawn.`));
  result.append(element("h3", {}, "Blocks on SMs", element("small", {}, ` room for ${launch.blocks_per_sm} on each, limited by ${launch.occupancy_limit}`)),
    columns(launch.sms.map((one) => ({ label: String(one.sm), value: one.blocks, text: `SM ${one.sm}: ${count(one.blocks)} blocks, at most ${one.most_at_once} at once, ${at(one.first_ps)} to ${at(one.last_ps)}` })), "blocks by SM"));
  return result;
}

function movement(launch) {
  const result = section("movement", "5 Data movement", "hu2016, sections 2.5 and 3.5. Data is staged in, computed on, staged out: by data transfer engines between host and device, by LSU arrays between device and registers.");
  const engines = [...new Set(e.moves.map((one) => one.engine))].sort((a, b) => a - b);
  const rows = [...engines.map((engine) => ({ label: `engine ${engine}`, spans: e.moves.filter((one) => one.engine === engine).map((one) => ({ from: one.begin_ps, to: one.end_ps, kind: one.step === "Stage-Out" ? "stage-out" : "data-move", text: `#${one.command} ${one.step}, ${bytes(one.bytes)}, ${at(one.begin_ps)} to ${at(one.end_ps)}` })) })),
    { label: "kernels", spans: e.launches.map((one) => ({ from: one.start_ps, to: end(one.end_ps), kind: "computing", text: `#${one.command} ${one.name}` })) }].filter((row) => row.spans.length > 0);
  if (rows.length > 0) result.append(spans(rows, range(rows.flatMap((row) => row.spans.map((one) => [one.from, one.to]))), "moves and kernels over time"), legend([["data-move", "Stage-In and others"], ["computing", "Compute"], ["stage-out", "Stage-Out"]]));
  if (e.moves.length > 0)
    result.append(details("Moves in numbers", () => table([{ title: "command", left: true }, { title: "step", left: true }, "bytes", "engine", "from", "to", "time"], e.moves.map((one) => [`#${one.command}`, one.step, bytes(one.bytes), one.engine, at(one.begin_ps), at(one.end_ps), time(one.end_ps - one.begin_ps)]))));
  if (launch && Object.keys(launch.counters).length > 0)
    result.append(element("h3", {}, "By LSU arrays", element("small", {}, ` from #${launch.command}'s first block to its completion, other work of that time included`)),
      table([{ title: "counter", left: true }, "value"], Object.entries(launch.counters).map(([name, value]) => [name, number(of(launch, `counters/${name}`), value, count(value))])));
  return result;
}

function draw() {
  const main = document.getElementById("report");
  document.title = `${e.command}, explained – Duet`;
  const ofLaunch = element("div");
  const show = (index) => ofLaunch.replaceChildren(execution(e.launches[index]), schedule(e.launches[index]), movement(e.launches[index]));
  const choice = e.launches.length > 1 ? element("p", { class: "tools" }, "Sections 3 to 5 follow launch ", element("select", { "aria-label": "launch", onchange: (event) => show(Number(event.target.value)) },
    ...e.launches.map((one, i) => element("option", { value: i, selected: i === e.main_launch ? "" : null }, `#${one.command} ${one.name}, ${time(one.end_ps - one.start_ps)}`))),
    e.launches.length < e.launches_in_all ? ` of ${e.launches.length} that are kept of ${e.launches_in_all}` : "") : null;
  main.replaceChildren(...[element("h1", {}, `${e.command}, explained`),
    element("p", { class: "facts" }, `on ${e.machine} · ${time(e.time_ps)} simulated · the five sub-models of Hu, Che and Zheng, A Closer Look at GPGPU (2016)`),
    e.complete ? null : element("p", { class: "warn" }, "The run was cut off: what had not ended is drawn to its end."),
    element("p", { class: "note" }, GLOSSARY.map(([term, name]) => `${term}: ${name}`).join(" · ")),
    element("nav", {}, ...["hardware", "organization", "execution", "schedule", "movement"].map((id, i) => element("a", { href: `#${id}` }, `${i + 1} ${{ hardware: "Hardware structure", organization: "Task organization", execution: "Task execution", schedule: "Task schedule", movement: "Data movement" }[id]}`))),
    hardware(), organization(), choice, ofLaunch].filter(Boolean));
  show(e.main_launch);
}

if (e) draw();
else document.getElementById("report").replaceChildren(element("p", { class: "warn" }, "This page holds no results: duet explain writes such pages."));
