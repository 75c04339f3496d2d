// Tables that can be sorted and filtered; the address names a filtered table by its part of the page.

const filterable = [...document.querySelectorAll("table.filterable")];
const nameOf = (table) => {
  const part = table.closest("details[id], section[id]")?.id ?? "ratings";
  const alike = filterable.filter((each) => (each.closest("details[id], section[id]")?.id ?? "ratings") === part);
  return alike.length > 1 ? `${part}-${alike.indexOf(table) + 1}` : part;
};

for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const name = table.matches(".filterable") ? `sort-${nameOf(table)}` : "";
  makeSortable([...table.tHead.rows[0].cells], name, (place, sign) => {
    body.append(...sortedBy([...body.rows], (row) => sortValue(row.cells[place]), sign));
  });
}

for (const table of document.querySelectorAll("table.filterable")) {
  const input = element("input", { type: "search", placeholder: "words of a row" });
  const count = element("span.count", { "aria-live": "polite" });
  table.closest(".wide").before(element("div.tools", {}, element("label", {}, "Show rows with", input), count));
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
  keepControl(input, `rows-${nameOf(table)}`);
  filter();
}

// Parts that scroll sideways can be scrolled by keyboard.
const scrolls = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const over = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    if (over) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});
for (const frame of document.querySelectorAll(".wide")) {
  if (!frame.hasAttribute("aria-label")) {
    const heading = frame.closest("details, section")?.querySelector("summary, h2, h3") ?? frame.previousElementSibling;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", `table: ${heading.textContent.trim().split("\n")[0]}`);
  }
  scrolls.observe(frame);
}
