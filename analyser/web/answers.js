/**
 * Questions to the compiled engines and their answers, each computed once for a state of the page.
 *
 * This file has no rules of the game: the engines decide the effect of a condition, and which row may fire.
 */

import { GONE, NO_ROWS, only, toLink } from "./state.js";
import { has, numberOf, ranked, withChanges } from "./edits.js";
import { BackgroundEngine } from "./background.js";

const SLICE = 12; // milliseconds of computing between two frames

export class Answers {
  /** `page` is the data of the page; `changed` is called when pending answers have been computed. */
  constructor(engine, page, changed) {
    this.engine = engine;
    this.background = new BackgroundEngine(engine);
    this.page = page;
    this.changed = changed;
    this.results = new Map();
    this.pending = new Map();
    this.previous = new Map(); // answers for earlier states, shown until new answers are computed
    this.link = "";
  }

  /** Answer questions for this state; pending questions for other states are dropped. */
  setState(state, units) {
    this.state = state;
    this.units = units;
    const link = toLink({ ...state, round: 1, row: "" });
    if (link === this.link) return;
    this.link = link;
    this.previous = new Map([...this.previous, ...this.results]);
    this.results.clear();
    this.pending.clear();
    this.background.stop();
  }

  /** A unit by its key; `0.3+dice` is the unit `0.3` with the value of the edit `dice` raised by 1. */
  unit(key) {
    const [base, name] = key.split("+");
    if (!name) return this.units[base];
    const edit = this.page.edits.find((each) => each.name === name);
    const now = edit.at === "dice" ? 0 : numberOf(this.units[base], edit, this.page.layout.none);
    return withChanges(this.units[base], { [name]: now + 1 }, [edit]);
  }

  /** The conditions of a fight: both units' states, and for the attack on display its chosen conditions. */
  conditions(kind, attacker, target) {
    const { conditions, units } = this.state;
    const [one, other] = [attacker, target].map((key) => key.split("+")[0]);
    const isShown = one === this.state.attacker || one === this.state.beside;
    const fight = isShown ? conditions : only(conditions, this.page.shared);
    const of = { attacker: units[one] ?? {}, target: units[other] ?? {} };
    if (kind === "charge") return { ...fight, distance: undefined, ...of };
    if (kind === "duel") return { ...this.page.usual, ...fight, ...of };
    const states = Object.entries(this.page.ofUnits).map(([name, side]) => [name, of[side][name]]);
    return { ...this.page.usual, ...fight, ...Object.fromEntries(states), ...of };
  }

  #isGone(key) {
    return this.state.units[key.split("+")[0]]?.models === 0;
  }

  #cached(name, compute) {
    if (!this.results.has(name)) this.results.set(name, compute());
    return this.results.get(name);
  }

  /** An answer computed later: until then the previous answer, if any; `changed` is called when it is computed. */
  #later(name, compute) {
    if (this.results.has(name)) return this.results.get(name);
    if (!this.pending.size) setTimeout(() => this.#work());
    this.pending.set(name, compute);
    return this.previous.get(name);
  }

  #work() {
    const end = performance.now() + SLICE;
    for (const [name, compute] of this.pending) {
      this.pending.delete(name);
      this.#cached(name, compute);
      if (performance.now() > end) break;
    }
    if (this.pending.size) setTimeout(() => this.#work());
    else this.changed();
  }

  /** The engine's answer for a fight, or `why` it is impossible. */
  #fight(kind, attacker, target, ...more) {
    if (this.#isGone(attacker) || this.#isGone(target)) return { why: GONE };
    return this.#withReason(this.engine[kind](...this.#question(kind, attacker, target, ...more)));
  }

  #question(kind, attacker, target, ...more) {
    return [this.unit(attacker), ...more, this.unit(target), this.conditions(kind, attacker, target)];
  }

  #withReason(answer) {
    const { refused } = answer;
    return refused ? { why: this.page.layout.refusals[refused], refused } : answer;
  }

  /** The attacks of all ranged rows on a target, best first, ranked by the same figures as in Python. */
  rows(attacker, target) {
    return this.#cached(`rows ${attacker} ${target}`, () => {
      const attack = (row, place) => ({ row, answer: this.#lack(row, attacker) ?? this.#fight("attack", attacker, target, place) });
      const made = this.unit(attacker).rows.map(attack);
      return ranked(made.filter(({ row }) => row.kind === this.page.shoots), this.page);
    });
  }

  /** The reason why a row cannot fire under the chosen conditions, such as Overcharge; undefined if it can. */
  #lack(row, attacker) {
    const values = this.conditions("attack", attacker, attacker);
    const isSet = ({ name, side, choices }) => side === "fight" && (choices ? choices[values[name]] : values[name]);
    const lacking = ({ needs, ofRow }) => ofRow && !has(this.unit(attacker), needs, [row]);
    const condition = this.page.conditions.find((each) => lacking(each) && isSet(each));
    return condition && { why: `it does not have ${condition.needs}` };
  }

  /** The best attack on a target, computed later. */
  best(attacker, target) {
    return this.#later(`best ${attacker} ${target}`, () => this.#answerOf(this.rows(attacker, target)[0]));
  }

  /** The attack of the chosen row, or else the best attack, computed later. */
  chosen(attacker, target) {
    const { row: id } = this.state;
    return this.#later(`chosen ${attacker} ${target} ${id}`, () => {
      const rows = this.rows(attacker, target);
      return this.#answerOf(rows.find(({ row }) => row.id === id) ?? rows[0]);
    });
  }

  /** The answer of an attack, with its `row`. */
  #answerOf(attack) {
    return attack ? { ...attack.answer, row: attack.row } : { why: NO_ROWS };
  }

  /** A charge, computed later. */
  charge(attacker, target) {
    return this.#later(`charge ${attacker} ${target}`, () => this.#fight("charge", attacker, target));
  }

  /** A duel, computed later by a worker, because it may take long. */
  duel(attacker, target) {
    const name = `duel ${attacker} ${target}`;
    if (this.#isGone(attacker) || this.#isGone(target)) return { why: GONE };
    if (this.results.has(name)) return this.results.get(name);
    this.background.ask(name, "duel", this.#question("duel", attacker, target), (answer) => {
      this.results.set(name, this.#withReason(answer));
      this.changed();
    });
    return this.previous.get(name);
  }
}
