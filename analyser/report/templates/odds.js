// Odds of each card of an army against a target, computed by the exact engines, which are unpacked on first use.

const odds = byId("odds");
const WRONG = "wrong"; // a number that is missing or out of its range
const isWrong = (values) => Object.values(values).includes(WRONG);
const field = (label, value, attributes, act) => {
  const input = element("input", { type: "number", inputmode: "decimal", value, ...attributes });
  input.addEventListener("input", () => act(input.value !== "" && input.validity.valid ? Number(input.value) : WRONG));
  return element("label", {}, label, input);
};
const startOdds = async () => {
  const { engine, units: all, targets, edits, figures, ...page } = await load("engine");
  const units = all.filter(Boolean);
  const [place, fight, numbers] = [element("select"), { distance: page.distance }, {}];
  const controls = element("span.tools");
  const standing = units.map(() => ({}));
  const cards = [...document.querySelectorAll(".card")].filter((_, at) => all[at]); // other units are too large for the engines
  const lines = cards.map((card) => card.appendChild(element("ul.live", { "aria-live": "polite" })));
  const show = () => {
    const target = withChanges(targets[place.value], isWrong(numbers) ? {} : numbers, edits);
    cards.forEach((_, at) => {
      if ([numbers, fight, standing[at]].some(isWrong)) return lines[at].replaceChildren(element("li", {}, "A number is missing or out of its range."));
      const unit = units[at];
      const rows = unit.rows.map((row, number) => ({ row, answer: engine.attack(unit, number, target, { ...fight, attacker: standing[at] }) }));
      const shots = ranked(rows.filter(({ row, answer }) => row.kind === page.shoots && !answer.refused), page);
      const text = ({ name, label, isMean }, answer) => `${label} ${isMean ? tenths(answer[name]) : percent(answer[name])}`;
      const line = ({ row, answer }) => element("li", {}, element("b", {}, row.name), `, ${answer.dice} dice: ${figures.map((each) => text(each, answer)).join(", ")}`);
      lines[at].replaceChildren(...(shots.length ? shots.map(line) : [element("li", {}, "No row can shoot at this target at this distance.")]));
    });
  };
  const set = (values, name) => (value) => {
    values[name] = value;
    show();
  };
  const begin = () => {
    const target = withChanges(targets[place.value], {}, edits);
    for (const edit of edits) numbers[edit.name] = numberOf(target, edit, 0);
    controls.replaceChildren(
      ...edits.map(({ name, label, least, most }) => field(label, numbers[name], { min: least, max: most }, set(numbers, name))),
      field("Distance, inches", fight.distance, { min: 0, max: 60, step: 0.01 }, set(fight, "distance")),
    );
    show();
  };
  choices(place, targets.map(({ name }, at) => [at, name]));
  place.addEventListener("input", begin);
  odds.append(element("div.tools", {}, element("label", {}, "Target", place), controls));
  cards.forEach((card, at) => {
    const { models, mostDamage } = units[at];
    const mark = (left) => {
      const heads = [...card.querySelectorAll("th[data-last]")];
      const column = heads.findIndex((head) => left <= Number(head.dataset.last));
      for (const row of card.querySelectorAll("tr")) [...row.querySelectorAll(".n")].forEach((cell, number) => cell.classList.toggle("at", number === column));
    };
    const byDamage = card.dataset.by === "damage";
    const stand = (name) => (value) => {
      if (value !== WRONG && (name === "damage") === byDamage) mark(value);
      set(standing[at], name)(value);
    };
    const modelsLeft = models > 1 && field("Models left", models, { min: 1, max: models }, stand("models"));
    const damage = mostDamage > 0 && field("Damage", 0, { min: 0, max: mostDamage }, stand("damage"));
    lines[at].before(element("p.tools.live", {}, modelsLeft, damage));
  });
  begin();
};
odds.addEventListener("toggle", () => odds.open && startOdds(), { once: true });
