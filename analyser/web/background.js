/** Long questions, answered by a copy of the module in a worker, so that the page stays responsive. */

import { Engine } from "./module.js";

const PROGRAM = `${Engine}
let engine;
onmessage = ({ data: { compiled, layout, name, kind, question } }) => {
  engine ??= new Engine(compiled, layout);
  postMessage({ name, answer: engine[kind](...question) });
};`;

export class BackgroundEngine {
  constructor(engine) {
    this.engine = engine;
    this.pending = new Map(); // questions by name, each with its kind and the function `then` that gets the answer
    this.hasWorkers = true;
  }

  /** Ask the module, unless this question is already pending; `then` is called with the answer. */
  ask(name, kind, question, then) {
    if (this.pending.has(name)) return;
    this.pending.set(name, { kind, question, then });
    if (!this.hasWorkers || !globalThis.Worker) return void setTimeout(() => this.#answer(name));
    const { compiled, layout } = this.engine;
    this.worker ??= this.#start();
    this.worker.postMessage({ compiled, layout, name, kind, question });
  }

  /** Drop all questions. */
  stop() {
    if (!this.pending.size) return;
    this.pending.clear();
    this.worker?.terminate();
    this.worker = undefined;
  }

  #start() {
    this.address ??= URL.createObjectURL(new Blob([PROGRAM], { type: "text/javascript" }));
    const worker = new Worker(this.address);
    worker.onmessage = ({ data }) => this.#give(data.name, data.answer);
    worker.onerror = () => {
      this.hasWorkers = false; // the frame allows no workers
      for (const name of [...this.pending.keys()]) this.#answer(name);
    };
    return worker;
  }

  /** Answer without a worker. */
  #answer(name) {
    const job = this.pending.get(name);
    if (job) this.#give(name, this.engine[job.kind](...job.question));
  }

  #give(name, answer) {
    const job = this.pending.get(name);
    this.pending.delete(name);
    job?.then(answer);
  }
}
