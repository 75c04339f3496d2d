/** Formats of numbers and texts, and text search, for all pages. */

/** A probability in percent; rounding never gives 0% or 100%. */
export function percent(p, digits = 0) {
  if (p <= 0) return "0%";
  if (p >= 1 - 1e-12) return "100%";
  const least = 10 ** -digits;
  if (100 * p < least / 2) return `<${least.toFixed(digits)}%`;
  if (100 * (1 - p) < least / 2) return `>${(100 - least).toFixed(digits)}%`;
  return `${(100 * p).toFixed(digits)}%`;
}

/** A number with one decimal, which is left out if it is 0. */
export const tenths = (value) => String(Number(value.toFixed(1)));

/** A change with its sign. */
export const signed = (change, text) => `${change < 0 ? "−" : "+"}${text(Math.abs(change))}`;

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A reason, such as a refusal of the engine, as a sentence. */
export const sentence = (text) => `${capital(text)}.`;

/** Words of a search, without punctuation. */
export const wordsOf = (text) => text.toLowerCase().split(/[\s,()-]+/).filter(Boolean);

/** True if a lower-case text contains all these words. */
export const hasWords = (text, words) => words.every((word) => text.includes(word));
