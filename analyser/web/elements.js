/** Elements that several panels of the page use. */

import { h } from "./dom.js";
import { percent, tenths } from "./words.js";

export const width = (p) => `width:${(100 * p).toFixed(2)}%`;
export const icon = (path) => h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: path }));
export const waiting = () => h("p.small.wait", {}, "…");

export const titled = (key, heading, ...parts) =>
  h("section.sheet", { "data-key": key, "aria-label": heading }, h("h3", {}, heading), ...parts);

export const folded = (key, summary, ...parts) => h("details", { "data-key": key }, h("summary", {}, summary), ...parts);

/** A table with row names; the corner text above the names is optional. */
export function table(columns, rows, corner = "") {
  const heads = columns.map((name) => h("th", { scope: "col" }, name));
  const line = ({ name, cells }) =>
    h("tr", { "data-key": name }, h("th", { scope: "row" }, name), cells.map((each) => h("td", {}, each)));
  const first = corner ? h("th", { scope: "col" }, corner) : h("td");
  return h("table", {}, h("thead", {}, h("tr", {}, first, heads)), h("tbody", {}, rows.map(line)));
}

/** A list of choices, best first. */
export function ranking(key, heading, about, rows) {
  const line = (row) =>
    h(
      "button.pick",
      { "data-do": row.do, "aria-pressed": String(row.on) },
      h("span", {}, row.name, row.beside && h("span.small", {}, ` ${row.beside}`)),
      h("span.small.n", {}, row.points),
      h("b", {}, row.chance),
    );
  const lines = h("ul.list", {}, rows.map((row) => h("li", { "data-key": row.do }, line(row))));
  return titled(key, heading, h("p.small", {}, about), lines);
}

/** A number between two buttons; it can also be chosen from a list. */
export function stepper(name, label, value, least, most) {
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
  const state = (on) => (radio ? { role: "radio", "aria-checked": String(on) } : { "aria-pressed": String(on) });
  const chip = ({ do: act, title, on, label, beside }) =>
    h("button.chip", { "data-do": act, "data-key": act, title, ...state(on) }, label, beside && h("small", {}, beside));
  const group = { "data-key": label, role: radio && "radiogroup" };
  return h("fieldset.line", group, h("legend", {}, label), options.map(chip));
}

/** An input for a number, or a list of `options`. */
export function choice(name, label, value, options) {
  const control = { "data-set": `value ${name}`, "data-key": name };
  const option = (each) => h("option", { value: each.value, selected: each.value === value }, each.label);
  const input = options
    ? h("select", control, [{ value: "", label: "–" }, ...options].map(option))
    : h("input", { ...control, type: "number", min: 0, inputmode: "decimal", value });
  return h("label", { "data-key": name }, label, input);
}

/** Figures of a unit's losses in an attack. */
export function figures(page, state, answer, other) {
  const standing = state.units[other.key] ?? {};
  const models = standing.models ?? other.models;
  const wholes = { models, points: models < other.models || standing.damage ? null : other.points };
  const shows = ({ name, always }) => (always ? !Number.isNaN(answer[name]) : answer[name] > 0);
  const figure = ({ name, label, isMean, of }) => {
    const whole = (of && wholes[of]) ?? null;
    const value = h("dd", {}, valueText(answer[name], isMean), whole !== null && h("small", {}, `of ${whole}`));
    return h("div", {}, h("dt", {}, label), value);
  };
  return h("dl.figures", {}, page.figures.filter(shows).map(figure));
}

/** A mean or a probability as text. */
export const valueText = (value, isMean) => (Number.isNaN(value) ? "–" : isMean ? tenths(value) : percent(value));
