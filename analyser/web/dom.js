/**
 * The page as a tree of elements that is made anew for every state and merged into the one that is shown.
 *
 * An element that stays keeps its focus, its scroll position and what was typed into it.
 */

/** @typedef {Node | string | number | null | undefined | boolean} Child */

const SVG = "http://www.w3.org/2000/svg";
const OF_SVG = new Set(["svg", "path", "line", "rect", "circle", "g", "text"]);

/**
 * Make an element.
 * @param {string} tag its name, and classes after dots: `p.small`
 * @param {Record<string, unknown>} attributes those that are null, undefined or false are left out
 * @param {any[]} children of type Child, in arrays as deep as they come; texts are text, never HTML
 * @returns {Element}
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = OF_SVG.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    set(element, key, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/**
 * Change `shown` until it equals `wanted`; elements with the same tag and `data-key` stay.
 * @param {Element} shown
 * @param {Element} wanted
 */
export function morph(shown, wanted) {
  for (const { name } of [...shown.attributes]) {
    if (name !== "open" && !wanted.hasAttribute(name)) shown.removeAttribute(name); // the reader folds and unfolds
  }
  for (const { name, value } of wanted.attributes) {
    if (shown.getAttribute(name) !== value) set(shown, name, value);
  }
  sameValue(shown, wanted);
  const value = wanted instanceof HTMLSelectElement ? wanted.value : "";
  const old = [...shown.childNodes];
  const keyed = new Map();
  for (const each of old) if (keyOf(each)) keyed.set(keyOf(each), each);
  let place = shown.firstChild;
  for (const child of [...wanted.childNodes]) {
    const key = keyOf(child);
    const candidate = key ? keyed.get(key) : place;
    if (candidate && isLike(candidate, child)) {
      if (candidate !== place) shown.insertBefore(candidate, place);
      else place = place.nextSibling;
      if (child instanceof Element) morph(/** @type {Element} */ (candidate), child);
      else if (candidate.nodeValue !== child.nodeValue) candidate.nodeValue = child.nodeValue;
    } else shown.insertBefore(child, place);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
  if (shown instanceof HTMLSelectElement) shown.value = value;
}

/** Set an attribute; a style by its own interface, because the page's security policy refuses it as an attribute. */
function set(element, name, value) {
  if (name === "style") element.style.cssText = value;
  else element.setAttribute(name, value);
}

/** The value of a control follows the state, except while its reader types into it. */
function sameValue(shown, wanted) {
  if (shown instanceof HTMLInputElement && wanted instanceof HTMLInputElement) {
    shown.checked = wanted.hasAttribute("checked");
    const value = wanted.getAttribute("value") ?? "";
    if (shown.type !== "checkbox" && shown !== document.activeElement) shown.value = value;
    if (shown.type === "range") shown.value = value;
  }
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof Element ? node.getAttribute("data-key") : null;
}

/** @param {Node} one @param {Node} other */
function isLike(one, other) {
  return one.nodeName === other.nodeName && keyOf(one) === keyOf(other);
}
