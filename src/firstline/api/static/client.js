// The API as this page needs it. Every failure becomes a Problem that says what happened and what to try.

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

const UNREACHABLE = {
  detail: "The server cannot be reached.",
  remedy: "Check your connection, then try again.",
};
const BROKEN_OFF = {
  code: "broken_off",
  detail: "The connection broke off before the answer was complete.",
  remedy: "Check again: your message may have been answered meanwhile.",
};

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
      throw new Problem(UNREACHABLE);
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

  chunk(id, session, turn) {
    return this.json(`/v1/chunks/${encodeURIComponent(id)}?session=${encodeURIComponent(session)}&turn=${turn}`);
  }

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
    throw new Problem(BROKEN_OFF);
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
      detail: `The server answered with status ${response.status}.`,
      remedy: "Try again in a moment.",
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
    throw new Problem(BROKEN_OFF);
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
