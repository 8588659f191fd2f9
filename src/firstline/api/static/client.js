// The API as this page needs it. Every failure becomes a Problem that says what happened and what to try.

import { say } from "/static/texts.js";

const BUFFER_CHARS_MAX = 4_000_000;

export class Problem extends Error {
  constructor({ status = 0, code = "offline", detail, remedy = "", retry_after_s: retryAfter = 0 }) {
    super(detail);
    this.status = status;
    this.code = code;
    this.remedy = remedy;
    this.retryAfterS = retryAfter;
  }
}

const unreachable = () => new Problem({ detail: say("unreachable"), remedy: say("check_connection") });
const brokenOff = () => new Problem({ code: "broken_off", detail: say("broken_off"), remedy: say("check_again") });

export class Client {
  constructor(key) {
    this.key = key;
  }

  async request(path, options = {}) {
    let response;
    try {
      response = await fetch(path, {
        ...options,
        headers: { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json", ...options.headers },
        referrerPolicy: "no-referrer",
      });
    } catch {
      throw unreachable();
    }
    if (!response.ok) throw new Problem(await problemOf(response));
    return response;
  }

  async json(path, options) {
    return (await this.request(path, options)).json();
  }

  me() { return this.json("/v1/me"); }
  begin() { return this.json("/v1/sessions", { method: "POST" }); }
  session(id) { return this.json(`/v1/sessions/${encodeURIComponent(id)}`); }

  rate(session, turn, rating, reason, correction) {
    return this.json(`/v1/sessions/${encodeURIComponent(session)}/turns/${turn}/feedback`, {
      method: "POST",
      body: JSON.stringify({ rating, reason, correction }),
    });
  }

  /** What persons of the team have said in this session since the one with the id `after` ("": all of it). */
  person(id, after) {
    return this.json(`/v1/sessions/${encodeURIComponent(id)}/person?after=${encodeURIComponent(after)}`);
  }

  chunk(id, session, turn) {
    return this.json(`/v1/chunks/${encodeURIComponent(id)}?session=${encodeURIComponent(session)}&turn=${turn}`);
  }

  /** A chunk of a snapshot, with what stands around it. */
  chunkAt(id, snapshot) {
    return this.json(`/v1/chunks/${encodeURIComponent(id)}?snapshot=${snapshot}`);
  }

  entities(name) { return this.json(`/v1/graph/entities?name=${encodeURIComponent(name)}`); }
  neighbourhood(id, limit) { return this.json(`/v1/graph/entities/${encodeURIComponent(id)}?limit=${limit}`); }

  /** Send a message; `on[event](data)` hears ack, status and delta. Resolves to the final event's data. */
  async ask(session, text, on) {
    const response = await this.request(`/v1/sessions/${encodeURIComponent(session)}/messages`, {
      method: "POST",
      headers: { Accept: "text/event-stream" },
      body: JSON.stringify({ text }),
    });
    for await (const { name, data } of events(response)) {
      if (name === "final") return data;
      if (name === "error") throw new Problem(data);
      on[name]?.(data);
    }
    throw brokenOff();
  }
}

async function problemOf(response) {
  const retry = Number(response.headers.get("Retry-After")) || 0;
  try {
    const found = await response.json();
    return { ...found, status: response.status, retry_after_s: retry };
  } catch {
    return {
      status: response.status,
      code: "error",
      detail: say("status", { status: response.status }),
      remedy: say("later"),
      retry_after_s: retry,
    };
  }
}

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  try {
    while (waiting.length < BUFFER_CHARS_MAX) {
      const { done, value } = await reader.read();
      if (done) return;
      waiting += value;
      const complete = waiting.split("\n\n");
      waiting = complete.pop();
      for (const each of complete) {
        const found = event(each);
        if (found) yield found;
      }
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw brokenOff();
  } finally {
    reader.cancel().catch(() => {});
  }
}

function event(text) {
  let name = "message";
  const data = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
