// The picture of points against fair points: who a dot is, and the way to its card.

const REACH = 26; // pixels: so near a dot counts as at it
const plot = byId("plot");

const startPlot = () => {
  const told = byId("told");
  const picture = plot.querySelector("svg");
  const dots = [...plot.querySelectorAll(".dot")];
  let shown = null;

  for (const [number, dot] of dots.entries()) {
    // The browser's own hint would stand over ours.
    const title = dot.querySelector("title");
    dot.setAttribute("aria-label", title.textContent);
    title.remove();
    dot.setAttribute("tabindex", number ? "-1" : "0");
  }
  const placeOfDot = (dot) => {
    const { width, height } = picture.getBoundingClientRect();
    const mark = dot.querySelector("svg");
    return [(parseFloat(mark.getAttribute("x")) * width) / 100, (parseFloat(mark.getAttribute("y")) * height) / 100];
  };
  const hide = () => {
    shown?.classList.remove("shown");
    shown = null;
    told.hidden = true;
  };
  const show = (dot, hint = "") => {
    if (shown !== dot) hide();
    shown = dot;
    dot.classList.add("shown");
    const [name, ...rest] = dot.getAttribute("aria-label").split(": ");
    told.replaceChildren(make("b", name), `: ${rest.join(": ")}${hint}`);
    told.hidden = false;
    const [x, y] = placeOfDot(dot);
    const { width, height } = picture.getBoundingClientRect();
    told.style.left = `${Math.max(0, Math.min(x - told.offsetWidth / 2, width - told.offsetWidth))}px`;
    told.style.top = `${y > height / 2 ? y - told.offsetHeight - 12 : y + 12}px`;
  };
  const nearest = (event) => {
    const box = picture.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const far = dots.map((dot) => Math.hypot(...placeOfDot(dot).map((each, axis) => each - [x, y][axis])));
    const least = Math.min(...far);
    return least <= REACH ? dots[far.indexOf(least)] : null;
  };

  picture.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const dot = nearest(event);
    picture.style.cursor = dot ? "pointer" : "";
    if (dot) show(dot);
    else hide();
  });
  plot.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && hide());
  picture.addEventListener("click", (event) => {
    if (event.detail === 0) return; // by keyboard: the link itself is meant
    event.preventDefault();
    const dot = nearest(event);
    if (!dot) hide();
    else if (event.pointerType === "touch" && dot !== shown) show(dot, " Tap again for its card.");
    else follow(dot.getAttribute("href").slice(1));
  });
  picture.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && show(event.target.closest(".dot")));
  picture.addEventListener("focusout", hide);
  picture.addEventListener("keydown", (event) => {
    const at = dots.indexOf(event.target.closest(".dot"));
    const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: dots.length - 1 }[event.key];
    if (event.key === "Escape") hide();
    if (to === undefined) return;
    event.preventDefault();
    const next = dots[Math.max(0, Math.min(to, dots.length - 1))];
    dots[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
  // A loadout of the lists shows where it is.
  for (const line of document.querySelectorAll("li[data-loadout]")) {
    const dot = dots.find((each) => each.dataset.loadout === line.dataset.loadout);
    line.addEventListener("pointerenter", () => dot.classList.add("shown"));
    line.addEventListener("pointerleave", () => dot.classList.remove("shown"));
  }
};
if (plot) startPlot();
