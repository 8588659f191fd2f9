// The drawing's other forms: the legend that is a filter, all of it as a table, and what was folded as a list.

import { addressOf } from "/static/graph_drawing.js";
import { kindWords, plainName, RELATIONS } from "/static/graph_layout.js";
import { element } from "/static/markdown.js";

const part = (id) => document.getElementById(id);

/** A checkbox for each relation there is; `changed()` hears of every change. `off`: the relations not shown. */
export function showLegend(edges, off, changed) {
  const counts = new Map();
  for (const { relation } of edges) counts.set(relation, (counts.get(relation) ?? 0) + 1);
  const known = [...counts.keys()].sort((a, b) => RELATIONS.indexOf(a) - RELATIONS.indexOf(b));
  const boxes = known.map((relation) => {
    const box = element("input", { type: "checkbox", checked: !off.has(relation), value: relation });
    box.addEventListener("change", () => {
      if (box.checked) off.delete(relation);
      else off.add(relation);
      changed();
    });
    return element("label", { className: `rel ${relation}` }, box, element("span", { textContent: relation }), element("span", { className: "count", textContent: counts.get(relation) }));
  });
  part("legend").replaceChildren(part("legend").querySelector("legend"), ...boxes);
}

const role = (name, properties, ...children) => element("div", { role: name, ...properties }, ...children);

/** One row for each edge. `open(line, opener, at)` shows the source of the `at`-th edge of a line. */
export function showTable(entity, groups, open) {
  const head = role("row", { className: "row head" }, ...["Relation", "Entity", "What the document says", "Sure", "Source"].map((name) => role("columnheader", { textContent: name })));
  const rows = groups.flatMap((group) => group.lines.flatMap((line) => line.edges.map((edge, at) => rowOf(line, edge, (opener) => open(line, opener, at)))));
  const table = role("table", { className: "table", "aria-label": `What is said of ${plainName(entity)}` }, role("rowgroup", {}, head), role("rowgroup", {}, ...rows));
  part("rows").replaceChildren(rows.length ? table : element("p", { className: "hint", textContent: "All its relations are switched off above." }));
  part("table-title").textContent = rows.length === 1 ? "The sentence" : `All ${rows.length} as a table`;
}

function rowOf(line, edge, open) {
  return role(
    "row",
    { className: "row" },
    role("cell", { className: `rel ${line.relation}` }, element("span", { className: "hidden", textContent: line.outward ? "outward: " : "inward: " }), relationOf(line)),
    role("cell", { className: "which" }, goTo(line), element("span", { className: "kind", textContent: kindWords(line.other.kind, 1) })),
    role("cell", { className: "words" }, element("q", { textContent: edge.words }), element("span", { className: "kind", textContent: edge.title })),
    role("cell", { className: "sureness", textContent: edge.confidence.toFixed(2) }),
    role("cell", {}, sourceButton(`${line.relation} ${line.name.slice(0, 80)}, ${edge.title.slice(0, 80)}`, open)),
  );
}

const relationOf = (line) => element("span", { textContent: line.outward ? `${line.relation} →` : `→ ${line.relation}` });
const goTo = (line) => element("a", { href: addressOf(line.other.id), textContent: line.name });

function sourceButton(what, open) {
  const button = element("button", { type: "button", className: "quiet small", textContent: "Show", ariaLabel: `Show the source: ${what}`, ariaExpanded: "false" });
  button.addEventListener("click", () => open(button));
  return button;
}

/** What was folded, in a dialog that gives the focus back. */
export function showMore(group, hidden, open) {
  part("more-title").textContent = `${hidden.length} more: ${group.relation}, ${kindWords(group.kind, hidden.length)}`;
  part("more-list").replaceChildren(
    ...hidden.map((line) => {
      const button = sourceButton(`${line.relation} ${line.name.slice(0, 80)}`, () => {
        part("more").close();
        open(line);
      });
      return element("li", {}, goTo(line), button);
    }),
  );
  part("more").showModal();
}

part("more-close").addEventListener("click", () => part("more").close());
