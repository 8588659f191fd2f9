// The chat page: the key, the session, sending and showing.

import { Client, Problem } from "/static/client.js";
import { thumbsOf } from "/static/feedback.js";
import { forgetKey, keepKey, storedKey, takeKeyFromAddress } from "/static/key.js";
import { element } from "/static/markdown.js";
import { bodyOf, replyOf, saidOf } from "/static/reply.js";
import { SourcePanel } from "/static/source.js";
import { label, say, speak } from "/static/texts.js";

const PERSON_MS = 4000;
const SESSION = "firstline.session";
const STEPS = new Set(["faq", "triage", "retrieve", "compose", "verify"]);

const part = (id) => document.getElementById(id);
const panel = new SourcePanel();
let client = null;
let session = null;
let turnsShown = 0;
const saidShown = new Set();
let saidLast = "";
let handedOver = false;
let busy = false;

function keyFromFragment() {
  if (takeKeyFromAddress()) sessionStorage.removeItem(SESSION);
}

function askForKey(reason) {
  if (reason) {
    delete part("key-reason").dataset.text;
    part("key-reason").textContent = reason;
  }
  part("key-form").hidden = false;
  part("ask-form").hidden = true;
  part("welcome").hidden = true;
  part("key").focus();
}

async function start() {
  const key = storedKey();
  if (!key) {
    askForKey("");
    return;
  }
  client = new Client(key);
  try {
    const me = await client.me();
    part("topics").replaceChildren(...me.topics.map((topic) => element("li", { textContent: topic })));
    await restore();
  } catch (problem) {
    failedStart(problem);
    return;
  }
  part("key-form").hidden = true;
  part("ask-form").hidden = false;
  refresh();
  part("question").focus();
}

function failedStart(problem) {
  if (problem.status === 401) {
    forgetKey();
    askForKey(`${problem.message} ${problem.remedy}`);
    return;
  }
  part("log").replaceChildren(errorCard(problem, () => { part("log").replaceChildren(); start(); }));
}

async function restore() {
  session = sessionStorage.getItem(SESSION);
  if (!session) return;
  try {
    const found = await client.session(session);
    await speak(found.turns.at(-1)?.reply.language);
    showAll(found);
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    session = null;
    sessionStorage.removeItem(SESSION);
  }
}

function showAll({ turns, said, ratings }) {
  part("log").replaceChildren();
  turnsShown = turns.length;
  forgetSaid();
  said.forEach(noteSaid);
  handedOver = turns.some((turn) => turn.reply.handoff_id);
  const waiting = [...said];
  for (const turn of turns) {
    while (waiting.length && Date.parse(waiting[0].at) < Date.parse(turn.asked_at)) part("log").append(saidOf(waiting.shift()));
    addQuestion(turn.question);
    part("log").append(shownReply(turn, ratings[turn.turn]));
  }
  part("log").append(...waiting.map(saidOf));
  scrollDown();
}

function forgetSaid() {
  saidShown.clear();
  saidLast = "";
}

function noteSaid({ id }) {
  saidShown.add(id);
  saidLast = id;
}

/** A person writes when they have time: look now and then, as long as the page is looked at. */
async function listenForPerson() {
  if (!handedOver || !session || busy || document.hidden) return;
  const listened = session;
  try {
    const found = await client.person(listened, saidLast);
    if (session !== listened || busy) return;
    // The page may have been shown anew while this was on its way: what it shows already is not shown twice.
    const said = found.said.filter((one) => !saidShown.has(one.id));
    if (!said.length) return;
    said.forEach(noteSaid);
    part("log").append(...said.map(saidOf));
    part("announcer").textContent = said.map((one) => one.text).join(" ");
    scrollDown();
  } catch {
    // The next look comes by itself.
  }
}

function refresh() {
  const empty = !part("log").childElementCount;
  part("welcome").hidden = !empty;
  part("new").hidden = empty;
  part("send").disabled = busy;
}

function addQuestion(text) {
  part("log").append(element("div", { className: "asked" }, element("p", { textContent: text })));
}

function shownReply(turn, rating) {
  const shown = replyOf(turn.reply, {
    cite: (number, button) => openSource(turn, number, button),
    send,
    copy,
  });
  // With a person in it there is nothing to rate yet.
  if (!turn.reply.handoff_id) {
    shown.append(thumbsOf(rating, (...said) => client.rate(turn.session_id, turn.turn, ...said)));
  }
  return shown;
}

function openSource(turn, number, button) {
  const entry = turn.reply.citations.find((each) => each.number === number);
  panel.open(() => client.chunk(entry.citation.chunk_id, turn.session_id, turn.turn), number, button, entry.place);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = say("copied");
  } catch {
    button.textContent = say("copy_refused");
  }
  setTimeout(() => { button.textContent = say("copy"); }, 2000);
}

async function send(text) {
  if (busy || !text.trim()) return;
  busy = true;
  part("question").value = "";
  addQuestion(text);
  await deliver(text);
}

async function deliver(text) {
  busy = true;
  const slot = element("div", { className: "reply" }, element("p", { className: "waiting", textContent: say("sending") }));
  part("log").append(slot);
  refresh();
  scrollDown();
  try {
    const turn = await exchange(text, slot);
    await speak(turn.reply.language);
    slot.replaceWith(settled(turn));
  } catch (problem) {
    failed(problem, slot, text);
  }
  busy = false;
  refresh();
  scrollDown();
}

async function exchange(text, slot) {
  if (!session) await begin();
  const on = listeners(slot);
  try {
    return await client.ask(session, text, on);
  } catch (problem) {
    // The session is unknown (another key, another server): begin a new one, once.
    if (problem.status !== 404) throw problem;
    await begin();
    return client.ask(session, text, on);
  }
}

async function begin() {
  session = (await client.begin()).session_id;
  turnsShown = 0;
  forgetSaid();
  handedOver = false;
  sessionStorage.setItem(SESSION, session);
}

function listeners(slot) {
  const pieces = { notice: "", blocks: [] };
  const waiting = slot.querySelector(".waiting");
  return {
    ack: () => { waiting.textContent = say("step_triage"); },
    status: ({ step }) => { if (STEPS.has(step)) waiting.textContent = say(`step_${step}`); },
    delta: ({ notice, block }) => {
      if (notice) pieces.notice = notice;
      if (block) pieces.blocks.push(block);
      const shown = [bodyOf(pieces.blocks, () => {})];
      if (pieces.notice) shown.unshift(element("p", { className: "notice", textContent: pieces.notice }));
      slot.replaceChildren(...shown);
      scrollDown();
    },
  };
}

function settled(turn) {
  turnsShown = turn.turn;
  handedOver ||= Boolean(turn.reply.handoff_id);
  const shown = shownReply(turn);
  const { reply } = turn;
  part("announcer").textContent = [reply.notice, ...reply.blocks.map((block) => block.text)].join(" ");
  return shown;
}

function failed(problem, slot, text) {
  const shown = problem instanceof Problem ? problem : new Problem({ code: "page", detail: say("mistake"), remedy: say("reload") });
  if (shown.status === 401) {
    slot.remove();
    part("question").value = text;
    forgetKey();
    askForKey(`${shown.message} ${shown.remedy}`);
    return;
  }
  const again = async () => {
    slot.remove();
    if (shown.code === "broken_off" && (await answeredMeanwhile())) return;
    await deliver(text);
  };
  slot.replaceChildren(errorCard(shown, again));
  part("announcer").textContent = `${shown.message} ${shown.remedy}`;
}

/** A broken connection does not stop a turn: look whether the server recorded it before asking again. */
async function answeredMeanwhile() {
  try {
    const found = await client.session(session);
    if (found.turns.length <= turnsShown) return false;
    showAll(found);
    return true;
  } catch {
    return false;
  }
}

function errorCard(problem, again) {
  const button = element("button", { type: "button", className: "quiet", textContent: say("try_again") });
  button.addEventListener("click", () => { if (!busy) again(); });
  if (problem.retryAfterS > 0) countDown(button, problem.retryAfterS);
  const unusable = problem.status === 422 || problem.status === 413;
  return element(
    "div",
    { className: "error", role: "alert" },
    element("div", {}, element("strong", { textContent: problem.message }), problem.remedy),
    ...(unusable ? [] : [button]),
  );
}

function countDown(button, seconds) {
  const until = Date.now() + seconds * 1000;
  button.disabled = true;
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    button.textContent = left > 0 ? say("try_again_in", { seconds: left }) : say("try_again");
    button.disabled = left > 0;
    if (left > 0) setTimeout(tick, 250);
  };
  tick();
}

function scrollDown() {
  const log = part("log");
  const last = log.lastElementChild;
  // A long answer is read from its beginning: bring its question to the top rather than its end to the bottom.
  const question = last?.previousElementSibling;
  if (question) log.scrollTop = Math.min(question.offsetTop - log.offsetTop - 12, log.scrollHeight);
  else log.scrollTop = log.scrollHeight;
}

part("ask-form").addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  send(part("question").value);
});
part("question").addEventListener("keydown", (pressed) => {
  if (pressed.key !== "Enter" || pressed.shiftKey || pressed.isComposing) return;
  pressed.preventDefault();
  send(part("question").value);
});
part("key-form").addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  keepKey(part("key").value.trim());
  part("key").value = "";
  start();
});
part("new").addEventListener("click", () => {
  if (busy) return;
  panel.close();
  session = null;
  turnsShown = 0;
  forgetSaid();
  handedOver = false;
  sessionStorage.removeItem(SESSION);
  part("log").replaceChildren();
  refresh();
  part("question").focus();
});
window.addEventListener("hashchange", () => { keyFromFragment(); start(); });

setInterval(listenForPerson, PERSON_MS);

label();
keyFromFragment();
start();
