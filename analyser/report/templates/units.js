// The list of units with its filters, and the card of the unit in view.

const list = byId("units");
const lines = [...list.children];
const view = byId("view");
const wideEnough = matchMedia("(min-width: 62.01rem)");
let [current, inView] = [null, ""]; // row, and anchor of its unit or level

const showUnit = (line, anchor = line.id) => {
  current?.firstElementChild.removeAttribute("aria-current");
  [current, inView] = [line, anchor];
  line.firstElementChild.setAttribute("aria-current", "true");
  const unit = unitOf.get(line.dataset.unit);
  const named = unit.levels.find((level) => anchorOf(level.selector) === anchor);
  const filtered = filters.get("verdict")?.size ? unit.levels.find((level) => isSelected("verdict", [level.kind])) : null;
  view.replaceChildren(...cardOf(unit, named ?? filtered ?? unit.levels[unit.main_level]));
  view.scrollTop = 0;
  view.hidden = false;
  (wideEnough.matches ? list.parentElement.parentElement : line).append(view);
};
const hideUnit = () => {
  current?.firstElementChild.removeAttribute("aria-current");
  current = null;
  view.hidden = true;
};
list.addEventListener("click", (event) => {
  const link = event.target.closest("li > a");
  if (!link || link.parentElement.parentElement !== list || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const dot = event.target.closest("[data-level]")?.dataset.level;
  if (link.parentElement === current && !wideEnough.matches && !dot) hideUnit();
  else showUnit(link.parentElement, dot);
  history.replaceState(null, "", hashOf(dot ?? link.hash.slice(1)));
});
list.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const visible = lines.filter((line) => !line.hidden);
  const at = visible.findIndex((line) => line.firstElementChild === event.target);
  if (!step || at < 0) return;
  event.preventDefault();
  const next = visible[Math.max(0, Math.min(at + step, visible.length - 1))];
  next.firstElementChild.focus();
  if (wideEnough.matches) showUnit(next);
});
view.addEventListener("input", (event) => {
  if (event.target.id !== "level") return;
  showUnit(current, event.target.value);
  byId("level").focus();
  history.replaceState(null, "", hashOf(inView));
});
view.addEventListener("click", () => history.replaceState(null, "", hashOf(inView))); // so that Back returns to this card
list.addEventListener("arrive", (event) => {
  const line = event.target.closest("li[data-unit]");
  if (line.hidden) clearFilters();
  showUnit(line, event.detail);
});
wideEnough.addEventListener("change", () => (current ? showUnit(current, inView) : wideEnough.matches && showUnit(lines[0])));

// --- filters: verdict, role, faction, words

const filters = new Map(); // selected values by filtered property
const findBox = byId("find");
const isSelected = (name, has) => !filters.get(name)?.size || has.some((each) => filters.get(name).has(each));
const passesOtherFilters = ({ dataset }) => isSelected("faction", [dataset.faction]) && isSelected("role", [dataset.role]) && hasWords(dataset.words, wordsOf(findBox.value));
const levelsOfLines = (some) => some.flatMap((line) => unitOf.get(line.dataset.unit).levels);
const [headline, ofAll] = [byId("headline"), byId("headline")?.textContent];
// The four counts and the sentence follow the filters for role, faction and words, whatever verdicts are selected.
const showCounts = () => {
  const words = wordsOf(findBox.value).length ? `“${findBox.value.trim()}”` : [];
  const named = ["faction", "role"].flatMap((name) => [...(filters.get(name) ?? [])]).concat(words);
  const kinds = levelsOfLines(lines.filter(passesOtherFilters)).map((level) => level.kind);
  const numberOf = (kind) => kinds.filter((each) => each === kind).length;
  for (const button of document.querySelectorAll(".counts button")) {
    const number = numberOf(button.value);
    button.firstElementChild.textContent = number;
    button.className = `${button.value} g${Math.max(Math.round((20 * number) / kinds.length) || 0, 1)}`;
  }
  const mispriced = numberOf("over") + numberOf("under");
  const share = kinds.length ? ` (${percent(mispriced / kinds.length)})` : "";
  if (headline) headline.textContent = named.length ? `${named.join(", ")}: ${mispriced} of ${kinds.length} loadouts${share} look mispriced.` : ofAll;
};
const showLines = () => {
  for (const line of lines) line.hidden = !(isSelected("verdict", line.dataset.verdicts.split(" ")) && passesOtherFilters(line));
  const shown = lines.filter((line) => !line.hidden);
  byId("shown").textContent = shown.length === lines.length ? `${lines.length} units` : `${shown.length} of ${lines.length} units`;
  const loadouts = levelsOfLines(shown).filter((level) => isSelected("verdict", [level.kind])).length;
  const all = levelsOfLines(lines).length;
  byId("shown-loadouts").textContent = loadouts === all ? `, ${all} loadouts` : `, ${loadouts} of ${all} loadouts`;
  showCounts();
  if (!wideEnough.matches) return current?.hidden && hideUnit();
  if (!current || current.hidden) shown.length ? showUnit(shown[0]) : hideUnit();
};
for (const group of document.querySelectorAll("[data-filter]")) {
  const [name, buttons, chosen] = [group.dataset.filter, [...group.querySelectorAll("button")], new Set()];
  filters.set(name, chosen);
  const mark = () => {
    for (const button of buttons) button.setAttribute("aria-pressed", chosen.has(button.value));
    group.toggleAttribute("data-any", chosen.size > 0);
    showLines();
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      if (!chosen.delete(button.value)) chosen.add(button.value);
      mark();
      saveState();
    });
  }
  keep(name, () => [...chosen].sort().join(" "), (value) => {
    const values = value.split(" ");
    chosen.clear();
    for (const button of buttons) if (values.includes(button.value)) chosen.add(button.value);
    mark();
  });
}
const clearFilters = () => {
  findBox.value = "";
  for (const group of document.querySelectorAll("[data-filter]")) group.querySelectorAll('[aria-pressed="true"]').forEach((button) => button.click());
  showLines();
};
findBox.addEventListener("input", showLines);
keepControl(findBox);
byId("find-form").addEventListener("submit", (event) => {
  event.preventDefault();
  lines.find((line) => !line.hidden)?.firstElementChild.focus();
});
showLines();
