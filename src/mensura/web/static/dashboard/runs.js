// The list of runs: rows move by themselves as the server tells how far each run is, and are found, sorted and chosen here.

import { fill, follow, words } from "./api.js";

const byId = (id) => document.getElementById(id);
const news = byId("news");
const body = document.querySelector("#runs tbody");
const blank = byId("row").content.querySelector("tr");
const known = new Map();
const rows = new Map([...body.querySelectorAll("tr")].map((row) => [row.dataset.run, row]));
for (const facts of JSON.parse(byId("facts").textContent)) known.set(facts.run, { row: rows.get(facts.run), facts });

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
  part(row, "profile").href = `/runs/${encodeURIComponent(facts.run)}/report`;
  const time = part(row, "started").querySelector("time");
  time.dateTime = facts.started;
  time.textContent = facts.started.slice(0, 16).replace("T", " ");
  body.prepend(row);
  byId("runs").hidden = false;
  byId("none").hidden = true;
  return { row, facts: { ...facts, status: "" } };
}

function tell(facts) {
  if (!known.has(facts.run)) known.set(facts.run, add(facts));
  const one = known.get(facts.run);
  const { row } = one;
  part(row, "title").textContent = facts.title;
  part(row, "profile").hidden = !facts.profile || facts.status !== "finished";
  part(row, "worlds").textContent = facts.worlds.join(", ");
  const status = part(row, "status");
  status.textContent = words[facts.status];
  status.dataset.state = facts.status;
  const bar = part(row, "bar");
  bar.max = Math.max(facts.sittings, 1);
  bar.value = facts.done;
  part(row, "done").textContent = fill("of", facts);
  part(row, "episodes").textContent = facts.episodes;
  part(row, "faults").textContent = facts.faults;
  if (one.facts.status !== facts.status) {
    news.textContent = fill("changed", { run: facts.run, status: words[facts.status] });
  }
  one.facts = facts;
  arrange();
}

function remove(name) {
  known.get(name)?.row.remove();
  known.delete(name);
  arrange();
}

// Finding and sorting ----------------------------------------------------------------

const ORDERS = {
  newest: (a, b) => b.started.localeCompare(a.started) || b.number - a.number,
  name: (a, b) => a.run.localeCompare(b.run),
  episodes: (a, b) => b.episodes - a.episodes,
  faults: (a, b) => b.faults - a.faults,
  progress: (a, b) => a.done / Math.max(a.sittings, 1) - b.done / Math.max(b.sittings, 1),
};

function wanted({ facts }) {
  const text = byId("search").value.trim().toLocaleLowerCase();
  const said = [facts.run, facts.title, ...facts.worlds, ...facts.subjects].join("\n").toLocaleLowerCase();
  return (
    said.includes(text) &&
    (!byId("status").value || facts.status === byId("status").value) &&
    (!byId("world").value || facts.worlds.includes(byId("world").value)) &&
    (!byId("subject").value || facts.subjects.includes(byId("subject").value))
  );
}

function choices(id, values, name = (value) => value) {
  const select = byId(id);
  const there = new Set([...select.options].map((one) => one.value));
  for (const value of [...new Set(values)].sort()) {
    if (there.has(value)) continue;
    const option = document.createElement("option");
    option.value = value;
    option.textContent = name(value);
    select.append(option);
  }
}

function arrange() {
  const all = [...known.values()];
  choices("status", all.map(({ facts }) => facts.status), (status) => words[status]);
  choices("world", all.flatMap(({ facts }) => facts.worlds));
  choices("subject", all.flatMap(({ facts }) => facts.subjects));
  for (const one of all) one.row.hidden = !wanted(one);
  const sorted = all.sort((a, b) => ORDERS[byId("order").value](a.facts, b.facts)).map(({ row }) => row);
  if (sorted.some((row, i) => body.children[i] !== row)) {
    const focus = document.activeElement;
    body.append(...sorted);
    if (focus && body.contains(focus)) focus.focus({ preventScroll: true });
  }
  const shown = all.filter(({ row }) => !row.hidden).length;
  byId("count").textContent = fill("shown", { shown, all: all.length });
  const count = (...states) => all.filter(({ facts }) => states.includes(facts.status)).length;
  const figures = { running: count("running"), open: count("open"), finished: count("finished"), ended: count("stopped", "failed", "interrupted") };
  for (const [name, value] of Object.entries(figures)) document.querySelector(`[data-figure="${name}"]`).textContent = value;
}

// Choosing ---------------------------------------------------------------------------

function choose() {
  const count = body.querySelectorAll("input:checked").length;
  byId("chosen").textContent = count ? fill("chosen", { count }) : "";
}

for (const id of ["search", "status", "world", "subject", "order"]) byId(id).addEventListener("input", arrange);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault();
});
body.addEventListener("change", choose);
byId("tools").hidden = false;
arrange();
choose();
follow("/api/progress", { run: tell, gone: remove }, news);
