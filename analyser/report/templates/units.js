// The box that finds units, and the way back to the page over reports.

const MOST_FOUND = 8;
const cards = [...document.querySelectorAll("details.sheet")].map((card) => {
  const summary = card.querySelector("summary");
  const facts = summary.querySelector(".small").textContent.split(" · ").slice(0, 2).join(" · ");
  return { id: card.id, name: summary.querySelector("h3").textContent, facts, low: `${summary.textContent} ${card.dataset.words}`.toLowerCase() };
});
const [box, finds] = [byId("find"), byId("finds")];

const showFinds = () => {
  const words = wordsOf(box.value);
  const hits = words.length ? cards.filter((card) => hasWords(card.low, words)) : [];
  // Those whose name has the words come first.
  const ordered = sortedBy(hits, (card) => (hasWords(card.name.toLowerCase(), words) ? 0 : 1), 1);
  finds.replaceChildren(
    ...ordered.slice(0, MOST_FOUND).map((card) => {
      const [line, link] = [make("li"), make("a", card.name, { href: `#${card.id}` })];
      link.append(make("span", ` ${card.facts}`, { class: "small" }));
      line.append(link);
      return line;
    }),
  );
  const more = hits.length - MOST_FOUND;
  if (more > 0) finds.append(make("li", `and ${more} more`, { class: "small" }));
  if (words.length && !hits.length) finds.append(make("li", "No unit has these words.", { class: "small" }));
  byId("find-count").textContent = words.length ? `${hits.length} unit${hits.length === 1 ? "" : "s"} found` : "";
  finds.hidden = !words.length;
};
const leaveFinds = () => {
  box.value = "";
  showFinds();
};

box.addEventListener("input", showFinds);
byId("find-form").addEventListener("submit", (event) => {
  event.preventDefault();
  finds.querySelector("a")?.click();
});
byId("find-form").addEventListener("keydown", (event) => {
  const stops = [box, ...finds.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement);
  if (event.key === "Escape") {
    leaveFinds();
    box.focus();
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  stops[Math.max(0, Math.min(at + (event.key === "ArrowDown" ? 1 : -1), stops.length - 1))].focus();
});
finds.addEventListener("click", (event) => {
  if (!event.target.closest("a")) return;
  box.value = "";
  finds.hidden = true;
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("#find-form")) finds.hidden = true;
});

// A report that was not made for a page over reports learns its address from the link that led here.
const home = byId("home");
keep("home", () => (home.hidden ? "" : home.getAttribute("href")), (value) => {
  if (!/^(\.\.\/)+index\.html$/.test(value)) return;
  home.setAttribute("href", value);
  home.hidden = false;
});

document.documentElement.classList.add("scripted");
showMatchups();
showHeat();
arrive();
