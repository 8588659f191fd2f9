// A reply as DOM: notice, blocks with their citation buttons, links, options, hand-over.

import { blocks, element, inline } from "/static/markdown.js";
import { say } from "/static/texts.js";

/** Blocks grouped as they read: sentences into paragraphs, steps into lists, rows into one table-like list. */
export function bodyOf(replyBlocks, onCite) {
  const body = element("div", { className: "body" });
  let open = null;
  for (const block of replyBlocks) {
    open = place(body, open, block);
    const at = open.target;
    for (const number of block.citations) at.append(citeButton(number, onCite));
    if (open.holder.tagName === "P") at.append(" ");
  }
  return body;
}

function place(body, open, block) {
  if (block.kind === "step") return listItem(body, open, block.text);
  if (block.kind === "row") {
    const holder = open?.kind === "row" ? open.holder : element("ul", { className: "rows" });
    return item(body, holder, "row", inline(block.text));
  }
  if (block.kind === "sentence" && !block.text.includes("\n")) {
    const holder = open?.kind === "sentence" ? open.holder : element("p");
    holder.append(...inline(block.text));
    body.append(holder);
    return { kind: "sentence", holder, target: holder };
  }
  const holder = element("div", { className: block.kind === "code" ? "code" : "" }, ...blocks(block.text));
  body.append(holder);
  return { kind: block.kind, holder, target: holder };
}

function listItem(body, open, text) {
  const found = /^\s*(?:(\d{1,6})[.)]|[-*+])\s+([\s\S]*)$/.exec(text);
  const kind = found?.[1] ? "ordered" : "unordered";
  const holder = open?.kind === kind ? open.holder : element(kind === "ordered" ? "ol" : "ul");
  const placed = item(body, holder, kind, inline(found ? found[2] : text));
  if (found?.[1]) placed.target.value = Number(found[1]);
  return placed;
}

function item(body, holder, kind, nodes) {
  const target = element("li", {}, ...nodes);
  holder.append(target);
  body.append(holder);
  return { kind, holder, target };
}

function citeButton(number, onCite) {
  const button = element("button", { type: "button", className: "cite", textContent: String(number) });
  button.setAttribute("aria-label", say("source", { number }));
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => onCite(number, button));
  return button;
}

/** The whole reply. `act` has cite(number, button), send(text) and copy(text, button). */
export function replyOf(reply, act) {
  const shown = element("div", { className: `reply outcome-${reply.outcome}` });
  shown.dataset.outcome = reply.outcome;
  if (reply.handoff_id && reply.person === "connect") {
    shown.append(handover(reply));
    return shown;
  }
  if (reply.notice) {
    const unsure = reply.completeness === "unsure" ? " unsure" : "";
    shown.append(element("p", { className: `notice${unsure}` }, ...inline(reply.notice)));
  }
  if (reply.blocks.length) shown.append(bodyOf(reply.blocks, act.cite));
  if (reply.links.length) shown.append(linksOf(reply.links));
  if (reply.options.length) shown.append(optionsOf(reply.options, act.send));
  if (reply.blocks.length) shown.append(footOf(reply, act));
  return shown;
}

/** What a person of the team said. */
export function saidOf(said) {
  return element(
    "div",
    { className: "reply said" },
    element("span", { className: "label", textContent: say("team") }),
    ...said.text.split("\n").filter((line) => line.trim()).map((line) => element("p", { textContent: line })),
  );
}

function linksOf(links) {
  const items = links
    .filter(([, url]) => safeUrl(url))
    .map(([title, url]) => element("li", {}, link(title || url, url)));
  return element("div", { className: "links" }, element("span", { className: "label", textContent: say("read_more") }), element("ul", {}, ...items));
}

export function safeUrl(url) {
  try {
    return ["http:", "https:"].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

export function link(text, url) {
  return element("a", { href: url, target: "_blank", rel: "noopener noreferrer", textContent: text });
}

function optionsOf(options, send) {
  const holder = element("div", { className: "options", role: "group" });
  holder.setAttribute("aria-label", say("what_meant"));
  for (const option of options) {
    const button = element("button", { type: "button", textContent: option });
    button.addEventListener("click", () => send(option));
    holder.append(button);
  }
  return holder;
}

function footOf(reply, act) {
  const foot = element("div", { className: "foot" });
  if (reply.completeness === "partial") foot.append(element("span", { textContent: say("partial") }));
  const copy = element("button", { type: "button", className: "text-button", textContent: say("copy") });
  copy.addEventListener("click", () => act.copy(plainText(reply), copy));
  foot.append(copy);
  if (reply.person === "soft") {
    const person = element("button", { type: "button", className: "text-button", textContent: say("talk") });
    person.addEventListener("click", () => act.send(say("person_wanted")));
    foot.append(person);
  }
  return foot;
}

function handover(reply) {
  const button = element("button", { type: "button", className: "primary", textContent: say("connect") });
  const done = element("p", { className: "label", hidden: true });
  done.setAttribute("role", "status");
  button.addEventListener("click", () => {
    button.disabled = true;
    done.hidden = false;
    done.textContent = say("connected", { reference: reply.handoff_id.slice(0, 8) });
  });
  return element(
    "div",
    { className: "card handover" },
    element("h3", { textContent: say("takes_over") }),
    element("p", {}, ...inline(reply.notice)),
    button,
    done,
  );
}

export function plainText(reply) {
  const lines = reply.blocks.map((block) => `${block.text}${block.citations.map((n) => ` [${n}]`).join("")}`);
  const sources = reply.citations.map((entry) => `[${entry.number}] ${[entry.citation.title, entry.place].filter(Boolean).join(", ")}`);
  return [reply.notice, ...lines, "", ...sources].filter((line, at) => line || at > 0).join("\n");
}
