// Small helpers to build the page: element("p", {class: "note"}, "text", otherElement).

export function element(tag, attributes = {}, ...children) {
  const result = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) result.addEventListener(name.slice(2), value);
    else result.setAttribute(name, value);
  }
  result.append(...children.filter((child) => child !== null && child !== undefined));
  return result;
}

export function svg(tag, attributes = {}, ...children) {
  const result = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) result.setAttribute(name, value);
  result.append(...children.filter((child) => child !== null && child !== undefined));
  return result;
}

const FIND = 8;  // from so many rows on a table has a field to find some of them

function cell(content, head) {
  const plain = content !== null && typeof content === "object" && !(content instanceof Node);
  const result = element("td", { class: head.left ? "left" : "number" }, plain ? content.text : content ?? "");
  if (!plain) return result;
  if (content.field) result.dataset.field = content.field;
  if (content.value !== undefined) result.dataset.value = content.value;
  if (content.title) result.title = content.title;
  if (content.bar !== undefined) {
    result.classList.add("bar");
    result.style.setProperty("--bar", `${Math.max(0, Math.min(1, content.bar)) * 100}%`);
    if (content.colour) result.style.setProperty("--bar-colour", content.colour);
  }
  return result;
}

// columns: [title, ...] or [{title, left: true, hint}]; rows: arrays of text, elements, or {text, value, bar}: `bar` (0 to 1)
// is drawn behind the text, `value` is what the row is sorted by. Of `left` columns the text is sorted, of others the number.
export function table(columns, rows, attributes = {}) {
  const heads = columns.map((column) => (typeof column === "string" ? { title: column } : column));
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((content, i) => cell(content, heads[i])))));
  const head = element("tr", {}, ...heads.map(({ title, left, hint }) => element("th", { class: left ? "left" : "number", title: hint, scope: "col" },
    title && rows.length > 1 ? element("button", { type: "button", class: "sort" }, title) : title)));
  return element("div", { class: "scroll" }, rows.length >= FIND ? finder(body) : null, element("table", attributes, element("thead", {}, head), body));
}

function finder(body) {
  const rows = [...body.rows];
  const told = element("span", { class: "note", role: "status" });
  return element("div", { class: "find" }, element("input", { type: "search", placeholder: `find in ${rows.length} rows`, "aria-label": "rows with", oninput: ({ target }) => {
    const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      found += !row.hidden;
    }
    told.textContent = words.length ? ` ${found} of ${rows.length}` : "";
  } }), told);
}

const SIZES = {
  ps: 1, ns: 1e3, "µs": 1e6, us: 1e6, ms: 1e9, s: 1e12, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, "MB/s": 1e6, "GB/s": 1e9, k: 1e3, M: 1e6, G: 1e9, T: 1e12, "×": 1,
};
// The number that a cell begins with, in the unit of its column: "1.5 µs", "< 0.1 %", "12 of 32", "4×2".
export function numberIn(text) {
  const found = /^\s*(<?)\s*([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*([a-zµ/×]*)/i.exec(text);
  if (!found) return undefined;
  const value = Number(found[2].replaceAll(",", "")) * (SIZES[found[3]] ?? 1);
  return found[1] ? value * 0.999 : value;
}

// One column of a table after the other: largest number or first word first, then turned round, then as it was.
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button.sort");
  if (!button) return;
  const head = button.closest("th");
  const body = head.closest("table").tBodies[0];
  body.order ??= [...body.rows];
  const left = head.classList.contains("left");
  const turns = left ? ["ascending", "descending", null] : ["descending", "ascending", null];
  const turn = turns[(turns.indexOf(head.getAttribute("aria-sort")) + 1) % 3];
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  if (turn) head.setAttribute("aria-sort", turn);
  const key = ({ cells }) => {
    const { textContent: text, dataset } = cells[head.cellIndex];
    return left && dataset.value === undefined ? text || undefined : dataset.value === undefined ? numberIn(text) : Number(dataset.value);
  };
  const compare = (a, b) => (typeof a === "string" && typeof b === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  const keyed = body.order.map((row) => [key(row), row]);
  // Rows without a value stay behind the others.
  if (turn) keyed.sort(([a], [b]) => (a === undefined ? (b === undefined ? 0 : 1) : b === undefined ? -1 : turn === "ascending" ? compare(a, b) : compare(b, a)));
  body.append(...keyed.map(([, row]) => row));
});

// The numbers behind a picture; built when they are opened, and before the page is printed where it is open.
export function details(title, build, attributes = {}) {
  const result = element("details", attributes, element("summary", {}, title));
  let built = false;
  result.addEventListener("toggle", () => {
    if (!result.open || built) return;
    built = true;
    result.append(...[build()].flat());
  });
  return result;
}

export function section(id, title, lead) {
  return element("section", { id }, element("h2", {}, title), lead ? element("p", { class: "lead" }, lead) : null);
}
