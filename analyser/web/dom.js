/**
 * The page as a tree of descriptions, which is built for every state and merged into the existing elements.
 *
 * An existing element keeps its focus, its scroll position and the text typed into it.
 */

/**
 * Description of an element to show.
 * @typedef {{ name: string, attributes: Record<string, string>, children: Child[] }} Wanted
 * @typedef {Wanted | string} Child
 */

const SVG = "http://www.w3.org/2000/svg";
const OF_SVG = new Set(["svg", "path", "line", "rect", "circle", "g", "text"]);
/** @type {WeakMap<Node, Wanted>} the description that each element shows */
const shows = new WeakMap();

/**
 * Describe an element.
 * @param {string} tag its name, and classes after dots: `p.small`
 * @param {Record<string, unknown>} attributes values that are null, undefined or false are left out
 * @param {any[]} children elements and texts, possibly in nested arrays; texts are never HTML
 * @returns {Wanted}
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const wanted = { name, attributes: /** @type {Record<string, string>} */ ({}), children: /** @type {Child[]} */ ([]) };
  if (classes.length) wanted.attributes.class = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    wanted.attributes[key] = value === true ? "" : String(value);
  }
  for (const child of children.flat(Infinity).filter(isChild)) {
    wanted.children.push(typeof child === "object" ? child : String(child));
  }
  return wanted;
}

/** @param {unknown} child */
const isChild = (child) => child !== null && child !== undefined && child !== false && child !== "";

/**
 * Create an element, for pages that do not use `morph`.
 * @param {string} tag
 * @param {Record<string, unknown>} attributes
 * @param {any[]} children elements that exist, and texts
 */
export function element(tag, attributes = {}, ...children) {
  const result = /** @type {Element} */ (made(h(tag, attributes)));
  result.append(...children.flat(Infinity).filter(isChild));
  return result;
}

/**
 * Change `shown` until it equals `wanted`; elements with the same tag and `data-key` stay.
 * @param {Element} shown
 * @param {Wanted} wanted
 */
export function morph(shown, wanted) {
  const before = shows.get(shown)?.attributes ?? {};
  shows.set(shown, wanted);
  for (const name in before) {
    if (name !== "open" && !(name in wanted.attributes)) shown.removeAttribute(name); // the reader controls `open`
  }
  for (const name in wanted.attributes) {
    if (before[name] !== wanted.attributes[name]) set(shown, name, wanted.attributes[name]);
  }
  const keyed = new Map();
  for (const each of shown.children) if (keyOf(shows.get(each))) keyed.set(keyOf(shows.get(each)), each);
  let place = shown.firstChild;
  for (const child of wanted.children) {
    const key = keyOf(child);
    const candidate = key ? keyed.get(key) : place;
    if (!candidate || !isLike(candidate, child)) {
      shown.insertBefore(made(child), place);
      continue;
    }
    if (candidate === place) place = place.nextSibling;
    else shown.insertBefore(candidate, place);
    if (typeof child !== "string") morph(/** @type {Element} */ (candidate), child);
    else if (candidate.nodeValue !== child) candidate.nodeValue = child;
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
  showValue(shown);
}

/** @param {Child} wanted @returns {Node} */
function made(wanted) {
  if (typeof wanted === "string") return document.createTextNode(wanted);
  const { name } = wanted;
  const element = OF_SVG.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  morph(element, wanted);
  return element;
}

/** Set an attribute; styles by `cssText`, because the page's security policy forbids style attributes. */
function set(element, name, value) {
  if (name === "style") element.style.cssText = value;
  else element.setAttribute(name, value);
}

/** Set the value of a control to that of the state, unless the reader is typing into it. */
function showValue(shown) {
  if (shown instanceof HTMLInputElement) {
    shown.checked = shown.hasAttribute("checked");
    const value = shown.getAttribute("value") ?? "";
    if (shown.type === "range" || (shown.type !== "checkbox" && shown !== document.activeElement)) shown.value = value;
  }
  if (shown instanceof HTMLSelectElement) {
    const chosen = [...shown.options].find((option) => option.hasAttribute("selected")) ?? shown.options[0];
    shown.value = chosen?.value ?? "";
  }
}

/** @param {Child | undefined} wanted */
function keyOf(wanted) {
  return typeof wanted === "object" ? wanted.attributes["data-key"] : undefined;
}

/** @param {Node} node @param {Child} wanted */
function isLike(node, wanted) {
  const is = shows.get(node);
  if (typeof wanted === "string") return node.nodeType === Node.TEXT_NODE;
  return is !== undefined && is.name === wanted.name && keyOf(is) === keyOf(wanted);
}
