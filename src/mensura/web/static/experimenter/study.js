// One study for people: links to hand out, how far everybody is, closing it, deleting somebody for good.

import { ask, fill, follow, ready, words } from "../dashboard/api.js";

const name = JSON.parse(document.getElementById("study").textContent);
const path = `/api/experimenter/studies/${encodeURIComponent(name)}`;
const news = document.getElementById("news");
const wrong = document.getElementById("wrong");
const table = document.getElementById("participants");
const body = table.tBodies[0];
const known = new Map();

async function trying(what) {
  wrong.textContent = "";
  try {
    await what();
  } catch (error) {
    wrong.textContent = error.message;
  }
}

// Participants

function add(one) {
  const row = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = one.pseudonym;
  row.append(head);
  for (const kind of ["external", "wave", "conditions", "state", "exercise", "answered", "last", "score", "excluded"]) {
    const cell = row.insertCell();
    cell.dataset.name = kind;
    if (kind === "answered" || kind === "score") cell.className = "number";
  }
  const button = document.createElement("button");
  button.type = "button";
  button.className = "danger";
  button.textContent = fill("delete-one", one);
  button.addEventListener("click", () => askTwice(known.get(one.number).facts));
  row.insertCell().append(button);
  const after = [...known.values()].filter((other) => other.facts.number > one.number);
  const next = after.sort((a, b) => a.facts.number - b.facts.number)[0];
  body.insertBefore(row, next ? next.row : null);
  return { row, facts: one };
}

function tell(one, quiet = false) {
  const before = known.get(one.number)?.facts.state;
  if (!known.has(one.number)) known.set(one.number, add(one));
  const { row } = known.get(one.number);
  known.get(one.number).facts = one;
  const texts = {
    external: one.external ?? "",
    conditions: one.conditions.join(", "),
    wave: one.pilot ? words.pilot : (one.wave ?? ""),
    state: words[one.state],
    exercise: one.exercise && one.exercises ? fill("of", one) : one.exercise || "",
    answered: one.answered,
    last: one.last.slice(0, 19).replace("T", " "),
    score: one.score === null ? "" : one.score.toFixed(3),
    excluded: one.excluded ?? "",
  };
  for (const [kind, text] of Object.entries(texts)) row.querySelector(`[data-name="${kind}"]`).textContent = text;
  if (!quiet && before && before !== one.state) {
    news.textContent = fill("changed", { pseudonym: one.pseudonym, state: words[one.state] });
  }
  count();
}

function remove(number) {
  known.get(number)?.row.remove();
  known.delete(number);
  count();
}

function count() {
  table.hidden = known.size === 0;
  document.getElementById("nobody").hidden = known.size > 0;
}

// Who may still come

const recruit = document.getElementById("recruit");
recruit?.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = (id) => document.getElementById(id).value.trim() || null;
  const quota = text("quota") && Number(text("quota"));
  trying(async () => {
    await ask(`${path}/recruiting`, { quota, ends: text("ends"), wave: text("wave") });
    news.textContent = words.recruited;
  });
});
if (recruit) ready(recruit);

// Consent

const revise = document.getElementById("revise");
revise.addEventListener("submit", (event) => {
  event.preventDefault();
  const texts = {};
  for (const one of revise.querySelectorAll("[data-language]")) {
    if (one.value.trim()) texts[one.dataset.language] = one.value;
  }
  trying(async () => {
    const made = await ask(`${path}/consent`, { texts });
    news.textContent = document.getElementById("version").textContent = fill("revised", made);
  });
});
ready(revise);

// Links

document.getElementById("invite").addEventListener("submit", (event) => {
  event.preventDefault();
  trying(async () => {
    const made = await ask(`${path}/invitations`, {
      count: Number(document.getElementById("count").value),
      pilot: document.getElementById("pilot").checked,
    });
    const list = document.getElementById("links");
    for (const one of made) {
      const who = document.createElement("dt");
      who.textContent = one.pseudonym;
      const link = document.createElement("dd");
      const code = document.createElement("code");
      code.textContent = one.link;
      link.append(code);
      list.append(who, link);
    }
    document.getElementById("made").hidden = false;
    news.textContent = fill("made", { count: made.length });
    document.getElementById("links-title").focus();
  });
});
ready(document.getElementById("invite"));

document.getElementById("copy").addEventListener("click", async () => {
  const lines = [...document.querySelectorAll("#links dt")].map(
    (one) => `${one.textContent}\t${one.nextElementSibling.textContent}`,
  );
  try {
    await navigator.clipboard.writeText(lines.join("\n"));
    news.textContent = words.copied;
  } catch {
    news.textContent = words["not-copied"];
  }
});

document.getElementById("print").addEventListener("click", () => window.print());

// Closing

const closing = document.getElementById("close-sure");
document.getElementById("close").addEventListener("click", () => closing.showModal());
document.getElementById("keep-open").addEventListener("click", () => closing.close());
document.getElementById("close-now").addEventListener("click", () => {
  closing.close();
  trying(async () => {
    await ask(`${path}/close`, {});
    for (const id of ["inviting", "closing"]) document.getElementById(id).hidden = true;
    document.getElementById("closed").hidden = false;
    news.textContent = words["is-closed"];
  });
});

// Deleting, which asks twice: a question, and the pseudonym typed again.

const sure = document.getElementById("sure");
const retyped = document.getElementById("retyped");
const otherwise = document.getElementById("otherwise");
let asked = null;

function askTwice(one) {
  asked = one;
  document.getElementById("who").textContent = one.pseudonym;
  retyped.value = "";
  otherwise.textContent = "";
  sure.showModal();
  retyped.focus();
}

function removeAsked() {
  if (retyped.value.trim() !== asked.pseudonym) {
    otherwise.textContent = words.otherwise;
    retyped.focus();
    return;
  }
  sure.close();
  trying(async () => {
    const query = new URLSearchParams({ pseudonym: asked.pseudonym });
    await ask(`${path}/participants/${asked.number}?${query}`, undefined, "DELETE");
    remove(asked.number);
    news.textContent = fill("deleted", asked);
  });
}

document.getElementById("keep").addEventListener("click", () => sure.close());
document.getElementById("delete-now").addEventListener("click", removeAsked);
sure.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  removeAsked();
});

for (const one of JSON.parse(document.getElementById("facts").textContent)) tell(one, true);
follow(`${path}/progress`, { participant: (one) => tell(one), gone: remove }, news);
