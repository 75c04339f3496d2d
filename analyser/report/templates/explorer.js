// Every matchup.

const MOST_ROWS = 200;
const explorer = byId("explorer");
const rowText = (row) => {
  const why = data.why[data.why_not[row.place]];
  return data.rows[data.row[row.place]] ?? (why ? `none: ${why}` : "none");
};
const COLUMNS = [
  { title: "Attacker", text: (row) => row.a.text },
  { title: "Points", number: (row) => row.a.points, text: (row) => row.a.points ?? "–" },
  { title: "Defender", text: (row) => row.d.text },
  { title: "Situation", text: (row) => data.situations[row.s].name.replaceAll("-", " ") },
  { title: "Row", text: rowText },
  ...data.metrics.map((metric) => ({
    title: metric.title,
    number: (row) => data.columns[metric.name][row.place],
    text: (row) => written(metric.name, data.columns[metric.name][row.place]),
  })),
];
const searchable = sides.map((side) => ({
  ...side,
  text: loadout(side),
  low: `${side.selector} ${loadout(side)} ${side.category} ${side.role}`.toLowerCase(),
}));
const order = { column: -1, sign: 1 };

const found = () => {
  const [mine, theirs] = [wordsOf(byId("by-attacker").value), wordsOf(byId("by-defender").value)];
  const situation = byId("by-situation").value;
  const rows = [];
  data.pairs[0].forEach((i, pair) => {
    const [a, d] = [searchable[i], searchable[data.pairs[1][pair]]];
    if (!hasWords(a.low, mine) || !hasWords(d.low, theirs)) return;
    data.situations.forEach((each, s) => {
      if (situation === "" || situation === each.name) rows.push({ a, d, s, place: pair * data.situations.length + s });
    });
  });
  if (order.column < 0) return rows;
  const column = COLUMNS[order.column];
  return sortedBy(rows, column.number ?? column.text, order.sign);
};

const showMatchups = () => {
  const rows = found();
  const body = explorer.tBodies[0];
  body.replaceChildren(
    ...rows.slice(0, MOST_ROWS).map((row) => {
      const line = make("tr");
      line.append(...COLUMNS.map((column) => make("td", column.text(row), column.number ? { class: "n" } : {})));
      return line;
    }),
  );
  const all = `${rows.length.toLocaleString("en-GB")} matchup${rows.length === 1 ? "" : "s"}`;
  byId("explorer-count").textContent = rows.length > MOST_ROWS ? `the first ${MOST_ROWS} of ${all}` : all;
};

const head = make("tr");
head.append(
  ...COLUMNS.map((column) => make("th", column.title, { scope: "col", ...(column.number ? { class: "n" } : {}) })),
);
explorer.tHead.append(head);
makeHeadsSort([...head.cells], "sort-matchups", (column, sign) => {
  Object.assign(order, { column, sign });
  showMatchups();
});
choices(byId("by-situation"), [["", "all"], ...data.situations.map((each) => [each.name, each.heading])]);
for (const id of ["by-attacker", "by-defender", "by-situation"]) {
  byId(id).addEventListener("input", showMatchups);
  keepControl(byId(id));
}
