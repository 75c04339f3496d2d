// What all scripts of the page share: its figures, elements, and how both are written and ordered.

const byId = (id) => document.getElementById(id);
// JSON, and behind it columns of whole numbers, situation by situation, their first bytes, then their second ones.
const [NEXT_TO_NOTHING, NEXT_TO_CERTAIN] = [2 ** 32 - 1, 2 ** 32 - 2];
const unpacked = async (text) => {
  const stream = new Blob([Uint8Array.from(atob(text), (each) => each.charCodeAt(0))]).stream();
  const whole = await new Response(stream.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
  const length = new DataView(whole).getUint32(0, true);
  const found = JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4, length)));
  const [pairs, situations] = [found.pairs[0].length, found.situations.length];
  const count = pairs * situations;
  const valueOf = (code, step) => {
    if (code === 0) return null;
    if (code === NEXT_TO_NOTHING) return step / 10;
    return code === NEXT_TO_CERTAIN ? found.steps - 0.1 : (code - 1) / Math.round(1 / step);
  };
  const columns = found.codes.map(([name, step], number) => {
    const bytes = new Uint8Array(whole, 4 + length + 4 * count * number, 4 * count);
    const code = (at) => bytes[at] + 256 * (bytes[count + at] + 256 * (bytes[2 * count + at] + 256 * bytes[3 * count + at]));
    return [name, Array.from({ length: count }, (_, at) => valueOf(code((at % situations) * pairs + Math.floor(at / situations)), step))];
  });
  const { row, why_not, ...figures } = Object.fromEntries(columns);
  return { ...found, columns: figures, row, why_not };
};
const data = await unpacked(byId("figures").textContent);
const make = (tag, text, attributes = {}) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

// --- figures

const metricOf = Object.fromEntries(data.metrics.map((each) => [each.name, each]));
const sides = data.sides;
const pairOf = new Map(data.pairs[0].map((attacker, place) => [attacker * sides.length + data.pairs[1][place], place]));
// The row of a matchup among the figures; undefined where the two do not meet.
const placeOf = (attacker, defender, situation) => {
  const pair = pairOf.get(attacker * sides.length + defender);
  return pair === undefined ? undefined : pair * data.situations.length + situation;
};

const percent = (value, digits) => {
  const least = 0.5 * 10 ** -digits;
  if (value === 0 || value === 100) return `${value}%`;
  if (value < least) return `<${(2 * least).toFixed(digits)}%`;
  return value > 100 - least ? `>${(100 - 2 * least).toFixed(digits)}%` : `${value.toFixed(digits)}%`;
};
const written = (name, value) => {
  if (value === null) return "–";
  if (metricOf[name].is_probability) return percent((100 * value) / data.steps, 1);
  return value > 0 && value < 0.005 ? "<0.01" : value.toFixed(2);
};
const short = (name, value) => {
  if (metricOf[name].is_probability) return percent((100 * value) / data.steps, 0).replace("%", "");
  if (value === 0) return "0";
  if (value < 0.005) return "<0.01";
  if (value < 0.995) return value.toFixed(2);
  return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
};

const choices = (select, options) => {
  for (const [value, text] of options) select.append(make("option", text, { value }));
};
const distinct = (items) => [...new Set(items)];
const titled = (name) => name.replace(/-/g, " ").replace(/\b./g, (letter) => letter.toUpperCase());
const loadout = (side) => `${side.unit}, ${side.level}`;

// --- words and order

const compare = (one, other) => {
  if (one === other) return 0;
  if (one === null) return 1; // what has no value stands last, whichever way
  if (other === null) return -1;
  return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), "en");
};

const valueOf = (cell) => {
  const text = (cell.dataset.v ?? cell.textContent).trim();
  if (text === "" || text === "–") return null;
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
};

// No button elements in tables: where one runs over pages, browsers print the repeated heading without its buttons.
const actAsButton = (element, act) => {
  element.setAttribute("role", "button");
  element.setAttribute("tabindex", "0");
  element.addEventListener("click", act);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act(event);
  });
};

// The heads of a table sort it; `name` is what the address calls the order, a column and which way.
const makeHeadsSort = (heads, name, sort) => {
  let order = "";
  const sortBy = (place, way) => {
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    heads[place].setAttribute("aria-sort", way);
    order = `${place}-${way}`;
    sort(place, way === "ascending" ? 1 : -1);
  };
  for (const [place, head] of heads.entries()) {
    const button = make("span");
    button.append(...head.childNodes);
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
    .map((item, place) => [keyOf(item), place, item])
    .sort((one, other) => {
      const order = compare(one[0], other[0]);
      return (one[0] === null || other[0] === null ? order : sign * order) || one[1] - other[1];
    })
    .map((each) => each[2]);

const hasWords = (text, words) => words.every((word) => text.includes(word));
const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
