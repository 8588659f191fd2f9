// The page's own words, in the language of the conversation. The server sends those of the browser's language with the page.

const given = JSON.parse(document.getElementById("texts").content.textContent);
let language = given.language ?? "en";
let texts = given.texts ?? {};

/** A text of the page; `values` by placeholder. The result is text, never markup. */
export function say(key, values = {}) {
  return (texts[key] ?? "").replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Go on in another language; what is not to be had leaves the page as it is. */
export async function speak(wanted) {
  if (!wanted || wanted === language) return;
  try {
    const response = await fetch(`/texts/${encodeURIComponent(wanted)}`);
    if (!response.ok) return;
    ({ language, texts } = await response.json());
    label();
  } catch {
    // The labels stay in the language that they are in.
  }
}

/** Write every label of the page that stands in its HTML. */
export function label() {
  if (!Object.keys(texts).length) return;
  document.documentElement.lang = language;
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = say(each.dataset.text);
  for (const each of document.querySelectorAll("[data-label]")) each.setAttribute("aria-label", say(each.dataset.label));
  for (const each of document.querySelectorAll("[data-hint]")) each.placeholder = say(each.dataset.hint);
}
