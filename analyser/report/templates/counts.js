// The four counts and the sentence follow the filters for role, faction and words; the list also counts its loadouts.

const [headline, ofAll] = [byId("headline"), byId("headline")?.textContent];
const levelsIn = (some) => some.flatMap((line) => unitOf.get(line.dataset.unit).levels);
const showCounts = () => {
  const words = wordsOf(box.value);
  const named = ["faction", "role"].flatMap((name) => [...(filters.get(name) ?? [])]).concat(words.length ? `“${box.value.trim()}”` : []);
  const wanted = (name, value) => !filters.get(name)?.size || filters.get(name).has(value);
  const found = lines.filter(({ dataset }) => wanted("faction", dataset.faction) && wanted("role", dataset.role) && hasWords(dataset.words, words));
  const kinds = levelsIn(found).map((level) => level.kind);
  const numberOf = (kind) => kinds.filter((each) => each === kind).length;
  for (const button of document.querySelectorAll(".counts button")) {
    const number = numberOf(button.value);
    button.firstElementChild.textContent = number;
    button.className = `${button.value} g${Math.max(Math.round((20 * number) / kinds.length) || 0, 1)}`;
  }
  const mispriced = numberOf("over") + numberOf("under");
  const share = kinds.length ? ` (${percent(mispriced / kinds.length)})` : "";
  if (headline) headline.textContent = named.length ? `${named.join(", ")}: ${mispriced} of ${kinds.length} loadouts${share} look mispriced.` : ofAll;
  const shown = levelsIn(lines.filter((line) => !line.hidden)).filter((level) => wanted("verdict", level.kind)).length;
  const all = levelsIn(lines).length;
  byId("shown-loadouts").textContent = shown === all ? `, ${all} loadouts` : `, ${shown} of ${all} loadouts`;
};
new MutationObserver(showCounts).observe(byId("shown"), { childList: true }); // written after every change of a filter
showCounts();
