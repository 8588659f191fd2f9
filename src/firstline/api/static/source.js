// The panel that a citation opens: document, section, and the cited span within the text around it.

import { element } from "/static/markdown.js";
import { link, safeUrl } from "/static/reply.js";
import { say } from "/static/texts.js";

const part = (id) => document.getElementById(id);

export class SourcePanel {
  constructor() {
    this.opener = null;
    part("source-close").addEventListener("click", () => this.close());
    document.addEventListener("keydown", (pressed) => {
      if (pressed.key === "Escape" && this.opener) this.close();
    });
  }

  /** Load with `load()` and show the span of citation `number`; focus goes to the title, and back on closing. */
  async open(load, number, opener, place = "") {
    if (this.opener === opener) {
      this.close();
      return;
    }
    this.forget();
    this.opener = opener;
    opener.setAttribute("aria-expanded", "true");
    this.fill({ kind: "", title: say("loading_source"), path: "" }, [], null);
    part("source").hidden = false;
    try {
      const chunk = await load();
      if (this.opener !== opener) return;
      this.show(chunk, number, place);
    } catch (problem) {
      if (this.opener !== opener) return;
      this.fill({ kind: "", title: say("no_source"), path: "" }, [`${problem.message} ${problem.remedy ?? ""}`], null);
    }
    part("source-title").focus();
  }

  show(chunk, number, place) {
    const letters = Array.from(chunk.text);
    const cited = chunk.cited.filter((span) => span.number === number);
    const path = chunk.section_path.filter((name, at) => at > 0 || name !== chunk.title);
    this.fill(
      { kind: say(`kind_${chunk.document_kind}`), title: chunk.title, path: [path.join(" › "), place].filter(Boolean).join(", ") },
      pieces(letters, chunk, cited),
      chunk.url && safeUrl(chunk.url) ? chunk.url : null,
    );
    part("source-text").querySelector("mark")?.scrollIntoView({ block: "center" });
  }

  fill({ kind, title, path }, text, url) {
    part("source-kind").textContent = kind;
    part("source-title").textContent = title;
    part("source-path").textContent = path;
    part("source-text").replaceChildren(...text);
    part("source-link").replaceChildren(...(url ? [link(say("open_page"), url)] : []));
  }

  forget() {
    this.opener?.setAttribute("aria-expanded", "false");
    this.opener = null;
  }

  close() {
    const opener = this.opener;
    this.forget();
    part("source").hidden = true;
    if (opener?.isConnected) opener.focus();
  }
}

function pieces(letters, chunk, cited) {
  const edges = new Set([0, letters.length, chunk.chunk_start, chunk.chunk_end]);
  for (const span of cited) edges.add(span.start).add(span.end);
  const sorted = [...edges].sort((a, b) => a - b);
  const made = chunk.cut_before ? ["…\n"] : [];
  for (let at = 0; at + 1 < sorted.length; at += 1) {
    const [from, to] = [sorted[at], sorted[at + 1]];
    const text = letters.slice(from, to).join("");
    const marked = cited.some((span) => span.start <= from && to <= span.end);
    const inside = chunk.chunk_start <= from && to <= chunk.chunk_end;
    if (marked) made.push(element("mark", { textContent: text }));
    else made.push(element("span", { className: inside ? "chunk" : "", textContent: text }));
  }
  if (chunk.cut_after) made.push("\n…");
  return made;
}
