// Asks the module: on the input lines of JSON, first a layout and the module's path, then questions; answers as lines.
import { readFileSync } from "node:fs";
import { open } from "../../analyser/web/module.js";

const [setup, ...questions] = readFileSync(0, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const engine = await open(readFileSync(setup.module), setup.layout);
const lines = questions.map(({ kind, attacker, row, target, conditions }) =>
  kind === "attack" ? engine.attack(attacker, row, target, conditions) : engine[kind](attacker, target, conditions),
);
process.stdout.write(lines.map((line) => JSON.stringify(line)).join("\n"));
