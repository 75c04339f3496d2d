/** The page: reads its data, shows the state, and changes the state when the reader uses a control. */

import { load } from "./packed.js";
import { h, morph } from "./dom.js";
import { Game, OWN, RESTORE, emptyState, fromLink, only, settled, toLink, without } from "./state.js";
import { Answers } from "./answers.js";
import { pageContent, unitsOf } from "./panels.js";
import { hasWords, wordsOf } from "./words.js";
import { loadoutName } from "./workshop.js";

const { engine, ...page } = await load("engine");
page.conditions = page.layout.conditions.filter(({ panel }) => panel);
const place = document.getElementById("page");
const game = new Game(page.id);
const searched = { attackers: "", targets: "", beside: "" }; // `beside`: only words that no unit has
const narrow = matchMedia("(max-width: 62rem)"); // one panel at a time, as in the style sheet
let state = emptyState();
let wantedView = "";
let message = "";
let depth = 0; // steps of this visit that the button Back can undo
const answers = new Answers(engine, page, () => render());
let units = {};

/** The panel that a narrow screen shows: one of the lists, or the fight. */
function viewOf() {
  if (wantedView) return wantedView;
  if (!state.attacker) return "attackers";
  return state.target ? "fight" : "targets";
}

/** Take over a state, without values that its units cannot have. */
function setState(next) {
  units = unitsOf(page, next.own);
  state = settled(next, units, page);
}

function render() {
  answers.setState(state, units);
  const view = viewOf();
  document.title =
    state.attacker && state.target ? `${units[state.attacker].name} on ${units[state.target].name}` : page.title;
  const all = { page, state, units, answers, game, view, searched, message, isNarrow: narrow.matches };
  const hasFocus = document.activeElement !== document.body;
  morph(place, h("div", { id: "page", "data-view": view }, pageContent(all)));
  const isLost = hasFocus && document.activeElement === document.body; // its control is not on the new panel
  if (isLost) place.querySelector(".panel")?.focus({ preventScroll: true });
}

/** Show a short message at the top for two seconds. */
function say(text) {
  message = text;
  render();
  setTimeout(() => {
    message = "";
    render();
  }, 2000);
}

/** Change the state. A change with a `label` can be undone; a step (`isStep`) enters the history of the browser. */
function change(parts, { label = "", isStep = false, view = "" } = {}) {
  setState({ ...state, ...parts });
  wantedView = view;
  const link = toLink(state);
  game.save(link, label);
  try {
    if (isStep) depth += 1;
    history[isStep ? "pushState" : "replaceState"]({ view: wantedView, depth }, "", `#${link}`);
  } catch {
    // a frame that may not change its address
  }
  render();
}

const actions = {
  choose(role, key) {
    const name = role === "attackers" ? "attacker" : "target";
    const isOther = name === "attacker" && key !== state.attacker;
    const parts = { [name]: key, ...(isOther ? { row: "", conditions: shared(state.conditions) } : {}) };
    if (page.kind === "table") {
      const other = name === "attacker" ? "target" : "attacker";
      if (state[other] && state[other][0] === key[0]) parts[other] = "";
    }
    searched.targets = isOther ? "" : searched.targets;
    searched.beside = "";
    change(parts, { isStep: true });
    scrollTo({ top: 0 });
  },
  fight(attacker, target) {
    const conditions = attacker === state.attacker ? state.conditions : shared(state.conditions);
    change({ attacker, target, row: "", conditions }, { isStep: true });
  },
  view(role) {
    change({}, { isStep: true, view: role });
    scrollTo({ top: 0 });
  },
  back() {
    if (depth) history.back();
    else change(viewOf() === "fight" ? { target: "" } : { attacker: "", target: "" });
  },
  swap: () => change({ attacker: state.target, target: state.attacker, row: "", conditions: shared(state.conditions) }),
  row: (id) => change({ row: id }, { label: `${units[state.attacker].name}: row` }),
  toggle(where, name) {
    const was = where === "fight" ? state.conditions[name] : state.units[where]?.[name];
    actions.value(where, name, was ? "" : 1);
  },
  /** Set a condition of the fight or of a unit; an empty value restores the default. */
  value(where, name, text) {
    const value = text === "" ? undefined : Number.isNaN(Number(text)) ? text : Number(text);
    const isOfFight = where === "fight";
    const { label } = page.conditions.find((each) => each.name === name && (each.side === "fight") === isOfFight);
    const said = `${units[isOfFight ? state.attacker : where].name}: ${value === undefined ? "not " : ""}${label}`;
    if (!isOfFight) setUnitCondition(where, name, value, said);
    else change({ conditions: withValue(state.conditions, name, value) }, { label: said });
  },
  step(key, what, by) {
    const unit = units[key];
    const whole = what === "models" ? unit.models : 0;
    const now = (state.units[key]?.[what] ?? whole) + Number(by);
    setUnitCondition(key, what, now === whole ? undefined : now, `${unit.name}: ${now} ${what}`);
  },
  stand(key, what, value) {
    actions.step(key, what, Number(value) - (state.units[key]?.[what] ?? (what === "models" ? units[key].models : 0)));
  },
  renew: () => change({ units: {}, round: 1 }, { label: "new game" }),
  round() {
    const units = Object.entries(state.units).map(([key, each]) => [key, without(each, ...page.eachRound)]);
    const left = Object.fromEntries(units.filter(([, each]) => Object.keys(each).length));
    const round = state.round + 1;
    const parts = { round, units: left, attacker: "", target: "", conditions: shared(state.conditions) };
    change(parts, { label: `round ${round}`, isStep: true });
  },
  /** Change a value of the attacker or the target; a printed unit is first copied, and its copy is changed. */
  edit(role, name, value) {
    if (value === "") return;
    const unit = units[state[role]];
    const changes = { ...unit.changes, [name]: Number(value) };
    const entry = { from: unit.from ?? unit.key, name: unit.from ? unit.name : `${unit.name}, changed`, changes };
    const own = unit.from ? state.own.with(ownPlace(unit), entry) : [...state.own, entry];
    const key = unit.from ? unit.key : `${unit.side}.${page.sides[unit.side].units.length + state.own.length}`;
    const { label } = page.edits.find((each) => each.name === name);
    change({ own, [role]: key }, { label: `${entry.name}: ${label}` });
  },
  called(role, name) {
    const place = ownPlace(units[state[role]]);
    change({ own: state.own.with(place, { ...state.own[place], name: name.trim() || OWN }) });
  },
  restore(role) {
    const unit = units[state[role]];
    const place = unit.key.slice(2);
    const isUsed = ["attacker", "target", "beside"].some((each) => each !== role && state[each].slice(2) === place);
    const own = ownPlace(unit) === state.own.length - 1 && !isUsed ? state.own.slice(0, -1) : state.own;
    change({ [role]: unit.from, own }, { label: RESTORE.toLowerCase() });
  },
  beside(name) {
    const { side } = units[state.attacker];
    const [words, mine] = [wordsOf(name), Object.values(units).filter((unit) => unit.side === side && unit.key !== state.attacker)];
    const named = mine.find((unit) => loadoutName(unit) === name);
    const match = named ?? (words.length ? mine.find((unit) => hasWords(unit.words, words)) : undefined);
    searched.beside = match ? "" : words.join(" ");
    change({ beside: match?.key ?? "" });
  },
  search(role, words) {
    searched[role] = words;
    render();
  },
  undo() {
    const before = game.undo();
    if (before) change(before, { view: wantedView });
  },
  async share() {
    const text = location.href;
    try {
      if (navigator.share) return await navigator.share({ title: document.title, url: text });
      await navigator.clipboard.writeText(text);
      say("Link copied");
    } catch {
      prompt("The link to this", text);
    }
  },
};

/** The conditions that stay when another unit attacks. */
const shared = (values) => only(values, page.shared);

/** Index in `state.own` of a unit that the reader has made. */
const ownPlace = ({ key, side }) => Number(key.slice(2)) - page.sides[side].units.length;

/** An object with a new value; undefined removes the value. */
const withValue = (values, name, value) => ({ ...without(values, name), ...(value === undefined ? {} : { [name]: value }) });

function setUnitCondition(key, name, value, label) {
  const standing = withValue(state.units[key] ?? {}, name, value);
  const others = without(state.units, key);
  change({ units: Object.keys(standing).length ? { ...others, [key]: standing } : others }, { label });
}

// `data-do` of a button and `data-set` of a control name an action and its arguments; a control adds its value.
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-do]");
  if (!button || button.disabled) return;
  const [name, ...details] = button.dataset.do.split(" ");
  actions[name](...details);
});

document.addEventListener("input", ({ target }) => {
  const [name, ...details] = target.dataset.set?.split(" ") ?? [];
  if (name) actions[name](...details, target.value);
});

// A number out of its range is corrected when the reader leaves its box.
document.addEventListener("focusout", ({ target }) => target.dataset.set && render());

addEventListener("popstate", (event) => {
  const there = fromLink(location.hash);
  const { attacker, target, row, beside, conditions } = there;
  depth = event.state?.depth ?? 0;
  // Losses in the game stay, and enter the address.
  const parts = event.state ? { attacker, target, row, beside, conditions } : there;
  change(parts, { view: event.state?.view });
});

function begin() {
  const link = location.hash.slice(1);
  state = fromLink(link || game.link || page.start);
  const other = toLink({ ...fromLink(game.link), attacker: "", target: "", row: "", conditions: {} });
  const isOther = game.link && toLink({ ...state, attacker: "", target: "", row: "", conditions: {} }) !== other;
  if (isOther) game.save(toLink(state), "the game of this link");
  change({});
}

narrow.addEventListener("change", () => render());
addEventListener("scroll", () => document.documentElement.classList.toggle("scrolled", scrollY > 240), { passive: true });

begin();
performance.mark("answered");
for (const card of document.querySelectorAll('.card[aria-pressed="true"]')) card.scrollIntoView({ block: "nearest" });
document.documentElement.classList.add("ready");
