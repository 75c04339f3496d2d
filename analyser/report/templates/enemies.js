// Every enemy of a unit, who wins and who trades best, made when it is unfolded.

const { units: unitKeys, wins: chances, won, pairs: levelPairs, destroys } = data.enemies;
const placeOfUnit = new Map(unitKeys.map((key, place) => [key, place]));
const nameOfUnit = new Map(sides.map((side) => [side.selector.split("@")[0], side.unit]));
const inPercent = (value) => (value === null ? "–" : percent(value / 10, 0));
const inTenths = (value) => (value === null ? "–" : value.toFixed(1));
const signed = (value) => (value === null ? "–" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`);
const ENEMY_COLUMNS = [
  ["Enemy wins", "wins", (enemy) => enemy.wins, inPercent],
  ["Enemy loses", "loses", (enemy) => enemy.loses, inPercent],
  ["Beats it at", "pairs of levels at which it wins", (enemy) => enemy.won, (value, enemy) => (value === null ? "–" : `${value} of ${enemy.pairs}`)],
  ["Enemy destroys", "points: destroys", (enemy) => enemy.destroys, inTenths],
  ["Enemy loses", "points: loses", (enemy) => enemy.gives, inTenths],
  ["Enemy ahead by", "points: ahead by", (enemy) => enemy.ahead, signed],
];

const enemiesOf = (key) => {
  const me = placeOfUnit.get(key);
  const all = unitKeys.map((key, place) => ({
    key,
    wins: chances[place][me],
    loses: chances[me][place],
    won: won[place][me],
    pairs: levelPairs[place][me],
    destroys: destroys[place][me],
    gives: destroys[me][place],
    ahead: destroys[place][me] === null ? null : destroys[place][me] - destroys[me][place],
  }));
  const met = all.filter((enemy) => enemy.wins !== null || enemy.destroys !== null);
  return sortedBy(met, (enemy) => enemy.wins, -1);
};

const showEnemies = (part) => {
  const table = make("table", undefined, { class: "stack" });
  const [groups, head, body] = [make("tr"), make("tr"), make("tbody")];
  groups.append(make("td"), make("th", "Who wins duels", { scope: "colgroup", colspan: 3 }), make("th", "Points for 100 points", { scope: "colgroup", colspan: 3 }));
  head.append(make("th", "Enemy", { scope: "col" }), ...ENEMY_COLUMNS.map(([title]) => make("th", title, { scope: "col", class: "n" })));
  table.append(make("thead"), body);
  table.tHead.append(groups, head);
  for (const enemy of enemiesOf(part.dataset.unit)) {
    const [line, name] = [make("tr"), make("th", undefined, { scope: "row" })];
    name.append(make("a", nameOfUnit.get(enemy.key), { href: `#unit-${enemy.key.replace("/", "-")}` }));
    line.append(name);
    for (const [, label, valueOf, textOf] of ENEMY_COLUMNS) {
      const value = valueOf(enemy);
      line.append(make("td", textOf(value, enemy), { class: "n", "data-v": value ?? "", "data-label": label }));
    }
    body.append(line);
  }
  makeHeadsSort([...head.cells], "", (place, sign) => body.append(...sortedBy([...body.rows], (row) => valueOf(row.cells[place]), sign)));
  part.querySelector(".wide").replaceChildren(table);
};
for (const part of document.querySelectorAll(".every-enemy")) {
  part.addEventListener("toggle", () => part.open && !part.querySelector("table") && showEnemies(part));
}
