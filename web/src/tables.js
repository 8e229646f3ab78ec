// The rest of stats.json: calls, copies, what failed, marks, the processor, all counters, the machine.
import { colour, NAMES } from "./colours.js";
import { copyKinds, machineKeys, readable, stats } from "./data.js";
import { details, element, section, table } from "./dom.js";
import { profile } from "./profile.js";
import { slotsChart } from "./slots.js";
import { bytes, count, rate, share, time } from "./units.js";

const whole = stats.account?.time_ps ?? stats.simulated_ps ?? 0;

export function copiesSection() {
  const kinds = copyKinds();
  if (kinds.length === 0) return null;
  const result = section("copies", "Copies", "By direction, the time of each from its first packet to its completion, added up.");
  result.append(table([{ title: "copies", left: true }, "number", "bytes", "time", "of run", "rate", { title: "before the driver", hint: "from the call to stage (ii), added up" }, { title: "in the driver", hint: "stage (ii) and hand-over, added up" }],
    kinds.map((k) => [NAMES[k.kind] ?? k.kind.replaceAll("_", " "), count(k.copies), bytes(k.bytes),
      { text: time(k.time), bar: whole ? k.time / whole : 0, colour: `${colour(k.kind in NAMES ? k.kind : "other_copies")}55` }, share(k.time, whole),
      rate(k.bytes, k.time), time(k.queued), time(k.driver)])));
  const single = stats.copies ?? [];
  result.append(details(`${count(single.length)} copies one by one`, () => table(
    [{ title: "kind", left: true }, "bytes", "stream", "command", "call", "queued", "driver from", "start", "end", "rate"],
    single.map((c) => [c.kind, count(c.bytes), c.stream, c.command, c.call, time(c.queued_ps), time(c.driver_start_ps), time(c.start_ps), time(c.end_ps), rate(c.bytes, c.end_ps - c.start_ps)]))));
  return result;
}

export function callsSection() {
  const calls = [...(stats.api ?? [])].sort((a, b) => b.total_ps - a.total_ps);
  if (calls.length === 0) return null;
  const most = calls[0].total_ps || 1;
  const result = section("calls", "API calls", "By function, waiting included; of several threads added up.");
  const of = (list) => table([{ title: "function", left: true }, "calls", "time", "of run", "each"],
    list.map((call) => [call.name, count(call.calls), { text: time(call.total_ps), bar: call.total_ps / most, colour: `${colour("calls")}66` },
      share(call.total_ps, whole), time(Math.round(call.total_ps / call.calls))]));
  result.append(of(calls.slice(0, 12)));
  if (calls.length > 12) result.append(details(`All ${calls.length} functions`, () => of(calls)));
  return result;
}

// The keys of a row of the machine, by its name.
function method(name) {
  const keys = new Map(machineKeys.map(([key, text]) => [key, String(text).replaceAll('"', "")]));
  for (let i = 0; keys.has(`method[${i}].name`); i++)
    if (keys.get(`method[${i}].name`) === name) return (key) => keys.get(`method[${i}].${key}`);
  return () => undefined;
}

export function methodsSection() {
  if ((stats.memory ?? []).length === 0) return null;
  const result = section("methods", "Memory", "By the call that allocates it, and how the machine's [[method]] rows have cores and GPU reach it; of the whole run added up.");
  const walkers = { table: "the GPU's own table", iommu: "the IOMMU" };
  const words = (of, keys) => keys.flatMap((key) => (of(key) ? `${key.slice(3)}: ${of(key)}` : [])).join("; ");
  result.append(table([{ title: "call", left: true }, { title: "method", left: true }, { title: "cores", left: true }, { title: "GPU caches", left: true },
    { title: "the GPU's way", left: true }, { title: "translated by", left: true }, { title: "done with caches and tables", left: true }, "allocations", "bytes"],
  stats.memory.map((one) => {
    const of = method(one.method);
    const caches = ["l1", "l2"].filter((level) => of(`gpu_${level}`) === "true").map((level) => level.toUpperCase());
    return [one.call, one.method, of("cpu") === "none" ? "do not reach it" : of("cpu") ?? "", caches.join(", ") || "none", of("route") ?? "",
      walkers[of("translation")] ?? "nobody", words(of, ["at_copy", "at_launch", "at_end", "at_synchronize"]), count(one.allocations), bytes(one.bytes)];
  })));
  return result;
}

// Whatever makes the results doubtful, at the top of the page.
export function warnings() {
  const list = [];
  if (stats.complete === false) list.push("This run was cut off: what is shown is what ran until then.");
  if (stats.failure) list.push(typeof stats.failure === "string" ? stats.failure : `Duet ended the program (status ${stats.failure}).`);
  for (const fault of stats.faults ?? []) list.push(`Fault: ${fault}`);
  for (const f of stats.failed_calls ?? [])
    list.push(`${f.name} failed ${count(f.calls)} times: ${f.error}${f.kernel ? `, kernel ${readable(f.kernel)}` : ""}${f.unasked ? `; ${count(f.unasked)} not asked for` : ""}`);
  if ((stats.races ?? []).length) list.push(`${stats.races.length} races between commands (below).`);
  if ((stats.outside_accesses ?? []).length) list.push(`${stats.outside_accesses.length} instructions touched memory beside every allocation (below).`);
  if (stats.counters?.["journal.lost_records"]) list.push(`${count(stats.counters["journal.lost_records"])} records of this run are missing.`);
  const open = Object.entries(stats.incomplete ?? {});
  if (open.length) list.push(`Not complete at the program's end: ${open.map(([name, n]) => `${count(n)} ${name.replaceAll("_", " ")}`).join(", ")}.`);
  return list.slice(0, 20).map((text) => element("p", { class: "warn" }, text));
}

function rowsOfObjects(list) {
  const columns = [...new Set(list.flatMap((one) => Object.keys(one)))];
  return table(columns.map((title) => ({ title, left: true })), list.map((one) => columns.map((key) =>
    typeof one[key] === "object" ? JSON.stringify(one[key]) : String(one[key] ?? ""))));
}

export function processorSection() {
  const cores = stats.processor?.cores ?? stats.cores;
  if (!cores) return null;
  const result = section("processor", "Processor", "Dispatch slots of the simulated cores by use: cycles times the width of dispatch.");
  const place = element("div", { class: "chart" });
  const used = cores.filter((core) => core.cycles > 0);
  if (used.length > 0) {
    result.append(place);
    queueMicrotask(() => slotsChart(place, used.map((core) => ({ label: core.name, slots: core.slots })), { left: 110 }));
  }
  result.append(...profile());
  const flat = ({ slots, ...rest }) => ({ ...rest, ...Object.fromEntries(Object.entries(slots).map(([k, v]) => [`slots: ${k}`, v])) });
  result.append(details("Cores in numbers", () => rowsOfObjects(cores.map(flat))),
    details("Threads", () => rowsOfObjects(stats.processor?.threads ?? stats.threads ?? [])),
    details("Totals", () => rowsOfObjects([stats.processor?.totals ?? stats.totals])));
  return result;
}

function marks() {
  const list = stats.marks;
  const names = [...new Set(list.flatMap((mark) => Object.keys(mark.counters)))].filter((name) => list.some((mark) => mark.counters[name]));
  return [
    table([{ title: "mark", left: true }, "time"], list.map((mark) => [mark.name, time(mark.time_ps)])),
    table([{ title: "counter", left: true }, ...list.map((mark) => mark.name)], names.map((name) => [name, ...list.map((mark) => count(mark.counters[name] ?? 0))])),
  ];
}

export function restSection() {
  const result = section("numbers", "All other numbers");
  const add = (title, list, build) => { if (list && list.length > 0) result.append(details(title, build)); };
  add("Marks of the program (duetMark)", stats.marks, marks);
  add("Races", stats.races, () => rowsOfObjects(stats.races));
  add("Accesses beside every allocation", stats.outside_accesses, () => rowsOfObjects(stats.outside_accesses));
  const counters = Object.entries(stats.counters ?? {});
  add("Counters of the whole run", counters, () => table([{ title: "counter", left: true }, "value"], counters.map(([name, value]) => [name, count(value)])));
  add(`The machine: ${stats.machine}, every key with its source`, machineKeys, () => table(
    ["key", "value", "unit", "what", "source"].map((title) => ({ title, left: true })), machineKeys));
  if (stats.totals) result.append(details("Totals", () => rowsOfObjects([stats.totals])));
  result.append(details("Charts by Apache ECharts: licences", () => element("pre", {}, document.getElementById("licenses").textContent)));
  return result;
}
