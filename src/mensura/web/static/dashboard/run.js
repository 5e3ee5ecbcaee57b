// One run: how far it is, stopping and resuming it, and its scores as they come.

import { ask, fill, follow, words } from "./api.js";
import { scaleOf } from "./drawing.js";
import { showFaults, showSittings } from "./sittings.js";
import { tableOf } from "./table.js";

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
  part("status").dataset.state = now.status;
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
    if (document.getElementById("sittings")) {
      showSittings(facts.run);
      if (facts.faults) showFaults(facts.run);
    }
  } catch (error) {
    document.getElementById("scores").textContent = error.message;
  }
}

function draw(rows) {
  const place = document.getElementById("scores");
  if (!rows.length) {
    place.textContent = words["no-scores"];
    return;
  }
  const drawn = scaleOf(rows);
  const name = (one) => (one.reason ? `${one.subject} (${one.reason})` : one.valid ? one.subject : fill("invalid", one));
  place.replaceChildren(
    tableOf(rows, [
      { name: words.condition, of: (one) => one.condition },
      { name: words.subject, heads: true, of: name },
      { name: words.score, number: true, of: (one) => typeset(one.shown) },
      { name: words.interval, number: true, of: (one) => (one.interval ? typeset(one.interval) : words.few) },
      { name: words.scale, of: drawn },
      { name: words.sittings, number: true, of: (one) => one.episodes },
      { name: words.default, number: true, of: (one) => one.by_default || words.unrecorded },
    ]),
  );
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
