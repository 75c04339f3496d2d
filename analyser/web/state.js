/**
 * The state of the page (chosen units, and their losses in the game) as an object, as a link, and stored on the device.
 *
 * `attacker`, `target` and `beside` (a second attacker to compare with) are keys of units: side and index, such as
 * `0.3`, or empty without a unit. `row` is the id of a row, or empty for the best row. `conditions` are the conditions
 * of the fight that differ from the defaults. `units` has, by key, the states of units that have changed. `own` are the
 * units that the reader has made: each has `name`, `from` (a key) and `changes`. `round` counts the game's rounds.
 */

import { has } from "./edits.js";

export const OWN = "of your own";
export const GONE = "this unit is gone";
export const NO_ROWS = "it has no row that can fire";
export const NO_UNIT = "No unit has these words.";
export const RESTORE = "Back to the printed unit";
const MOST_PAST = 50;
const MOST_COUNT = 20; // most carriages, as in Python
const MOST_INCHES = 999;
const KEY = /^[01]\.\d{1,4}$/;
const PART = /^([a-z_]{2,40})(?:-([\w.]{1,12}))?$/;

export function emptyState() {
  return { attacker: "", target: "", row: "", conditions: {}, units: {}, round: 1, own: [], beside: "" };
}

/** The state as the part of a link after `#`; {@link fromLink} reads it. */
export function toLink({ attacker, target, row, conditions, units, round, own, beside }) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries({ attacker, target, row, beside })) if (value) parts.set(name, value);
  if (Object.keys(conditions).length) parts.set("with", toText(conditions));
  const standing = Object.entries(units).map(([key, each]) => `${key}*${toText(each)}`);
  if (standing.length) parts.set("units", standing.join("~"));
  if (round > 1) parts.set("round", String(round));
  if (own.length) parts.set("own", JSON.stringify(own));
  return parts.toString();
}

/** The state in a link. Parts that are not valid are ignored. */
export function fromLink(link) {
  const parts = new URLSearchParams(link.replace(/^#/, ""));
  const text = (name, usual = "") => parts.get(name) ?? usual;
  const state = { ...emptyState(), row: text("row"), conditions: fromText(text("with")), own: ownUnits(text("own", "[]")) };
  for (const name of ["attacker", "target", "beside"]) if (KEY.test(text(name))) state[name] = text(name);
  for (const each of text("units").split("~")) {
    const [unit, values] = each.split("*");
    if (KEY.test(unit)) state.units[unit] = fromText(values ?? "");
  }
  state.round = Math.min(Math.max(Math.trunc(Number(text("round"))) || 1, 1), 99);
  return state;
}

function toText(values) {
  return Object.entries(values)
    .map(([name, value]) => (value === 1 ? name : `${name}-${value}`))
    .join("!");
}

function fromText(text) {
  const values = {};
  for (const part of text.split("!")) {
    const [, name, value] = PART.exec(part) ?? [];
    if (name) values[name] = value === undefined ? 1 : Number.isFinite(Number(value)) ? Number(value) : value;
  }
  return values;
}

function ownUnits(text) {
  try {
    const isOwn = ({ from, name, changes }) =>
      KEY.test(from) && typeof name === "string" && Object.values(changes ?? {}).every(Number.isFinite);
    return JSON.parse(text).filter(isOwn);
  } catch {
    return [];
  }
}

/** The entries of an object with these names. */
export const only = (values, names) => Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/** The entries of an object without these names. */
export const without = (values, ...names) => only(values, Object.keys(values).filter((name) => !names.includes(name)));

const clamped = (value, least, most) => Math.min(Math.max(value, least), most);

/** The state without values that its units cannot have; `units` are all units by key. */
export function settled(state, units, { conditions }) {
  const roles = ["attacker", "target", "beside"].map((role) => [role, units[state[role]] ? state[role] : ""]);
  const next = { ...state, ...Object.fromEntries(roles), units: {} };
  const ofUnits = conditions.filter(({ side }) => side !== "fight");
  const ofFight = conditions.filter(({ side }) => side === "fight");
  for (const [key, values] of Object.entries(state.units)) {
    const kept = units[key] ? possible(values, ofUnits, units[key]) : {};
    if (Object.keys(kept).length) next.units[key] = kept;
  }
  if (next.attacker) next.conditions = possible(state.conditions, ofFight, units[next.attacker]);
  return next;
}

/** The values that the unit can have; numbers are brought within their limits. */
function possible(values, conditions, unit) {
  const kept = {};
  const models = Number.isFinite(values.models) ? clamped(Math.round(values.models), 0, unit.models) : unit.models;
  if (models !== unit.models) kept.models = models;
  const damage = clamped(Math.round(values.damage) || 0, 0, Math.max(unit.mostDamage, 0));
  if (damage) kept.damage = damage;
  for (const { name, kind, choices, needs } of conditions) {
    const value = values[name];
    if (value === undefined || (needs && !has(unit, needs))) continue;
    if (kind === "inches" && value >= 0) kept[name] = Math.min(value, MOST_INCHES);
    if (kind === "flag" && value === 1) kept[name] = 1;
    if (kind === "choice" && Object.hasOwn(choices, value)) kept[name] = value;
    if (kind === "row" && unit.rows.some((_, place) => place === value)) kept[name] = value;
    if (kind === "models" && value >= 1) kept[name] = Math.min(Math.round(value), models);
    if (kind === "count" && value >= 1) kept[name] = Math.min(Math.round(value), MOST_COUNT);
  }
  return kept;
}

/** A game stored on the device: states of the units, and changes that can be undone. */
export class Game {
  /** `key` is that of this page, so that pages of other armies have other games. */
  constructor(key) {
    this.key = `analyser ${key}`;
    this.past = []; // links before each change, with its label, oldest first
    this.link = "";
    try {
      const { link, past } = JSON.parse(localStorage.getItem(this.key) ?? "{}");
      if (typeof link === "string") this.link = link;
      if (Array.isArray(past)) this.past = past.filter((each) => typeof each?.link === "string");
    } catch {
      // a frame without storage, or invalid storage: begin a new game
    }
  }

  /** Store the state; the reader can undo a change with a `label`. Equal labels in a row are one change. */
  save(link, label) {
    if (label && label !== this.past.at(-1)?.label) this.past = [...this.past, { link: this.link, label }].slice(-MOST_PAST);
    this.link = link;
    try {
      localStorage.setItem(this.key, JSON.stringify({ link: this.link, past: this.past }));
    } catch {
      // without storage, the link still holds the state
    }
  }

  /** Undo the last change: return the state before it, or null. */
  undo() {
    const last = this.past.pop();
    return last ? fromLink(last.link) : null;
  }
}
