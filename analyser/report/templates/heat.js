// Interactive heatmap, which can be sorted by a row or a column, and grouped; a press on a cell shows all its figures.

const MEAN = data.every_level ?? "mean over levels";
const GROUPS = { "target category": (unit) => unit.category, role: (unit) => unit.role, nothing: () => "" };
const SUPPRESSED_IN_DUELS = "In duels P(suppressed) is the probability that the defender is still suppressed after the last round. It is small, because the defender usually acts last in a round, and its suppression ends when it has acted (AC-5.7).";
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
  const there = figures.filter((each) => each !== null && !Number.isNaN(each));
  return there.length ? there.reduce((sum, each) => sum + each, 0) / there.length : null;
};
const indicesOf = (mine, theirs, situation) =>
  mine.places.flatMap((a) => theirs.places.map((d) => matchupIndex(a, d, situation))).filter((place) => place !== undefined);
const meanOf = (metric, mine, theirs, situation) => mean(indicesOf(mine, theirs, situation).map((place) => data.columns[metric][place]));
const textsOf = (texts, column, mine, theirs, situation) =>
  distinct(indicesOf(mine, theirs, situation).map((place) => texts[data.columns[column][place]])).filter(Boolean);
const whyNot = (mine, theirs, situation) =>
  textsOf(data.why, "why_not", mine, theirs, situation)[0] ??
  (indicesOf(mine, theirs, situation).length ? "no figure in this situation, or the attacker has no points" : "not compared in this report");

// --- colours

// Position of a figure on the colour scale, 0 to 1; logarithmic, to distinguish small figures.
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
const positionOf = (metric, value, highest) => {
  if (!metricOf[metric].is_probability) return 1 - Math.log(clamp(value / highest, data.least_share, 1)) / Math.log(data.least_share);
  const probability = clamp(value, data.least_probability, 1 - data.least_probability);
  return (1 + Math.log(probability / (1 - probability)) / Math.log(1 / data.least_probability - 1)) / 2;
};
const paint = (target, metric, value, highest) => {
  const [background, color] = data.scale[Math.round((data.scale.length - 1) * positionOf(metric, value, highest))];
  return Object.assign(target.style, { background, color });
};

const showScale = (metric, highest) => {
  const least = data.least_share * highest;
  const powers = [...Array(12).keys()].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** (power - 6)));
  const [text, ticks] = metricOf[metric].is_probability
    ? ["Colours follow the odds; 1% and less is darkest, 99% and more is lightest:", [1, 5, 20, 50, 80, 95, 99].map((each) => [each, each / 100])]
    : [`Colours: logarithmic; ${Number(least.toPrecision(2))} and less is darkest:`, powers.filter((each) => each >= least && each <= highest).map((each) => [Number(each.toPrecision(1)), each])];
  byId("heat-scale").replaceChildren(element("span", {}, text));
  for (const [tick, value] of ticks) {
    const swatch = element("span.swatch", {}, tick);
    paint(swatch, metric, value, highest);
    byId("heat-scale").append(swatch);
  }
};

// --- the table

// Sort units by group, then by a figure, the highest first; `begins` marks the first unit of each later group.
const inGroups = (units, groupOf, figureOf) => {
  const groups = units.map(groupOf);
  const rank = (unit) => (data.categories.includes(groupOf(unit)) ? data.categories : distinct(groups)).indexOf(groupOf(unit));
  units.sort((one, other) => rank(one) - rank(other) || (figureOf(other) ?? -1) - (figureOf(one) ?? -1));
  units.forEach((unit, place) => (unit.begins = place > 0 && groupOf(units[place - 1]) !== groupOf(unit)));
};

const heatHead = (unit, what, scope) => {
  const button = element("span", { "aria-pressed": String(sorted[what] === unit.key), title: `sort by ${unit.name}` }, unit.name);
  actAsButton(button, () => {
    sorted[what] = sorted[what] === unit.key ? "" : unit.key;
    showHeat();
    saveState();
  });
  return element("th", { scope }, button);
};
const heatCell = (metric, value, highest, title, why, begins) => {
  const kind = [value === null && "blank", begins && "begins"].filter(Boolean).join(" ");
  const cell = element("td", { class: kind || null, title: `${title}: ${value === null ? why : longText(metric, value)}` }, value !== null && shortText(metric, value));
  if (value !== null) paint(cell, metric, value, highest);
  return cell;
};
// The mean of a row or a column; if some cells are blank, with the number of cells that count.
const meanCell = (metric, value, figures, highest, title, begins) => {
  const there = figures.filter((each) => each !== null).length;
  const of = there < figures.length ? ` ${there}/${figures.length}` : "";
  const cell = heatCell(metric, value, highest, of ? `${title} of${of}` : title, "no figure", begins);
  if (of && there) cell.append(element("span.of", {}, of));
  return cell;
};
const groupHeads = (columns, groupOf) => {
  const head = (group) => {
    const here = columns.filter((column) => groupOf(column) === group);
    return element("th", { scope: "colgroup", colspan: here.length, class: here[0].begins ? "begins" : null }, group);
  };
  return element("tr", {}, element("td"), distinct(columns.map(groupOf)).map(head), element("td")); // the last cell is above the means
};

const showHeat = () => {
  const [metric, situation, groupOf] = [chosen("metric"), Number(chosen("situation")), GROUPS[chosen("group")]];
  const rows = unitsOf(chosen("attackers"), chosen("attacker-level"));
  const columns = unitsOf(chosen("defenders"), chosen("defender-level"));
  const figures = new Map(rows.map((row) => [row, new Map(columns.map((column) => [column, meanOf(metric, row, column, situation)]))]));
  const figure = (row, column) => figures.get(row).get(column);
  const ofRow = (row) => columns.map((column) => figure(row, column));
  const ofColumn = (column) => rows.map((row) => figure(row, column));
  for (const row of rows) row.mean = mean(ofRow(row));
  for (const column of columns) column.mean = mean(ofColumn(column));
  const [byRow, byColumn] = [rows.find((each) => each.key === sorted.row), columns.find((each) => each.key === sorted.column)];
  inGroups(columns, groupOf, (column) => (byRow ? figure(byRow, column) : column.mean));
  inGroups(rows, groupOf === GROUPS.role ? groupOf : GROUPS.nothing, (row) => (byColumn ? figure(row, byColumn) : row.mean));
  const values = rows.flatMap(ofRow);
  const highest = Math.max(0, ...values) || 1;

  const meanHead = values.includes(null) ? "mean without hatched cells (counted/all)" : "mean";
  const heads = columns.map((column) => heatHead(column, "column", "col"));
  const top = element("tr", {}, element("td"), heads, element("th", { scope: "col" }, element("span", {}, meanHead)));
  const cellOf = (row, column) => {
    const cell = heatCell(metric, figure(row, column), highest, `${row.name} on ${column.name}`, whyNot(row, column, situation), column.begins);
    cell.setAttribute("tabindex", "-1");
    cell.showDetails = () => showDetails(row, column);
    return cell;
  };
  const lineOf = (row) => {
    const cells = columns.map((column) => cellOf(row, column));
    return element("tr", { class: row.begins ? "group" : null }, heatHead(row, "row", "row"), cells, meanCell(metric, row.mean, ofRow(row), highest, `${row.name}, mean`, true));
  };
  const means = columns.map((column) => meanCell(metric, column.mean, ofColumn(column), highest, `on ${column.name}, mean`, column.begins));
  const last = element("tr.means", {}, element("th", { scope: "row" }, meanHead), means, meanCell(metric, mean(values), values, highest, "mean of all", true));
  heat.tHead.replaceChildren(top, ...(groupOf === GROUPS.nothing ? [] : [groupHeads(columns, groupOf)]));
  heat.tBodies[0].replaceChildren(...rows.map(lineOf), last);
  heat.querySelector("td[tabindex]")?.setAttribute("tabindex", "0");
  showScale(metric, highest);
  showCaption(metric, values, byRow, byColumn);
};

const showCaption = (metric, values, byRow, byColumn) => {
  const { title, is_probability } = metricOf[metric];
  const order = [byColumn && `Rows are sorted by the figure on ${byColumn.name}.`, byRow && `Columns are sorted by the figure of ${byRow.name}.`];
  const hasNoPoints = metric.endsWith("per_100_points") && sides.some((side) => side.points === null);
  byId("heat-caption").textContent = [
    `${title}${is_probability ? ", percent" : ""}, each fight exact. Rows attack, columns defend.`,
    `${order.filter(Boolean).join(" ") || "Both are sorted by their means."} Press a name to sort by it, or a cell for all its figures.`,
    values.includes(null) && `Hatched: the attacker cannot make this attack${hasNoPoints ? ", or has no points" : ""}. Means leave these cells out; 13/22 beside a mean says that 13 of 22 cells count. So the mean of a specialist covers only its own targets.`,
    metric === "p_suppressed" && data.situations[chosen("situation")].is_duel && SUPPRESSED_IN_DUELS,
    !values.length && "No units at these levels.",
  ].filter(Boolean).join(" ");
};

// --- all figures of a cell

const detailsOf = (mine, theirs) => {
  const isBlank = (s) => meanOf(data.metrics[0].name, mine, theirs, s) === null;
  const everywhere = [...data.situations.keys()];
  const shown = everywhere.filter((s) => !isBlank(s)); // the other situations are listed below, with reasons
  const name = `${mine.name} on ${theirs.name}`;
  const nameOf = (s) => data.situations[s].name.replaceAll("-", " ");
  const lines = data.metrics
    .filter(({ name }) => name !== "p_activated" || shown.some((s) => meanOf(name, mine, theirs, s) > 0)) // only with Cryo
    .map(({ name, title }) => [title, ...shown.map((s) => [longText(name, meanOf(name, mine, theirs, s))])])
    .filter(([, ...cells]) => cells.some(([text]) => text !== "–"));
  lines.push(["Row", ...shown.map((s) => [textsOf(data.rows, "row", mine, theirs, s).join(", ") || "none"])]);
  const notes = everywhere.filter(isBlank).map((s) => `${nameOf(s)}: ${whyNot(mine, theirs, s)}.`);
  if (shown.some((s) => data.situations[s].is_duel) && data.columns.p_suppressed) notes.push(SUPPRESSED_IN_DUELS);
  const table = shown.length > 0 && tableOf(name, ["", ...shown.map(nameOf)], lines);
  return element("section", {}, element("h4", {}, name), table, notes.map((text) => element("p.small", {}, text)));
};

const showDetails = (row, column) => {
  const story = byId("story");
  const close = element("button", { type: "button" }, "Close");
  const levels = [chosen("attacker-level"), chosen("defender-level")].map((each, side) => `${[row, column][side].name}: ${each}`);
  const links = [row, column].map((unit) => element("a", { href: `#${anchorOf(unit.key)}` }, unit.name));
  for (const each of [close, ...links]) each.addEventListener("click", () => story.close());
  story.replaceChildren(
    close,
    element("h3", { id: "story-title" }, `${row.name} and ${column.name}`),
    element("p.small", {}, `${levels.join("; ")}. Every fight is exact.`),
    detailsOf(row, column),
    ...(row.key === column.key ? [] : [detailsOf(column, row)]),
    element("p.small", {}, "Cards: ", links[0], ", ", links[1]),
  );
  story.showModal();
};

heat.addEventListener("click", (event) => event.target.closest("td")?.showDetails?.());
heat.addEventListener("keydown", (event) => {
  const cell = event.target;
  if (!cell.showDetails) return;
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
  if (event.key === "Enter" || event.key === " ") cell.showDetails();
  else if (down === undefined) return;
  event.preventDefault();
  const next = heat.tBodies[0].rows[cell.parentElement.sectionRowIndex + down]?.cells[cell.cellIndex + right];
  if (!next?.showDetails) return;
  cell.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
});

// --- choices

const factions = distinct(sides.map((side) => side.faction));
const factionOption = (faction) => [faction, data.faction_names?.[faction] ?? titleCase(faction)];
const fightingPairs = new Set(data.pairs[0].map((attacker, place) => `${sides[attacker].faction} ${sides[data.pairs[1][place]].faction}`));
// Only factions that the attackers fight can be selected as defenders; the selection is kept if possible.
const offerDefenders = () => {
  const [select, before] = [byId("heat-defenders"), chosen("defenders")];
  const enemies = factions.filter((each) => fightingPairs.has(`${chosen("attackers")} ${each}`));
  select.replaceChildren();
  choices(select, enemies.map(factionOption));
  select.value = enemies.includes(before) ? before : (enemies.find((each) => each !== chosen("attackers")) ?? enemies[0]);
};
const levels = distinct([MEAN, ...sides.map((side) => side.level)]).map((each) => [each, each]);
choices(byId("heat-attackers"), factions.map(factionOption));
offerDefenders();
choices(byId("heat-attacker-level"), levels);
choices(byId("heat-defender-level"), levels);
choices(byId("heat-situation"), data.situations.map((each, place) => [place, each.heading]));
choices(byId("heat-metric"), data.metrics.map((each) => [each.name, each.short]));
choices(byId("heat-group"), Object.keys(GROUPS).map((each) => [each, each]));
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
  if (!heat.tBodies[0].rows.length) showHeat(); // unless a selection has already drawn it
}, { rootMargin: "300px" });
observer.observe(byId("heat-tools"));
