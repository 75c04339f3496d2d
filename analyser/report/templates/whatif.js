// The slider of a card: the verdict on the level in view at another price, from the data of the page.

// The verdict in words at a price; `ratio` is the price divided by today's price.
const verdictAt = ({ prices }, ratio) => {
  const at = prices.today + Math.round(Math.log(ratio) / Math.log(data.price_step));
  return prices.words[clamped(at, 0, prices.words.length - 1)];
};

const whatIf = (level) => {
  if (!level.prices) return null;
  const { points: today, fair } = level;
  const step = today % 5 || (isMispriced(level) && level.rounded % 5) ? 1 : 5;
  const [least, most] = [step * Math.ceil(Math.min(today, fair) / 3 / step), step * Math.floor((3 * Math.max(today, fair)) / step)];
  const said = element("p.told", { "aria-live": "polite" });
  const output = element("output", { for: "what-points" });
  const input = element("input", { type: "range", id: "what-points", min: least, max: most, step, value: today });
  const tell = () => {
    const [kind, says, chances] = verdictAt(level, input.value / today);
    output.textContent = input.value;
    input.style.setProperty("--at", `${(100 * (input.value - least)) / (most - least || 1)}%`);
    said.replaceChildren(
      `At ${input.value} points: `,
      element(`b.sure.${kind}`, {}, says),
      ` (probabilities: ${chances}).`,
      level.prices.doubt && ` ${sentence(level.prices.doubt)}`,
      level.not_counted ? ` These numbers leave out rules that most units of its role lack: ${level.not_counted}.` : "",
    );
  };
  input.addEventListener("input", tell);
  tell();
  const slider = element("div.slide", {}, element("label", { for: "what-points" }, "Points"), output, input);
  return element("section.what", { "aria-label": "Other points" }, element("h3", {}, "What if"), slider, said);
};
