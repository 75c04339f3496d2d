/** Questions that take long, answered by a copy of the module in a worker, while the page stays quick. */

import { Engine } from "./module.js";

const PROGRAM = `${Engine}
let engine;
onmessage = ({ data: { compiled, layout, name, kind, question } }) => {
  engine ??= new Engine(compiled, layout);
  postMessage({ name, answer: engine[kind](...question) });
};`;

export class Beside {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    /** @type {Map<string, { kind: string, question: any[], then: (answer: any) => void }>} */
    this.asked = new Map();
    this.failed = false;
  }

  /**
   * Ask the module, unless that question waits already; `then` is called with its answer.
   * @param {string} name @param {string} kind @param {any[]} question @param {(answer: any) => void} then
   */
  ask(name, kind, question, then) {
    if (this.asked.has(name)) return;
    this.asked.set(name, { kind, question, then });
    if (!this.failed && globalThis.Worker) this.#send(name);
    else setTimeout(() => this.#answer(name));
  }

  /** Forget all questions. */
  stop() {
    if (!this.asked.size) return;
    this.asked.clear();
    this.worker?.terminate();
    this.worker = undefined;
  }

  /** @param {string} name */
  #send(name) {
    const { kind, question } = this.asked.get(name);
    const { compiled, layout } = this.engine;
    this.worker ??= this.#start();
    this.worker.postMessage({ compiled, layout, name, kind, question });
  }

  #start() {
    this.address ??= URL.createObjectURL(new Blob([PROGRAM], { type: "text/javascript" }));
    const worker = new Worker(this.address);
    worker.onmessage = ({ data }) => this.#give(data.name, data.answer);
    worker.onerror = () => {
      this.failed = true; // a frame that allows none
      for (const name of [...this.asked.keys()]) this.#answer(name);
    };
    return worker;
  }

  /** Answer on this page. @param {string} name */
  #answer(name) {
    const asked = this.asked.get(name);
    if (asked) this.#give(name, this.engine[asked.kind](...asked.question));
  }

  /** @param {string} name @param {any} answer */
  #give(name, answer) {
    const asked = this.asked.get(name);
    this.asked.delete(name);
    asked?.then(answer);
  }
}
