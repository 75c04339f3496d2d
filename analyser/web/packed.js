/** Reader of data that Python has packed into a page (`pack_data` in `analyser/web/html.py`). */

/** The JSON in the packed text of an element, and the bytes behind it. */
export async function unpack(id) {
  const text = document.getElementById(id).textContent;
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const whole = await new Response(stream).arrayBuffer();
  const length = new DataView(whole).getUint32(0, true);
  return { head: JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4, length))), rest: new Uint8Array(whole, 4 + length) };
}
