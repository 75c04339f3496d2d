// The figures of a page: JSON, followed by columns of 32-bit floats, each ordered by situation, then by pair.

const { head: data, rest } = await unpack(byId("figures").textContent);
const count = data.pairs[0].length * data.situations.length;
const floats = new Float32Array(rest.slice().buffer);
data.columns = Object.fromEntries(data.columns.map((name, number) => [name, floats.subarray(count * number, count * (number + 1))]));
const metricOf = Object.fromEntries(data.metrics.map((each) => [each.name, each]));
const sides = data.sides;
const anchorOf = (key) => `unit-${key.replace("/", "-")}`;
const pairIndex = new Map(data.pairs[0].map((attacker, place) => [attacker * sides.length + data.pairs[1][place], place]));
// Index of a matchup in the columns; undefined if the two loadouts do not fight.
const matchupIndex = (attacker, defender, situation) => {
  const pair = pairIndex.get(attacker * sides.length + defender);
  return pair === undefined ? undefined : situation * data.pairs[0].length + pair;
};

const longText = (name, value) => {
  if (value === null) return "–";
  if (metricOf[name].is_probability) return percent(value, 1);
  return value > 0 && value < 0.005 ? "<0.01" : value.toFixed(value < 9.995 ? 2 : 1);
};
const shortText = (name, value) => {
  if (metricOf[name].is_probability) return percent(value).replace("%", "");
  if (value === 0) return "0";
  if (value < 0.005) return "<0.01";
  if (value < 0.995) return value.toFixed(2);
  return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
};

