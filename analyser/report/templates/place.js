// The address keeps the position on the page and the selections: `#place?key=value`.

const kept = new Map(); // by key: its getter, setter and initial value
let restoring = false;

const keep = (key, get, set) => kept.set(key, { get, set, initial: get() });
const keepControl = (control, key = control.id) => {
  keep(key, () => control.value, (value) => {
    if (control.options && ![...control.options].some((each) => each.value === value)) return;
    control.value = value;
    control.dispatchEvent(new Event("input"));
  });
  control.addEventListener("input", () => saveState());
};

const addressOf = (hash) => {
  const [place, state] = hash.replace(/^#/, "").split("?");
  return { place: decodeURIComponent(place), state: state === undefined ? null : new URLSearchParams(state) };
};
const hashOf = (place) => {
  const chosen = [...kept].filter(([, each]) => each.get() !== each.initial).map(([key, each]) => [key, each.get()]);
  return `#${place}${chosen.length ? `?${new URLSearchParams(chosen)}` : ""}`;
};
const saveState = () => {
  if (!restoring) history.replaceState(null, "", hashOf(addressOf(location.hash).place));
};
const restoreState = (state) => {
  restoring = true;
  for (const [key, each] of kept) {
    const value = state.get(key) ?? each.initial;
    if (value !== each.get()) each.set(value);
  }
  restoring = false;
};

// Scroll to an anchor, open its folded parts, and move the keyboard focus there.
const goTo = (place) => {
  const target = byId(place.split("@")[0]); // a level has the place of its unit
  if (!target) return;
  for (let folded = target.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  const focused = target.matches("details") ? target.querySelector("summary") : target;
  if (focused === target) target.setAttribute("tabindex", "-1");
  focused.focus({ preventScroll: true });
  target.scrollIntoView();
  target.dispatchEvent(new CustomEvent("arrive", { bubbles: true, detail: place }));
};
const follow = (place) => {
  history.pushState(null, "", hashOf(place));
  goTo(place);
};
const arrive = () => {
  const { place, state } = addressOf(location.hash);
  if (state) restoreState(state);
  else if (location.hash) saveState();
  goTo(place);
};

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  follow(link.getAttribute("href").slice(1));
});
addEventListener("hashchange", arrive);
