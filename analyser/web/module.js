/**
 * The exact engines, in WebAssembly. The module has all rules; the layout from Python has all numbers and names
 * (`analyser/web/memory_layout.py` describes it). This file writes and reads fields of records by name.
 */

/** Open the module from the bytes of `calculator.wasm`. */
export async function open(bytes, layout) {
  return new Engine(await WebAssembly.compile(bytes), layout);
}

/** The opened module, which answers questions about fights. */
export class Engine {
  static word = 8; // bytes of a number

  constructor(compiled, layout) {
    this.compiled = compiled;
    this.layout = layout;
    this.module = new WebAssembly.Instance(compiled).exports;
    this.memory = new DataView(this.module.memory.buffer);
  }

  /** A ranged attack with a row of the attacker: `row` is its index in `attacker.rows`. */
  attack(attacker, row, target, conditions = {}) {
    return this.#answer("attack", [attacker, target], row, conditions);
  }

  /** A charge of one unit at the other. */
  charge(attacker, target, conditions = {}) {
    const { sides, ...answer } = this.#answer("charge", [attacker, target], 0, conditions);
    return { ...answer, ...sides[0] };
  }

  /** A duel over several rounds. */
  duel(attacker, target, conditions = {}) {
    const { sides, rounds, ...answer } = this.#answer("duel", [attacker, target], 0, conditions);
    return { ...answer, ...sides[rounds - 1], rounds: sides.slice(0, rounds) };
  }

  #answer(kind, units, row, conditions) {
    const { question, kinds, die, deck, fight, plain, answers } = this.layout;
    const start = this.module.question.value;
    this.#put(start + question.kind, kinds[kind]);
    this.#put(start + question.row, row);
    this.#put(start + question.n_cards, deck.length);
    die.forEach((sides, place) => this.#put(start + question.die + Engine.word * place, sides));
    deck.forEach((copies, place) => this.#put(start + question.deck + Engine.word * place, copies));
    units.forEach((unit, side) => this.#putUnit(unit, side));
    this.#fill(start, fight, {});
    this.#fill(start, plain, {});
    for (const condition of this.layout.conditions) this.#putCondition(condition, kind, conditions);
    if (this.module.ask() < 0) throw new Error(`the module failed at this ${kind}`);
    if (this.memory.buffer !== this.module.memory.buffer) this.memory = new DataView(this.module.memory.buffer);
    return this.#readAnswer(this.module[kind].value, answers[kind]);
  }

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

  #putCondition({ name, side, kind, field, choices, in: asked }, question, conditions) {
    const { inch, none, unit, fight } = this.layout;
    const value = side === "fight" ? conditions[name] : conditions[side]?.[name];
    if (!asked.includes(question) || value === undefined || value === null || value === false) return;
    const number = choices ? choices[value] : kind === "inches" ? Math.round(value * inch) : Number(value);
    const start = side === "fight" ? this.module.question.value : this.#unitAt(side === "attacker" ? 0 : 1);
    this.#put(start + (side === "fight" ? fight : unit).fields[field], number ?? none);
  }

  #unitAt(side) {
    const [at, stride] = this.layout.unit.at;
    return this.module.question.value + at + stride * side;
  }

  /** Write every field of a record; fields without a number get the default `usual`. */
  #fill(start, { fields, usual }, numbers) {
    for (const name in fields) this.#put(start + fields[name], numbers[name] ?? usual[name] ?? 0);
  }

  #put(at, value) {
    this.memory.setBigInt64(at, BigInt(value), true);
  }

  #readAnswer(start, { whole, figures, lists, sides }) {
    const answer = {};
    for (const name in whole) answer[name] = Number(this.memory.getBigInt64(start + whole[name], true));
    for (const name in figures) answer[name] = this.memory.getFloat64(start + figures[name], true);
    for (const name in lists) {
      const number = (_, place) => this.memory.getFloat64(start + lists[name] + Engine.word * place, true);
      answer[name] = Array.from({ length: answer.models + 1 }, number);
    }
    if (!sides) return answer;
    const [at, stride, count] = sides.at; // both sides at the end of the charge, or of each round
    const side = (place) => this.#readAnswer(start + at + stride * place, sides.answer);
    const pair = (_, number) => ({ attacker: side(2 * number), target: side(2 * number + 1) });
    return { ...answer, sides: Array.from({ length: count / 2 }, pair) };
  }
}
