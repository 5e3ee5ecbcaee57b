// The list of runs: rows move by themselves as the server tells how far each run is.

import { fill, follow, words } from "./api.js";

const news = document.getElementById("news");
const body = document.querySelector("#runs tbody");
const blank = document.querySelector("#row").content.querySelector("tr");
const known = new Map();
for (const row of body.querySelectorAll("tr")) known.set(row.dataset.run, { row, status: null });

function part(row, name) {
  return row.querySelector(`[data-name="${name}"]`);
}

function add(facts) {
  const row = blank.cloneNode(true);
  row.dataset.run = facts.run;
  row.querySelector("input").value = facts.run;
  part(row, "choose").textContent = part(row, "choose").textContent.replace("{run}", facts.run);
  const link = part(row, "link");
  link.href = `/runs/${encodeURIComponent(facts.run)}`;
  link.textContent = facts.run;
  const time = part(row, "started").querySelector("time");
  time.dateTime = facts.started;
  time.textContent = facts.started.slice(0, 16).replace("T", " ");
  body.prepend(row);
  document.getElementById("runs").hidden = false;
  document.getElementById("none").hidden = true;
  return { row, status: "" };
}

function tell(facts) {
  if (!known.has(facts.run)) known.set(facts.run, add(facts));
  const one = known.get(facts.run);
  const { row } = one;
  part(row, "title").textContent = facts.title;
  part(row, "status").textContent = words[facts.status];
  const bar = part(row, "bar");
  bar.max = Math.max(facts.sittings, 1);
  bar.value = facts.done;
  part(row, "done").textContent = fill("of", facts);
  part(row, "episodes").textContent = facts.episodes;
  part(row, "faults").textContent = facts.faults;
  if (one.status !== null && one.status !== facts.status) {
    news.textContent = fill("changed", { run: facts.run, status: words[facts.status] });
  }
  one.status = facts.status;
}

function remove(name) {
  known.get(name)?.row.remove();
  known.delete(name);
}

follow("/api/progress", { run: tell, gone: remove }, news);
