// Effects of other points, dice or DEFENCE of the unit in view: verdicts from the data of the page, fights from the engines.

const SLICE = 12; // milliseconds of computing between two frames
let engines; // set when a slider first moves
const loadEngines = () => (engines ??= load("engine"));

// Shares of two units lost in a round: means of a round far apart (both shoot) and a round near (each takes its best action).
const sharesLost = ({ engine, actions, ...ranking }, unit, enemy) => {
  const lossesOf = ({ kind, conditions }, one, other) => {
    if (kind === "charge") {
      const result = engine.charge(one, other, conditions);
      return result.refused ? [0, 0] : [result.target.mean_share_lost, result.attacker.mean_share_lost];
    }
    const rows = one.rows.flatMap((row, at) => (row.kind === ranking.shoots ? [{ answer: engine.attack(one, at, other, conditions) }] : []));
    const able = ranked(rows.filter(({ answer }) => !answer.refused), ranking);
    return [able[0]?.answer.mean_share_lost ?? 0, able[0] ? able[0].answer.mean_attacker_models_destroyed / one.models : 0];
  };
  const lost = (one, other) => {
    const gain = ([there, own]) => there * other.points - own * one.points;
    const [near, far] = [true, false].map((isNear) => actions.filter((action) => action.near === isNear).map((action) => lossesOf(action, one, other)));
    const best = near.sort((a, b) => gain(b) - gain(a))[0];
    const places = [...(far.length ? [far.reduce((sum, [there]) => sum + there, 0) / far.length] : []), ...(best ? [best[0]] : [])];
    return places.reduce((sum, each) => sum + each, 0) / places.length;
  };
  return [lost(unit, enemy), lost(enemy, unit)];
};

// Means over enemies: the points that a unit destroys in a round, and the share of the unit that an enemy point destroys.
const meanLosses = async (all, unit, enemies, isWanted) => {
  let [destroyed, lost, end] = [0, 0, performance.now() + SLICE];
  for (const enemy of enemies) {
    const [theirs, ours] = sharesLost(all, unit, enemy);
    destroyed += (theirs * enemy.points) / enemies.length;
    lost += ours / enemy.points / enemies.length;
    if (performance.now() < end) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (!isWanted()) return null;
    end = performance.now() + SLICE;
  }
  return { destroyed, lost };
};

const sliderOf = ({ name, label, value, least, most, step = 1 }, act) => {
  const [id, output] = [`what-${name}`, element("output", { for: `what-${name}` })];
  const input = element("input", { type: "range", id, min: least, max: most, step, value });
  const show = () => {
    output.textContent = least < 0 ? signed(Number(input.value), String) : input.value;
    input.style.setProperty("--at", `${(100 * (input.value - least)) / (most - least || 1)}%`);
    return Number(input.value);
  };
  input.addEventListener("input", () => act(show()));
  show();
  return element("div.slide", {}, element("label", { for: id }, label), output, input);
};

// The verdict in words at a price; `ratio` is the price divided by today's price.
const verdictAt = ({ prices }, ratio) => {
  const at = prices.today + Math.round(Math.log(ratio) / Math.log(data.slider.step));
  return prices.words[Math.min(Math.max(at, 0), prices.words.length - 1)];
};

const whatIf = (level) => {
  if (!level.prices) return null;
  const part = element("section.what", { "aria-label": "Other points, dice or DEFENCE" });
  const [said, figures] = [element("p.told", { "aria-live": "polite" }), element("dl.met")];
  const note = element("p.small", { hidden: true }, "Points destroyed and lost are per round and per 100 points of each side, on average over the enemies of this report. All other units stay unchanged. This panel computes only the fights again; the command analyser balance what-if also computes the prices of similar units again. In 21 tests the two results differed by 1% on average, and by 9% at most.");
  const changes = {};
  let [points, factor, before, now, asked, fairPrice] = [level.points, 1, null, null, 0, null];
  const tell = () => {
    const fair = level.fair * factor;
    if (fairPrice) fairPrice.textContent = `Set ${fairPoints()} points`;
    const [kind, says, chances] = verdictAt(level, points / level.points / factor);
    said.replaceChildren(
      `At ${points} points: `,
      element(`b.sure.${kind}`, {}, says),
      ` (probabilities: ${chances}).`,
      level.prices.doubt && ` ${sentence(level.prices.doubt)}`,
      level.not_counted ? ` These numbers leave out rules that most units of its role lack: ${level.not_counted}.` : "",
    );
    if (!now) return;
    const line = (title, was, is) => [element("dt", {}, title), element("dd", {}, `${was.toFixed(1)} → ${is.toFixed(1)}`), element("dd.n", {}, was > 0 ? signed(is / was - 1, (share) => `${whole(100 * share)}%`) : "")];
    note.hidden = false;
    figures.replaceChildren(
      ...line("Fair points (approximate)", level.fair, fair),
      ...line("Points destroyed", (100 * before.destroyed) / level.points, (100 * now.destroyed) / points),
      ...line("Points lost", 100 * before.lost * level.points, 100 * now.lost * points),
    );
  };
  const fight = async () => {
    const number = ++asked;
    const isWanted = () => number === asked && part.isConnected;
    const all = await loadEngines();
    const printed = all.units[level.selector];
    if (!printed) return;
    const mainLevel = ({ key }) => unitOf.get(key).levels[unitOf.get(key).main_level];
    const enemies = enemiesOf(level).map((each) => all.units[mainLevel(each).selector]).filter((each) => each?.points > 0);
    before ??= await meanLosses(all, printed, enemies, isWanted);
    const losses = before && Object.keys(changes).length ? await meanLosses(all, withChanges(printed, changes, data.slider.edits), enemies, isWanted) : before;
    if (!losses) return;
    now = losses;
    factor = before.destroyed > 0 && now.lost > 0 ? Math.sqrt((now.destroyed / before.destroyed) * (before.lost / now.lost)) : 1;
    tell();
  };
  const slide = (name) => (value) => {
    changes[name] = value;
    fight();
  };
  const set = (input, value) => {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  };
  const button = (text, act) => {
    const result = element("button", { type: "button" }, text);
    result.addEventListener("click", () => act([...part.querySelectorAll("input")]));
    return result;
  };
  const fairPoints = () => (factor === 1 && isMispriced(level) ? level.rounded : Math.round((level.fair * factor) / step) * step);
  const step = level.points % 5 || (isMispriced(level) && level.rounded % 5) ? 1 : 5;
  fairPrice = button("", ([price]) => set(price, fairPoints()));
  part.append(
    element("h3", {}, "What if"),
    sliderOf({ name: "points", label: "Points", value: level.points, step, least: step * Math.ceil(Math.min(level.points, level.fair) / 3 / step), most: step * Math.floor((3 * Math.max(level.points, level.fair)) / step) }, (value) => {
      points = value;
      tell();
      if (!asked && byId("engine")) fight();
    }),
    ...(byId("engine") ? data.slider.edits.map((each) => sliderOf({ ...each, value: level[each.name] ?? 0 }, slide(each.name))) : []),
    element("p", {}, fairPrice, " ", button("Reset", (inputs) => inputs.forEach((each) => set(each, each.defaultValue)))),
    said,
    figures,
    note,
  );
  tell();
  return part;
};
