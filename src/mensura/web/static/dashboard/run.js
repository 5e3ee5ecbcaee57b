// One run: how far it is, stopping and resuming it, and its scores as they come.

import { ask, fill, follow, words } from "./api.js";

const news = document.getElementById("news");
const trouble = document.getElementById("trouble");
let facts = JSON.parse(document.getElementById("facts").textContent);
const path = `/api/runs/${encodeURIComponent(facts.run)}`;
let shown = null;
let asked = 0;

function part(name) {
  return document.querySelector(`[data-name="${name}"]`);
}

function tell(now) {
  if (now.run !== facts.run) return;
  if (now.status !== facts.status) {
    news.textContent = fill("changed", { run: now.run, status: words[now.status] });
  }
  facts = now;
  part("status").textContent = words[now.status];
  part("bar").max = Math.max(now.sittings, 1);
  part("bar").value = now.done;
  part("done").textContent = fill("of", now);
  part("episodes").textContent = now.episodes;
  part("faults").textContent = now.faults;
  part("seconds").textContent = fill("seconds", { seconds: now.seconds.toFixed(1) });
  if (trouble.textContent !== now.trouble) trouble.textContent = now.trouble;
  for (const [id, can] of [["stop", now.stoppable], ["resume", now.resumable]]) {
    const button = document.getElementById(id);
    if (button) button.hidden = !can;
  }
  const due = now.status !== "running" || performance.now() - asked > 10000;
  if (shown !== now.done && due) scores();
}

function typeset(text) {
  return text.replaceAll("-", "−");
}

async function scores() {
  asked = performance.now();
  const done = facts.done;
  try {
    draw(await ask(`${path}/scores`));
    shown = done;
  } catch (error) {
    document.getElementById("scores").textContent = error.message;
  }
}

function cell(row, kind, text, number = false) {
  const one = document.createElement(kind);
  one.textContent = text;
  if (kind === "th") one.scope = row.parentElement?.tagName === "THEAD" ? "col" : "row";
  if (number) one.className = "number";
  row.append(one);
}

function draw(rows) {
  const place = document.getElementById("scores");
  if (!rows.length) {
    place.textContent = words["no-scores"];
    return;
  }
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const [name, number] of [["condition"], ["subject"], ["score", true], ["interval", true], ["sittings", true], ["default", true]]) {
    cell(head, "th", words[name], number);
  }
  const body = table.createTBody();
  for (const one of rows) {
    const row = body.insertRow();
    cell(row, "td", one.condition);
    cell(row, "th", one.reason ? `${one.subject} (${one.reason})` : one.valid ? one.subject : fill("invalid", one));
    cell(row, "td", typeset(one.shown), true);
    cell(row, "td", one.interval ? typeset(one.interval) : words.few, true);
    cell(row, "td", one.episodes, true);
    cell(row, "td", one.by_default || words.unrecorded, true);
  }
  place.replaceChildren(table);
}

for (const id of ["stop", "resume"]) {
  document.getElementById(id)?.addEventListener("click", async (event) => {
    event.target.disabled = true;
    trouble.textContent = "";
    try {
      tell(await ask(`${path}/${id}`, {}));
    } catch (error) {
      trouble.textContent = error.message;
    }
    event.target.disabled = false;
  });
}

scores();
follow("/api/progress", { run: tell }, news);
