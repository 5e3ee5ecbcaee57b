// The sittings of a run with the path of each, some at a time, and its faults by cause.

import { ask, fill, words } from "./api.js";
import { path } from "./drawing.js";
import { tableOf } from "./table.js";

const byId = (id) => document.getElementById(id);
const number = (value) => (value === null ? "" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`);
const PAGE = 25; // as many as the server gives at a time
let first = 0;
let shown = null;

function link(run, sitting) {
  const made = document.createElement("a");
  made.href = `/runs/${encodeURIComponent(run)}/sittings/${sitting}`;
  made.textContent = fill("open-sitting", { number: sitting });
  return made;
}

export async function showSittings(run) {
  const subject = byId("whose").value;
  try {
    shown = await ask(`/api/runs/${encodeURIComponent(run)}/sittings?first=${first}&subject=${encodeURIComponent(subject)}`);
  } catch (error) {
    byId("sittings").textContent = error.message;
    return;
  }
  const values = shown.rows.flatMap((one) => one.path);
  const range = { low: Math.min(0, ...values), high: Math.max(0, ...values) };
  const drawn = (one) => {
    const label = fill("path", { count: one.episodes, score: number(one.score) });
    return path(one.path.map((value, i) => [i, value]), { width: 160, height: 30, label, ...range });
  };
  byId("sittings").replaceChildren(
    shown.rows.length
      ? tableOf(shown.rows, [
          { name: words.sitting, heads: true, of: (one) => link(run, one.number) },
          { name: words.subject, of: (one) => one.subject },
          { name: words.condition, of: (one) => one.condition },
          { name: words.course, of: drawn },
          { name: words.score, number: true, of: (one) => number(one.score) },
          { name: words.episodes, number: true, of: (one) => one.episodes },
          { name: words.faults, number: true, of: (one) => one.faults },
          { name: words.thought, number: true, of: (one) => (one.seconds === null ? "" : fill("seconds", { seconds: Number(one.seconds.toPrecision(2)) })) },
        ])
      : words["no-sittings"],
  );
  byId("earlier").hidden = first === 0;
  byId("later").hidden = shown.next === null;
  byId("earlier").onclick = () => turn(run, Math.max(0, first - PAGE));
  byId("later").onclick = () => turn(run, shown.next);
  byId("whose").onchange = () => turn(run, 0);
}

function turn(run, to) {
  first = to;
  showSittings(run);
}

export async function showFaults(run) {
  const causes = await ask(`/api/runs/${encodeURIComponent(run)}/faults`);
  byId("faulty").hidden = !causes.length;
  if (!causes.length) return;
  byId("causes").replaceChildren(
    tableOf(causes, [
      { name: words.subject, heads: true, of: (one) => one.subject },
      { name: words.kind, of: (one) => words[`fault-${one.kind}`] ?? one.kind },
      { name: words.detail, of: (one) => one.detail },
      { name: words.times, number: true, of: (one) => one.times },
      { name: words["first-in"], of: (one) => link(run, one.number) },
    ]),
  );
}
