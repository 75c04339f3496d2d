// The figures of a page: JSON, followed by columns of integers, unpacked on first access.

const [ALMOST_ZERO, ALMOST_CERTAIN] = [2 ** 32 - 1, 2 ** 32 - 2];
const unpackedFigures = async (text) => {
  const { head, rest } = await unpack(text);
  const [pairs, situations] = [head.pairs[0].length, head.situations.length];
  const [count, [from, size]] = [pairs * situations, head.coarse];
  const valueOf = (code, step) => {
    if (code === 0) return null;
    if (code === ALMOST_ZERO) return step / 10;
    if (code === ALMOST_CERTAIN) return head.steps - 0.1;
    const steps = step === 1 ? code - 1 : Math.min(code - 1, from) + size * Math.max(code - 1 - from, 0);
    return steps / Math.round(1 / step);
  };
  // A column has the first bytes of all its codes, then all second bytes, and so on; codes are ordered by situation.
  const column = (number, step) => {
    const bytes = rest.subarray(4 * count * number);
    const code = (at) => bytes[at] + 256 * (bytes[count + at] + 256 * (bytes[2 * count + at] + 256 * bytes[3 * count + at]));
    return (place) => valueOf(code((place % situations) * pairs + Math.floor(place / situations)), step);
  };
  const columns = Object.fromEntries(head.codes.map(([name, step], number) => [name, column(number, step)]));
  return { ...head, columns };
};
const data = await unpackedFigures(byId("figures").textContent);
const metricOf = Object.fromEntries(data.metrics.map((each) => [each.name, each]));
const sides = data.sides;
const anchorOf = (key) => `unit-${key.replace("/", "-")}`;
const pairIndex = new Map(data.pairs[0].map((attacker, place) => [attacker * sides.length + data.pairs[1][place], place]));
// Index of a matchup in the columns; undefined if the two loadouts do not fight.
const matchupIndex = (attacker, defender, situation) => {
  const pair = pairIndex.get(attacker * sides.length + defender);
  return pair === undefined ? undefined : pair * data.situations.length + situation;
};

const longText = (name, value) => {
  if (value === null) return "–";
  if (metricOf[name].is_probability) return percent(value / data.steps, 1);
  return value > 0 && value < 0.005 ? "<0.01" : value.toFixed(value < 9.995 ? 2 : 1);
};
const shortText = (name, value) => {
  if (metricOf[name].is_probability) return percent(value / data.steps).replace("%", "");
  if (value === 0) return "0";
  if (value < 0.005) return "<0.01";
  if (value < 0.995) return value.toFixed(2);
  return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
};

