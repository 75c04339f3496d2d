/**
 * Questions to the compiled engines, and their answers, each computed once for a state of the page.
 *
 * No rule of the game is here: what a condition does, and which row may fire, the engines say.
 */

import { toLink } from "./state.js";
import { changed, numberOf, ranked } from "./edits.js";
import { Beside } from "./beside.js";

const SLICE = 12; // milliseconds of computing between two frames

export class Answers {
  /**
   * @param {any} engine what `open` of module.js gives
   * @param {any} page the data of the page
   * @param {() => void} changed called when answers that were waited for are there
   */
  constructor(engine, page, changed) {
    this.engine = engine;
    this.beside = new Beside(engine);
    this.page = page;
    this.changed = changed;
    /** @type {Map<string, any>} */
    this.known = new Map();
    /** @type {Map<string, () => unknown>} */
    this.waiting = new Map();
    /** @type {Map<string, any>} answers for the state before, shown until those for this one are there */
    this.before = new Map();
    this.link = "";
  }

  /** Answer for this state from now on; what was asked for another is forgotten. */
  at(state, units) {
    this.state = state;
    this.units = units;
    const link = toLink({ ...state, round: 1, row: "" });
    if (link === this.link) return;
    this.link = link;
    this.before = new Map([...this.before, ...this.known]);
    this.known.clear();
    this.waiting.clear();
    this.beside.stop();
  }

  /** A unit by its key; `0.3+dice` is that unit with one more of a number. */
  unit(key) {
    const [base, name] = key.split("+");
    if (!name) return this.units[base];
    const edit = this.page.edits.find((each) => each.name === name);
    return changed(
      this.units[base],
      { [name]: (edit.at === "dice" ? 0 : numberOf(this.units[base], edit, this.page.layout.none)) + 1 },
      [edit],
    );
  }

  /** The conditions of a unit's fight with another: how both stand, and what is chosen for the attack that is shown. */
  conditions(kind, attacker, target) {
    const { conditions, units } = this.state;
    const [one, other] = [attacker, target].map((key) => key.split("+")[0]);
    const isShown = one === this.state.attacker || one === this.state.beside;
    const fight = isShown
      ? conditions
      : Object.fromEntries(
          this.page.shared.filter((name) => name in conditions).map((name) => [name, conditions[name]]),
        );
    const of = { attacker: units[one] ?? {}, target: units[other] ?? {} };
    if (kind === "charge") return { ...fight, distance: undefined, ...of };
    if (kind === "duel") return { ...this.page.usual, ...fight, ...of };
    const states = Object.entries(this.page.ofUnits).map(([name, side]) => [name, of[side][name]]);
    return { ...this.page.usual, ...fight, ...Object.fromEntries(states), ...of };
  }

  #isGone(key) {
    return this.state.units[key.split("+")[0]]?.models === 0;
  }

  #asked(name, compute) {
    if (!this.known.has(name)) this.known.set(name, compute());
    return this.known.get(name);
  }

  /** An answer that takes a while: that of the state before, if any, until it is there; then `changed` is called. */
  #later(name, compute) {
    if (this.known.has(name)) return this.known.get(name);
    if (!this.waiting.size) setTimeout(() => this.#work());
    this.waiting.set(name, compute);
    return this.before.get(name);
  }

  #work() {
    const end = performance.now() + SLICE;
    for (const [name, compute] of this.waiting) {
      this.waiting.delete(name);
      this.#asked(name, compute);
      if (performance.now() > end) break;
    }
    if (this.waiting.size) setTimeout(() => this.#work());
    else this.changed();
  }

  /** A fight by the engine; `why` where it cannot be. */
  #fight(kind, attacker, target, ...more) {
    if (this.#isGone(attacker) || this.#isGone(target)) return { why: this.page.words.gone };
    return this.#told(this.engine[kind](...this.#question(kind, attacker, target, ...more)));
  }

  #question(kind, attacker, target, ...more) {
    return [this.unit(attacker), ...more, this.unit(target), this.conditions(kind, attacker, target)];
  }

  #told(answer) {
    const { refused } = answer;
    return refused ? { why: this.page.layout.refusals[refused], refused } : answer;
  }

  /** The attacks of all rows on a target, the best first by the figures that Python ranks by. */
  rows(attacker, target) {
    return this.#asked(`rows ${attacker} ${target}`, () => {
      const made = this.unit(attacker).rows.map((row, place) => ({
        row,
        answer: this.#fight("attack", attacker, target, place),
      }));
      return ranked(made.filter(({ row }) => row.kind === this.page.shoots), this.page);
    });
  }

  /** The best attack on a target, later. */
  best(attacker, target) {
    return this.#later(
      `best ${attacker} ${target}`,
      () => this.rows(attacker, target)[0]?.answer ?? { why: this.page.words.noRows },
    );
  }

  /** The attack of the row that is chosen, else the best, later. */
  chosen(attacker, target) {
    const { row: id } = this.state;
    return this.#later(`chosen ${attacker} ${target} ${id}`, () => {
      const rows = this.rows(attacker, target);
      return (rows.find(({ row }) => row.id === id) ?? rows[0])?.answer ?? { why: this.page.words.noRows };
    });
  }

  /** A charge, later. */
  charge(attacker, target) {
    return this.#later(`charge ${attacker} ${target}`, () => this.#fight("charge", attacker, target));
  }

  /** A duel, later: it may take so long that a worker computes it. */
  duel(attacker, target) {
    const name = `duel ${attacker} ${target}`;
    if (this.#isGone(attacker) || this.#isGone(target)) return { why: this.page.words.gone };
    if (this.known.has(name)) return this.known.get(name);
    this.beside.ask(name, "duel", this.#question("duel", attacker, target), (answer) => {
      this.known.set(name, this.#told(answer));
      this.changed();
    });
    return this.before.get(name);
  }
}
