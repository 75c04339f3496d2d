/** Long questions, answered by a copy of the module in a worker, so that the page stays responsive. */

import { Engine } from "./module.js";

const PROGRAM = `${Engine}
let engine;
onmessage = ({ data: { compiled, layout, name, kind, question } }) => {
  engine ??= new Engine(compiled, layout);
  postMessage({ name, answer: engine[kind](...question) });
};`;

export class BackgroundEngine {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    /** @type {Map<string, { kind: string, question: any[], then: (answer: any) => void }>} */
    this.pending = new Map();
    this.failed = false;
  }

  /**
   * Ask the module, unless this question is already pending; `then` is called with the answer.
   * @param {string} name @param {string} kind @param {any[]} question @param {(answer: any) => void} then
   */
  ask(name, kind, question, then) {
    if (this.pending.has(name)) return;
    this.pending.set(name, { kind, question, then });
    if (!this.failed && globalThis.Worker) this.#send(name);
    else setTimeout(() => this.#answer(name));
  }

  /** Drop all questions. */
  stop() {
    if (!this.pending.size) return;
    this.pending.clear();
    this.worker?.terminate();
    this.worker = undefined;
  }

  /** @param {string} name */
  #send(name) {
    const { kind, question } = this.pending.get(name);
    const { compiled, layout } = this.engine;
    this.worker ??= this.#start();
    this.worker.postMessage({ compiled, layout, name, kind, question });
  }

  #start() {
    this.address ??= URL.createObjectURL(new Blob([PROGRAM], { type: "text/javascript" }));
    const worker = new Worker(this.address);
    worker.onmessage = ({ data }) => this.#give(data.name, data.answer);
    worker.onerror = () => {
      this.failed = true; // a frame that allows no workers
      for (const name of [...this.pending.keys()]) this.#answer(name);
    };
    return worker;
  }

  /** Answer without a worker. @param {string} name */
  #answer(name) {
    const job = this.pending.get(name);
    if (job) this.#give(name, this.engine[job.kind](...job.question));
  }

  /** @param {string} name @param {any} answer */
  #give(name, answer) {
    const job = this.pending.get(name);
    this.pending.delete(name);
    job?.then(answer);
  }
}
