/** The page: reads its data, shows the state, and changes the state when the reader uses a control. */

import { load } from "./packed.js";
import { h, morph } from "./dom.js";
import { Game, emptyState, fromLink, toLink } from "./state.js";
import { Answers } from "./answers.js";
import { pageContent, unitsOf } from "./panels.js";
import { loadoutName } from "./workshop.js";

const { engine, ...page } = await load("engine");
const place = document.getElementById("page");
const game = new Game(page.id);
const conditions = new Map(page.conditions.map((each) => [`${each.side} ${each.name}`, each]));
const searched = { attackers: "", targets: "" };
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

function render() {
  units = unitsOf(page, state.own);
  for (const role of ["attacker", "target", "beside"]) if (!units[state[role]]) state[role] = "";
  answers.setState(state, units);
  const view = viewOf();
  document.title =
    state.attacker && state.target ? `${units[state.attacker].name} on ${units[state.target].name}` : page.title;
  const all = { page, state, units, answers, game, view, searched, message, isNarrow: narrow.matches };
  morph(place, h("div", { id: "page", "data-view": view }, pageContent(all)));
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
  state = { ...state, ...parts };
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
    change(parts, { isStep: true });
    scrollTo({ top: 0 });
  },
  fight(attacker, target) {
    change(
      {
        attacker,
        target,
        row: "",
        conditions: attacker === state.attacker ? state.conditions : shared(state.conditions),
      },
      { isStep: true },
    );
  },
  view(role) {
    change({}, { isStep: true, view: role });
    scrollTo({ top: 0 });
  },
  back() {
    if (depth) history.back();
    else change(viewOf() === "fight" ? { target: "" } : { attacker: "", target: "" });
  },
  swap: () =>
    change({ attacker: state.target, target: state.attacker, row: "", conditions: shared(state.conditions) }),
  row: (id) => change({ row: id }, { label: `${units[state.attacker].name}: ${page.words.row.toLowerCase()}` }),
  toggle(where, name) {
    const was = where === "fight" ? state.conditions[name] : state.units[where]?.[name];
    actions.value(where, name, was ? "" : 1);
  },
  /** Set a condition of the fight or of a unit; an empty value restores the default. */
  value(where, name, value) {
    const isNone = value === "" || value === undefined;
    const [label] = ["fight", "target", "attacker"].flatMap((side) => conditions.get(`${side} ${name}`)?.label ?? []);
    const said = `${isNone ? "not " : ""}${label}`;
    if (where !== "fight") return setUnitCondition(where, name, isNone ? undefined : value, `${units[where].name}: ${said}`);
    const parts = { conditions: { ...without(state.conditions, name), ...(isNone ? {} : { [name]: value }) } };
    return change(parts, { label: `${units[state.attacker].name}: ${said}` });
  },
  number: (name, value) => actions.value("fight", name, Number(value)),
  step(key, what, by) {
    const unit = units[key];
    const whole = what === "models" ? unit.models : 0;
    const now = (state.units[key]?.[what] ?? whole) + Number(by);
    setUnitCondition(key, what, now === whole ? undefined : now, `${unit.name}: ${now} ${what}`);
  },
  stand(key, what, value) {
    actions.step(key, what, value - (state.units[key]?.[what] ?? (what === "models" ? units[key].models : 0)));
  },
  renew: () => change({ units: {}, round: 1 }, { label: page.words.newGame.toLowerCase() }),
  round() {
    const units = Object.entries(state.units).map(([key, each]) => [key, without(each, ...page.eachRound)]);
    const left = Object.fromEntries(units.filter(([, each]) => Object.keys(each).length));
    const round = state.round + 1;
    change(
      { round, units: left, attacker: "", target: "", conditions: shared(state.conditions) },
      { label: `round ${round}`, isStep: true },
    );
  },
  /** Change a value of the attacker or the target; a printed unit is first copied, and its copy is changed. */
  edit(role, name, value) {
    const unit = units[state[role]];
    const side = Number(unit.key[0]);
    const place = Number(unit.key.slice(2)) - page.sides[side].units.length;
    const from = unit.from ?? unit.key;
    const entry = {
      from,
      name: unit.from ? unit.name : `${unit.name}${page.words.changed}`,
      changes: { ...unit.changes, [name]: Number(value) },
    };
    const own = unit.from ? state.own.with(place, entry) : [...state.own, entry];
    const parts = { own, [role]: unit.from ? unit.key : `${side}.${page.sides[side].units.length + state.own.length}` };
    change(parts, { label: `${entry.name}: ${page.edits.find((each) => each.name === name).label}` });
  },
  called(role, name) {
    const unit = units[state[role]];
    const place = Number(unit.key.slice(2)) - page.sides[unit.side].units.length;
    change({ own: state.own.with(place, { ...state.own[place], name: name.trim() || page.words.own }) });
  },
  restore(role) {
    const { key, from, side } = units[state[role]];
    const isLast = Number(key.slice(2)) === page.sides[side].units.length + state.own.length - 1;
    const isUsed = ["attacker", "target", "beside"].some(
      (each) => each !== role && state[each].slice(2) === key.slice(2),
    );
    const own = isLast && !isUsed ? state.own.slice(0, -1) : state.own;
    change({ [role]: from, own }, { label: page.words.restore.toLowerCase() });
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
      say(page.words.copied);
    } catch {
      prompt("The link to this", text);
    }
  },
};

const without = (values, ...names) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** The conditions that stay when another unit attacks. */
const shared = (values) => Object.fromEntries(Object.entries(values).filter(([name]) => page.shared.includes(name)));

/** Set a condition of a unit in the game; undefined removes the condition. */
function setUnitCondition(key, name, value, label) {
  const standing = { ...without(state.units[key] ?? {}, name), ...(value === undefined ? {} : { [name]: value }) };
  const others = without(state.units, key);
  change({ units: Object.keys(standing).length ? { ...others, [key]: standing } : others }, { label });
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest("[data-do]");
  if (!(button instanceof HTMLButtonElement) || button.disabled) return;
  const [name, ...details] = (button.dataset.do ?? "").split(" ");
  actions[name](...details);
});

document.addEventListener("input", (event) => {
  const { target } = event;
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  const { value } = target;
  const [kind, name, ...more] = (target.dataset.set ?? "").split(" ");
  if (kind === "number") actions.number(name, value);
  if (kind === "value")
    actions.value(name, more[0], value === "" || Number.isNaN(Number(value)) ? value : Number(value));
  if (kind === "edit" && value !== "") actions.edit(name, more[0], value);
  if (kind === "stand") actions.stand(name, more[0], Number(value));
  if (kind === "called") actions.called(name, value);
  if (kind === "beside") {
    const { side } = units[state.attacker];
    const found = Object.values(units).find((unit) => unit.side === side && loadoutName(unit) === value);
    if (found || value === "") change({ beside: found?.key ?? "" });
  }
  if (kind === "search") {
    searched[name] = value;
    render();
  }
});

addEventListener("popstate", (event) => {
  const there = fromLink(location.hash);
  const { attacker, target, row, beside } = there;
  state = event.state ? { ...state, attacker, target, row, beside } : there; // losses in the game stay
  wantedView = event.state?.view ?? "";
  depth = event.state?.depth ?? 0;
  game.save(toLink(state));
  render();
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
addEventListener("scroll", () => document.documentElement.classList.toggle("scrolled", scrollY > 240), {
  passive: true,
});

begin();
performance.mark("answered");
for (const card of document.querySelectorAll('.card[aria-pressed="true"]')) card.scrollIntoView({ block: "nearest" });
document.documentElement.classList.add("ready");
