// Common functions of all scripts: elements, words, sorting.

const byId = (id) => document.getElementById(id);
const choices = (select, options) => select.append(...options.map(([value, text]) => element("option", { value }, text)));
const distinct = (items) => [...new Set(items)];
const titleCase = (name) => name.replace(/-/g, " ").replace(/\b./g, (letter) => letter.toUpperCase());

const sortValue = (cell) => {
  const text = (cell.dataset.v ?? cell.textContent).trim();
  if (text === "" || text === "–") return null;
  return Number.isFinite(Number(text)) ? Number(text) : text;
};
const compare = (one, other) => (typeof one === typeof other && typeof one === "number" ? one - other : String(one).localeCompare(other, "en"));

// Items in the order of their keys; missing values (null) come last in both directions.
const sortedBy = (items, keyOf, sign) => {
  const order = ([one], [other]) => (one === null || other === null ? (one === null) - (other === null) : sign * compare(one, other));
  return items.map((item) => [keyOf(item), item]).sort(order).map(([, item]) => item);
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
const makeSortable = (table, name = "") => {
  const [heads, body] = [[...table.tHead.rows[0].cells], table.tBodies[0]];
  let order = "";
  const sortBy = (place, way) => {
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    heads[place].setAttribute("aria-sort", way);
    order = `${place}-${way}`;
    body.append(...sortedBy([...body.rows], (row) => sortValue(row.cells[place]), way === "ascending" ? 1 : -1));
  };
  heads.forEach((head, place) => {
    const ways = head.classList.contains("n") ? ["descending", "ascending"] : ["ascending", "descending"];
    const button = element("span", {}, ...head.childNodes);
    head.append(button);
    actAsButton(button, () => {
      sortBy(place, ways[Number(head.getAttribute("aria-sort") === ways[0])]);
      if (name) saveState();
    });
  });
  const restore = (value) => {
    const [, place, way] = value.match(/^(\d+)-(ascending|descending)$/) ?? [];
    if (heads[place]) sortBy(place, way);
  };
  if (name) keep(name, () => order, restore);
};

// A table in a scrolling frame: headings, and rows of a name and cells, each with text, sort value and class.
const tableOf = (label, heads, lines) => {
  const head = (text, at) => (at || text ? element("th", { scope: "col", class: at ? "n" : null }, text) : element("td"));
  const cell = ([text, value = "", kind = ""]) => element("td", { class: `n ${kind}`.trim(), "data-v": value ?? "" }, text);
  const line = ([name, ...cells]) => element("tr", {}, element("th", { scope: "row" }, name), cells.map(cell));
  const table = element("table", {}, element("thead", {}, element("tr", {}, heads.map(head))), element("tbody", {}, lines.map(line)));
  return element("div.wide", { role: "group", "aria-label": label, tabindex: "0" }, table);
};
