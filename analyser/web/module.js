// @ts-check
/**
 * The exact engines, in WebAssembly. The module has all rules; the layout from Python has all numbers and names
 * (`analyser/web/memory_layout.py` describes it). This file writes and reads fields of records by name.
 *
 * @typedef {Record<string, number>} Numbers
 * @typedef {{ numbers: Numbers, bands: number[][] }} Row
 * @typedef {{ numbers: Numbers, rows: Row[] }} Unit
 * @typedef {number | boolean | string | null | undefined} Value
 * @typedef {{ attacker?: Record<string, Value>, target?: Record<string, Value> } & Record<string, any>} Conditions
 * @typedef {{ name: string, side: string, kind: string, field: string, choices?: Numbers, in: string[] }} Condition
 * @typedef {{ at: number[], fields: Numbers, usual: Numbers, order: string[] }} Part
 * @typedef {{ whole: Numbers, figures: Numbers, lists: Numbers, sides?: { at: number[], answer: AnswerLayout } }} AnswerLayout
 * @typedef {{ inch: number, none: number, question: Numbers, kinds: Numbers, die: number[], deck: number[], unit: Part,
 *   row: Part, band: Part, fight: Part, plain: Part, answers: Record<string, AnswerLayout>, conditions: Condition[] }} Layout
 * @typedef {Record<string, any>} Answer
 */

/**
 * Open the module.
 * @param {BufferSource} bytes of `calculator.wasm`
 * @param {Layout} layout result of `memory_layout.layout()`
 */
export async function open(bytes, layout) {
  return new Engine(await WebAssembly.compile(bytes), layout);
}

/** The opened module, which answers questions about fights. */
export class Engine {
  static word = 8; // bytes of a number

  /** @param {WebAssembly.Module} compiled @param {Layout} layout */
  constructor(compiled, layout) {
    this.compiled = compiled;
    this.layout = layout;
    /** @type {any} */
    this.module = new WebAssembly.Instance(compiled).exports;
    this.memory = new DataView(this.module.memory.buffer);
  }

  /**
   * A ranged attack with one of the attacker's rows.
   * @param {Unit} attacker @param {number} row index in `attacker.rows` @param {Unit} target
   * @param {Conditions} [conditions]
   */
  attack(attacker, row, target, conditions = {}) {
    return this.#answer("attack", [attacker, target], row, conditions);
  }

  /** A charge of one unit at the other. @param {Unit} attacker @param {Unit} target @param {Conditions} [conditions] */
  charge(attacker, target, conditions = {}) {
    const { sides, ...answer } = this.#answer("charge", [attacker, target], 0, conditions);
    return { ...answer, ...sides[0] };
  }

  /** A duel over several rounds. @param {Unit} attacker @param {Unit} target @param {Conditions} [conditions] */
  duel(attacker, target, conditions = {}) {
    const { sides, rounds, ...answer } = this.#answer("duel", [attacker, target], 0, conditions);
    return { ...answer, ...sides[rounds - 1], rounds: sides.slice(0, rounds) };
  }

  /** @param {string} kind @param {Unit[]} units @param {number} row @param {Conditions} conditions @returns {Answer} */
  #answer(kind, units, row, conditions) {
    const { question, kinds, die, deck, fight } = this.layout;
    const start = this.module.question.value;
    this.#put(start + question.kind, kinds[kind]);
    this.#put(start + question.row, row);
    this.#put(start + question.n_cards, deck.length);
    die.forEach((sides, place) => this.#put(start + question.die + Engine.word * place, sides));
    deck.forEach((copies, place) => this.#put(start + question.deck + Engine.word * place, copies));
    units.forEach((unit, side) => this.#putUnit(unit, side));
    this.#fill(start, fight, {});
    this.#fill(start, this.layout.plain, {});
    for (const condition of this.layout.conditions) this.#putCondition(condition, kind, conditions);
    if (this.module.ask() < 0) throw new Error(`the module failed at this ${kind}`);
    return this.#read(kind);
  }

  /** @param {Unit} unit @param {number} side */
  #putUnit(unit, side) {
    const { row, band } = this.layout;
    const at = this.#unitAt(side);
    this.#fill(at, this.layout.unit, { ...unit.numbers, n_rows: unit.rows.length });
    unit.rows.forEach(({ numbers, bands }, place) => {
      const begin = at + row.at[0] + row.at[1] * place;
      this.#fill(begin, row, { ...numbers, n_bands: bands.length });
      bands.forEach((cells, number) =>
        cells.forEach((value, cell) => this.#put(begin + band.fields[band.order[cell]] + band.at[1] * number, value)),
      );
    });
  }

  /** @param {Condition} condition @param {string} question @param {Conditions} conditions */
  #putCondition({ name, side, kind, field, choices, in: asked }, question, conditions) {
    const { inch, none, unit, fight } = this.layout;
    if (!asked.includes(question)) return;
    const value = side === "fight" ? conditions[name] : conditions[side]?.[name];
    if (value === undefined || value === null || value === false) return;
    const number = choices ? choices[String(value)] : kind === "inches" ? Math.round(Number(value) * inch) : Number(value);
    const at = side === "fight" ? this.module.question.value + fight.fields[field] : this.#unitAt(side === "attacker" ? 0 : 1) + unit.fields[field];
    this.#put(at, number ?? none);
  }

  /** @param {number} side */
  #unitAt(side) {
    const [at, stride] = this.layout.unit.at;
    return this.module.question.value + at + stride * side;
  }

  /** Write every field of a part; the default is `usual`. @param {number} start @param {Part} part @param {Numbers} numbers */
  #fill(start, { fields, usual }, numbers) {
    for (const name in fields) this.#put(start + fields[name], numbers[name] ?? usual[name] ?? 0);
  }

  /** @param {number} at @param {number} value */
  #put(at, value) {
    this.memory.setBigInt64(at, BigInt(value), true);
  }

  /** @param {string} kind @returns {Answer} */
  #read(kind) {
    if (this.memory.buffer !== this.module.memory.buffer) this.memory = new DataView(this.module.memory.buffer);
    return this.#readAnswer(this.module[kind].value, this.layout.answers[kind]);
  }

  /** @param {number} start @param {AnswerLayout} layout @returns {Answer} */
  #readAnswer(start, { whole, figures, lists, sides }) {
    /** @type {Answer} */
    const answer = {};
    for (const name in whole) answer[name] = Number(this.memory.getBigInt64(start + whole[name], true));
    for (const name in figures) answer[name] = this.memory.getFloat64(start + figures[name], true);
    for (const name in lists) answer[name] = this.#list(start + lists[name], answer.models + 1);
    if (sides) answer.sides = this.#readSides(start, sides.at, sides.answer);
    return answer;
  }

  /** Read both sides, once or by round. @param {number} start @param {number[]} at @param {AnswerLayout} layout */
  #readSides(start, [at, stride, count], layout) {
    const read = (/** @type {number} */ place) => this.#readAnswer(start + at + stride * place, layout);
    return Array.from({ length: count / 2 }, (_, pair) => ({ attacker: read(2 * pair), target: read(2 * pair + 1) }));
  }

  /** @param {number} at @param {number} length */
  #list(at, length) {
    return Array.from({ length }, (_, place) => this.memory.getFloat64(at + Engine.word * place, true));
  }
}
