/**
 * The page as a tree of descriptions, which is built for every state and merged into the existing elements.
 *
 * An existing element keeps its focus, its scroll position and the text typed into it.
 */

const SVG = "http://www.w3.org/2000/svg";
const OF_SVG = new Set(["svg", "path", "line", "rect", "circle", "g", "text"]);
const shows = new WeakMap(); // the description that each element shows

/**
 * Describe an element: `tag` is its name, with classes after dots (`p.small`). Attributes and children that are null,
 * undefined or false are left out; children may be in nested arrays, and texts are never HTML.
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const wanted = { name, attributes: classes.length ? { class: classes.join(" ") } : {}, children: [] };
  for (const [key, value] of Object.entries(attributes)) {
    if (isThere(value)) wanted.attributes[key] = value === true ? "" : String(value);
  }
  for (const child of children.flat(Infinity)) {
    if (isThere(child) && child !== "") wanted.children.push(typeof child === "object" ? child : String(child));
  }
  return wanted;
}

const isThere = (value) => value !== null && value !== undefined && value !== false;

/** Create an element with existing elements and texts, for pages that do not use `morph`. */
export function element(tag, attributes = {}, ...children) {
  const result = made(h(tag, attributes));
  result.append(...children.flat(Infinity).filter((child) => isThere(child) && child !== ""));
  return result;
}

/** Change `shown` until it equals `wanted`; elements with the same tag and `data-key` stay. */
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
    if (typeof child !== "string") morph(candidate, child);
    else if (candidate.nodeValue !== child) candidate.nodeValue = child;
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
  showValue(shown);
}

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
    const value = shown.getAttribute("value") ?? "";
    if (shown.type === "range" || shown !== document.activeElement) shown.value = value;
  }
  if (shown instanceof HTMLSelectElement) {
    const chosen = [...shown.options].find((option) => option.hasAttribute("selected")) ?? shown.options[0];
    shown.value = chosen?.value ?? "";
  }
}

const keyOf = (wanted) => wanted?.attributes?.["data-key"];

function isLike(node, wanted) {
  const is = shows.get(node);
  if (typeof wanted === "string") return node.nodeType === Node.TEXT_NODE;
  return is !== undefined && is.name === wanted.name && keyOf(is) === keyOf(wanted);
}
