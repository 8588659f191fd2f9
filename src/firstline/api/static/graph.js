// The graph page: an entity from the address, what is said of it from the API, and everything that can go wrong between.

import { Client, Problem } from "/static/client.js";
import { addressOf, Drawing } from "/static/graph_drawing.js";
import { grouped, kindWords, plainName } from "/static/graph_layout.js";
import { showLegend, showMore, showTable } from "/static/graph_lists.js";
import { SaidPanel } from "/static/graph_source.js";
import { forgetKey, keepKey, storedKey, takeKeyFromAddress } from "/static/key.js";
import { element } from "/static/markdown.js";

const EDGES_EACH = 200;
const NAME_MAX = 500;
const WAITS_MAX = 3;
const WAIT_S_MAX = 120;
const AN_ID = /^[a-z_]+:/;

const part = (id) => document.getElementById(id);
const off = new Set();
const sources = new SaidPanel((edge) => chunkOf(edge));
const drawing = new Drawing(part("drawing"), { open: openLine, more: openMore });
let client = null;
let shown = null;
let visit = 0;

function askForKey(reason) {
  shown = null;
  if (reason) part("key-reason").textContent = reason;
  for (const id of ["find-form", "viewer", "welcome", "shown"]) part(id).hidden = true;
  part("state").replaceChildren();
  part("key-form").hidden = false;
  part("key").focus();
}

async function start() {
  sources.close();
  const key = storedKey();
  if (!key) {
    askForKey("");
    return;
  }
  client = new Client(key);
  await attempt(async (alive) => {
    const me = await patient(() => client.me(), alive);
    if (!alive()) return;
    part("viewer").textContent = `${me.kb}, as ${me.level}`;
    part("key-form").hidden = true;
    part("find-form").hidden = part("viewer").hidden = false;
    go();
  }, start);
}

/** Do what the address says. */
function go() {
  if (part("more").open) part("more").close();
  sources.close();
  const wanted = wantedEntity();
  part("welcome").hidden = Boolean(wanted);
  if (AN_ID.test(wanted)) attempt((alive) => look(wanted, alive), go);
  else if (wanted) find(wanted);
  else {
    visit += 1;
    forgetShown();
    part("state").replaceChildren();
    part("search").focus();
  }
}

function wantedEntity() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}

function forgetShown() {
  shown = null;
  part("shown").hidden = true;
  document.title = "Graph";
}

/** Run `act(alive)`; what goes wrong is shown with its remedy. `alive()` is false once something else was asked for. */
async function attempt(act, again) {
  visit += 1;
  const own = visit;
  const alive = () => own === visit;
  forgetShown();
  part("state").replaceChildren(element("p", { className: "waiting", textContent: "Looking …" }));
  try {
    await act(alive);
  } catch (problem) {
    if (alive()) failed(problem, again);
  }
}

function failed(problem, again) {
  const told = problem instanceof Problem ? problem : new Problem({ detail: "The page made a mistake.", remedy: "Reload it." });
  if (told.status === 401 || told.status === 403) {
    // The chat may still go on with a key that may only ask.
    if (told.status === 401) forgetKey();
    askForKey(`${told.message} ${told.remedy}`);
    return;
  }
  part("welcome").hidden = true;
  const button = element("button", { type: "button", className: "quiet", textContent: "Try again" });
  button.addEventListener("click", again);
  const card = element("div", { className: "error", role: "alert" }, element("div", {}, element("strong", { textContent: told.message }), told.remedy), button);
  part("state").replaceChildren(card);
}

/** Load, and when the server asks to wait, say so in `place`, wait and load again. */
async function patient(load, alive, place = part("state")) {
  for (let waits = 0; ; waits += 1) {
    try {
      return await load();
    } catch (problem) {
      if (problem.status !== 429 || waits >= WAITS_MAX || problem.retryAfterS > WAIT_S_MAX) throw problem;
      await pause(problem.retryAfterS || 1, alive, place);
      if (!alive()) throw problem;
    }
  }
}

async function pause(seconds, alive, place) {
  const until = Date.now() + seconds * 1000;
  const text = element("p", { className: "waiting" });
  const told = () => `Too many requests: the server asks to wait. Going on by itself in ${Math.max(1, Math.ceil((until - Date.now()) / 1000))} s.`;
  announce(told());
  place.append(text);
  while (Date.now() < until && alive()) {
    text.textContent = told();
    await new Promise((done) => setTimeout(done, Math.min(250, Math.max(0, until - Date.now()))));
  }
  text.remove();
}

function announce(text) {
  part("announcer").textContent = text;
}

function find(name) {
  return attempt(async (alive) => {
    const { entities } = await patient(() => client.entities(name), alive);
    if (!alive()) return;
    if (entities.length === 1) {
      part("state").replaceChildren();
      to(entities[0].id);
    } else suggest(name, entities);
  }, () => find(name));
}

/** The address names what is looked at, and so does the history. */
function to(id) {
  if (wantedEntity() === id) go();
  else location.hash = addressOf(id);
}

function suggest(name, entities) {
  part("welcome").hidden = true;
  const told = entities.length
    ? `${entities.length} entities go by “${shortened(name)}”:`
    : `Nothing is said of “${shortened(name)}” that this key may read. Name it as documents do; “firstline graph stats” shows what there is.`;
  const choices = entities.map((one) => element("li", {}, element("a", { href: addressOf(one.id) }, element("span", { className: "label", textContent: kindWords(one.kind, 1) }), plainName(one))));
  part("state").replaceChildren(element("p", { textContent: told }), element("ul", { className: "choices" }, ...choices));
  announce(told);
  part("state").querySelector("a")?.focus();
}

const shortened = (name) => (name.length > 80 ? `${Array.from(name).slice(0, 80).join("")}…` : name);

async function look(id, alive) {
  const found = await patient(() => client.neighbourhood(id, EDGES_EACH), alive);
  if (!alive()) return;
  shown = found;
  const { entity, edges } = found;
  const name = plainName(entity);
  part("state").replaceChildren();
  part("shown").hidden = false;
  part("entity-kind").textContent = kindWords(entity.kind, 1);
  part("entity-name").textContent = name;
  document.title = `${name} · Graph`;
  showLegend(edges, off, redraw);
  redraw();
  part("entity-name").focus({ preventScroll: true });
  part("main").scrollTop = 0;
}

function redraw() {
  const { entity, edges, snapshot, one_with: others = [] } = shown;
  sources.close();
  const groups = grouped(edges.filter((edge) => !off.has(edge.relation)));
  const neighbours = new Set(groups.flatMap((group) => group.lines.map((line) => line.other.id))).size;
  const sentences = groups.reduce((all, group) => all + group.lines.reduce((sum, line) => sum + line.edges.length, 0), 0);
  const cut = [true, false].some((way) => edges.filter((edge) => edge.outward === way).length >= EDGES_EACH);
  const told = [
    `${counted(neighbours, "neighbour")}, ${counted(sentences, "sentence")}, snapshot ${snapshot}`,
    ...(cut ? [`the surest ${EDGES_EACH} in each direction`] : []),
    ...(others.length ? [`one with ${others.map((one) => shortened(plainName(one))).join(", ")}`] : []),
  ].join("; ");
  part("entity-told").textContent = told;
  announce(`${plainName(entity)}: ${told}`);
  drawing.show(entity, groups);
  showTable(entity, groups, openLine);
}

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

function openLine(line, opener, at = 0) {
  sources.open(plainName(shown.entity), line, opener, at);
}

function openMore(group, hidden, opener) {
  // The same opener stands for many lines: another one is no second click on the first.
  showMore(group, hidden, (line) => sources.turn(plainName(shown.entity), line, opener, 0));
}

async function chunkOf(edge) {
  const from = shown;
  try {
    return await patient(() => client.chunkAt(edge.chunk_id, from.snapshot), () => shown === from, part("said"));
  } catch (problem) {
    if (problem.status === 401 || problem.status === 403) {
      sources.close();
      failed(problem);
    }
    throw problem;
  }
}

part("find-form").addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  const name = part("search").value.trim().slice(0, NAME_MAX);
  if (!name) return;
  part("welcome").hidden = true;
  sources.close();
  find(name);
});
part("key-form").addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  keepKey(part("key").value.trim());
  part("key").value = "";
  start();
});
for (const skip of document.querySelectorAll("[data-skip]")) {
  skip.addEventListener("click", (clicked) => {
    // The address names an entity: a skip must not take its place.
    clicked.preventDefault();
    part(skip.dataset.skip).focus();
  });
}
window.addEventListener("hashchange", () => {
  const changed = takeKeyFromAddress();
  if (changed || !client || !part("key-form").hidden) start();
  else go();
});

takeKeyFromAddress();
start();
