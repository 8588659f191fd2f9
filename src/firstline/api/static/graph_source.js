// The sentence behind a line: who says it, how sure it is, and the words in what stands around them.

import { kindWords } from "/static/graph_layout.js";
import { sentenceOf } from "/static/graph_drawing.js";
import { element } from "/static/markdown.js";
import { SourcePanel } from "/static/source.js";

const CITED = 1;
const part = (id) => document.getElementById(id);
const bytesOf = (point) => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

export class SaidPanel {
  /** `load(edge)` gives the chunk around an edge, and throws a Problem. */
  constructor(load) {
    this.load = load;
    this.panel = new SourcePanel();
  }

  open(name, line, opener, at = 0) {
    if (this.panel.opener !== opener) this.tell(name, line, opener, at);
    return this.panel.open(() => this.cited(line.edges[at]), CITED, opener);
  }

  close() {
    this.panel.close();
  }

  /** As after a click on the line itself, for one of the edges that it stands for. */
  turn(name, line, opener, at) {
    this.panel.forget();
    return this.open(name, line, opener, at);
  }

  tell(name, line, opener, at) {
    const edge = line.edges[at];
    const sure = `${kindWords(line.other.kind, 1)}, confidence ${edge.confidence.toFixed(2)}`;
    part("said").replaceChildren(
      element("p", { className: `sentence rel ${line.relation}`, textContent: sentenceOf(line, name) }),
      element("p", { className: "hint", textContent: sure[0].toUpperCase() + sure.slice(1) }),
      ...(line.edges.length > 1 ? [this.turns(name, line, opener, at)] : []),
    );
  }

  turns(name, line, opener, at) {
    const turn = (text, to) => {
      const button = element("button", { type: "button", className: "quiet small", textContent: text, disabled: to < 0 || to >= line.edges.length });
      button.addEventListener("click", () => this.turn(name, line, opener, to));
      return button;
    };
    return element("p", { className: "turns" }, turn("Before", at - 1), element("span", { textContent: `${at + 1} of ${line.edges.length}` }), turn("Next", at + 1));
  }

  async cited(edge) {
    const chunk = await this.load(edge);
    const span = spanOf(chunk, edge);
    if (!span) part("said").append(element("q", { textContent: edge.words }), element("p", { className: "hint", textContent: "These words stand outside of the text below." }));
    return { ...chunk, cited: span ? [{ number: CITED, ...span }] : [] };
  }
}

/** An edge's bytes of the document as code points of the chunk's text; null when they are not in it. */
export function spanOf(chunk, edge) {
  const letters = Array.from(chunk.text);
  let byte = chunk.text_start;
  let [start, end] = [-1, -1];
  for (let place = 0; place <= letters.length; place += 1) {
    if (byte === edge.start) start = place;
    if (byte === edge.end) end = place;
    if (place < letters.length) byte += bytesOf(letters[place].codePointAt(0));
  }
  return start >= 0 && end > start ? { start, end } : null;
}
