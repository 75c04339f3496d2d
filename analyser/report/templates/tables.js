// Tables that can be sorted and filtered; the address names a table by the section that contains it.

for (const table of document.querySelectorAll("table.sortable")) {
  makeSortable(table, table.matches(".filterable") ? `sort-${table.closest("details").id}` : "");
}

for (const table of document.querySelectorAll("table.filterable")) {
  const input = element("input", { type: "search", placeholder: "words of a row" });
  const count = element("span.count", { "aria-live": "polite" });
  table.closest(".wide").before(element("div.tools", {}, element("label", {}, "Show rows with", input), count));
  const rows = [...table.tBodies[0].rows];
  const filter = () => {
    const words = wordsOf(input.value);
    for (const row of rows) row.hidden = !hasWords(row.textContent.toLowerCase(), words);
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
  };
  input.addEventListener("input", filter);
  keepControl(input, `rows-${table.closest("details").id}`);
  filter();
}
