// Thumbs under a reply: was it helpful, and if not, why? The newest word counts.

import { element } from "/static/markdown.js";
import { say } from "/static/texts.js";

const REASONS = ["wrong", "incomplete", "outdated", "unclear", "not_my_question", "other"];
const CORRECTION_CHARS_MAX = 4000;
const SVG = "http://www.w3.org/2000/svg";
const THUMB = "M2 9h3v8H2zM7 17V9l4-7c1.4 0 2.2 1 2 2.4L12.4 8H16c1.3 0 2.2 1.1 2 2.3l-1 5.2c-.2 1-1 1.5-2 1.5z";
let groups = 0;

/** `rate(rating, reason, correction)` sends it and rejects with what to tell; `rating` is what was said before. */
export function thumbsOf(rating, rate) {
  const status = element("p", { className: "rate-status", role: "status" });
  const buttons = {
    up: thumb("up", say("rate_up")),
    down: thumb("down", say("rate_down")),
  };
  const asks = element("div", { className: "rate-ask", role: "group" }, element("span", { textContent: say("rate_asks") }), buttons.up, buttons.down);
  asks.setAttribute("aria-label", say("rate_asks"));
  const shown = element("div", { className: "rate" }, asks, status);
  let form = null;
  let said = rating;

  const mark = () => {
    for (const [name, button] of Object.entries(buttons)) button.setAttribute("aria-pressed", String(name === said));
  };
  const tell = async (says, reason, correction, thanks) => {
    try {
      await rate(says, reason, correction);
    } catch (problem) {
      status.textContent = `${problem.message} ${problem.remedy ?? ""}`.trim();
      return false;
    }
    said = says;
    mark();
    status.textContent = thanks;
    return true;
  };
  const close = () => {
    form?.remove();
    form = null;
    buttons.down.removeAttribute("aria-expanded");
  };

  buttons.up.addEventListener("click", () => {
    close();
    tell("up", null, "", say("rate_thanks"));
  });
  buttons.down.addEventListener("click", async () => {
    // Told once already: telling it again without a reason would take the first reason back.
    if (form || (said !== "down" && !(await tell("down", null, "", say("rate_more")))) || form) return;
    form = formOf(async (reason, correction) => {
      if (!(await tell("down", reason, correction, say("rate_thanks")))) return;
      close();
      buttons.down.focus();
    }, () => {
      close();
      buttons.down.focus();
    });
    buttons.down.setAttribute("aria-expanded", "true");
    shown.append(form);
    form.querySelector("input").focus();
  });
  mark();
  return shown;
}

/** Drawn, not written: not every machine has a font with thumbs. */
function thumb(way, word) {
  const picture = document.createElementNS(SVG, "svg");
  for (const [name, value] of [["viewBox", "0 0 20 20"], ["class", `thumb-picture ${way}`], ["aria-hidden", "true"]]) picture.setAttribute(name, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", THUMB);
  picture.append(path);
  return element("button", { type: "button", className: "thumb" }, picture, word);
}

function formOf(send, close) {
  groups += 1;
  const name = `why-${groups}`;
  const choices = REASONS.map((value) => element(
    "label",
    { className: "choice" },
    element("input", { type: "radio", name, value, required: true }),
    say(`reason_${value}`),
  ));
  const text = element("textarea", { id: `correction-${groups}`, rows: 2, maxLength: CORRECTION_CHARS_MAX });
  const quit = element("button", { type: "button", className: "quiet", textContent: say("close") });
  const form = element(
    "form",
    { className: "card why" },
    element("fieldset", {}, element("legend", { textContent: say("rate_why") }), ...choices),
    element("label", { htmlFor: text.id, textContent: say("rate_correction") }),
    text,
    element("div", { className: "why-buttons" }, element("button", { type: "submit", className: "primary", textContent: say("send") }), quit),
  );
  form.addEventListener("submit", (submitted) => {
    submitted.preventDefault();
    send(new FormData(form).get(name), text.value.trim());
  });
  quit.addEventListener("click", close);
  form.addEventListener("keydown", (pressed) => {
    if (pressed.key === "Escape") close();
  });
  return form;
}
