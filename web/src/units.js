// Numbers as people read them. Times come in picoseconds, whole numbers.

const TIMES = [
  [1e12, "s"],
  [1e9, "ms"],
  [1e6, "µs"],
  [1e3, "ns"],
  [1, "ps"],
];

// Three or more digits that matter: 232.8 µs, 7.42 µs, 1.204 ms.
function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3).replace(/\.?0+$/, "");
}

export function timeUnit(ps) {
  return TIMES.find(([size]) => Math.abs(ps) >= size) ?? TIMES[TIMES.length - 1];
}

export function time(ps) {
  if (ps === 0) return "0";
  const [size, name] = timeUnit(ps);
  return `${digits(ps / size)} ${name}`;
}

// On an axis whose marks lie `step` apart: as many decimals as tell them apart.
export function timeOnAxis(ps, span) {
  const [size, name] = timeUnit(span);
  const decimals = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(span / size))));
  return `${(ps / size).toFixed(decimals).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")} ${name}`;
}

export function share(part, whole) {
  if (!whole) return "";
  const percent = (100 * part) / whole;
  return percent > 0 && percent < 0.05 ? "< 0.1 %" : `${percent.toFixed(1)} %`;
}

export function count(value) {
  return Number.isInteger(value) ? value.toLocaleString("en-US") : digits(value);
}

export function bytes(value) {
  for (const [size, name] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]])
    if (value >= size) return `${digits(value / size)} ${name}`;
  return `${count(value)} B`;
}

export function rate(byteCount, ps) {
  if (!ps) return "";
  const perSecond = byteCount / (ps * 1e-12);
  return perSecond >= 1e9 ? `${digits(perSecond / 1e9)} GB/s` : `${digits(perSecond / 1e6)} MB/s`;
}
