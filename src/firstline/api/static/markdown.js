// A small Markdown reader that makes DOM nodes. Text only ever becomes text nodes, so nothing in an answer can become
// markup: raw HTML shows as it was written, images show as their description, links as their text.

const INLINE = /(`+)([\s\S]+?)\1(?!`)|(\*\*|__)(?=\S)([\s\S]+?\S)\3|!?\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g;
const FENCE = /^\s*(```|~~~)/;
const ITEM = /^\s*(?:[-*+]|(\d{1,6})[.)])\s+(.*)$/;
const HEADING = /^\s{0,3}#{1,6}\s+(.*?)\s*#*$/;
const RULE = /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const DEPTH_MAX = 3;

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Inline Markdown (bold, code, links as text) as a list of nodes. */
export function inline(text, depth = 0) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > from) nodes.push(document.createTextNode(text.slice(from, found.index)));
    if (found[1]) nodes.push(element("code", { textContent: found[2].trim() }));
    else if (found[3]) {
      nodes.push(element("strong", {}, ...(depth < DEPTH_MAX ? inline(found[4], depth + 1) : [found[4]])));
    } else nodes.push(...(depth < DEPTH_MAX ? inline(found[5], depth + 1) : [document.createTextNode(found[5])]));
    from = found.index + found[0].length;
  }
  if (from < text.length) nodes.push(document.createTextNode(text.slice(from)));
  return nodes;
}

/** Block Markdown (paragraphs, lists, tables, code) as a list of elements. */
export function blocks(text) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const made = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) at += 1;
    else if (FENCE.test(line)) at = code(lines, at, made);
    else if (ITEM.test(line)) at = list(lines, at, made);
    else if (line.includes("|") && RULE.test(lines[at + 1] ?? "")) at = table(lines, at, made);
    else if (HEADING.test(line)) {
      made.push(element("p", {}, element("strong", {}, ...inline(HEADING.exec(line)[1]))));
      at += 1;
    } else at = paragraph(lines, at, made);
  }
  return made;
}

function code(lines, at, made) {
  const fence = FENCE.exec(lines[at])[1];
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(fence)) end += 1;
  const body = lines.slice(at + 1, end).join("\n");
  made.push(element("pre", { tabIndex: 0 }, element("code", { textContent: body })));
  return end + 1;
}

function list(lines, at, made) {
  const ordered = Boolean(ITEM.exec(lines[at])[1]);
  const holder = element(ordered ? "ol" : "ul");
  let end = at;
  for (; end < lines.length; end += 1) {
    const item = ITEM.exec(lines[end]);
    if (!item || Boolean(item[1]) !== ordered) break;
    const shown = element("li", {}, ...inline(item[2]));
    if (ordered) shown.value = Number(item[1]);
    holder.append(shown);
  }
  made.push(holder);
  return end;
}

function table(lines, at, made) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const row = (line, tag) => element("tr", {}, ...cells(line).map((cell) => element(tag, {}, ...inline(cell))));
  const holder = element("table", { tabIndex: 0 }, element("thead", {}, row(lines[at], "th")));
  const body = element("tbody");
  let end = at + 2;
  for (; end < lines.length && lines[end].includes("|"); end += 1) body.append(row(lines[end], "td"));
  holder.append(body);
  made.push(holder);
  return end;
}

function paragraph(lines, at, made) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !FENCE.test(lines[end]) && !ITEM.test(lines[end])) end += 1;
  made.push(element("p", {}, ...inline(lines.slice(at, end).join(" "))));
  return end;
}
