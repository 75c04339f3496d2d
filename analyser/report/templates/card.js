// The card of a unit, built when the unit comes into view.

const unitOf = new Map(data.units.map((unit) => [unit.key, unit]));
const placeOfLevel = new Map(data.units.flatMap((unit) => unit.levels).map((level, place) => [level, place]));
const linkTo = (key) => element("a", { href: `#${anchorOf(key)}` }, unitOf.get(key).name);
const whole = (value) => (value === null ? "–" : value.toFixed(0));
const oneDigit = (value) => (value === null ? "–" : value.toFixed(1));
const ahead = (value) => (value === null ? "–" : signed(value, oneDigit));
const folded = (title, fill) => {
  const part = element("details", {}, element("summary", {}, title));
  part.addEventListener("toggle", () => part.open && part.children.length === 1 && part.append(...fill()));
  return part;
};
// --- price and reasons

const isMispriced = ({ kind }) => kind === "under" || kind === "over";
const priceOf = (level) => {
  const price = level.points === null ? "no points" : `${level.points}${isMispriced(level) ? ` → ${level.rounded}` : ""} points`;
  return element("p.price", {}, price, " ", element(`span.sure.${level.kind}`, {}, level.verdict_text));
};
const fairOf = (level) => {
  const isRounded = isMispriced(level) && level.rounded % 5 === 0 && String(level.rounded) !== whole(level.fair);
  return `Fair: ${whole(level.fair)} points (${level.range})${isRounded ? `, or ${level.rounded} rounded to a multiple of 5` : ""}. `;
};
const BAR_RANGE = 4; // a bar ends at median / 4 and at median * 4
const barOf = ([title, own, usual, text]) => {
  const share = Math.log(Math.max(own, 1e-6) / usual) / Math.log(BAR_RANGE);
  const width = 50 * Math.min(Math.abs(share), 1);
  const bar = element("rect", { x: `${share < 0 ? 50 - width : 50}%`, y: "20%", width: `${width}%`, height: "60%" });
  return [element("dt", {}, title), element("dd", {}, element("svg", { "aria-hidden": "true" }, bar)), element("dd.n", {}, text)];
};

// --- opponents

const { wins, draws, ahead: aheadOf } = data.enemies;
const enemiesOf = (level) => {
  const me = placeOfLevel.get(level);
  return data.units
    .map(({ key }, at) => {
      const loses = wins[me][at] === null ? null : 1000 - wins[me][at] - draws[me][at];
      return { key, wins: wins[me][at], loses, ahead: aheadOf[me][at] };
    })
    .filter((enemy) => enemy.wins !== null || enemy.ahead !== null);
};
const bestAndWorst = (enemies) => {
  const ordered = sortedBy(enemies.filter((enemy) => enemy.ahead !== null), (enemy) => enemy.ahead, -1);
  const ends = [["Best matchup", ordered[0]], ["Worst matchup", ordered.length > 1 && ordered.at(-1)]];
  const line = ([title, enemy]) => enemy && [element("dt", {}, title), element("dd", {}, linkTo(enemy.key)), element("dd.n", {}, `${ahead(enemy.ahead)} points`)];
  return element("dl.met", {}, ends.map(line));
};
const inPercent = (value) => (value === null ? "–" : percent(value / 1000));
const everyEnemy = (enemies) => {
  const hasDuels = enemies.some((enemy) => enemy.wins !== null);
  const duels = (enemy) => (hasDuels ? [[inPercent(enemy.loses), enemy.loses], [inPercent(enemy.wins), enemy.wins]] : []);
  const lines = sortedBy(enemies, (enemy) => enemy.ahead ?? -Infinity, -1).map((enemy) => [linkTo(enemy.key), ...duels(enemy), [ahead(enemy.ahead), enemy.ahead]]);
  const table = tableOf("Every enemy", ["Enemy", ...(hasDuels ? ["Enemy wins", "This unit wins"] : []), "Points ahead"], lines);
  makeSortable(table.firstChild);
  return [element("p.small", {}, `${hasDuels ? "A duel is one unit against another, whatever their points. " : ""}All numbers are means over the levels of the enemy. Points ahead: the points that 100 points of this unit destroy in a round, minus the points that it loses to 100 points of the enemy. ${data.round_sentence}`), table];
};

// --- levels, attacks and curves

const levelsOf = (unit) => {
  const facts = [
    ["Models", (level) => [level.models]],
    ["Points", (level) => [level.points ?? "–"]],
    ["Fair", (level) => [level.range ? `${whole(level.fair)} (${level.range})` : "–"]],
    ["Verdict", (level) => [level.verdict_text.replace("-", "\u2011"), "", `sure ${level.kind}`]],
    ["Hits to destroy 100 points", (level) => [oneDigit(level.hits)]],
    ["Own loss when charging", (level) => [level.charge === null ? "–" : percent(level.charge)]],
    ["Duel rating", (level) => [level.rating ?? "–"]],
  ];
  return tableOf("Its levels", ["", ...unit.levels.map((level) => level.level)], facts.map(([title, of]) => [title, ...unit.levels.map(of)]));
};
const attacksOf = (unit) =>
  unit.rows.map(([name, at, ranges, dice, qualities]) => element("p", {}, element("b", {}, name), `: ${[at, ranges, dice, qualities].filter(Boolean).join("; ")}`));
const curveOf = (curve, reach, most) => {
  const across = (inches) => ((100 * inches) / reach).toFixed(2);
  const up = (destroyed) => (100 - (100 * destroyed) / most).toFixed(2);
  const pathOf = (steps) => steps.map(([first, last, destroyed], at) => `${at && steps[at - 1][1] === first ? "V" : `M${across(first)},`}${up(destroyed)}H${across(last)}`).join("");
  const lines = curve.lines.map(([, steps], at) => element("path", { class: `f${at % 6}`, d: pathOf(steps) }));
  const tick = (inches) => element("text", { x: `${across(inches)}%`, y: "100%", dy: "1.2em", "text-anchor": inches === 0 ? "start" : inches === reach ? "end" : "middle" }, `${inches}″`);
  const picture = element(
    "svg.chart",
    { role: "img", "aria-label": `On ${curve.category} targets: the list below has the figures` },
    element("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", width: "100%", height: "100%" }, lines),
    [0, Math.round(reach / 2), reach].map(tick),
  );
  const list = curve.lines.map(([name, steps], at) => element(`li.f${at % 6}`, {}, element("i"), ` ${name}: ${steps.map(([, last, destroyed]) => `to ${last}″ ${oneDigit(destroyed)}`).join(", ")}`));
  return element("figure.curve", {}, element("figcaption", {}, `On ${curve.category} targets (${curve.targets})`), picture, element("ul", {}, list));
};
const curvesOf = (unit) => {
  const steps = unit.curves.flatMap((curve) => curve.lines.flatMap(([, steps]) => steps));
  const [reach, most] = [Math.max(...steps.map((step) => step[1])), Math.max(...steps.map((step) => step[2]))];
  return [element("p.small", {}, "Points that 100 points of this unit destroy with each row at each distance, without aiming. Averages over the enemies of this report."), ...unit.curves.map((curve) => curveOf(curve, reach, most))];
};

// A menu of the unit's levels.
const levelChoice = (unit, level) => {
  const choice = element("select", { id: "level" });
  choices(choice, unit.levels.map((each) => [anchorOf(each.selector), each.level]));
  choice.value = anchorOf(level.selector);
  return element("p", {}, element("label", { for: "level" }, "Level "), choice);
};

const sentence = (text) => text && `${capital(text)}.`;
const cardOf = (unit, level) => {
  const enemies = enemiesOf(level);
  const parts = [
    element("h2", { id: "view-name" }, unit.levels.length > 1 ? `${unit.name}, ${level.level}` : unit.name),
    element("p.small", {}, `${unit.faction} · ${unit.role} · ${unit.facts}`),
    unit.levels.length > 1 && levelChoice(unit, level),
    priceOf(level),
    (level.range || level.why) && element("p", {}, level.range && fairOf(level), sentence(level.why)),
    level.drivers.length > 0 && [element("p.small", {}, `Compared with the median ${unit.role} unit${level.range && " (endurance depends on hits, tests, rules and reach)"}:`), element("dl.bars", {}, level.drivers.map(barOf))],
    level.noticed_from && element("p.small", {}, `Sensitivity: if its price were exactly fair, raising it by ${percent(level.noticed_from)} would change the verdict “fair” in 80% of cases.`),
    enemies.length > 0 && [bestAndWorst(enemies), element("p.small", {}, "At today’s points, among the enemies of this report. A matchup is judged by the points that this unit destroys minus the points that it loses in a round, per 100 points of each side.")],
    whatIf(level),
    levelsOf(unit),
    enemies.length > 0 && folded(`Every enemy (${enemies.length})`, () => everyEnemy(enemies)),
    unit.no_duels && element("p.small", {}, unit.no_duels),
    unit.rows.length > 0 && folded("Its attacks", () => attacksOf(unit)),
    unit.curves.length > 0 && folded("Points destroyed by distance", () => curvesOf(unit)),
    folded("Profile and notes", () => [unit.profile, ...unit.notes].map((text) => element("p", {}, text))),
  ];
  return parts.flat().filter(Boolean);
};
