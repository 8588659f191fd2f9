// Where everything of the drawing stands: a pure function of what is said, the width and how wide a text is.
// Every label has a row of its own on its side, so that labels never overlap, however many there are.

export const RELATIONS = [
  "HAS_ROOT_CAUSE", "RESOLVES", "AFFECTS", "APPLIES_TO", "SUPERSEDES", "DUPLICATE_OF", "MENTIONS", "REFERENCES", "NAMES", "PART_OF", "NEXT",
];
const PLURALS = { address: "addresses", root_cause: "root causes" };
const ROW = 27;
const GAP = 12;
const MARGIN = 16;
const NARROW = 540;
const ROWS_WIDE = 40;
const ROWS_NARROW = 26;
const NAME_MAX = 200;
const LABEL_AT = 13;
const REACH = 290;
const LABEL_ROOM = 250;

const place = (relation) => (RELATIONS.indexOf(relation) + RELATIONS.length + 1) % (RELATIONS.length + 1);

export const kindWords = (kind, count) => {
  const one = kind.replaceAll("_", " ");
  return count === 1 ? one : PLURALS[kind] ?? `${one}s`;
};

/** What is told in a passage has the passage's id for a key, which tells a person nothing, and its first words for a name. */
const TOLD = new Set(["symptom", "root_cause", "resolution"]);

/** One line of text, of a length that a person can look at; of a passage without the marks of code and tables. */
export function plainName(entity) {
  const written = (entity.name.trim() ? entity.name : entity.id).slice(0, 8 * NAME_MAX);
  const bare = TOLD.has(entity.kind) ? written.replace(/[`|]|-{3,}/g, " ") : written;
  const letters = Array.from((bare.trim() ? bare : written).replace(/\s+/g, " ").trim());
  return letters.length > NAME_MAX ? `${letters.slice(0, NAME_MAX).join("")}…` : letters.join("");
}

/** Edges as lines: those of one relation, direction and neighbour are one. Grouped by relation, direction and kind. */
export function grouped(edges) {
  const groups = new Map();
  for (const edge of edges) {
    const key = [edge.relation, edge.outward, edge.other.kind].join(" ");
    if (!groups.has(key)) groups.set(key, { key, relation: edge.relation, outward: edge.outward, kind: edge.other.kind, lines: new Map() });
    const { lines } = groups.get(key);
    const { id } = edge.other;
    if (!lines.has(id)) lines.set(id, { key: `${key} ${id}`, other: edge.other, relation: edge.relation, outward: edge.outward, edges: [] });
    lines.get(id).edges.push(edge);
  }
  const made = [...groups.values()].map((group) => ({ ...group, lines: named([...group.lines.values()]) }));
  return made.sort((a, b) => place(a.relation) - place(b.relation) || Number(a.outward) - Number(b.outward) || (a.kind < b.kind ? -1 : 1));
}

/** Namesakes are told apart by their keys, and passages by the document that they stand in. */
function named(lines) {
  const often = new Map();
  for (const { other } of lines) often.set(plainName(other), (often.get(plainName(other)) ?? 0) + 1);
  for (const line of lines) {
    const name = plainName(line.other);
    const apart = TOLD.has(line.other.kind) ? line.edges[0].title : line.other.id.slice(line.other.kind.length + 1);
    line.name = often.get(name) > 1 && apart !== name ? `${name} · ${apart.slice(0, NAME_MAX)}` : name;
    line.confidence = Math.max(...line.edges.map((edge) => edge.confidence));
  }
  return lines.sort((a, b) => b.confidence - a.confidence || b.edges.length - a.edges.length || (a.name < b.name ? -1 : 1));
}

/** Cut to a width with an ellipsis; whole letters only. */
export function fitted(text, width, measure) {
  if (measure(text) <= width) return text;
  const letters = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map((each) => each.segment);
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${letters.slice(0, middle).join("").trimEnd()}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("").trimEnd()}…`;
}

/** How many lines of each group are drawn when there is room for `rows`: small groups whole, large ones in equal parts. */
export function shares(counts, rows) {
  let room = rows;
  const given = counts.map(() => 0);
  const order = counts.map((_, at) => at).sort((a, b) => counts[a] - counts[b]);
  order.forEach((at, taken) => {
    given[at] = Math.min(counts[at], Math.max(1, Math.floor(room / (counts.length - taken))));
    // "+ 1 more" would take the place of that one.
    if (counts[at] - given[at] === 1) given[at] += 1;
    room -= given[at];
  });
  return given;
}

function blocksOf(groups, rows) {
  const given = shares(groups.map((group) => group.lines.length), rows);
  return groups.map((group, at) => {
    const hidden = group.lines.slice(given[at]);
    return { group, lines: group.lines.slice(0, given[at]), more: hidden.length ? hidden : null };
  });
}

/** The relation stands towards the centre, as its lines do. */
function headOf({ group: { relation, outward, kind, lines }, goesOn }, away) {
  const what = goesOn ? "continued" : `${lines.length} ${kindWords(kind, lines.length)}`;
  if (away > 0) return `${relation} ${outward ? "→" : "←"} ${what}`;
  return `${what} ${outward ? "←" : "→"} ${relation}`;
}

const tall = (block) => (1 + block.lines.length + (block.more ? 1 : 0)) * ROW + GAP;
const sum = (blocks) => blocks.reduce((all, block) => all + tall(block), 0);

/** What leads here stands on the left, what leads away on the right, unless that would leave one side bare. */
function sides(blocks) {
  const left = blocks.filter((block) => !block.group.outward);
  const right = blocks.filter((block) => block.group.outward);
  if (left.length && right.length && Math.max(sum(left), sum(right)) <= 3 * Math.min(sum(left), sum(right))) return [left, right];
  const parts = blocks.flatMap((block) => (tall(block) > 0.6 * sum(blocks) && block.lines.length > 3 ? halved(block) : [block]));
  const heights = [0, 0];
  const chosen = new Map();
  for (const block of [...parts].sort((a, b) => tall(b) - tall(a))) {
    const side = block.side ?? Number(heights[0] > heights[1]);
    heights[side] += tall(block);
    chosen.set(block, side);
  }
  return [0, 1].map((side) => parts.filter((block) => chosen.get(block) === side));
}

function halved(block) {
  const middle = Math.ceil(block.lines.length / 2);
  return [
    { ...block, lines: block.lines.slice(0, middle), more: null, side: 0 },
    { ...block, lines: block.lines.slice(middle), goesOn: true, side: 1 },
  ];
}

/** Rows of one side, in order, with the middle of each: heads, lines and what is folded. */
function rowsOf(blocks, from, away) {
  const rows = [];
  let y = from + ROW / 2;
  for (const block of blocks) {
    rows.push({ y, head: headOf(block, away), relation: block.group.relation });
    for (const line of block.lines) rows.push({ y: (y += ROW), line, relation: block.group.relation });
    if (block.more) rows.push({ y: (y += ROW), more: block.more, group: block.group, relation: block.group.relation });
    y += ROW + GAP;
  }
  return rows;
}

const textOf = (row) => row.head ?? row.line?.name ?? `+ ${row.more.length} more ${row.relation}`;

/** `width` in CSS pixels, `measure(text, role)` the width of a text; role: label, head or centre. */
export function layout({ name, groups, width, measure }) {
  return width < NARROW ? column({ name, groups, width, measure }) : around({ name, groups, width, measure });
}

function around({ name, groups, width, measure }) {
  const [left, right] = sides(blocksOf(groups, ROWS_WIDE));
  const height = Math.max(sum(left), sum(right), 8 * ROW) - GAP + 2 * MARGIN;
  const centre = { x: width / 2, y: height / 2 };
  const text = fitted(name, Math.max(130, Math.min(REACH, width * 0.235) - 50), (each) => measure(each, "centre"));
  const half = Math.max(44, measure(text, "centre") / 2 + 18);
  // Labels come first where there is little room, then the lines.
  const reach = Math.max(half + 66, Math.min(REACH, width * 0.235, width / 2 - LABEL_ROOM));
  const rows = [left, right].flatMap((blocks, side) => {
    const away = side ? 1 : -1;
    return rowsOf(blocks, (height - sum(blocks) + GAP) / 2, away).map((row) => {
      const bow = Math.sqrt(1 - ((row.y - centre.y) / (height * 0.6)) ** 2);
      const x = centre.x + away * (half + (reach - half) * bow);
      return shown(row, { x, away, room: width / 2 - Math.abs(x - centre.x) - LABEL_AT - MARGIN, measure, curve: bowed(centre, half, away) });
    });
  });
  return { narrow: false, width, height, centre: { ...centre, text, half }, rows, trunk: "" };
}

function column({ name, groups, width, measure }) {
  const blocks = blocksOf(groups, ROWS_NARROW);
  const text = fitted(name, width - 2 * MARGIN - 36, (each) => measure(each, "centre"));
  const half = Math.max(44, measure(text, "centre") / 2 + 18);
  const centre = { x: half + 2, y: 22 };
  const trunkX = 14;
  const rows = rowsOf(blocks, 56, 1).map((row) =>
    shown(row, { x: row.line ? 52 : 24, away: 1, room: width - (row.line ? 52 : 24) - LABEL_AT - 4, measure, curve: elbow(trunkX) }));
  const last = rows.findLast((row) => row.line);
  return {
    narrow: true, width, height: 56 + sum(blocks), centre: { ...centre, text, half }, rows,
    trunk: last ? `M${trunkX} ${centre.y} V${last.y - 10}` : "",
  };
}

function shown(row, { x, away, room, measure, curve }) {
  const role = row.head ? "head" : "label";
  // A head has no mark before it.
  const indent = row.head ? 0 : LABEL_AT;
  const text = fitted(textOf(row), Math.max(room + LABEL_AT - indent, 40), (each) => measure(each, role));
  const made = { ...row, x, away, text, whole: textOf(row), labelX: x + away * indent, anchor: away > 0 ? "start" : "end" };
  if (!row.line) return made;
  // The head of the arrow stands close to the neighbour, where lines are apart.
  return { ...made, path: curve(x - away * 7, row.y), arrow: { x: x - away * 19, y: row.y, turn: (away > 0) === row.line.outward ? 0 : 180 } };
}

const round = (number) => Math.round(number * 10) / 10;

function bowed(centre, half, away) {
  const start = centre.x + away * half;
  return (x, y) => {
    // The last piece is straight, so that the arrow lies on it.
    const end = x - away * 16;
    const reach = (end - start) * 0.55;
    return `M${round(start)} ${round(centre.y)} C${round(start + reach)} ${round(centre.y)} ${round(end - reach)} ${round(y)} ${round(end)} ${round(y)} H${round(x)}`;
  };
}

const elbow = (trunkX) => (x, y) => `M${trunkX} ${y - 10} Q${trunkX} ${y} ${trunkX + 10} ${y} H${x}`;
