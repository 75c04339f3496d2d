/** Controls of a fight: distance, levels, row, conditions and damage. */

import { h } from "./dom.js";
import { chips, choice, slider, stepper } from "./view.js";
import { capital, percent } from "./words.js";

/** True if the unit has the rule or quality that a condition needs. */
function isPossible({ needs, side }, { one, other, chosen }) {
  if (!needs) return true;
  const of = side === "target" ? other : one;
  return [...of.rules, ...(chosen?.row.qualities ?? [])].some((each) => each.split(" (")[0] === needs);
}

/** The distance, with the reach of the attacker's chosen row. */
export function distanceSlider({ page, state }, one, row) {
  const { label } = page.conditions.find(({ name }) => name === "distance");
  const value = state.conditions.distance ?? page.usual.distance;
  return slider({
    name: "distance",
    label: `${capital(label)}${row ? ` · ${row.name} ${row.reach}` : ""}`,
    value,
    least: 0,
    most: Math.max(one.farthest, value),
    step: 1,
    shown: `${value}″`,
  });
}

/** Levels, row, conditions and damage. */
export function conditionControls(about) {
  const { page, state, one, other } = about;
  return h(
    "section.sheet.how",
    { "data-key": "how", "aria-label": "Conditions" },
    page.kind === "calculator" && [levelChips(about, one, "attackers"), levelChips(about, other, "targets")],
    rowChips(about),
    [one, other].map((unit, place) => [
      conditionGroup(about, "attack", place ? "target" : "attacker", true),
      damageStepper(state, unit),
    ]),
    h(
      "details",
      { "data-key": "seldom" },
      h("summary", {}, page.words.more),
      h("div.how", {}, conditionGroup(about, "attack", "attacker"), conditionGroup(about, "attack", "target")),
    ),
  );
}

/** The rows that can fire at targets of this category, if there is more than one. */
function rowChips({ page, one, rows, chosen }) {
  const able = rows.filter(({ answer: found }) => !page.never.includes(found.refused));
  if (able.length < 2) return null;
  const inOrder = able.sort((a, b) => one.rows.indexOf(a.row) - one.rows.indexOf(b.row));
  const options = inOrder.map(({ row, answer: found }) => ({
    do: `row ${row.id}`,
    label: row.name,
    beside: found.why ? "–" : percent(found[page.chance]),
    on: row.id === chosen.row.id,
  }));
  return chips(page.words.row, options, true);
}

function damageStepper(state, unit) {
  if (unit.mostDamage < 1) return null;
  const label = `Damage on ${unit.name}`;
  const step = {
    name: `${unit.key} damage`,
    label,
    value: state.units[unit.key]?.damage ?? 0,
    least: 0,
    most: unit.mostDamage,
  };
  return h("div.dose", { "data-key": label }, h("span", {}, label), stepper(step));
}

/** The conditions of a panel that belong to one role: attacker or target. */
export function conditionGroup(about, panel, role, often = false) {
  const { page, state, one, other } = about;
  const unit = role === "attacker" ? one : other;
  const offered = page.conditions.filter(
    (each) =>
      each.panel === panel &&
      each.role === role &&
      each.often === often &&
      isPossible(each, about) &&
      each.name !== "distance",
  );
  const valueOf = (each) => (each.side === "fight" ? state.conditions : (state.units[unit.key] ?? {}))[each.name];
  const place = (each) => (each.side === "fight" ? "fight" : unit.key);
  const chip = (each) => ({
    do: `toggle ${place(each)} ${each.name}`,
    label: capital(each.label),
    title: each.description,
    on: Boolean(valueOf(each)),
  });
  const control = (each) =>
    choice({
      label: capital(each.label),
      value: valueOf(each) ?? "",
      name: `${place(each)} ${each.name}`,
      options: optionsOf(page, each, unit),
    });
  const numbers = offered.filter((each) => each.kind !== "flag" && optionsOf(page, each, unit)?.length !== 1).map(control);
  return [
    chips(unit.name, offered.filter((each) => each.kind === "flag").map(chip)),
    numbers.length > 0 && h("div.numbers", { role: "group", "aria-label": unit.name }, numbers),
  ];
}

/** The values of a condition with a list of choices: words, or rows of the unit; undefined for a number. */
function optionsOf(page, { kind, name, choices }, unit) {
  const shoots = name === "row";
  const rows = unit.rows.map(({ name: label, kind: of }, value) => ({
    label,
    value,
    fits: (of === page.shoots) === shoots,
  }));
  if (kind === "row") return rows.filter(({ fits }) => fits);
  return choices && Object.keys(choices).map((value) => ({ value, label: value.replaceAll("_", " ") }));
}

/** The levels of a unit; the chosen one is marked. */
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
export function unitId({ id, key, from }) {
  return from ? key : id.split("@")[0];
}
