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

// columns: [title, ...] or [{title, left: true, hint}]; rows: arrays of text, elements, or {text, value, bar}:
// `bar` (0 to 1) is drawn behind the text.
export function table(columns, rows, attributes = {}) {
  const heads = columns.map((column) => (typeof column === "string" ? { title: column } : column));
  const cell = (content, head) => {
    const plain = content !== null && typeof content === "object" && !(content instanceof Node);
    const result = element("td", { class: head.left ? "left" : "number" }, plain ? content.text : content ?? "");
    if (plain && content.field) {
      result.dataset.field = content.field;
      result.dataset.value = content.value;
    }
    if (plain && content.title) result.title = content.title;
    if (plain && content.bar !== undefined) {
      result.classList.add("bar");
      result.style.setProperty("--bar", `${Math.max(0, Math.min(1, content.bar)) * 100}%`);
      if (content.colour) result.style.setProperty("--bar-colour", content.colour);
    }
    return result;
  };
  return element("div", { class: "scroll" },
    element("table", attributes,
      element("thead", {}, element("tr", {}, ...heads.map((head) =>
        element("th", { class: head.left ? "left" : "number", title: head.hint }, head.title)))),
      element("tbody", {}, ...rows.map((row) =>
        element("tr", {}, ...row.map((content, i) => cell(content, heads[i])))))));
}

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
