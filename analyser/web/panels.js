/** Panels of the page: two lists of units, and the fight between. */

import { h } from "./dom.js";
import { conditionControls, conditionGroup, distanceOf, distanceSlider, unitId } from "./conditions.js";
import { allowedChanges, withChanges } from "./edits.js";
import { figures, folded, icon, ranking, stepper, table, titled, valueText, waiting, width } from "./elements.js";
import { NO_ROWS, NO_UNIT, OWN } from "./state.js";
import { capital, hasWords, percent, sentence, tenths, wordsOf } from "./words.js";
import { workshop } from "./workshop.js";

const MOST_LISTED = 6;
const CHANCE = "Chance that the best row removes it: destroyed, broken or fled";
const REMOVED = "to remove them: destroyed, broken or fled";
const SHOOTS = "shoots with its best row: points destroyed on average, most first, and the chance to remove the unit";
const CELLS = "Expected points destroyed by the best row; the stronger the colour, the larger the share of the enemy. Distance:";

/** All units by key (`side.index`): the units of the page, then the units that the reader has made. */
export function unitsOf(page, own) {
  const result = {};
  page.sides.forEach((side, number) =>
    side.units.forEach(({ unit, name }, place) => {
      const key = `${number}.${place}`;
      result[key] = { ...page.units[unit], name, key, side: number };
    }),
  );
  own.forEach(({ from, name, changes: stated }, place) => {
    if (!result[from]) return;
    const changes = allowedChanges(stated, result[from], page.edits, page.layout.none);
    page.sides.forEach(({ units }, side) => {
      const key = `${side}.${units.length + place}`;
      const words = `${name} ${OWN} ${result[from].words}`.toLowerCase();
      const made = { name, words, key, side, from: `${side}${from.slice(1)}`, changes, level: OWN };
      result[key] = { ...withChanges(result[from], changes, page.edits), ...made };
    });
  });
  return result;
}

export function pageContent(all) {
  const { view, isNarrow } = all;
  const shows = (panel) => !isNarrow || view === panel;
  const lists = ["attackers", "targets"].map((role) => shows(role) && unitList(all, role));
  return [topBar(all), h("main", {}, lists[0], shows("fight") && fight(all), lists[1])];
}

function topBar({ page, state, answers, game, view, message }) {
  const undo = game.past.at(-1)?.label ?? "";
  const isFight = view === "fight" && state.attacker && state.target;
  const shot = isFight && chosenOf(answers.rows(state.attacker, state.target), state)?.answer;
  const short = shot && !shot.why && `${percent(shot[page.chance])} ${REMOVED}`; // shown once scrolled
  return h(
    "header.top",
    { "data-key": "top" },
    state.attacker && h("button.tool.back", { "data-do": "back", "aria-label": "Back" }, icon("M15 5l-7 7 7 7")),
    h("h1", {}, page.title, h("small", {}, "Exact odds, computed on this device")),
    h("p.mini", { "aria-hidden": "true" }, short),
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

/** The chosen row with its attack, or else the best row. */
const chosenOf = (rows, state) => rows.find(({ row }) => row.id === state.row) ?? rows[0];

/** The units that can be chosen for a role; once all attacks are computed, targets that lose most points come first. */
function unitList(all, role) {
  const { page, state, units, answers, searched, isNarrow } = all;
  const isTable = page.kind === "table";
  const own = state.attacker ? Number(state.attacker[0]) : 0;
  const side = role === "attackers" ? own : 1 - own;
  const attacker = role === "targets" && units[state.attacker];
  const chosen = role === "attackers" ? state.attacker : state.target;
  const words = wordsOf(searched[role]);
  const here = Object.values(units).filter((unit) => unit.side === side && hasWords(unit.words, words));
  const bestOn = attacker ? (unit) => answers.best(attacker.key, unit.key) : () => undefined;
  const listed = (isTable ? here : oneLevelOf(here, chosen)).map((unit) => ({ unit, best: bestOn(unit) }));
  const lost = ({ best }) => (best.why ? -1 : best.points || 0);
  if (listed.every(({ best }) => best)) listed.sort((one, other) => lost(other) - lost(one));
  const heading = isTable ? page.sides[side].name : capital(role.slice(0, -1));
  const question = role === "attackers" ? "Who attacks?" : "Who is attacked?";
  const hint = attacker ? `${attacker.name} ${SHOOTS}` : question;
  return h(
    `section.panel.${role}`,
    { "data-key": role, tabindex: -1, "aria-label": heading },
    h(
      "header",
      {},
      h("div", {}, h("h2", {}, heading), h("p.small", {}, hint)),
      isTable && role === "attackers" && roundButton(state.round),
    ),
    !isTable && searchBox(searched[role], role, heading),
    isNarrow && attacker && distanceSlider(all, attacker),
    h(
      `ul.cards${listed.some(({ best }) => best) ? ".rated" : ""}`,
      {},
      listed.map(({ unit, best }) => h("li", { "data-key": unit.key }, card(all, unit, best, role, unit.key === chosen))),
    ),
    role === "attackers" &&
      Object.keys(state.units).length > 0 &&
      h("button.chip", { "data-do": "renew" }, "New game"),
    !listed.length && h("p.empty", {}, NO_UNIT),
  );
}

function roundButton(round) {
  const label = `Round ${round}. Begin the next round`;
  return h("button.tool", { "data-do": "round", "aria-label": label }, `End round ${round}`, icon("M9 5l7 7-7 7"));
}

function searchBox(value, role, heading) {
  const label = { placeholder: "Search units", "aria-label": `Search: ${heading}` };
  return h("input.search", { type: "search", value, "data-set": `search ${role}`, ...label });
}

/** One loadout of each unit: the chosen loadout, or else the first. */
function oneLevelOf(units, chosen) {
  const result = new Map();
  for (const unit of units) if (!result.has(unitId(unit)) || unit.key === chosen) result.set(unitId(unit), unit);
  return [...result.values()];
}

/** A unit as a card, with the `best` attack on it, if it is known. */
function card({ page, state }, unit, best, role, isChosen) {
  const standing = state.units[unit.key] ?? {};
  const models = standing.models ?? unit.models;
  const states = page.conditions.filter(({ name, kind }) => kind === "flag" && standing[name]).map(({ label }) => label);
  const left = `${models === unit.models ? models : `${models} of ${unit.models}`} ${unit.models === 1 ? "model" : "models"}`;
  const worth = unit.points === null ? unit.level : `${unit.level} · ${unit.points} pt`;
  const [below, facts] = page.kind === "table" ? [worth, left] : [`${unit.faction} · ${unit.type}`, worth];
  const chance = best && (best.why ? "–" : percent(best[page.chance]));
  return h(
    `button.card${models ? "" : ".gone"}`,
    { "data-do": `choose ${role} ${unit.key}`, "aria-pressed": String(isChosen) },
    h("b", {}, unit.name),
    h("span.small", {}, below, " ", [...new Set(states)].map((each) => [h("span.is", {}, each), " "])),
    h("span.facts", {}, h("span.small", {}, facts)),
    best &&
      h(
        "span.odds",
        { title: CHANCE },
        !best.why && !Number.isNaN(best.points) && h("strong", {}, `${best.points.toFixed(0)} pt`),
        h("span.chance", {}, chance, h("span.unseen", {}, ` ${CHANCE}`)),
      ),
    best && !best.why && h("i.gauge", { style: width(best.mean_share_lost), "aria-hidden": "true" }),
  );
}

function fight(all) {
  const { page, state, units, answers } = all;
  const [one, other] = [units[state.attacker], units[state.target]];
  const panel = (...parts) => h("section.panel.fight", { "data-key": "fight", tabindex: -1, "aria-label": "The fight" }, parts);
  const choose = h("p.sheet.empty", {}, "Choose a unit, then an enemy.");
  if (!one || !other) return panel(choose, page.kind === "table" && everyPair(all));
  const rows = answers.rows(one.key, other.key);
  const about = { ...all, one, other, rows, chosen: chosenOf(rows, state) };
  return panel(
    h("h2.unseen", {}, `${one.name} on ${other.name}`),
    bothSides(about),
    h("section.sheet.answer", { "data-key": "answer", "aria-label": "Answer" }, mainAnswer(about)),
    ...rulesLines("House rules", "houseRules", one, other).map((line) => h("p.small", {}, line)),
    shootOrCharge(about),
    conditionControls(about),
    bestPairs(about, "attackers"),
    page.kind === "calculator" && h("div.more", { "data-key": "workshop" }, workshop(about)),
    h(
      "div.more",
      { "data-key": "more" },
      combat(about, "charge"),
      combat(about, "duel"),
      returnFire(about, other, one),
      bestPairs(about, "targets"),
    ),
    notes([...page.notes, ...rulesLines("Not modelled", "notModelled", one, other)]),
  );
}

/** Table of every unit against every enemy: expected points destroyed by its best attack. */
function everyPair({ page, state, units, answers }) {
  const side = state.attacker ? Number(state.attacker[0]) : 0;
  const [mine, yours] = [side, 1 - side].map((number) => Object.values(units).filter((unit) => unit.side === number));
  const cell = (one, other) => {
    const answer = answers.best(one.key, other.key);
    const [share, title] = [answer?.mean_share_lost ?? 0, `${one.name} on ${other.name}`];
    const text = !answer ? "" : answer.why ? "–" : Number.isNaN(answer.points) ? percent(share) : answer.points.toFixed(0);
    const label = `${title}: ${!answer || answer.why ? "No attack" : text}`;
    const act = { "data-do": `fight ${one.key} ${other.key}`, title, "aria-label": label };
    return h("button.cell", { ...act, style: `--shade:${(45 * share).toFixed(1)}%` }, text);
  };
  const rows = mine.map((one) => ({ name: one.name, cells: yours.map((other) => cell(one, other)) }));
  const heads = yours.map(({ name }) => h("span", {}, name));
  return h(
    "div.sheet.pairs",
    { "data-key": "pairs" },
    h("h3", {}, "Every unit against every enemy"),
    h("p.small", {}, `${CELLS} ${distanceOf({ page, state })}″`),
    h("div.scrolls", { tabindex: "0", role: "region", "aria-label": "Every unit against every enemy" }, table(heads, rows)),
  );
}

function bothSides(about) {
  const { state, one, other, chosen } = about;
  const side = (unit, role) => {
    const models = state.units[unit.key]?.models ?? unit.models;
    const text = h("span.small", {}, `${role} · ${unit.level}`);
    return h(
      "div.side",
      { "data-key": role },
      h("button", { "data-do": `view ${role.toLowerCase()}s` }, h("b", {}, unit.name), text),
      stepper(`${unit.key} models`, `Models of ${unit.name}`, models, 0, unit.models),
    );
  };
  return h(
    "div.sheet.sides",
    { "data-key": "sides" },
    side(one, "Attacker"),
    side(other, "Target"),
    distanceSlider(about, one, chosen?.row),
    h(
      "button.tool.swap",
      { "data-do": "swap", "aria-label": "Change sides: let the target attack" },
      icon("M7 4v16M7 20l-4-4M7 20l4-4M17 20V4M17 4l-4 4M17 4l4 4"),
    ),
  );
}

/** The main answer: probability, bars and figures of the chosen row, or why there is no attack. */
function mainAnswer({ page, one, other, rows, chosen, state }) {
  if (!chosen) return h("p.why", { "aria-live": "polite" }, sentence(NO_ROWS));
  const { row, answer } = chosen;
  if (answer.why) {
    const told = state.row === row.id || !answer.refused ? [chosen] : rows;
    const reasons = told.map(({ row: { name }, answer: { refused, why } }) => (refused ? `${name}: ${why}.` : sentence(why)));
    const list = h("ul", {}, [...new Set(reasons)].map((each) => h("li", {}, each)));
    return [h("p.why", { "aria-live": "polite" }, "No attack"), list];
  }
  const dice = `${answer.dice} ${answer.dice === 1 ? "die" : "dice"}`;
  const set = conditionsSet({ page, state }, one, other);
  return [
    h(
      "p.big",
      { "aria-live": "polite", "aria-atomic": "true" },
      h("strong", {}, percent(answer[page.chance])),
      " ",
      h("span", {}, REMOVED),
    ),
    h(
      "p.small.pool",
      {},
      `${row.name}: ${dice}, ${page.layout.ratings[answer.rating]}, DEFENCE ${answer.defence}`,
      set && h("b", {}, ` · ${set}`),
    ),
    h("ul.bars", { "aria-label": "Probability that at least this many models are destroyed" }, bars(answer.at_least)),
    figures(page, state, answer, other),
  ];
}

const NEGLIGIBLE = 0.005;
const MOST_BARS = 5;

/** A bar for each number of models whose probability is large enough to see. */
function bars(atLeast) {
  const all = atLeast.length - 1;
  const seen = atLeast.map((p, models) => ({ p, models })).filter(({ p, models }) => models === 1 || (models && p >= NEGLIGIBLE));
  const step = Math.ceil(seen.length / MOST_BARS);
  return seen
    .filter(({ models }) => models === seen.length || (models - 1) % step === 0)
    .map(({ p, models }) =>
      h(
        "li",
        { "data-key": models },
        h("span", {}, models === all ? `all ${models}` : `${models}+ ${models === 1 ? "model" : "models"}`),
        h("span.bar", { "aria-hidden": "true" }, h("i", { style: width(p) })),
        h("span.n", {}, percent(p)),
      ),
    );
}

/** The conditions that are set, in words. */
function conditionsSet({ page, state }, one, other) {
  const standing = { fight: state.conditions, attacker: state.units[one.key] ?? {}, target: state.units[other.key] ?? {} };
  const set = page.conditions.filter(({ side, name, panel }) => panel === "attack" && name !== "distance" && standing[side][name]);
  return set.map(({ side, label }) => (side === "target" ? `target ${label}` : label)).join(", ");
}

/** A line for each unit that has rules of this kind, with their names. */
function rulesLines(title, kind, ...units) {
  return units.filter((unit) => unit[kind].length).map((unit) => `${title} of ${unit.name}: ${unit[kind].join(", ")}.`);
}

/** Shooting compared with charging: expected points that each side loses, also by the enemy's return fire. */
function shootOrCharge(about) {
  const { page, answers, one, other, chosen } = about;
  const [charge, back] = [answers.charge(one.key, other.key), answers.best(other.key, one.key)];
  const text = (answer, points) => (!answer || answer.why || Number.isNaN(points) ? "–" : tenths(points));
  const shot = chosen?.answer;
  const own = (shot?.mean_attacker_models_destroyed / one.models) * (one.points ?? NaN);
  const both = [text(charge, charge?.target?.points), text(charge, charge?.attacker?.points)];
  const rows = [
    { name: "Shoot", cells: [text(shot, shot?.points), text(shot, own)] },
    { name: `Charge ${one.chargeReach}`, cells: both },
    { name: "If the target shoots", cells: ["", text(back, back?.points)] },
  ];
  const isKnown = rows.some(({ cells }) => cells.some((cell) => /\d/.test(cell)));
  const note = charge?.why ? "On average." : outOfReach(about) || "On average; a charge needs its reach.";
  return h(
    "section.sheet.ways",
    { "data-key": "ways", "aria-label": "Shoot or charge?" },
    h("h3", {}, "Shoot or charge?"),
    table([other.name, one.name], rows, "Points lost"),
    isKnown && h("p.small", {}, note),
  );
}

/** A sentence if the target is too far away for a charge, else an empty text. */
function outOfReach({ page, state, one }) {
  const distance = distanceOf({ page, state });
  return distance > one.chargeInches ? `Out of reach of a charge: ${distance}″ > ${one.chargeInches}″.` : "";
}

/** The enemy's return fire. */
function returnFire({ page, state, answers }, one, other) {
  const answer = answers.best(one.key, other.key);
  const heading = `Return fire of ${one.name}`;
  if (!answer || answer.why) return titled("back", heading, answer ? h("p", {}, sentence(answer.why)) : waiting());
  const chance = h("b.middling", {}, percent(answer[page.chance]));
  const line = h("p.line", {}, chance, h("span", {}, "to remove you"));
  return titled("back", heading, line, figures(page, state, answer, other));
}

/** A charge or a duel: shares of wins and draws on a bar, both sides' losses, and its own conditions. */
function combat(about, kind) {
  const { page, state, answers, one, other } = about;
  const { heading, about: said } = page.combats[kind];
  const answer = answers[kind](one.key, other.key);
  const far = kind === "charge" && outOfReach(about);
  const groups = ["attacker", "target"].map((role) => conditionGroup(about, kind, role));
  const own = folded(`of ${kind}`, "More conditions", groups);
  if (!answer) return titled(kind, heading, h("p.small", {}, said), waiting(), own);
  if (answer.why) return titled(kind, heading, h("p", {}, sentence(answer.why)), own);
  const outcome = (side, unit) => ({ name, isMean, of }) => {
    const isWhole = !Object.keys(state.units[unit.key] ?? {}).some((each) => page.lossStates.includes(each));
    const text = valueText(answer[side][name], isMean);
    return of && isWhole && text !== "–" ? `${text} of ${unit[of]}` : text;
  };
  const rows = Object.entries({ attacker: one, target: other }).map(([side, unit]) => ({
    name: unit.name,
    cells: page.outcomes.map(outcome(side, unit)),
  }));
  const worthless = [one, other].filter((unit) => unit.numbers.victory_points === 0);
  const notes = worthless.map((unit) => `${unit.name} is worth no victory points.`);
  const shown = page.shares.filter(({ name, look }) => answer[name] > 0 || look !== "gone");
  const share = ({ name, label }) => h("span", {}, h("b", {}, percent(answer[name])), h("span.small", {}, label));
  return h(
    `section.sheet${far ? ".far" : ""}`,
    { "data-key": kind, "aria-label": heading },
    h("h3", {}, heading),
    h("p.small", {}, answer.rounds ? [`${said} Rounds played: ${answer.rounds.length}.`, ...notes].join(" ") : far || said),
    h("div.stack", { "aria-hidden": "true" }, shown.map(({ name, look }) => h(`i.${look}`, { style: width(answer[name]) }))),
    h("div.three", {}, shown.map(share)),
    table(page.outcomes.map(({ label }) => label), rows),
    own,
  );
}

/** The best targets of the attacker, or the best attackers of the target, by expected points destroyed. */
function bestPairs({ page, state, units, answers, one, other }, role) {
  const isTarget = role === "targets";
  const here = Object.values(units).filter((unit) => unit.side === (isTarget ? other : one).side);
  if (page.kind !== "table" || here.length < 2) return null;
  const pair = (unit) => (isTarget ? [one.key, unit.key] : [unit.key, other.key]);
  const known = here.map((unit) => ({ unit, answer: answers.best(...pair(unit)) }));
  const [key, heading, about] = isTarget
    ? ["best", `Best target of ${one.name}`, "By expected points, each by its best row at this distance"]
    : ["shooters", `Who shoots ${other.name} best?`, "By expected points lost to the best row, at this distance"];
  if (known.some(({ answer }) => !answer)) return titled(key, heading, waiting());
  const able = known.filter(({ answer }) => !answer.why).sort((a, b) => (b.answer.points || 0) - (a.answer.points || 0));
  const line = ({ unit, answer }) => ({
    do: `choose ${role} ${unit.key}`,
    on: unit.key === state[isTarget ? "target" : "attacker"],
    name: unit.name,
    beside: isTarget ? unit.level : answer.row.name,
    points: Number.isNaN(answer.points) ? "" : `${tenths(answer.points)} pt`,
    chance: percent(answer[page.chance]),
  });
  return ranking(key, heading, about, able.slice(0, MOST_LISTED).map(line));
}

function notes(lines) {
  const text = h("div.notes.small", {}, lines.map((line) => h("p", {}, line)));
  return h("details.sheet", { "data-key": "notes" }, h("summary", {}, "What is assumed"), text);
}
