// Common functions of all scripts: elements, words, sorting.

const byId = (id) => document.getElementById(id);
const choices = (select, options) => select.append(...options.map(([value, text]) => element("option", { value }, text)));
const distinct = (items) => [...new Set(items)];
const titleCase = (name) => name.replace(/-/g, " ").replace(/\b./g, (letter) => letter.toUpperCase());

const compare = (one, other) => {
  if (one === other) return 0;
  if (one === null) return 1; // missing values come last in both directions
  if (other === null) return -1;
  return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), "en");
};

const sortValue = (cell) => {
  const text = (cell.dataset.v ?? cell.textContent).trim();
  if (text === "" || text === "–") return null;
  return Number.isFinite(Number(text)) ? Number(text) : text;
};

// No button elements in tables: browsers print repeated headings of a table without their buttons.
const actAsButton = (target, act) => {
  target.setAttribute("role", "button");
  target.setAttribute("tabindex", "0");
  target.addEventListener("click", act);
  target.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act(event);
  });
};

// Make the headings of a table sort it; `name` is the key of the order (column and direction) in the address.
const makeSortable = (heads, name, sort) => {
  let order = "";
  const sortBy = (place, way) => {
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    heads[place].setAttribute("aria-sort", way);
    order = `${place}-${way}`;
    sort(place, way === "ascending" ? 1 : -1);
  };
  for (const [place, head] of heads.entries()) {
    const button = element("span", {}, ...head.childNodes);
    head.append(button);
    actAsButton(button, () => {
      const first = head.classList.contains("n") ? "descending" : "ascending";
      const second = first === "ascending" ? "descending" : "ascending";
      sortBy(place, head.getAttribute("aria-sort") === first ? second : first);
      if (name) saveState();
    });
  }
  if (!name) return;
  keep(name, () => order, (value) => {
    const [, place, way] = value.match(/^(\d+)-(ascending|descending)$/) ?? [];
    if (heads[place]) sortBy(Number(place), way);
  });
};

const sortedBy = (items, keyOf, sign) =>
  items
    .map((item) => [keyOf(item), item])
    .sort(([one], [other]) => (one === null || other === null ? 1 : sign) * compare(one, other))
    .map(([, item]) => item);

// A table in a scrolling frame: headings, and rows of a name and cells, each with text, sort value and class.
const tableOf = (label, heads, lines) => {
  const head = (text, at) => (at || text ? element("th", { scope: "col", class: at ? "n" : null }, text) : element("td"));
  const cell = ([text, value = "", kind = ""]) => element("td", { class: `n ${kind}`.trim(), "data-v": value ?? "" }, text);
  const line = ([name, ...cells]) => element("tr", {}, element("th", { scope: "row" }, name), cells.map(cell));
  const table = element("table", {}, element("thead", {}, element("tr", {}, heads.map(head))), element("tbody", {}, lines.map(line)));
  return element("div.wide", { role: "group", "aria-label": label, tabindex: "0" }, table);
};
