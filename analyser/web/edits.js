/** Edits of units: changes apply to a copy, never to the printed unit. */

/** True if a unit has a rule, a quality of a row, or a type; with `rows`, a quality of these rows. */
export const has = (unit, keyword, rows = unit.rows) =>
  unit.type === keyword || [...unit.rules, ...rows.flatMap(({ qualities }) => qualities)].some((each) => baseOf(each) === keyword);

/** A rule or quality without its parameter. */
const baseOf = (keyword) => keyword.split(" (")[0];

/** The changes of a unit that an edit allows, as whole numbers within its limits; a printed value is always allowed. */
export function allowedChanges(changes, unit, edits, none) {
  const limited = (edit) => {
    const printed = numberOf(unit, edit, none);
    const [least, most] = [Math.min(edit.least, printed), Math.max(edit.most, printed)];
    return [edit.name, Math.min(Math.max(Math.round(changes[edit.name]), least), most)];
  };
  return Object.fromEntries(edits.filter(({ name }) => Number.isFinite(changes[name])).map(limited));
}

/** A copy of a unit with changed values; `edits` define the fields of each change. */
export function withChanges(unit, changes, edits) {
  const now = structuredClone(unit);
  for (const { name, label, kind, at, fields } of edits) {
    const value = changes[name];
    if (value === undefined) continue;
    if (name in now) now[name] = value;
    if (name === "damage_limit") now.mostDamage = value - 1;
    if (kind === "flag") mark(now, at, label, value);
    for (const field of fields) {
      if (at === "unit") now.numbers[field] = value;
      else if (at === "rows") for (const row of now.rows) row.numbers[field] = value;
      else for (const row of now.rows) row.bands = row.bands.map((band) => withDice(band, value));
    }
  }
  return now;
}

/** Add or remove a rule of a unit, or a quality of its rows. */
function mark(unit, at, keyword, isOn) {
  const marked = (keywords) => [...keywords.filter((each) => baseOf(each) !== keyword), ...(isOn ? [keyword] : [])];
  if (at === "unit") unit.rules = marked(unit.rules);
  else for (const row of unit.rows) row.qualities = marked(row.qualities);
}

const withDice = ([first, last, ...dice], more) => [first, last, ...dice.map((each) => (each > 0 ? Math.max(each + more, 0) : each))];

/** The value that an edit changes: the changed value, or else the value of the profile. */
export function numberOf(unit, { name, at, fields }, none) {
  if (unit.changes?.[name] !== undefined) return unit.changes[name];
  if (at === "dice") return 0;
  const numbers = at === "unit" ? unit.numbers : (unit.rows[0]?.numbers ?? {});
  return numbers[fields[0]] ?? (name === "points" ? none : 0);
}

/** Rows with their attacks on a target, best first, ranked by the same figures as in Python. */
export function ranked(rows, { rankedBy, sameWithin }) {
  const order = (one, other) => {
    if (one.why || other.why) return Number(Boolean(one.why)) - Number(Boolean(other.why));
    const name = rankedBy.find((each) => Math.abs(other[each] - one[each]) > sameWithin);
    return name ? other[name] - one[name] : 0;
  };
  return rows.sort((one, other) => order(one.answer, other.answer));
}
