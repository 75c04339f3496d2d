/** From the state of the page and the answers to what each panel shows. */

import { h } from "./dom.js";
import {
  answer,
  capital,
  cards,
  chips,
  choice,
  contest,
  figures,
  notes,
  pairs,
  percent,
  ranking,
  sides,
  slider,
  stepper,
  tenths,
  top,
} from "./view.js";
import { changed, workshop } from "./workshop.js";

const MOST_LISTED = 6;

/** Every unit of the page by its key, side and place; after those of the page the reader's own. */
export function unitsOf(page, own) {
  const found = {};
  page.sides.forEach((side, number) =>
    side.units.forEach(({ unit, name }, place) => {
      const key = `${number}.${place}`;
      found[key] = { ...page.units[unit], name, key, side: number };
    }),
  );
  own.forEach(({ from, name, changes }, place) => {
    if (!found[from]) return;
    page.sides.forEach(({ units }, side) => {
      const key = `${side}.${units.length + place}`;
      const words = `${name} ${page.words.own} ${found[from].words}`.toLowerCase();
      found[key] = {
        ...changed(found[from], changes, page.edits),
        name,
        words,
        key,
        side,
        from: `${side}${from.slice(1)}`,
        changes,
        level: page.words.own,
      };
    });
  });
  return found;
}

export function shown(all) {
  const { page, state, game, view, isNarrow } = all;
  const shows = (panel) => !isNarrow || view === panel;
  return [
    top({
      title: page.title,
      below: page.words.exact,
      back: state.attacker ? "Back" : "",
      undo: game.past.at(-1)?.label ?? "",
      mini: miniOf(all),
    }),
    h(
      "main",
      {},
      shows("attackers") && list(all, "attackers"),
      shows("fight") && fight(all),
      shows("targets") && list(all, "targets"),
    ),
  ];
}

/** The answer in a line, for a reader who has scrolled past it. */
function miniOf({ page, state, answers, view }) {
  if (view !== "fight" || !answers || !state.attacker || !state.target) return "";
  const rows = answers.rows(state.attacker, state.target);
  const found = (rows.find(({ row }) => row.id === state.row) ?? rows[0])?.answer;
  return found && !found.why ? `${percent(found[page.chance])} ${page.words.sentence}` : "";
}

/** The units that can be chosen for a role. */
function list(all, role) {
  const { page, state, units, searched } = all;
  const isTable = page.kind === "table";
  const own = state.attacker ? Number(state.attacker[0]) : 0;
  const side = role === "attackers" ? own : 1 - own;
  const words = searched[role].toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (unit) => unit.side === side && words.every((word) => unit.words.includes(word));
  const chosen = role === "attackers" ? state.attacker : state.target;
  const here = Object.values(units).filter(fits);
  const hint =
    role === "attackers" ? page.words.whoAttacks : state.attacker ? page.words.chance : page.words.whoIsAttacked;
  return cards({
    role,
    heading: isTable ? page.sides[side].name : role === "attackers" ? "Attacker" : "Target",
    hint,
    renew: role === "attackers" && Object.keys(state.units).length > 0 && page.words.newGame,
    round: isTable && role === "attackers" ? state.round : 0,
    search: isTable ? undefined : searched[role],
    chosen,
    units: (isTable ? here : oneLevelOf(here, chosen)).map((unit) => cardOf(all, unit, role)),
  });
}

/** One loadout of each unit: the one that is chosen, else its first. */
function oneLevelOf(units, chosen) {
  const found = new Map();
  for (const unit of units) if (!found.has(unitId(unit)) || unit.key === chosen) found.set(unitId(unit), unit);
  return [...found.values()];
}

/** The unit of a loadout: those with the same are its levels. */
function unitId({ id, key, from }) {
  return from ? key : id.split("@")[0];
}

function cardOf({ page, state, answers }, unit, role) {
  const standing = state.units[unit.key] ?? {};
  const models = standing.models ?? unit.models;
  const is = page.conditions.filter(({ name, kind }) => kind === "flag" && standing[name]);
  const left = `${models === unit.models ? models : `${models} of ${unit.models}`} ${unit.models === 1 ? "model" : "models"}`;
  const card = {
    key: unit.key,
    name: unit.name,
    level:
      page.kind === "calculator"
        ? `${unit.faction} · ${unit.type}`
        : unit.points === null
          ? unit.level
          : `${unit.level} · ${unit.points} pt`,
    gone: !models,
    states: [...new Set(is.map(({ label }) => label))],
    facts: page.kind === "calculator" ? unit.level : left,
  };
  if (role !== "targets" || !state.attacker || !answers) return card;
  const best = answers.best(state.attacker, unit.key);
  return best ? { ...card, chance: best.why ? null : best[page.chance], about: page.words.chance } : card;
}

function fight(all) {
  const { page, state, units, answers } = all;
  const [one, other] = [units[state.attacker], units[state.target]];
  const panel = (...children) =>
    h("section.panel.fight", { "data-key": "fight", "aria-label": "The fight" }, ...children);
  if (!one || !other)
    return panel(h("p.sheet.empty", {}, page.words.choose), page.kind === "table" && answers && everyPair(all));
  const rows = answers ? answers.rows(one.key, other.key) : [];
  const chosen = rows.find(({ row }) => row.id === state.row) ?? rows[0];
  const about = { ...all, one, other, rows, chosen };
  return panel(
    h("h2.unseen", {}, `${one.name} on ${other.name}`),
    sides({ attackers: sideOf(all, one), targets: sideOf(all, other) }),
    answer(answers ? answerOf(about) : { why: "…" }),
    how(about),
    answers && page.kind === "calculator" && h("div.more", { "data-key": "workshop" }, workshop(about)),
    answers && further(about),
    notes([...page.notes, ...notModelled(one, other)]),
  );
}

/** Every unit of one side on every unit of the other: the points that an attack takes. */
function everyPair({ page, state, units, answers }) {
  const side = state.attacker ? Number(state.attacker[0]) : 0;
  const [mine, yours] = [side, 1 - side].map((number) => Object.values(units).filter((unit) => unit.side === number));
  const cell = (one, other) => {
    const found = answers.best(one.key, other.key);
    if (!found || found.why) return { shade: 0, text: found ? "–" : "", name: page.words.noAttack };
    const text = Number.isNaN(found.points) ? percent(found.mean_share_lost) : found.points.toFixed(0);
    return { shade: found.mean_share_lost, text, name: text };
  };
  return pairs({
    heading: page.words.pairs,
    about: `${page.words.pairsAbout} ${state.conditions.distance ?? page.usual.distance}″`,
    columns: yours.map(({ name }) => name),
    rows: mine.map((one) => ({
      name: one.name,
      cells: yours.map((other) => ({ ...cell(one, other), do: `fight ${one.key} ${other.key}`, other: other.name })),
    })),
  });
}

function sideOf({ state }, unit) {
  const { key, name, level, models: all } = unit;
  return { key, name, level, all, models: state.units[key]?.models ?? all };
}

/** The loadouts of a unit, one of them chosen. */
function levels({ units }, unit, role) {
  const alike = Object.values(units).filter((each) => each.side === unit.side && unitId(each) === unitId(unit));
  const option = (each) => ({
    do: `choose ${role} ${each.key}`,
    label: capital(each.level),
    beside: each.points === null ? "" : `${each.points} pt`,
    on: each.key === unit.key,
  });
  return chips(`${unit.name}: level`, alike.map(option), true);
}

function notModelled(...units) {
  return units
    .filter((unit) => unit.notModelled.length)
    .map((unit) => `Not modelled of ${unit.name}: ${unit.notModelled.join(", ")}.`);
}

/** A row, a quality or a rule makes some conditions possible. */
function isPossible({ needs, side }, { one, other, chosen }) {
  if (!needs) return true;
  const of = side === "target" ? other : one;
  return [...of.rules, ...(chosen?.row.qualities ?? [])].some((each) => each.split(" (")[0] === needs);
}

/** Distance, row and conditions. */
function how(about) {
  const { page, state, one, other, chosen } = about;
  const reach = chosen ? ` · ${chosen.row.name} ${chosen.row.reach}` : "";
  const distance = page.conditions.find(({ name }) => name === "distance");
  const value = state.conditions.distance ?? page.usual.distance;
  return h(
    "section.sheet.how",
    { "data-key": "how", "aria-label": "Conditions" },
    slider({
      name: "distance",
      label: `${capital(distance.label)}${reach}`,
      value,
      least: 0,
      most: Math.max(one.farthest, value),
      step: 1,
      shown: `${value}″`,
    }),
    page.kind === "calculator" && [levels(about, one, "attackers"), levels(about, other, "targets")],
    rowChips(about),
    [one, other].map((unit, place) => [
      group(about, "attack", place ? "target" : "attacker", true),
      damage(state, unit),
    ]),
    h(
      "details",
      { "data-key": "seldom" },
      h("summary", {}, page.words.more),
      h("div.how", {}, group(about, "attack", "attacker"), group(about, "attack", "target")),
    ),
  );
}

/** The rows that fire at such a target at all, if there is a choice. */
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

function damage(state, unit) {
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

/** The main answer: the chance, bars and figures of one row. */
function answerOf({ page, other, rows, chosen, state }) {
  if (!chosen) return { why: page.words.noRows };
  const { row, answer: found } = chosen;
  if (found.why) {
    const told = state.row === row.id || !found.refused ? [chosen] : rows;
    return {
      why: page.words.noAttack,
      reasons: told.map((each) => (each.answer.refused ? `${each.row.name}: ${each.answer.why}.` : each.answer.why)),
    };
  }
  const dice = `${found.dice} ${found.dice === 1 ? "die" : "dice"}`;
  return {
    chance: found[page.chance],
    sentence: page.words.sentence,
    pool: `${row.name}: ${dice}, ${page.layout.ratings[found.rating]}, DEFENCE ${found.defence}`,
    atLeast: found.at_least,
    lossesLabel: page.words.losses,
    figures: figuresOf(page, found, other),
  };
}

function figuresOf(page, found, other) {
  const shows = (each) => (each.always ? !Number.isNaN(found[each.name]) : found[each.name] > 0);
  return page.figures.filter(shows).map(({ name, label, isMean, of }) => ({
    label,
    value: isMean ? tenths(found[name]) : percent(found[name]),
    of: of && other[of] !== null ? `of ${other[of]}` : "",
  }));
}

function further(about) {
  const { one, other } = about;
  return h(
    "div.more",
    { "data-key": "more" },
    combat(about, "charge"),
    combat(about, "duel"),
    back(about, other, one),
    bestRows(about),
    bestTargets(about),
  );
}

/** The enemy's answer. */
function back({ page, answers }, one, other) {
  const found = answers.best(one.key, other.key);
  const heading = `If ${one.name} shoots back`;
  if (!found || found.why) return contest({ key: "back", heading, why: found && capital(found.why), waits: !found });
  const sentence = h(
    "p.line",
    {},
    h("b.middling", {}, percent(found[page.chance])),
    h("span", {}, page.words.sentenceBack),
  );
  return h(
    "section.sheet",
    { "data-key": "back", "aria-label": heading },
    h("h3", {}, heading),
    sentence,
    figures(figuresOf(page, found, other)),
  );
}

/** A charge or a duel, with the conditions that are its own. */
function combat(about, kind) {
  const { page, answers, one, other } = about;
  const sides = { attacker: one, target: other };
  const { heading, about: said, shares } = page.combats[kind];
  const found = answers.combat(kind, one.key, other.key);
  const own = h(
    "details",
    { "data-key": `of ${kind}` },
    h("summary", {}, page.words.more),
    ["attacker", "target"].map((role) => group(about, kind, role)),
  );
  if (!found || found.why)
    return contest({ key: kind, heading, about: said, why: found && `${capital(found.why)}.`, waits: !found, own });
  const outcome =
    (side) =>
    ({ name, isMean, of }) => {
      if (Number.isNaN(found[side][name])) return "–";
      return `${isMean ? tenths(found[side][name]) : percent(found[side][name])}${of ? ` of ${sides[side][of]}` : ""}`;
    };
  return contest({
    key: kind,
    heading,
    about: said,
    shares: shares
      .map(({ name, label, look }) => ({ p: found[name], label, look }))
      .filter(({ p, look }) => p > 0 || look !== "gone"),
    columns: page.outcomes.map(({ label }) => label),
    rows: Object.entries(sides).map(([side, { name }]) => ({ name, cells: page.outcomes.map(outcome(side)) })),
    own,
  });
}

/** The conditions of a panel that are about one of the units. */
function group(about, panel, role, often = false) {
  const { page, state, one, other } = about;
  const unit = role === "attacker" ? one : other;
  const here = page.conditions.filter(
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
  const numbers = here.filter((each) => each.kind !== "flag" && optionsOf(page, each, unit)?.length !== 1).map(control);
  return [
    chips(unit.name, here.filter((each) => each.kind === "flag").map(chip)),
    numbers.length > 0 && h("div.numbers", { role: "group", "aria-label": unit.name }, numbers),
  ];
}

/** The values of a condition that is chosen from a list: words, or rows of the unit; undefined for a number. */
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

function bestRows({ page, one, rows, chosen }) {
  const able = rows.filter(({ answer: found }) => !page.never.includes(found.refused));
  if (!able.length) return null;
  const line = ({ row, answer: found }) => ({
    do: `row ${row.id}`,
    on: row.id === chosen.row.id,
    name: row.name,
    beside: found.why ?? row.reach,
    points: found.why ? "" : `${tenths(found.mean_models_destroyed)} models`,
    chance: found.why ? "–" : percent(found[page.chance]),
  });
  return ranking({ key: "rows", heading: `Best row of ${one.name}`, about: page.words.rows, rows: able.map(line) });
}

function bestTargets({ page, state, units, answers, one }) {
  const enemies = Object.values(units).filter((unit) => unit.side !== one.side);
  if (page.kind !== "table" || enemies.length < 2) return null;
  const known = enemies.map((unit) => ({ unit, found: answers.best(one.key, unit.key) }));
  const heading = `Best target of ${one.name}`;
  if (known.some(({ found }) => !found)) return ranking({ key: "best", heading, waits: true, rows: [] });
  const able = known.filter(({ found }) => !found.why).sort((a, b) => (b.found.points || 0) - (a.found.points || 0));
  const line = ({ unit, found }) => ({
    do: `choose targets ${unit.key}`,
    on: unit.key === state.target,
    name: unit.name,
    beside: unit.level,
    points: Number.isNaN(found.points) ? "" : `${tenths(found.points)} pt`,
    chance: percent(found[page.chance]),
  });
  return ranking({ key: "best", heading, about: page.words.best, rows: able.slice(0, MOST_LISTED).map(line) });
}
