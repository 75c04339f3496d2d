/** Controls of a fight: distance, levels, row, conditions and damage. */

import { h } from "./dom.js";
import { has } from "./edits.js";
import { choice, chips, folded, stepper } from "./elements.js";
import { capital, percent, tenths } from "./words.js";

export const distanceOf = ({ page, state }) => state.conditions.distance ?? page.usual.distance;

/** The distance, with the reach of the attacker's chosen row. */
export function distanceSlider(about, one, row) {
  const { page } = about;
  const value = distanceOf(about);
  const most = Math.max(one.farthest, value);
  const name = capital(page.conditions.find((each) => each.name === "distance").label);
  const label = `${name}${row ? ` · ${row.name} ${row.reach}` : ""}`;
  const range = { id: "slide-distance", "data-set": "value fight distance", min: 0, max: most, step: 1, value };
  const step = (to, sign, way) =>
    h("button", { "data-do": `value fight distance ${to}`, disabled: to < 0 || to > most, "aria-label": `${label}: ${way}` }, sign);
  return h(
    "div.slide",
    { "data-key": "slide distance" },
    h("label", { for: "slide-distance" }, label),
    h("output", { for: "slide-distance" }, `${value}″`),
    step(value - 1, "−", "less"),
    h("input", { ...range, type: "range", "aria-valuetext": `${value}″`, style: `--at:${((100 * value) / (most || 1)).toFixed(1)}%` }),
    step(value + 1, "+", "more"),
  );
}

/** Levels, row, conditions and damage. */
export function conditionControls(about) {
  const { page, one, other } = about;
  const often = (role) => conditionGroup(about, "attack", role, true);
  const seldom = (role) => conditionGroup(about, "attack", role);
  return h(
    "section.sheet.how",
    { "data-key": "how", "aria-label": "Conditions" },
    page.kind === "calculator" && [levelChips(about, one, "attackers"), levelChips(about, other, "targets")],
    rowChips(about),
    [often("attacker"), damageStepper(about, one), often("target"), damageStepper(about, other)],
    folded("seldom", "More conditions", h("div.how", {}, seldom("attacker"), seldom("target"))),
  );
}

/** The levels of a unit; the chosen level is marked. */
function levelChips({ units }, unit, role) {
  const alike = Object.values(units).filter((each) => each.side === unit.side && unitId(each) === unitId(unit));
  const option = (each) => ({
    do: `choose ${role} ${each.key}`,
    label: capital(each.level),
    beside: each.points === null ? "" : `${each.points} pt`,
    on: each.key === unit.key,
  });
  return chips(`${unit.name}: level`, alike.map(option), true);
}

/** Id of a loadout's unit, equal for all levels of the unit. */
export const unitId = ({ id, key, from }) => (from ? key : id.split("@")[0]);

/** A choice between the rows that can fire at targets of this category, in the order of the profile. */
function rowChips({ page, one, rows, chosen }) {
  const able = rows.filter(({ answer }) => !page.never.includes(answer.refused));
  able.sort((a, b) => one.rows.indexOf(a.row) - one.rows.indexOf(b.row));
  const option = ({ row, answer }) => ({
    do: `row ${row.id}`,
    label: row.name,
    title: answer.why ?? `${row.reach}: ${tenths(answer.mean_models_destroyed)} models`,
    beside: answer.why ? "–" : percent(answer[page.chance]),
    on: row.id === chosen.row.id,
  });
  return able.length > 1 && chips("Row", able.map(option), true);
}

function damageStepper({ state }, unit) {
  if (unit.mostDamage < 1) return null;
  const [label, damage] = [`Damage on ${unit.name}`, state.units[unit.key]?.damage ?? 0];
  const step = stepper(`${unit.key} damage`, label, damage, 0, unit.mostDamage);
  return h("div.dose", { "data-key": label }, h("span", {}, label), step);
}

/** The conditions of a panel that belong to one role: attacker or target. */
export function conditionGroup(about, panel, role, often = false) {
  const { page, state } = about;
  const unit = role === "attacker" ? about.one : about.other;
  const offered = page.conditions.filter(
    (each) =>
      each.panel === panel &&
      each.role === role &&
      each.often === often &&
      isPossible(each, about) &&
      each.name !== "distance",
  );
  const valueOf = (each) => (each.side === "fight" ? state.conditions : (state.units[unit.key] ?? {}))[each.name];
  const nameOf = (each) => `${each.side === "fight" ? "fight" : unit.key} ${each.name}`;
  const chip = (each) => ({
    do: `toggle ${nameOf(each)}`,
    label: capital(each.label),
    title: each.description,
    on: Boolean(valueOf(each)),
  });
  const control = (each) => choice(nameOf(each), capital(each.label), valueOf(each) ?? "", optionsOf(page, each, unit));
  const numbers = offered.filter((each) => each.kind !== "flag" && optionsOf(page, each, unit)?.length !== 1).map(control);
  return [
    chips(unit.name, offered.filter((each) => each.kind === "flag").map(chip)),
    numbers.length > 0 && h("div.numbers", { role: "group", "aria-label": unit.name }, numbers),
  ];
}

/** True if the unit has the rule, quality or type that a condition needs. */
const isPossible = ({ needs, side }, { one, other }) => !needs || has(side === "target" ? other : one, needs);

/** The values of a condition with a list of choices: words, or rows of the unit; undefined for a number. */
function optionsOf(page, { kind, name, choices }, unit) {
  const rows = unit.rows.map((row, value) => ({ label: row.name, value, shoots: row.kind === page.shoots }));
  if (kind === "row") return rows.filter(({ shoots }) => shoots === (name === "row"));
  return choices && Object.keys(choices).map((value) => ({ value, label: value.replaceAll("_", " ") }));
}
