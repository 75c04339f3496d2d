// Interactive heatmap: sorts by a row or a column, forms groups, and shows all figures of a cell.

const MEAN = data.every_level ?? "mean over levels";
const [NO_GROUPS, BY_CATEGORY, BY_ROLE] = ["nothing", "target category", "role"];
const heat = byId("heat");
const sorted = { row: "", column: "" }; // row whose figures sort the columns, and column whose figures sort the rows
const chosen = (id) => byId(`heat-${id}`).value;

const unitsOf = (faction, level) => {
  const units = new Map();
  sides.forEach((side, place) => {
    if (side.faction !== faction || (level !== MEAN && side.level !== level)) return;
    const key = side.selector.split("@")[0];
    if (!units.has(key)) units.set(key, { key, name: side.unit, category: side.category, role: side.role, places: [] });
    units.get(key).places.push(place);
  });
  return [...units.values()];
};

const mean = (figures) => {
  const there = figures.filter((each) => each !== null);
  return there.length ? there.reduce((sum, each) => sum + each, 0) / there.length : null;
};
const indicesOf = (mine, theirs, situation) =>
  mine.places.flatMap((a) => theirs.places.map((d) => matchupIndex(a, d, situation))).filter((place) => place !== undefined);
const countText = (figures) => (figures.includes(null) ? ` ${figures.filter((each) => each !== null).length}/${figures.length}` : "");
const meanOf = (metric, mine, theirs, situation) =>
  mean(indicesOf(mine, theirs, situation).map(data.columns[metric]));
const textsOf = (texts, column, mine, theirs, situation) =>
  distinct(indicesOf(mine, theirs, situation).map((place) => texts[data.columns[column](place)])).filter(Boolean);
const whyNot = (mine, theirs, situation) =>
  textsOf(data.why, "why_not", mine, theirs, situation)[0] ??
  (indicesOf(mine, theirs, situation).length ? "no figure in this situation, or without points" : "not compared in this report");

// --- colours

// Position of a figure on the colour scale, 0 to 1; logarithmic, to distinguish small figures.
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
const positionOf = (metric, value, highest) => {
  if (!metricOf[metric].is_probability) return 1 - Math.log(clamp(value / highest, data.least_share, 1)) / Math.log(data.least_share);
  const probability = clamp(value / data.steps, data.least_probability, 1 - data.least_probability);
  return (1 + Math.log(probability / (1 - probability)) / Math.log(1 / data.least_probability - 1)) / 2;
};
const colourOf = (metric, value, highest) => data.scale[Math.round((data.scale.length - 1) * positionOf(metric, value, highest))];
const paint = (target, [colour, ink]) => Object.assign(target.style, { background: colour, color: ink });

const showScale = (metric, highest) => {
  const isProbability = metricOf[metric].is_probability;
  const powers = [...Array(12).keys()].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** (power - 6)));
  const ticks = isProbability
    ? [1, 5, 20, 50, 80, 95, 99].map((each) => [`${each}`, (each * data.steps) / 100])
    : powers.filter((each) => each >= data.least_share * highest && each <= highest).map((each) => [String(Number(each.toPrecision(1))), each]);
  const text = isProbability
    ? "Colours, by the odds: 1% and less is darkest, 99% and more lightest:"
    : `Colours: logarithmic; ${Number((data.least_share * highest).toPrecision(2))} and less is darkest:`;
  byId("heat-scale").replaceChildren(
    element("span", {}, text),
    ...ticks.map(([text, value]) => {
      const swatch = element("span.swatch", {}, text);
      paint(swatch, colourOf(metric, value, highest));
      return swatch;
    }),
  );
};

// --- sorting

const highestFirst = (figureOf) => (one, other) => (figureOf(other) ?? -1) - (figureOf(one) ?? -1);
const inGroups = (units, groupOf, figureOf) => {
  const groups = units.map(groupOf);
  const rank = (unit) => (data.categories.includes(groupOf(unit)) ? data.categories : distinct(groups)).indexOf(groupOf(unit));
  units.sort((one, other) => rank(one) - rank(other) || highestFirst(figureOf)(one, other));
  units.forEach((unit, place) => (unit.begins = place > 0 && groupOf(units[place - 1]) !== groupOf(unit)));
};
const sortBy = (what, key) => {
  sorted[what] = sorted[what] === key ? "" : key;
  showHeat();
  saveState();
};

// --- the table

const heatHead = (name, what, key, attributes) => {
  const button = element("span", {}, name);
  if (key) {
    actAsButton(button, () => sortBy(what, key));
    button.setAttribute("aria-pressed", sorted[what] === key);
    button.title = `sort by ${name}`;
  }
  return element("th", attributes, button);
};
const heatCell = (metric, value, highest, title, why) => {
  if (value === null) return element("td.blank", { title: `${title}: ${why}` });
  const cell = element("td", { title: `${title}: ${longText(metric, value)}` }, shortText(metric, value));
  paint(cell, colourOf(metric, value, highest));
  return cell;
};
const groupsOf = (columns, groupOf) => {
  const head = (group) => {
    const here = columns.filter((column) => groupOf(column) === group);
    return element("th", { scope: "colgroup", colspan: here.length, class: here[0].begins ? "begins" : null }, group);
  };
  return element("tr", {}, element("td"), distinct(columns.map(groupOf)).map(head), element("td")); // the last cell is above the means
};

const setMean = (unit, figures) => Object.assign(unit, { mean: mean(figures), of: countText(figures) });
const meanCell = (metric, value, highest, title, of) => {
  const cell = heatCell(metric, value, highest, of ? `${title} of ${of.trim()}` : title, "no figure");
  if (of && value !== null) cell.append(element("span.of", {}, of));
  return cell;
};

const showHeat = () => {
  const metric = chosen("metric");
  const situation = Number(chosen("situation"));
  const rows = unitsOf(chosen("attackers"), chosen("attacker-level"));
  const columns = unitsOf(chosen("defenders"), chosen("defender-level"));
  const figures = new Map(rows.map((row) => [row, new Map(columns.map((column) => [column, meanOf(metric, row, column, situation)]))]));
  const figure = (row, column) => figures.get(row).get(column);
  for (const row of rows) setMean(row, columns.map((column) => figure(row, column)));
  for (const column of columns) setMean(column, rows.map((row) => figure(row, column)));
  const [byRow, byColumn] = [rows.find((each) => each.key === sorted.row), columns.find((each) => each.key === sorted.column)];
  const group = chosen("group");
  const groupOf = { [NO_GROUPS]: () => "", [BY_CATEGORY]: (unit) => unit.category, [BY_ROLE]: (unit) => unit.role }[group];
  inGroups(columns, groupOf, (column) => (byRow ? figure(byRow, column) : column.mean));
  inGroups(rows, group === BY_ROLE ? groupOf : () => "", (row) => (byColumn ? figure(row, byColumn) : row.mean));
  const values = rows.flatMap((row) => columns.map((column) => figure(row, column)));
  const highest = Math.max(0, ...values) || 1;

  const meanHead = values.includes(null) ? "mean without hatched (cells counted/all)" : "mean";
  const heads = columns.map((column) => heatHead(column.name, "column", column.key, { scope: "col" }));
  const top = element("tr", {}, element("td"), heads, heatHead(meanHead, "column", "", { scope: "col" }));
  const lines = rows.map((row) => {
    const line = element("tr", { class: row.begins ? "group" : null });
    line.append(heatHead(row.name, "row", row.key, { scope: "row" }));
    for (const column of columns) {
      const cell = heatCell(metric, figure(row, column), highest, `${row.name} on ${column.name}`, whyNot(row, column, situation));
      if (column.begins) cell.classList.add("begins");
      cell.setAttribute("tabindex", "-1");
      cell.showDetails = () => showDetails(row, column);
      line.append(cell);
    }
    line.append(meanCell(metric, row.mean, highest, `${row.name}, mean`, row.of));
    line.lastChild.classList.add("begins");
    return line;
  });
  const means = element("tr.means", {}, element("th", { scope: "row" }, meanHead));
  for (const column of columns) {
    means.append(meanCell(metric, column.mean, highest, `on ${column.name}, mean`, column.of));
    if (column.begins) means.lastChild.classList.add("begins");
  }
  means.append(meanCell(metric, mean(values), highest, "mean of all", countText(values)));
  means.lastChild.classList.add("begins");
  heat.tHead.replaceChildren(top, ...(group === NO_GROUPS ? [] : [groupsOf(columns, groupOf)]));
  heat.tBodies[0].replaceChildren(...lines, means);
  heat.querySelector("td[tabindex]")?.setAttribute("tabindex", "0");
  showScale(metric, highest);
  showCaption(metric, values.includes(null), rows.length && columns.length, byRow, byColumn);
};

const showCaption = (metric, hasBlank, hasUnits, byRow, byColumn) => {
  const order = [byColumn ? `Rows are sorted by the figure on ${byColumn.name}.` : "", byRow ? `Columns are sorted by the figure of ${byRow.name}.` : ""];
  byId("heat-caption").textContent = [
    `${metricOf[metric].title}${metricOf[metric].is_probability ? ", percent" : ""}, each fight exact. Rows attack, columns defend.`,
    `${order.filter(Boolean).join(" ") || "Both are sorted by their means."} Press a name to sort by it, or a cell for all its figures.`,
    hasBlank ? `Hatched: the attacker cannot make this attack${metric.endsWith("per_100_points") && sides.some((side) => side.points === null) ? ", or has no points" : ""}. Means leave these cells out; 13/22 beside a mean says that 13 of 22 cells count. So the mean of a specialist covers only its own targets.` : "",
    metric === "p_suppressed" && data.situations[Number(chosen("situation"))].is_duel ? SUPPRESSED_IN_DUELS : "",
    hasUnits ? "" : "No units at these levels.",
  ].filter(Boolean).join(" ");
};

// --- all figures of a cell

const SUPPRESSED_IN_DUELS = "In duels P(suppressed) is the probability that the defender is still suppressed after the last round. It is small, because the defender usually acts last in a round, and its suppression ends when it has acted (AC-5.7).";

const detailsOf = (mine, theirs) => {
  const isBlank = (s) => meanOf(data.metrics[0].name, mine, theirs, s) === null;
  const everywhere = [...data.situations.keys()];
  const shown = everywhere.every(isBlank) ? [] : everywhere.filter((s) => !isBlank(s)); // others are listed below, with reasons
  const name = `${mine.name} on ${theirs.name}`;
  const figures = data.metrics
    .filter(({ name }) => name !== "p_activated" || shown.some((s) => meanOf(name, mine, theirs, s) > 0)) // only with Cryo
    .map(({ name, title }) => [title, shown.map((s) => [longText(name, meanOf(name, mine, theirs, s))])])
    .filter(([, cells]) => cells.some(([text]) => text !== "–"));
  const rows = shown.map((s) => [textsOf(data.rows, "row", mine, theirs, s).join(", ") || "none"]);
  const heads = ["", ...shown.map((s) => data.situations[s].name.replaceAll("-", " "))];
  const blank = everywhere.filter(isBlank).map((s) => `${data.situations[s].name.replaceAll("-", " ")}: ${whyNot(mine, theirs, s)}.`);
  const ofDuels = shown.some((s) => data.situations[s].is_duel) && data.columns.p_suppressed ? [SUPPRESSED_IN_DUELS] : [];
  return element(
    "section",
    {},
    element("h4", {}, name),
    shown.length > 0 && tableOf(name, heads, [...figures.map(([title, cells]) => [title, ...cells]), ["Row", ...rows]], { tabindex: "0" }),
    [...blank, ...ofDuels].map((text) => element("p.small", {}, text)),
  );
};

const showDetails = (row, column) => {
  const story = byId("story");
  const close = element("button", { type: "button" }, "Close");
  const levels = [chosen("attacker-level"), chosen("defender-level")].map((each, side) => `${[row, column][side].name}: ${each}`);
  const links = [row, column].map((unit) => element("a", { href: `#${anchorOf(unit.key)}` }, unit.name));
  for (const each of [close, ...links]) each.addEventListener("click", () => story.close());
  const parts = row.key === column.key ? [detailsOf(row, column)] : [detailsOf(row, column), detailsOf(column, row)];
  story.replaceChildren(
    close,
    element("h3", { id: "story-title" }, `${row.name} and ${column.name}`),
    element("p.small", {}, `${levels.join("; ")}. Every fight is exact.`),
    ...parts,
    element("p.small", {}, "Cards: ", links[0], ", ", links[1]),
  );
  story.showModal();
};

heat.addEventListener("click", (event) => event.target.closest("td")?.showDetails?.());
heat.addEventListener("keydown", (event) => {
  const cell = event.target;
  if (!cell.showDetails) return;
  const body = [...heat.tBodies[0].rows];
  const [row, column] = [body.indexOf(cell.parentElement), cell.cellIndex];
  const to = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1] }[event.key];
  const next = to && body[to[0]]?.cells[to[1]];
  if (event.key === "Enter" || event.key === " ") cell.showDetails();
  else if (!to) return;
  else if (next?.showDetails) {
    cell.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }
  event.preventDefault();
});

// --- choices

const factions = distinct(sides.map((side) => side.faction));
const factionName = (faction) => data.faction_names?.[faction] ?? titleCase(faction);
const fightingPairs = new Set(data.pairs[0].map((attacker, place) => `${sides[attacker].faction} ${sides[data.pairs[1][place]].faction}`));
// Only factions that the attackers fight can be selected as defenders; the selection is kept if possible.
const offerDefenders = () => {
  const [select, before] = [byId("heat-defenders"), chosen("defenders")];
  const enemies = factions.filter((each) => fightingPairs.has(`${chosen("attackers")} ${each}`));
  select.replaceChildren();
  choices(select, enemies.map((each) => [each, factionName(each)]));
  select.value = enemies.includes(before) ? before : (enemies.find((each) => each !== chosen("attackers")) ?? enemies[0]);
};
const levels = distinct([MEAN, ...sides.map((side) => side.level)]).map((each) => [each, each]);
choices(byId("heat-attackers"), factions.map((each) => [each, factionName(each)]));
offerDefenders();
choices(byId("heat-attacker-level"), levels);
choices(byId("heat-defender-level"), levels);
choices(byId("heat-situation"), data.situations.map((each, place) => [place, each.heading]));
choices(byId("heat-metric"), data.metrics.map((each) => [each.name, each.short]));
choices(byId("heat-group"), [BY_CATEGORY, BY_ROLE, NO_GROUPS].map((each) => [each, each]));
byId("heat-attackers").addEventListener("input", offerDefenders);
for (const select of byId("heat-tools").querySelectorAll("select")) {
  select.addEventListener("input", () => showHeat());
  keepControl(select);
}
for (const what of ["row", "column"]) {
  keep(`heat-by-${what}`, () => sorted[what], (key) => {
    sorted[what] = key;
    showHeat();
  });
}

// Drawn when it is near the view, because most of a page is never viewed.
const observer = new IntersectionObserver((entries) => {
  if (!entries.some((each) => each.isIntersecting)) return;
  observer.disconnect();
  if (!heat.tBodies[0].rows.length) showHeat(); // else a choice has drawn it
}, { rootMargin: "300px" });
observer.observe(byId("heat-tools"));
