/** Content of each panel, from the state of the page and the answers. */

import { h } from "./dom.js";
import { answer, cards, contest, figures, notes, pairs, ranking, sides, table, top } from "./view.js";
import { conditionControls, conditionGroup, distanceSlider, unitId } from "./conditions.js";
import { withChanges } from "./edits.js";
import { capital, hasWords, percent, tenths, wordsOf } from "./words.js";
import { workshop } from "./workshop.js";

const MOST_LISTED = 6;

/** All units by key (`side.place`): the units of the page, then the units that the reader has made. */
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
        ...withChanges(found[from], changes, page.edits),
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

export function pageContent(all) {
  const { page, state, game, view, message, isNarrow } = all;
  const shows = (panel) => !isNarrow || view === panel;
  return [
    top({
      title: page.title,
      below: page.words.exact,
      message,
      back: state.attacker ? "Back" : "",
      undo: game.past.at(-1)?.label ?? "",
      mini: shortAnswer(all),
    }),
    h(
      "main",
      {},
      shows("attackers") && unitList(all, "attackers"),
      shows("fight") && fight(all),
      shows("targets") && unitList(all, "targets"),
    ),
  ];
}

/** The answer in one line, shown when the reader has scrolled past the answer. */
function shortAnswer({ page, state, answers, view }) {
  if (view !== "fight" || !state.attacker || !state.target) return "";
  const rows = answers.rows(state.attacker, state.target);
  const found = (rows.find(({ row }) => row.id === state.row) ?? rows[0])?.answer;
  return found && !found.why ? `${percent(found[page.chance])} ${page.words.sentence}` : "";
}

/** The units that can be chosen for a role. */
function unitList(all, role) {
  const { page, state, units, searched } = all;
  const isTable = page.kind === "table";
  const own = state.attacker ? Number(state.attacker[0]) : 0;
  const side = role === "attackers" ? own : 1 - own;
  const words = wordsOf(searched[role]);
  const fits = (unit) => unit.side === side && hasWords(unit.words, words);
  const chosen = role === "attackers" ? state.attacker : state.target;
  const here = Object.values(units).filter(fits);
  const hint =
    role === "attackers"
      ? page.words.whoAttacks
      : state.attacker
        ? `${units[state.attacker].name} ${page.words.taken}`
        : page.words.whoIsAttacked;
  return cards({
    role,
    heading: isTable ? page.sides[side].name : role === "attackers" ? "Attacker" : "Target",
    hint,
    renew: role === "attackers" && Object.keys(state.units).length > 0 && page.words.newGame,
    round: isTable && role === "attackers" ? state.round : 0,
    search: isTable ? undefined : searched[role],
    chosen,
    control: all.isNarrow && role === "targets" && state.attacker && distanceSlider(all, units[state.attacker]),
    units: bestFirst((isTable ? here : oneLevelOf(here, chosen)).map((unit) => cardOf(all, unit, role))),
  });
}

/** The cards by points lost, most first, when all are known. */
function bestFirst(made) {
  if (made.some(({ chance }) => chance === undefined)) return made;
  return made.sort((one, other) => (other.points ?? -1) - (one.points ?? -1));
}

/** One loadout of each unit: the chosen one, or else the first. */
function oneLevelOf(units, chosen) {
  const found = new Map();
  for (const unit of units) if (!found.has(unitId(unit)) || unit.key === chosen) found.set(unitId(unit), unit);
  return [...found.values()];
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
    facts: page.kind === "calculator" ? (unit.points === null ? unit.level : `${unit.level} · ${unit.points} pt`) : left,
  };
  if (role !== "targets" || !state.attacker) return card;
  const best = answers.best(state.attacker, unit.key);
  if (!best) return card;
  if (best.why) return { ...card, chance: null, about: page.words.chance };
  const points = best.points || 0;
  const take = Number.isNaN(best.points) ? "" : `${best.points.toFixed(0)} pt`;
  return { ...card, chance: best[page.chance], about: page.words.chance, share: best.mean_share_lost, points, take };
}

function fight(all) {
  const { page, state, units, answers } = all;
  const [one, other] = [units[state.attacker], units[state.target]];
  const panel = (...children) =>
    h("section.panel.fight", { "data-key": "fight", "aria-label": "The fight" }, ...children);
  if (!one || !other)
    return panel(h("p.sheet.empty", {}, page.words.choose), page.kind === "table" && everyPair(all));
  const rows = answers.rows(one.key, other.key);
  const chosen = rows.find(({ row }) => row.id === state.row) ?? rows[0];
  const about = { ...all, one, other, rows, chosen };
  return panel(
    h("h2.unseen", {}, `${one.name} on ${other.name}`),
    sides({ attackers: sideOf(all, one), targets: sideOf(all, other) }, distanceSlider(all, one, chosen?.row)),
    answer(mainAnswer(about)),
    ...rulesLines("House rules", "houseRules", one, other).map((line) => h("p.small", {}, line)),
    shootOrCharge(about),
    conditionControls(about),
    best(about, "attackers"),
    page.kind === "calculator" && h("div.more", { "data-key": "workshop" }, workshop(about)),
    furtherPanels(about),
    notes([...page.notes, ...rulesLines("Not modelled", "notModelled", one, other)]),
  );
}

/** Table of every unit against every enemy: expected points destroyed by its best attack. */
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

/** Shooting compared with charging: expected points that each side loses, also by the enemy's return fire. */
function shootOrCharge({ page, state, answers, one, other, chosen }) {
  const { words } = page;
  const [charge, shots] = [answers.charge(one.key, other.key), answers.best(other.key, one.key)];
  const text = (found, points) => (!found || found.why || Number.isNaN(points) ? "–" : tenths(points));
  const shot = chosen?.answer;
  const rows = [
    { name: words.shoot, cells: [text(shot, shot?.points), text(shot, (shot?.mean_attacker_models_destroyed / one.models) * (one.points ?? NaN))] },
    { name: `${words.charge} ${one.chargeReach}`, cells: [text(charge, charge?.target?.points), text(charge, charge?.attacker?.points)] },
    { name: words.answer, cells: ["", text(shots, shots?.points)] },
  ];
  return h(
    "section.sheet.ways",
    { "data-key": "ways", "aria-label": words.ways },
    h("h3", {}, words.ways),
    table([other, one].map(({ name }) => name), rows, words.pointsLost),
    h("p.small", {}, outOfReach({ page, state }, one) || words.waysAbout),
  );
}

/** A sentence if the target is too far away for a charge of the unit, else an empty text. */
function outOfReach({ page, state }, unit) {
  const distance = state.conditions.distance ?? page.usual.distance;
  return distance > unit.chargeInches ? `${page.words.outOfReach} ${distance}″ > ${unit.chargeInches}″.` : "";
}

/** A line for each unit that has rules of this kind, with their names. */
function rulesLines(title, kind, ...units) {
  return units.filter((unit) => unit[kind].length).map((unit) => `${title} of ${unit.name}: ${unit[kind].join(", ")}.`);
}

/** The main answer: probability, bars and figures of the chosen row. */
function mainAnswer({ page, one, other, rows, chosen, state }) {
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
    set: conditionsSet({ page, state }, one, other),
    atLeast: found.at_least,
    lossesLabel: page.words.losses,
    figures: figuresOf(page, state, found, other),
  };
}

/** The conditions that are set, in words. */
function conditionsSet({ page, state }, one, other) {
  const standing = { fight: state.conditions, attacker: state.units[one.key] ?? {}, target: state.units[other.key] ?? {} };
  const set = page.conditions.filter(({ side, name, panel }) => panel === "attack" && name !== "distance" && standing[side][name]);
  return set.map(({ side, label }) => (side === "target" ? `${page.words.target} ${label}` : label)).join(", ");
}

function figuresOf(page, state, found, other) {
  const standing = state.units[other.key] ?? {};
  const models = standing.models ?? other.models;
  const wholes = { models, points: models < other.models || standing.damage ? null : other.points };
  const shows = (each) => (each.always ? !Number.isNaN(found[each.name]) : found[each.name] > 0);
  return page.figures.filter(shows).map(({ name, label, isMean, of }) => ({
    label,
    value: isMean ? tenths(found[name]) : percent(found[name]),
    of: of && wholes[of] !== null ? `of ${wholes[of]}` : "",
  }));
}

function furtherPanels(about) {
  const { one, other } = about;
  return h(
    "div.more",
    { "data-key": "more" },
    combat(about, "charge"),
    combat(about, "duel"),
    returnFire(about, other, one),
    bestRows(about),
    best(about, "targets"),
  );
}

/** The enemy's return fire. */
function returnFire({ page, state, answers }, one, other) {
  const found = answers.best(one.key, other.key);
  const heading = `${page.words.returnFire} ${one.name}`;
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
    figures(figuresOf(page, state, found, other)),
  );
}

/** A charge or a duel, with the conditions that apply only to it. */
function combat(about, kind) {
  const { page, state, answers, one, other } = about;
  const sides = { attacker: one, target: other };
  const { heading, about: said, shares } = page.combats[kind];
  const found = answers[kind](one.key, other.key);
  const far = kind === "charge" && outOfReach({ page, state }, one);
  const own = h(
    "details",
    { "data-key": `of ${kind}` },
    h("summary", {}, page.words.more),
    ["attacker", "target"].map((role) => conditionGroup(about, kind, role)),
  );
  if (!found || found.why)
    return contest({ key: kind, heading, about: said, why: found && `${capital(found.why)}.`, waits: !found, own });
  const outcome =
    (side) =>
    ({ name, isMean, of }) => {
      if (Number.isNaN(found[side][name])) return "–";
      const isWhole = !Object.keys(state.units[sides[side].key] ?? {}).some((each) => page.lossStates.includes(each));
      const text = isMean ? tenths(found[side][name]) : percent(found[side][name]);
      return of && isWhole ? `${text} of ${sides[side][of]}` : text;
    };
  return contest({
    key: kind,
    heading,
    about: found.rounds ? [`${said} ${found.rounds.length}.`, ...worthless(page, one, other)].join(" ") : far || said,
    isFar: Boolean(far),
    shares: shares
      .map(({ name, label, look }) => ({ p: found[name], label, look }))
      .filter(({ p, look }) => p > 0 || look !== "gone"),
    columns: page.outcomes.map(({ label }) => label),
    rows: Object.entries(sides).map(([side, { name }]) => ({ name, cells: page.outcomes.map(outcome(side)) })),
    own,
  });
}

/** A sentence for each unit whose removal is worth no victory points. */
function worthless(page, ...units) {
  return units.filter((unit) => unit.numbers.victory_points === 0).map((unit) => `${unit.name} ${page.words.worthless}`);
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

/** The best targets of the attacker, or the best attackers of the target, by expected points destroyed. */
function best({ page, state, units, answers, one, other }, role) {
  const isTarget = role === "targets";
  const here = Object.values(units).filter((unit) => unit.side === (isTarget ? other : one).side);
  if (page.kind !== "table" || here.length < 2) return null;
  const pair = (unit) => (isTarget ? [one.key, unit.key] : [unit.key, other.key]);
  const known = here.map((unit) => ({ unit, found: answers.best(...pair(unit)) }));
  const [key, heading, about] = isTarget
    ? ["best", `Best target of ${one.name}`, page.words.best]
    : ["shooters", `Who shoots ${other.name} best?`, page.words.shooters];
  if (known.some(({ found }) => !found)) return ranking({ key, heading, waits: true, rows: [] });
  const able = known.filter(({ found }) => !found.why).sort((a, b) => (b.found.points || 0) - (a.found.points || 0));
  const line = ({ unit, found }) => ({
    do: `choose ${role} ${unit.key}`,
    on: unit.key === state[isTarget ? "target" : "attacker"],
    name: unit.name,
    beside: isTarget ? unit.level : answers.rows(...pair(unit))[0].row.name,
    points: Number.isNaN(found.points) ? "" : `${tenths(found.points)} pt`,
    chance: percent(found[page.chance]),
  });
  return ranking({ key, heading, about, rows: able.slice(0, MOST_LISTED).map(line) });
}
