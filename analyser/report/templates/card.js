// The card of a unit, made when the unit comes into view.

const unitOf = new Map(data.units.map((unit) => [unit.key, unit]));
const placeOfUnit = new Map(data.units.map((unit, place) => [unit.key, place]));
const linkTo = (key) => make("a", unitOf.get(key).name, { href: `#${anchorOf(key)}` });
const part = (tag, attributes, ...inside) => {
  const element = make(tag, undefined, attributes);
  element.append(...inside);
  return element;
};
const whole = (value) => (value === null ? "–" : value.toFixed(0));
const tenths = (value) => (value === null ? "–" : value.toFixed(1));
const signed = (value, digits) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
const folded = (title, fill) => {
  const found = part("details", {}, make("summary", title));
  found.addEventListener("toggle", () => found.open && found.children.length === 1 && found.append(...fill()));
  return found;
};
const tableOf = (label, head, lines, attributes = {}) => {
  const table = make("table", undefined, attributes);
  table.append(make("thead"), make("tbody"));
  table.tHead.append(part("tr", {}, ...head.map((text, at) => make(at || text ? "th" : "td", text, at || text ? { scope: "col", class: at ? "n" : "" } : {}))));
  for (const [first, ...cells] of lines) {
    const name = part("th", { scope: "row" }, first);
    table.tBodies[0].append(part("tr", {}, name, ...cells.map(([text, value, kind = ""]) => make("td", text, { class: `n ${kind}`, "data-v": value ?? "" }))));
  }
  return part("div", { class: "wide", role: "group", "aria-label": label }, table);
};

// --- its price, and why

const priceOf = (level) => {
  const moves = level.kind === "under" || level.kind === "over";
  const price = part("p", { class: "price" }, level.points === null ? "no points" : moves ? `${level.points} → ${whole(level.fair)} points` : `${level.points} points`);
  const sure = make("span", level.says, { class: `sure ${level.kind}` });
  price.append(" ", sure);
  return price;
};
const REACH_OF_BARS = 4; // times the median, at either end
const barsOf = (level) => {
  const bars = make("dl", undefined, { class: "bars" });
  for (const [title, own, usual, text] of level.drivers) {
    const share = Math.log(Math.max(own, 1e-6) / usual) / Math.log(REACH_OF_BARS);
    const width = 50 * Math.min(Math.abs(share), 1);
    const bar = inSvg("svg", { "aria-hidden": "true" }, inSvg("rect", { x: `${share < 0 ? 50 - width : 50}%`, y: "20%", width: `${width}%`, height: "60%" }));
    bars.append(make("dt", title), part("dd", {}, bar), make("dd", text, { class: "n" }));
  }
  return bars;
};

// --- whom it meets

const { wins, destroys } = data.enemies;
const metBy = (unit) => {
  const me = placeOfUnit.get(unit.key);
  return data.units
    .map((enemy, at) => ({
      key: enemy.key,
      wins: wins[me][at],
      loses: wins[at][me],
      ahead: destroys[me][at] === null ? null : destroys[me][at] - destroys[at][me],
    }))
    .filter((enemy) => enemy.wins !== null || enemy.ahead !== null);
};
const bestAndWorst = (met) => {
  const ordered = sortedBy(met.filter((enemy) => enemy.ahead !== null), (enemy) => enemy.ahead, -1);
  const found = make("dl", undefined, { class: "met" });
  const line = (title, enemy) => enemy && found.append(make("dt", title), part("dd", {}, linkTo(enemy.key)), make("dd", `${signed(enemy.ahead, 1)} points`, { class: "n" }));
  line("Best matchup", ordered[0]);
  if (ordered.length > 1) line("Worst matchup", ordered.at(-1));
  return found;
};
const inPercent = (value) => (value === null ? "–" : percent(value / 10, 0));
const everyEnemy = (met) => {
  const lines = sortedBy(met, (enemy) => enemy.loses, -1).map((enemy) => [
    linkTo(enemy.key),
    [inPercent(enemy.loses), enemy.loses],
    [inPercent(enemy.wins), enemy.wins],
    [enemy.ahead === null ? "–" : signed(enemy.ahead, 1), enemy.ahead],
  ]);
  const table = tableOf("Every enemy", ["Enemy", "Enemy wins", "It wins", "Points ahead"], lines);
  const [head, body] = [table.querySelector("thead tr"), table.querySelector("tbody")];
  makeHeadsSort([...head.cells], "", (at, sign) => body.append(...sortedBy([...body.rows], (row) => valueOf(row.cells[at]), sign)));
  return [make("p", `Duels, the mean over the levels of both; points: what 100 points of it destroy in a round less what they lose to 100 points of the enemy. ${data.a_round}`, { class: "small" }), table];
};

// --- its levels, attacks and curves

const levelsOf = (unit) => {
  const facts = [
    ["Models", (level) => [level.models]],
    ["Points", (level) => [level.points ?? "–"]],
    ["Fair", (level) => [level.range ? `${whole(level.fair)} (${level.range})` : "–"]],
    ["Verdict", (level) => [level.says.replace("-", "\u2011"), "", `sure ${level.kind}`]],
    ["Hits for 100 points", (level) => [tenths(level.hits)]],
    ["Charge costs", (level) => [level.charge === null ? "–" : percent(100 * level.charge, 0)]],
    ["Duel rating", (level) => [level.rating ?? "–"]],
  ];
  return tableOf("Its levels", ["", ...unit.levels.map((level) => level.level)], facts.map(([title, of]) => [title, ...unit.levels.map(of)]));
};
const attacksOf = (unit) =>
  unit.rows.map(([name, at, ranges, dice, qualities]) => part("p", {}, make("b", name), `: ${[at, ranges, dice, qualities].filter(Boolean).join("; ")}`));
const curveOf = (curve, reach, most) => {
  const across = (inches) => ((100 * inches) / reach).toFixed(2);
  const up = (destroyed) => (100 - (100 * destroyed) / most).toFixed(2);
  const pathOf = (steps) => steps.map(([first, last, destroyed], at) => `${at && steps[at - 1][1] === first ? "V" : `M${across(first)},`}${up(destroyed)}H${across(last)}`).join("");
  const lines = curve.lines.map(([, steps], at) => inSvg("path", { class: `f${at % 6}`, d: pathOf(steps) }));
  const picture = inSvg("svg", { class: "chart", role: "img", "aria-label": `On ${curve.category} targets: the list below has the figures` }, inSvg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", width: "100%", height: "100%" }, ...lines));
  for (const inches of [0, Math.round(reach / 2), reach]) picture.append(inSvg("text", { x: `${across(inches)}%`, y: "100%", dy: "1.2em", "text-anchor": inches === 0 ? "start" : inches === reach ? "end" : "middle" }, `${inches}″`));
  const list = part("ul", {}, ...curve.lines.map(([name, steps], at) => part("li", { class: `f${at % 6}` }, make("i"), ` ${name}: ${steps.map(([, last, destroyed]) => `to ${last}″ ${tenths(destroyed)}`).join(", ")}`)));
  return part("figure", { class: "curve" }, make("figcaption", `On ${curve.category} targets (${curve.targets})`), picture, list);
};
const curvesOf = (unit) => {
  const steps = unit.curves.flatMap((curve) => curve.lines.flatMap(([, steps]) => steps));
  const [reach, most] = [Math.max(...steps.map((step) => step[1])), Math.max(...steps.map((step) => step[2]))];
  return [make("p", "Points that 100 points of it destroy, without aiming: the mean over the loadouts that it meets.", { class: "small" }), ...unit.curves.map((curve) => curveOf(curve, reach, most))];
};

const cardOf = (unit) => {
  const [level, met] = [unit.levels[unit.head], metBy(unit)];
  const title = unit.levels.length > 1 ? `${unit.name}, ${level.level}` : unit.name;
  return [
    make("h2", title, { id: "view-name" }),
    make("p", `${unit.faction} · ${unit.role} · ${unit.facts}`, { class: "small" }),
    priceOf(level),
    ...(level.range ? [make("p", `Fair: ${level.range} points. ${level.why ? `${titleCase(level.why)}.` : ""}`)] : level.why ? [make("p", `${titleCase(level.why)}.`)] : []),
    barsOf(level),
    ...(level.noticed ? [make("p", `If it were fair, a change of ${percent(100 * level.noticed, 0)} would be noticed 80% of the time.`, { class: "small" })] : []),
    ...(met.length ? [bestAndWorst(met), make("p", "Points ahead a round, for 100 points of each side.", { class: "small" })] : []),
    levelsOf(unit),
    ...(met.length ? [folded(`Every enemy (${met.length})`, () => everyEnemy(met))] : []),
    ...(unit.no_duels ? [make("p", unit.no_duels, { class: "small" })] : []),
    ...(unit.rows.length ? [folded("Its attacks", () => attacksOf(unit))] : []),
    ...(unit.curves.length ? [folded("Over the distance", () => curvesOf(unit))] : []),
    folded("Profile and notes", () => [unit.profile, ...unit.notes].map((text) => make("p", text))),
  ];
};
const titleCase = (text) => text.charAt(0).toUpperCase() + text.slice(1);
