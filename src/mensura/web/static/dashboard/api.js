// What all modules here share: asking the server, filling in texts, following events.

export const words = JSON.parse(document.getElementById("words").textContent);

export function fill(name, values = {}) {
  return words[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

export async function ask(path, body, method = body === undefined ? "GET" : "POST") {
  const request = { method, headers: { accept: "application/json" } };
  if (body !== undefined) {
    request.headers["content-type"] = "application/json";
    request.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Error(words.lost);
  }
  const said = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

// The buttons of a form that only a module can send are off until it is there to do so.
export function ready(form) {
  for (const button of form.querySelectorAll("button")) button.disabled = false;
}

export function follow(path, handlers, news) {
  const source = new EventSource(path);
  for (const [kind, handle] of Object.entries(handlers)) {
    source.addEventListener(kind, (event) => {
      if (news.textContent === words.lost) news.textContent = "";
      handle(JSON.parse(event.data));
    });
  }
  let failed = 0;
  source.addEventListener("open", () => { failed = 0; });
  source.addEventListener("error", () => {
    failed += 1;
    if (failed > 3 || source.readyState === EventSource.CLOSED) news.textContent = words.lost;
  });
  return source;
}
