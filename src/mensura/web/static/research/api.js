// Asking the server: JSON there and back; whatever is refused is an error with a sentence.

export class Refusal extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

export async function call(method, path, body) {
  let answer;
  try {
    answer = await fetch(`/api/research${path}`, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, "");
  }
  if (answer.status === 204) return null;
  let data;
  try {
    data = await answer.json();
  } catch {
    throw new Refusal(answer.status, "");
  }
  if (!answer.ok) throw new Refusal(answer.status, data.error ?? "");
  return data;
}

export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, body);
