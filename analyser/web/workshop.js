/** The calculator's workshop: units that the reader makes, effects of raised values, and two loadouts side by side. */

import { h } from "./dom.js";
import { has, numberOf } from "./edits.js";
import { chips, table, titled, valueText } from "./elements.js";
import { NO_UNIT, RESTORE } from "./state.js";
import { capital, percent, signed, tenths } from "./words.js";

/** All parts of the workshop for a fight. */
export function workshop(about) {
  return [editor(about, about.one, "attacker"), editor(about, about.other, "target"), sideBySide(about)];
}

function editor(about, unit, role) {
  const { page } = about;
  const edits = page.edits.filter((each) => each.role === role || each.role === "both");
  const chip = (each) => {
    const on = each.role === "target" ? has({ ...unit, rows: [] }, each.label) : has({ ...unit, rules: [] }, each.label);
    return { do: `edit ${role} ${each.name} ${on ? 0 : 1}`, label: each.label, on };
  };
  const name = h("input", { "data-set": `called ${role}`, value: unit.name, maxlength: 60 });
  return h(
    "details.sheet.workshop",
    { "data-key": `edit ${role}` },
    h("summary", {}, `Change ${unit.name}`),
    h("p.small", {}, "Slide or type: the unit is copied, and the copy changes. A link to this page keeps the changes."),
    unit.from && h("div.numbers.one", {}, h("label", {}, "Its name", name)),
    edits.filter(({ kind }) => kind === "number").map((each) => number(about, unit, role, each)),
    chips("Qualities and special rules", edits.filter(({ kind }) => kind === "flag").map(chip)),
    unit.from && h("button.chip", { "data-do": `restore ${role}` }, RESTORE),
  );
}

/** A value of a unit, with a slider and an input, and the effect of raising it by 1. */
function number(about, unit, role, each) {
  const { page, answers, one, other } = about;
  const value = numberOf(unit, each, page.layout.none);
  const more = `${unit.key}+${each.name}`;
  const now = answers.chosen(one.key, other.key);
  const then = role === "attacker" ? answers.chosen(more, other.key) : answers.chosen(one.key, more);
  const isPrice = role === "attacker" && each.name === "points" && value > 0;
  const name = `${role} ${each.name}`;
  const [least, most] = [each.least, Math.max(each.most, value)];
  const label = `${each.label} of ${unit.name}`;
  const control = { "data-set": `edit ${name}`, min: least, max: most, step: 1, value, "aria-label": label };
  const at = (100 * (value - least)) / (most - least);
  return h(
    "div.edit",
    { "data-key": name },
    h("span", {}, each.label),
    h("input", { ...control, type: "range", style: `--at:${at.toFixed(1)}%` }),
    h("input.typed", { ...control, type: "number", inputmode: "numeric" }),
    h("span.small", {}, isPrice ? efficiency(now, value) : effect(page, now, then)),
  );
}

/** The effect of raising a value by 1, in words: changes of the probability and of the expected points. */
function effect(page, now, then) {
  if (!now || !then || now.why || then.why) return then?.why ? `one more: ${then.why}` : "";
  const change = then[page.chance] - now[page.chance];
  const points = then.points - now.points;
  const text = Number.isNaN(points) || tenths(points) === "0" ? "" : `, ${signed(points, tenths)} pt`;
  const shift = tenths(100 * change) === "0" ? "" : ` (${signed(100 * change, tenths)})`;
  return `one more: ${percent(then[page.chance])}${shift}${text}`;
}

/** The effect of raising a unit's points by 1 on the points that 100 points of the unit destroy. */
function efficiency(now, points) {
  if (!now || now.why || Number.isNaN(now.points)) return "";
  const [before, after] = [points, points + 1].map((each) => tenths((100 * now.points) / each));
  return `one more: 100 points of it destroy ${after} points (now ${before})`;
}

/** Name of a loadout in the list of {@link sideBySide}, which a reader can search. */
export const loadoutName = ({ name, level, faction }) => `${name}, ${level} (${faction})`;

function sideBySide({ page, state, units, answers, searched, one, other }) {
  const beside = units[state.beside] ?? (searched.beside ? undefined : units[one.from]);
  const pair = beside ? [one, beside] : [one];
  const attacks = pair.map((unit) => answers.best(unit.key, other.key));
  const cell = ({ name, isMean, perPoints }) => (answer, place) => {
    if (!answer) return "…";
    if (answer.why) return "–";
    return valueText(perPoints ? (100 * answer[name]) / (pair[place].points || NaN) : answer[name], isMean);
  };
  const mine = Object.values(units).filter((unit) => unit.side === one.side);
  const options = h("datalist", { id: "loadouts" }, mine.map((unit) => h("option", { value: loadoutName(unit) })));
  const list = { list: "loadouts", placeholder: "Search units", value: beside ? loadoutName(beside) : searched.beside };
  const choice = h("input", { type: "search", "data-set": "beside", "data-key": "beside", ...list });
  const none = !beside && searched.beside && h("p.small", { role: "status" }, NO_UNIT);
  const rows = page.compared.map((each) => ({ name: capital(each.label), cells: attacks.map(cell(each)) }));
  return titled(
    "beside",
    "Side by side",
    h("div.numbers.one", {}, h("label", {}, "Compare the attacker with", choice), options, none),
    beside && table(pair.map(({ name, level }) => `${name}, ${level}`), rows, `On ${other.name}`),
  );
}
