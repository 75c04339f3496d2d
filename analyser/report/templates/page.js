"use strict";
// Everything here draws from figures that the page already holds; without it the page is a plain document.
(() => {
  const data = JSON.parse(document.getElementById("figures").textContent);
  const byId = (id) => document.getElementById(id);
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  // --- tables that can be sorted and filtered -----------------------------------------------------------------

  const compare = (one, other) => {
    if (one === other) return 0;
    if (one === null) return 1; // what has no value stands last, whichever way
    if (other === null) return -1;
    return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), "en");
  };

  const valueOf = (cell) => {
    const text = (cell.dataset.v ?? cell.textContent).trim();
    if (text === "" || text === "–") return null;
    return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  };

  const makeHeadsSort = (heads, sort) => {
    for (const [place, head] of heads.entries()) {
      if (head.dataset.fixed !== undefined) continue;
      // No button element: where a table runs over pages, browsers print the repeated heading without its buttons.
      const button = make("span", undefined, { role: "button", tabindex: "0" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        button.click();
      });
      button.addEventListener("click", () => {
        const first = head.classList.contains("n") ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        const way = head.getAttribute("aria-sort") === first ? second : first;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", way);
        sort(place, way === "ascending" ? 1 : -1);
      });
    }
  };

  const sortedBy = (items, keyOf, sign) =>
    items
      .map((item, place) => [keyOf(item), place, item])
      .sort((one, other) => {
        const order = compare(one[0], other[0]);
        return (one[0] === null || other[0] === null ? order : sign * order) || one[1] - other[1];
      })
      .map((each) => each[2]);

  const hasWords = (text, words) => words.every((word) => text.includes(word));
  const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    makeHeadsSort([...table.tHead.rows[0].cells], (place, sign) => {
      body.append(...sortedBy([...body.rows], (row) => valueOf(row.cells[place]), sign));
    });
  }

  for (const table of document.querySelectorAll("table.filterable")) {
    const tools = make("div", undefined, { class: "tools" });
    const label = make("label", "Show rows with");
    const input = make("input", undefined, { type: "search", placeholder: "words of a row" });
    const count = make("span", undefined, { class: "count", "aria-live": "polite" });
    label.append(input);
    tools.append(label, count);
    table.closest(".wide").before(tools);
    const rows = [...table.tBodies[0].rows];
    const filter = () => {
      const words = wordsOf(input.value);
      let shown = 0;
      for (const row of rows) {
        row.hidden = !hasWords(row.textContent.toLowerCase(), words);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
    };
    input.addEventListener("input", filter);
    filter();
  }

  // --- figures ----------------------------------------------------------------------------------------------------

  const metricOf = Object.fromEntries(data.metrics.map((each) => [each.name, each]));
  const placeOf = (attacker, defender, situation) =>
    (attacker * data.defenders.length + defender) * data.situations.length + situation;

  const percent = (value, digits) => {
    const least = 0.5 * 10 ** -digits;
    if (value === 0 || value === 100) return `${value}%`;
    if (value < least) return `<${(2 * least).toFixed(digits)}%`;
    return value > 100 - least ? `>${(100 - 2 * least).toFixed(digits)}%` : `${value.toFixed(digits)}%`;
  };
  const written = (name, value) => {
    if (value === null) return "–";
    if (metricOf[name].is_probability) return percent((100 * value) / data.steps, 1);
    return value > 0 && value < 0.005 ? "<0.01" : value.toFixed(2);
  };
  const short = (name, value) => {
    if (metricOf[name].is_probability) return percent((100 * value) / data.steps, 0).replace("%", "");
    if (value === 0) return "0";
    if (value < 0.005) return "<.01";
    if (value < 0.995) return value.toFixed(2).slice(1);
    return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
  };

  const choices = (select, options) => {
    for (const [value, text] of options) select.append(make("option", text, { value }));
  };
  const distinct = (items) => [...new Set(items)];
  const titled = (name) => name.replace(/-/g, " ").replace(/\b./g, (letter) => letter.toUpperCase());
  const loadout = (side) => `${side.unit}, ${side.level}`;

  // --- every matchup -------------------------------------------------------------------------------------------------

  const MOST_ROWS = 200;
  const explorer = byId("explorer");
  const COLUMNS = [
    { title: "Attacker", text: (row) => row.a.text },
    { title: "Points", number: (row) => row.a.points, text: (row) => row.a.points ?? "–" },
    { title: "Defender", text: (row) => row.d.text },
    { title: "Situation", text: (row) => data.situations[row.s].name.replaceAll("-", " ") },
    { title: "Row", text: (row) => data.rows[data.row[row.place]] ?? `none: ${data.why[data.why_not[row.place]]}` },
    ...data.metrics.map((metric) => ({
      title: metric.title,
      number: (row) => data.columns[metric.name][row.place],
      text: (row) => written(metric.name, data.columns[metric.name][row.place]),
    })),
  ];
  const searchable = (sides) =>
    sides.map((side) => ({ ...side, text: loadout(side), low: `${side.selector} ${loadout(side)} ${side.category}`.toLowerCase() }));
  const [attackers, defenders] = [searchable(data.attackers), searchable(data.defenders)];
  const order = { column: -1, sign: 1 };

  const found = () => {
    const [mine, theirs] = [wordsOf(byId("by-attacker").value), wordsOf(byId("by-defender").value)];
    const situation = byId("by-situation").value;
    const rows = [];
    attackers.forEach((a, i) => {
      if (!hasWords(a.low, mine)) return;
      defenders.forEach((d, j) => {
        if (!hasWords(d.low, theirs)) return;
        data.situations.forEach((each, s) => {
          if (situation === "" || situation === each.name) rows.push({ a, d, s, place: placeOf(i, j, s) });
        });
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
  makeHeadsSort([...head.cells], (column, sign) => {
    Object.assign(order, { column, sign });
    showMatchups();
  });
  choices(byId("by-situation"), [["", "all"], ...data.situations.map((each) => [each.name, each.heading])]);
  for (const id of ["by-attacker", "by-defender", "by-situation"]) byId(id).addEventListener("input", showMatchups);

  // --- a heatmap of one's choice ------------------------------------------------------------------------------------

  const MEAN = "mean over levels";
  const heat = byId("heat");

  const unitsOf = (sides, faction, level) => {
    const units = new Map();
    sides.forEach((side, place) => {
      if (side.faction !== faction || (level !== MEAN && side.level !== level)) return;
      const key = side.selector.split("@")[0];
      if (!units.has(key)) units.set(key, { name: side.unit, category: side.category, places: [] });
      units.get(key).places.push(place);
    });
    return [...units.values()];
  };

  const meanOf = (metric, mine, theirs, situation) => {
    let [sum, count] = [0, 0];
    for (const a of mine.places) {
      for (const d of theirs.places) {
        const value = data.columns[metric][placeOf(a, d, situation)];
        if (value !== null) [sum, count] = [sum + value, count + 1];
      }
    }
    return count ? sum / count : null;
  };

  const whyNot = (mine, theirs, situation) => data.why[data.why_not[placeOf(mine.places[0], theirs.places[0], situation)]] ?? "no figure";

  const upright = (text) => {
    const cell = make("th", undefined, { scope: "col" });
    cell.append(make("span", text));
    return cell;
  };

  // Where a figure stands between the colours, 0 to 1: logarithms, as in the pictures, which tell small ones apart too.
  const within = (value, least, most) => Math.min(most, Math.max(least, value));
  const positionOf = (metric, value, highest) => {
    const least = data.least_share;
    if (!metricOf[metric].is_probability) return 1 - Math.log(within(value / highest, least, 1)) / Math.log(least);
    const probability = within(value / data.steps, least, 1 - least);
    return (1 + Math.log(probability / (1 - probability)) / Math.log(1 / least - 1)) / 2;
  };
  const colourOf = (metric, value, highest) => data.scale[Math.round((data.scale.length - 1) * positionOf(metric, value, highest))];
  const paint = (element, [colour, ink]) => Object.assign(element.style, { background: colour, color: ink });

  const mean = (figures) => {
    const there = figures.filter((each) => each !== null);
    return there.length ? there.reduce((sum, each) => sum + each, 0) / there.length : null;
  };
  const rankOf = (category) => data.categories.indexOf(category);
  const highestFirst = (one, other) => (other.mean ?? -1) - (one.mean ?? -1);

  const showHeat = () => {
    const [mine, theirs, metric] = ["heat-attackers", "heat-defenders", "heat-metric"].map((id) => byId(id).value);
    const situation = Number(byId("heat-situation").value);
    const figure = (row, column) => meanOf(metric, row, column, situation);
    const rows = unitsOf(data.attackers, mine, byId("heat-attacker-level").value);
    const columns = unitsOf(data.defenders, theirs, byId("heat-defender-level").value);
    for (const row of rows) row.mean = mean(columns.map((column) => figure(row, column)));
    for (const column of columns) column.mean = mean(rows.map((row) => figure(row, column)));
    rows.sort(highestFirst);
    columns.sort((one, other) => rankOf(one.category) - rankOf(other.category) || highestFirst(one, other));
    columns.forEach((column, j) => (column.begins = j > 0 && columns[j - 1].category !== column.category));
    const values = rows.map((row) => columns.map((column) => figure(row, column)));
    const highest = Math.max(0, ...values.flat().map((each) => each ?? 0)) || 1;
    const groups = make("tr");
    groups.append(make("td"));
    for (const category of distinct(columns.map((column) => column.category))) {
      const here = columns.filter((column) => column.category === category);
      groups.append(make("th", category, { scope: "colgroup", colspan: here.length, class: here[0].begins ? "begins" : "" }));
    }
    const top = make("tr");
    top.append(make("td"), ...columns.map((column) => upright(column.name)), upright("mean"));
    const margin = (value, title) => {
      const cell = value === null ? make("td", "", { title }) : make("td", short(metric, value), { title: `${title}: ${written(metric, value)}` });
      if (value !== null) paint(cell, colourOf(metric, value, highest));
      return cell;
    };
    const lines = rows.map((row, i) => {
      const line = make("tr");
      line.append(make("th", row.name, { scope: "row" }));
      columns.forEach((column, j) => {
        const cell = heatCell(metric, values[i][j], highest, row, column, situation);
        if (column.begins) cell.classList.add("begins");
        line.append(cell);
      });
      const last = margin(row.mean, `${row.name}, mean`);
      last.classList.add("begins");
      line.append(last);
      return line;
    });
    const means = make("tr", undefined, { class: "means" });
    means.append(make("th", "mean", { scope: "row" }));
    for (const column of columns) {
      const cell = margin(column.mean, `on ${column.name}, mean`);
      if (column.begins) cell.classList.add("begins");
      means.append(cell);
    }
    const all = margin(mean(values.flat()), "mean of all");
    all.classList.add("begins");
    means.append(all);
    heat.tHead.replaceChildren(top, groups);
    heat.tBodies[0].replaceChildren(...lines, means);
    showScale(metric, highest);
    const blank = values.flat().includes(null) ? " Hatched: the attacker cannot make this attack, and means leave it out; point at the cell to see why." : "";
    const nobody = rows.length && columns.length ? "" : " No units at these levels.";
    byId("heat-caption").textContent =
      `${metricOf[metric].title}${metricOf[metric].is_probability ? ", percent" : ""}, exact. Rows attack, columns defend; ` +
      `both stand by their means, columns by target category first.${blank}${nobody}`;
  };

  const showScale = (metric, highest) => {
    const isProbability = metricOf[metric].is_probability;
    const powers = [...Array(12).keys()].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** (power - 6)));
    const ticks = isProbability
      ? [1, 5, 20, 50, 80, 95, 99].map((each) => [`${each}`, (each * data.steps) / 100])
      : powers.filter((each) => each >= data.least_share * highest && each <= highest).map((each) => [String(Number(each.toPrecision(1))), each]);
    const text = isProbability
      ? "Colours: logarithm of the odds; 1% and less is darkest, 99% and more lightest:"
      : "Colours: logarithmic; a hundredth of the highest and less is darkest:";
    byId("heat-scale").replaceChildren(
      make("span", text),
      ...ticks.map(([text, value]) => {
        const swatch = make("span", text, { class: "swatch" });
        paint(swatch, colourOf(metric, value, highest));
        return swatch;
      }),
    );
  };

  const heatCell = (metric, value, highest, row, column, situation) => {
    if (value === null) {
      return make("td", "", { class: "blank", title: `${row.name} on ${column.name}: ${whyNot(row, column, situation)}` });
    }
    const cell = make("td", short(metric, value), { title: `${row.name} on ${column.name}: ${written(metric, value)}` });
    paint(cell, colourOf(metric, value, highest));
    return cell;
  };

  const levels = (sides) => [MEAN, ...distinct(sides.map((side) => side.level))].map((each) => [each, each]);
  const factions = (sides) => distinct(sides.map((side) => side.faction)).map((each) => [each, titled(each)]);
  choices(byId("heat-attackers"), factions(data.attackers));
  choices(byId("heat-defenders"), factions(data.defenders));
  choices(byId("heat-attacker-level"), levels(data.attackers));
  choices(byId("heat-defender-level"), levels(data.defenders));
  choices(byId("heat-situation"), data.situations.map((each, place) => [place, each.heading]));
  choices(byId("heat-metric"), data.metrics.map((each) => [each.name, each.title]));
  for (const select of byId("heat-tools").querySelectorAll("select")) select.addEventListener("input", showHeat);

  // --- parts that are folded -----------------------------------------------------------------------------------------

  const unfold = () => {
    const target = location.hash ? byId(decodeURIComponent(location.hash.slice(1))) : null;
    const folded = target?.closest("details");
    if (folded) {
      folded.open = true;
      target.scrollIntoView();
    }
  };
  const sheets = [...document.querySelectorAll("details.sheet")];
  byId("by-unit").addEventListener("input", (event) => {
    const words = wordsOf(event.target.value);
    for (const sheet of sheets) sheet.hidden = !hasWords(sheet.querySelector("summary").textContent.toLowerCase(), words);
  });
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((each) => (each.open = true));
  });
  addEventListener("afterprint", () => folded.forEach((each) => (each.open = false)));
  addEventListener("hashchange", unfold);

  document.documentElement.classList.add("scripted");
  showMatchups();
  showHeat();
  unfold();
})();
