/** Reader of data that Python has packed into a page (`pack_data` in `analyser/web/html.py`). */

import { open } from "./module.js";

/** The JSON of a packed text, and the bytes behind it. */
export async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const whole = await new Response(stream).arrayBuffer();
  const length = new DataView(whole).getUint32(0, true);
  return { head: JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4, length))), rest: new Uint8Array(whole, 4 + length) };
}

/** The data of an element, with the exact engines: the bytes after the JSON are the WebAssembly module. */
export async function load(id) {
  const { head, rest } = await unpack(document.getElementById(id).textContent);
  return { ...head, engine: await open(rest, head.layout) };
}
