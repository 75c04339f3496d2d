// @ts-check
/**
 * The state of the page, chosen units and their condition in the game: as an object, as a link, and stored on the device.
 *
 * @typedef {Record<string, number | string>} Standing state of a unit: values of conditions by name
 *
 * @typedef {object} OwnUnit a unit that the reader made
 * @property {string} from key of the unit from which it was made
 * @property {string} name
 * @property {Record<string, number>} changes
 *
 * @typedef {object} State
 * @property {string} attacker key of a unit (side and place), such as `0.3`; empty: no unit is chosen
 * @property {string} target
 * @property {string} row the id of a row; empty: the best row
 * @property {Record<string, number | string>} conditions of the fight, without defaults
 * @property {Record<string, Standing>} units states of units that differ from the start
 * @property {number} round
 * @property {OwnUnit[]} own
 * @property {string} beside a second attacker to compare with
 */

const MOST_PAST = 50;
const KEY = /^[01]\.\d{1,4}$/;
const PART = /^([a-z_]{2,40})(?:-([\w.]{1,12}))?$/;

/** @returns {State} */
export function emptyState() {
  return { attacker: "", target: "", row: "", conditions: {}, units: {}, round: 1, own: [], beside: "" };
}

/**
 * The state as the part of a link after `#`; {@link fromLink} reads it.
 * @param {State} state
 */
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

/**
 * The state in a link. Parts that are not valid are ignored.
 * @param {string} link
 * @returns {State}
 */
export function fromLink(link) {
  const parts = new URLSearchParams(link.replace(/^#/, ""));
  const key = (/** @type {string} */ name) => (KEY.test(parts.get(name) ?? "") ? (parts.get(name) ?? "") : "");
  const state = {
    ...emptyState(),
    attacker: key("attacker"),
    target: key("target"),
    beside: key("beside"),
    row: parts.get("row") ?? "",
  };
  state.conditions = fromText(parts.get("with") ?? "");
  for (const each of (parts.get("units") ?? "").split("~")) {
    const [unit, text] = each.split("*");
    if (KEY.test(unit)) state.units[unit] = fromText(text ?? "");
  }
  state.round = Math.min(Math.max(Math.trunc(Number(parts.get("round"))) || 1, 1), 99);
  state.own = ownUnits(parts.get("own") ?? "[]");
  return state;
}

/** @param {Record<string, number | string>} values */
function toText(values) {
  return Object.entries(values)
    .map(([name, value]) => (value === 1 ? name : `${name}-${value}`))
    .join("!");
}

/** @param {string} text */
function fromText(text) {
  /** @type {Record<string, number | string>} */
  const values = {};
  for (const part of text.split("!")) {
    const [, name, value] = PART.exec(part) ?? [];
    if (name) values[name] = value === undefined ? 1 : Number.isFinite(Number(value)) ? Number(value) : value;
  }
  return values;
}

/** @param {string} text @returns {OwnUnit[]} */
function ownUnits(text) {
  try {
    const units = JSON.parse(text);
    const isOwn = (/** @type {any} */ each) =>
      KEY.test(each?.from) && typeof each.name === "string" && Object.values(each.changes ?? {}).every(Number.isFinite);
    return Array.isArray(units) ? units.filter(isOwn) : [];
  } catch {
    return [];
  }
}

/** A game stored on the device: states of the units, and changes that can be undone. */
export class Game {
  /** @param {string} key of this page, so that pages of other armies have other games */
  constructor(key) {
    this.key = `analyser ${key}`;
    /** @type {{link: string, label: string}[]} states before each change, oldest first */
    this.past = [];
    this.link = "";
    try {
      const stored = JSON.parse(localStorage.getItem(this.key) ?? "{}");
      if (typeof stored.link === "string") this.link = stored.link;
      if (Array.isArray(stored.past))
        this.past = stored.past.filter((/** @type {any} */ each) => typeof each?.link === "string");
    } catch {
      // a frame without storage, or invalid storage: begin a new game
    }
  }

  /** Store the state; a `label` names the change, which the reader can then undo. Equal labels in a row are one change.
   * @param {string} link @param {string} [label] */
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
