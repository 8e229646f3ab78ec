// One thing has one colour, on every picture. Chosen to differ for people who see red and green alike, on white and
// on dark.

const LIGHT = {
  calls: "#8d99ae", between_calls: "#d5d9e0", driver: "#e69f00", launch: "#b3589a",
  host_to_device: "#56b4e9", device_to_host: "#0062a3", copies: "#3b8fd0", other_copies: "#5aa9a0",
  kernels: "#009e73", kernels_and_copies: "#a3b500", idle: "#c9c2bb",
};
const DARK = {
  calls: "#8290a8", between_calls: "#454c59", driver: "#e8a520", launch: "#cf7db8",
  host_to_device: "#6cc0f0", device_to_host: "#2f7fd0", copies: "#4a9be0", other_copies: "#67b8ae",
  kernels: "#22b48a", kernels_and_copies: "#b7c92a", idle: "#5b554f",
};

// Issue slots and dispatch slots by cause: what was done is green, what waited is not.
const CAUSES = [
  ["issued", "#009e73"], ["unit_busy", "#e69f00"], ["load_store_busy", "#d55e00"], ["dependency", "#f0d040"],
  ["memory", "#0072b2"], ["tracked_order", "#7a5cc0"], ["fence", "#b3589a"], ["barrier", "#cc79a7"],
  ["fetch", "#8d6e4f"], ["no_warp", "#b9bec8"],
  ["selected", "#009e73"], ["not_selected", "#7fcfb5"],
  // of cores
  ["retiring", "#009e73"], ["bad_speculation", "#e69f00"], ["front_end", "#d55e00"], ["instruction_cache", "#8d6e4f"], ["memory_l2", "#56b4e9"],
  ["memory_below", "#0062a3"], ["stores", "#b3589a"], ["core", "#f0d040"], ["serial", "#b9bec8"],
  // what became of lines that cores brought, and who executed blocks
  ["used by the GPU", "#009e73"], ["gone unused", "#d55e00"], ["still there", "#b9bec8"],
  ["hits", "#009e73"], ["joined a line on its way", "#56b4e9"], ["misses", "#b9bec8"], ["on SMs", "#009e73"], ["on cores", "#e69f00"],
];
const MORE = ["#009e73", "#e69f00", "#d55e00", "#f0d040", "#0072b2", "#7a5cc0", "#b3589a", "#8d6e4f", "#b9bec8", "#56b4e9"];

export const NAMES = {
  calls: "API calls", between_calls: "program between calls", driver: "driver", launch: "kernel launch",
  host_to_device: "copy in (host to device)", device_to_host: "copy out (device to host)", copies: "copies",
  other_copies: "other copies and fills", kernels: "kernels", kernels_and_copies: "kernels and copies at once",
  idle: "GPU idle",
};
// In a sentence.
export const SHORT_NAMES = { ...NAMES, host_to_device: "copies in", device_to_host: "copies out" };
// Where no kernel, copy or driver hides them.
export const MOMENT_NAMES = {
  ...NAMES, driver: "driver, GPU idle", calls: "API calls, driver and GPU idle",
  between_calls: "program between calls, all idle",
};

const screenDark = window.matchMedia("(prefers-color-scheme: dark)");
let printing = false;
export function isDark() {
  return screenDark.matches && !printing;
}
export function isPrinting() {
  return printing;
}
// Calls `draw` whenever the colours of the page change, before it is printed too.
export function onThemeChange(draw) {
  screenDark.addEventListener("change", draw);
  window.addEventListener("beforeprint", () => { printing = true; draw(); });
  window.addEventListener("afterprint", () => { printing = false; draw(); });
}

export function colour(what) {
  return (isDark() ? DARK : LIGHT)[what] ?? CAUSES.find(([name]) => name === what)?.[1] ?? "#999999";
}
export function causeColour(cause, index) {
  return CAUSES.find(([name]) => name === cause)?.[1] ?? MORE[index % MORE.length];
}
// Text on a colour: the ink that is legible there.
export function inkOn(fill) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(fill.slice(at, at + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b < 120 ? "#ffffff" : "#10151d";
}
export function ink() {
  return isDark()
    ? { text: "#e4e7ec", soft: "#a6adba", line: "#3a414d", paper: "#16191f" }
    : { text: "#1c2330", soft: "#5b6472", line: "#dde1e7", paper: "#ffffff" };
}

export function kindColour(kind) {
  if (kind === "call") return colour("calls");
  if (kind === "kernel") return colour("kernels");
  if (kind === "launch") return colour("launch");
  if (kind === "host_to_device" || kind === "device_to_host") return colour(kind);
  return colour("other_copies");
}
