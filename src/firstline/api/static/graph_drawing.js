// The drawing: SVG made of nodes alone, so that no name can become markup. One stop of the Tab key; arrow keys go on from there.

import { kindWords, layout, plainName } from "/static/graph_layout.js";

const SVG = "http://www.w3.org/2000/svg";
const MARKS = {
  document: "M-4.5 -5.5 H2 L4.5 -3 V5.5 H-4.5 Z", error: "M0 -6 L6 5 H-6 Z", symptom: "M0 -6 L6 5 H-6 Z", root_cause: "M0 -6.5 L6.5 0 L0 6.5 L-6.5 0 Z",
  resolution: "M0 -6.5 L6.5 0 L0 6.5 L-6.5 0 Z", component: "M-5 0 A5 5 0 1 0 5 0 A5 5 0 1 0 -5 0 Z",
};
MARKS.section = MARKS.address = MARKS.document;
const OTHER_MARK = "M-5 -5 H5 V5 H-5 Z";

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const addressOf = (id) => `#${encodeURIComponent(id).replace(/%(3A|2F)/g, decodeURIComponent)}`;

/** Told in words, for who does not see the arrow. */
export const sentenceOf = (line, name) => {
  const [from, to] = line.outward ? [name, line.name] : [line.name, name];
  return `${from} ${line.relation} ${to}`;
};

const strength = (confidence) => (confidence >= 0.9 ? "sure" : confidence >= 0.7 ? "" : "doubtful");

/** What stands for an element of the drawing while the drawing is made anew under it. */
class Opener {
  constructor(find) {
    this.find = find;
    this.expanded = "false";
  }

  get isConnected() { return Boolean(this.find()); }
  focus() { this.find()?.focus(); }

  setAttribute(name, value) {
    this.expanded = value;
    this.find()?.setAttribute(name, value);
  }
}

export class Drawing {
  /** `open(line, opener)` shows what a line says, `more(group, hidden, opener)` what is folded. */
  constructor(holder, { open, more }) {
    Object.assign(this, { holder, open, more, shown: null, stops: [], openers: new Map() });
    holder.addEventListener("keydown", (pressed) => this.move(pressed));
    holder.addEventListener("focusin", ({ target }) => this.rest(target));
    new ResizeObserver(() => this.resized()).observe(holder);
  }

  show(entity, groups) {
    this.shown = { entity, name: plainName(entity), groups };
    this.openers.clear();
    this.draw();
  }

  resized() {
    if (this.shown && this.holder.clientWidth !== this.width) this.draw();
  }

  draw() {
    this.width = this.holder.clientWidth;
    if (!this.width) return;
    const { entity, name, groups } = this.shown;
    const held = this.holder.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const plan = layout({ name, groups, width: this.width, measure: this.measure() });
    const lines = plan.rows.filter((row) => row.line);
    const drawn = svg(
      "svg",
      { width: plan.width, height: plan.height, viewBox: `0 0 ${plan.width} ${plan.height}`, role: "group", "aria-describedby": "drawing-keys", class: plan.narrow ? "narrow" : "" },
      svg("path", { class: "trunk", d: plan.trunk }),
      ...lines.map((row) => this.line(row)),
      ...plan.rows.map((row) => (row.line ? this.neighbour(row) : row.more ? this.folded(row) : headOf(row))),
      centreOf(plan.centre, entity),
    );
    const count = groups.reduce((all, group) => all + group.lines.length, 0);
    drawn.setAttribute("aria-label", `Drawing: ${name} and ${count} ${count === 1 ? "line" : "lines"}`);
    this.holder.replaceChildren(drawn);
    // In reading order: each neighbour, then its line.
    this.stops = plan.rows.flatMap((row) => (row.line ? [`to ${row.line.key}`, `line ${row.line.key}`] : row.more ? [`more ${row.group.key}`] : []));
    this.rest(this.at(held ?? this.resting) ?? this.at(this.stops[0]));
    if (held) this.at(held)?.focus();
  }

  measure() {
    const family = getComputedStyle(this.holder).fontFamily;
    const context = document.createElement("canvas").getContext("2d");
    const fonts = { label: `14px ${family}`, head: `650 12px ${family}`, centre: `650 15px ${family}` };
    return (text, role = "label") => {
      context.font = fonts[role];
      return context.measureText(text).width;
    };
  }

  line({ line, path, arrow, relation }) {
    const key = `line ${line.key}`;
    const often = line.edges.length > 1 ? `, said ${line.edges.length} times` : "";
    const told = `${sentenceOf(line, this.shown.name)}, confidence ${line.confidence.toFixed(2)}${often}`;
    const made = svg(
      "g",
      { class: `line rel ${relation} ${strength(line.confidence)}`, role: "button", tabindex: -1, "data-key": key, "aria-label": `${told}: show the sentence` },
      svg("title", {}, told),
      svg("path", { class: "reach", d: path }),
      svg("path", { class: "stroke", d: path }),
      svg("path", { class: "arrow", d: "M-5 -5 L5 0 L-5 5 Z", transform: `translate(${arrow.x} ${arrow.y}) rotate(${arrow.turn})` }),
    );
    return this.button(made, key, (opener) => this.open(line, opener));
  }

  neighbour({ line, relation, x, y, labelX, anchor, text }) {
    const { kind, id } = line.other;
    const told = `${line.name} (${kindWords(kind, 1)})`;
    return svg(
      "a",
      { class: `neighbour rel ${relation}`, href: addressOf(id), tabindex: -1, "data-key": `to ${line.key}`, "aria-label": told },
      svg("title", {}, told),
      svg("path", { class: "mark", d: MARKS[kind] ?? OTHER_MARK, transform: `translate(${x} ${y})` }),
      svg("text", { x: labelX, y, "text-anchor": anchor, dy: "0.35em" }, text),
    );
  }

  folded({ group, more, relation, labelX, anchor, y, text, whole }) {
    const key = `more ${group.key}`;
    const made = svg(
      "g",
      { class: `folded rel ${relation}`, role: "button", tabindex: -1, "data-key": key, "aria-haspopup": "dialog", "aria-label": `${whole}: show the list` },
      svg("text", { x: labelX, y, "text-anchor": anchor, dy: "0.35em" }, text),
    );
    return this.button(made, key, (opener) => this.more(group, more, opener));
  }

  button(made, key, act) {
    if (!this.openers.has(key)) this.openers.set(key, new Opener(() => this.at(key)));
    const opener = this.openers.get(key);
    if (made.getAttribute("aria-haspopup") === null) made.setAttribute("aria-expanded", opener.expanded);
    made.addEventListener("click", () => act(opener));
    return made;
  }

  at(key) {
    return key ? this.holder.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
  }

  /** The one element that Tab comes to. */
  rest(element) {
    const key = element?.dataset?.key;
    if (!key) return;
    this.holder.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    element.setAttribute("tabindex", "0");
    this.resting = key;
  }

  move(pressed) {
    const { key } = document.activeElement.dataset;
    const at = this.stops.indexOf(key);
    if (at < 0 || pressed.altKey || pressed.ctrlKey || pressed.metaKey) return;
    if ((pressed.key === "Enter" || pressed.key === " ") && !key.startsWith("to ")) document.activeElement.dispatchEvent(new MouseEvent("click"));
    else {
      const next = this.after(at, pressed.key);
      if (next === null) return;
      this.at(this.stops[next])?.focus();
    }
    pressed.preventDefault();
  }

  /** Down and up go along the entities (or along the lines), right and left between an entity and its line. */
  after(at, pressed) {
    const last = this.stops.length - 1;
    const kind = this.stops[at].startsWith("line ") ? "line " : "to ";
    const fits = (stop) => stop.startsWith(kind) || stop.startsWith("more ");
    const found = {
      Home: () => 0,
      End: () => last,
      ArrowRight: () => Math.min(at + 1, last),
      ArrowLeft: () => Math.max(at - 1, 0),
      ArrowDown: () => this.stops.findIndex((stop, place) => place > at && fits(stop)),
      ArrowUp: () => this.stops.findLastIndex((stop, place) => place < at && fits(stop)),
    }[pressed]?.() ?? null;
    return found === -1 ? at : found;
  }
}

function headOf({ relation, labelX, anchor, y, text }) {
  return svg("text", { class: `head rel ${relation}`, x: labelX, y: y + 2, "text-anchor": anchor, dy: "0.35em" }, text);
}

function centreOf({ x, y, half, text }, entity) {
  return svg(
    "g",
    { class: "centre", "aria-hidden": "true" },
    svg("title", {}, entity.id.slice(0, 300)),
    svg("rect", { x: x - half, y: y - 19, width: 2 * half, height: 38, rx: 19 }),
    svg("text", { x, y, "text-anchor": "middle", dy: "0.35em" }, text),
  );
}
