/** Elements of the panels of the page, from their content (models.js). */

import { h } from "./dom.js";
import { percent } from "./words.js";

const width = (p) => `width:${(100 * p).toFixed(2)}%`;

function icon(path) {
  return h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: path }));
}

export function top(model) {
  const { title, below, mini, message, back, undo } = model;
  return h(
    "header.top",
    { "data-key": "top" },
    back && h("button.tool.back", { "data-do": "back", "aria-label": back }, icon("M15 5l-7 7 7 7")),
    h("h1", {}, title, h("small", {}, below)),
    h("p.mini", { "aria-hidden": "true" }, mini),
    message && h("p.said", { role: "status" }, message),
    h(
      "button.tool",
      { "data-do": "undo", disabled: !undo, "aria-label": undo ? `Undo: ${undo}` : "Nothing to undo", title: undo },
      icon("M8 5L3 10l5 5M3 10h11a6 6 0 010 12h-3"),
    ),
    h(
      "button.tool",
      { "data-do": "share", "aria-label": "Copy a link to this" },
      icon("M10 14a4 4 0 006 0l4-4a4 4 0 00-6-6l-2 2M14 10a4 4 0 00-6 0l-4 4a4 4 0 006 6l2-2"),
    ),
  );
}

/** The units of a side as cards; a card shows its unit's `chance`, if there is one. */
export function cards({ role, heading, hint, units, search, chosen, round, renew, control }) {
  return h(
    `section.panel.${role}`,
    { "data-key": role, "aria-label": heading },
    h(
      "header",
      {},
      h("div", {}, h("h2", {}, heading), h("p.small", {}, hint)),
      round > 0 &&
        h(
          "button.tool",
          { "data-do": "round", "aria-label": `Round ${round}. Begin the next round` },
          `End round ${round}`,
          icon("M9 5l7 7-7 7"),
        ),
    ),
    search !== undefined &&
      h("input.search", {
        type: "search",
        value: search,
        "data-set": `search ${role}`,
        placeholder: "Search units",
        "aria-label": `Search: ${heading}`,
      }),
    control,
    h(
      `ul.cards${units.some((unit) => unit.chance !== undefined) ? ".rated" : ""}`,
      {},
      units.map((unit) => h("li", { "data-key": unit.key }, card(unit, role, unit.key === chosen))),
    ),
    renew && h("button.chip", { "data-do": "renew" }, renew),
    !units.length && h("p.empty", {}, "No unit has these words."),
  );
}

function card(unit, role, pressed) {
  const { chance } = unit;
  return h(
    `button.card${unit.gone ? ".gone" : ""}`,
    { "data-do": `choose ${role} ${unit.key}`, "aria-pressed": String(pressed) },
    h("b", {}, unit.name),
    h("span.small", {}, unit.level, " ", unit.states.map((each) => [h("span.is", {}, each), " "])),
    h("span.facts", {}, h("span.small", {}, unit.facts)),
    chance !== undefined &&
      h(
        "span.odds",
        { title: unit.about },
        unit.take && h("strong", {}, unit.take),
        h("span.chance", {}, chance === null ? "–" : percent(chance), h("span.unseen", {}, ` ${unit.about}`)),
      ),
    typeof chance === "number" && h("i.gauge", { style: width(unit.share), "aria-hidden": "true" }),
  );
}

export function sides(model, control) {
  return h(
    "div.sheet.sides",
    { "data-key": "sides" },
    ["attackers", "targets"].map((role) => side(model[role], role)),
    control,
    model.attackers &&
      model.targets &&
      h(
        "button.tool.swap",
        { "data-do": "swap", "aria-label": "Change sides: let the target attack" },
        icon("M7 4v16M7 20l-4-4M7 20l4-4M17 20V4M17 4l-4 4M17 4l4 4"),
      ),
  );
}

function side(unit, role) {
  const what = role === "attackers" ? "Attacker" : "Target";
  return h(
    "div.side",
    { "data-key": role },
    h("button", { "data-do": `view ${role}` }, h("b", {}, unit.name), h("span.small", {}, `${what} · ${unit.level}`)),
    stepper({
      name: `${unit.key} models`,
      label: `Models of ${unit.name}`,
      value: unit.models,
      least: 0,
      most: unit.all,
    }),
  );
}

/** A number between two buttons; it can also be chosen from a list. */
export function stepper({ name, label, value, least, most }) {
  const numbers = Array.from({ length: most - least + 1 }, (_, place) => most - place);
  const option = (each) =>
    h("option", { value: each, selected: each === value }, each === value ? `${each}/${most}` : each);
  return h(
    "div.step",
    { role: "group", "aria-label": label },
    h("button", { "data-do": `step ${name} -1`, disabled: value <= least, "aria-label": `${label}: one less` }, "−"),
    h("select", { "data-set": `stand ${name}`, "data-key": name, "aria-label": label }, numbers.map(option)),
    h("button", { "data-do": `step ${name} 1`, disabled: value >= most, "aria-label": `${label}: one more` }, "+"),
  );
}

/** A group of toggles; in a `radio` group only one is on at a time. */
export function chips(label, options, radio = false) {
  if (!options.length) return null;
  return h(
    "fieldset.line",
    { "data-key": label, ...(radio ? { role: "radiogroup" } : {}) },
    h("legend", {}, label),
    options.map((each) =>
      h(
        "button.chip",
        {
          "data-do": each.do,
          "data-key": each.do,
          title: each.title,
          ...(radio ? { role: "radio", "aria-checked": String(each.on) } : { "aria-pressed": String(each.on) }),
          disabled: each.disabled,
        },
        each.label,
        each.beside && h("small", {}, each.beside),
      ),
    ),
  );
}

export function slider({ name, label, value, least, most, step, shown }) {
  const at = (100 * (value - least)) / (most - least || 1);
  return h(
    "div.slide",
    { "data-key": `slide ${name}` },
    h("label", { for: `slide-${name}` }, label),
    h("output", { for: `slide-${name}` }, shown),
    h("button", { "data-do": `number ${name} ${value - step}`, disabled: value <= least, "aria-label": `${label}: less` }, "−"),
    h("input", {
      type: "range",
      id: `slide-${name}`,
      "data-set": `number ${name}`,
      min: least,
      max: most,
      step,
      value,
      "aria-valuetext": shown,
      style: `--at:${at.toFixed(1)}%`,
    }),
    h("button", { "data-do": `number ${name} ${value + step}`, disabled: value >= most, "aria-label": `${label}: more` }, "+"),
  );
}

/** An input for a number, or a list of `options`. */
export function choice({ name, label, value, options }) {
  const control = { "data-set": `value ${name}`, "data-key": name };
  const option = (each) => h("option", { value: each.value, selected: each.value === value }, each.label);
  return h(
    "label",
    { "data-key": name },
    label,
    options
      ? h("select", control, [{ value: "", label: "–" }, ...options].map(option))
      : h("input", { ...control, type: "number", min: 0, inputmode: "decimal", value }),
  );
}

/** The main answer: a sentence in large type, bars and figures. */
export function answer(model) {
  if (model.why) {
    return h(
      "section.sheet.answer",
      { "data-key": "answer", "aria-live": "polite", "aria-label": "Answer" },
      h("p.why", {}, model.why),
      model.reasons &&
        h("ul", {}, [...new Set(model.reasons)].map((each) => h("li", {}, each))),
    );
  }
  return h(
    "section.sheet.answer",
    { "data-key": "answer", "aria-label": "Answer" },
    h(
      "p.big",
      { "aria-live": "polite", "aria-atomic": "true" },
      h("strong", {}, percent(model.chance)),
      " ",
      h("span", {}, model.sentence),
    ),
    h("p.small.pool", {}, model.pool, model.set && h("b", {}, ` · ${model.set}`)),
    h("ul.bars", { "aria-label": model.lossesLabel }, bars(model)),
    figures(model.figures),
  );
}

const NEGLIGIBLE = 0.005;
const MOST_BARS = 5;

/** A bar for each number of models, as long as the probability is large enough to see. */
function bars({ atLeast }) {
  const rows = atLeast.map((p, models) => ({ p, models })).slice(1);
  const seen = rows.filter(({ p, models }) => p >= NEGLIGIBLE || models === 1);
  const step = Math.ceil(seen.length / MOST_BARS);
  return seen
    .filter(({ models }) => models === seen.length || (models - 1) % step === 0)
    .map(({ p, models }) =>
      h(
        "li",
        { "data-key": String(models) },
        h("span", {}, models === rows.length ? `all ${models}` : `${models}+ ${models === 1 ? "model" : "models"}`),
        h("span.bar", { "aria-hidden": "true" }, h("i", { style: width(p) })),
        h("span.n", {}, percent(p)),
      ),
    );
}

export function figures(list) {
  return h(
    "dl.figures",
    {},
    list.map(({ label, value, of }) => h("div", {}, h("dt", {}, label), h("dd", {}, value, of && h("small", {}, of)))),
  );
}

/**
 * The result of a combat: shares of wins and draws on a bar, and a table of both sides' losses.
 * @param {any} model
 */
export function contest({ key, heading, about, shares, columns, rows, why, waits, own, isFar }) {
  return h(
    `section.sheet${isFar ? ".far" : ""}`,
    { "data-key": key, "aria-label": heading },
    h("h3", {}, heading),
    about && h("p.small", {}, about),
    why && h("p", {}, why),
    waits && h("p.small.wait", {}, "…"),
    shares && [
      h("div.stack", { "aria-hidden": "true" }, shares.map(({ p, look }) => h(`i.${look}`, { style: width(p) }))),
      h(
        "div.three",
        {},
        shares.map(({ p, label }) => h("span", {}, h("b", {}, percent(p)), h("span.small", {}, label))),
      ),
      table(columns, rows),
    ],
    own,
  );
}

/** A table with row names; the corner text above the names is optional. */
export function table(columns, rows, corner = "") {
  const heads = columns.map((name) => h("th", { scope: "col" }, name));
  const line = ({ name, cells }) =>
    h("tr", { "data-key": name }, h("th", { scope: "row" }, name), cells.map((each) => h("td", {}, each)));
  const first = corner ? h("th", { scope: "col" }, corner) : h("td");
  return h("table", {}, h("thead", {}, h("tr", {}, first, heads)), h("tbody", {}, rows.map(line)));
}

/**
 * A list of choices, best first.
 * @param {any} model
 */
export function ranking({ key, heading, about, rows, waits }) {
  return h(
    "section.sheet",
    { "data-key": key, "aria-label": heading },
    h("h3", {}, heading),
    about && h("p.small", {}, about),
    waits && h("p.small.wait", {}, "…"),
    h(
      "ul.list",
      {},
      rows.map((row) =>
        h(
          "li",
          { "data-key": row.do },
          h(
            "button.pick",
            { "data-do": row.do, "aria-pressed": String(row.on) },
            h("span", {}, row.name, row.beside && h("span.small", {}, ` ${row.beside}`)),
            h("span.small.n", {}, row.points),
            h("b", {}, row.chance),
          ),
        ),
      ),
    ),
  );
}

/** A table whose cells are buttons; the shade shows the value. */
export function pairs({ heading, about, columns, rows }) {
  const cell = (row) => (each) => {
    const style = `--shade:${(45 * each.shade).toFixed(1)}%`;
    const label = `${row.name} on ${each.other}: ${each.name}`;
    return h("button.cell", { "data-do": each.do, style, "aria-label": label, title: `${row.name} on ${each.other}` }, each.text);
  };
  const heads = columns.map((name) => h("span", {}, name));
  const lines = rows.map((row) => ({ name: row.name, cells: row.cells.map(cell(row)) }));
  return h(
    "div.sheet.pairs",
    { "data-key": "pairs" },
    h("h3", {}, heading),
    h("p.small", {}, about),
    h("div.scrolls", { tabindex: "0", role: "region", "aria-label": heading }, table(heads, lines)),
  );
}

export function notes(lines) {
  return h(
    "details.sheet",
    { "data-key": "notes" },
    h("summary", {}, "What is assumed"),
    h("div.notes.small", {}, lines.map((line) => h("p", {}, line))),
  );
}
