// The viewer of a sitting: forth and back through its steps, some of which come at a time.

import { ask, fill, words } from "./api.js";
import { path } from "./drawing.js";

const SECONDS = 0.7; // between steps that play by themselves

const byId = (id) => document.getElementById(id);
const facts = JSON.parse(byId("facts").textContent);
const address = `/api/runs/${encodeURIComponent(facts.run)}/sittings/${facts.number}`;
const seen = new Map(); // what each seat saw and did, by step
let sitting = null;
let at = 0;
let wanted = 0; // the step that was asked for last
let playing = null;

function make(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const number = (value) => (value === null ? "" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`);
const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1)?.replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner) => `[${inner.replace(/\s*\n\s*/g, " ")}]`) ?? "");

async function fetchFrom(first) {
  const found = await ask(`${address}?first=${first}`);
  sitting = found;
  for (const one of found.interactions) {
    if (!seen.has(one.step)) seen.set(one.step, new Map());
    seen.get(one.step).set(one.seat, one);
  }
}

async function go(step) {
  wanted = Math.max(0, Math.min(step, sitting.steps - 1));
  byId("line").value = wanted;
  if (!seen.has(wanted)) {
    byId("where").textContent = words.working;
    const size = Math.max(1, sitting.interactions.length / sitting.seats);
    const here = wanted;
    try {
      await fetchFrom(here < at ? Math.max(0, Math.ceil(here - size + 1)) : here);
    } catch (error) {
      stop();
      byId("wrong").textContent = error.message;
      return;
    }
    if (here !== wanted) return; // somewhere else by now
  }
  at = wanted;
  show();
}

function show() {
  const seats = [...seen.get(at).values()];
  const { episode, interaction } = seats[0];
  const of = sitting.episodes[episode];
  byId("letters").href = byId("letters").href.replace(/\d+$/, episode);
  byId("where").textContent = fill(of.training ? "where-training" : "where", {
    step: at + 1, steps: sitting.steps, episode: episode + 1, episodes: sitting.episodes.length, interaction: interaction + 1, mean: number(of.mean_reward),
  });
  byId("episode").value = String(episode);
  byId("begin").disabled = byId("previous").disabled = at === 0;
  byId("next").disabled = at === sitting.steps - 1;
  byId("line").setAttribute("aria-valuetext", byId("where").textContent);
  drawPath();
  byId("seats").replaceChildren(...seats.map(card));
}

function drawPath() {
  const width = Math.max(240, byId("path").clientWidth);
  byId("path").replaceChildren(path(sitting.path, { width, height: 72, at: sitting.path.length ? at : null, label: fill("path-about", { score: number(sitting.score) }) }));
}

function card(one) {
  const made = make("section", "", { class: "card beside step-shown" });
  const left = make("div");
  left.append(make("h2", fill("seat", { seat: one.seat }), sitting.seats > 1 ? {} : { class: "unseen" }));
  if (one.svg) {
    const figure = make("figure", "", { class: "picture" });
    figure.append(document.importNode(new DOMParser().parseFromString(one.svg, "image/svg+xml").documentElement, true));
    left.append(figure);
  }
  const right = make("dl", "", { class: "facts" });
  const fact = (name, value, kind = "") => {
    if (value === "" || value === null || value === undefined) return;
    right.append(make("dt", words[name]));
    const dd = make("dd", "", kind ? { class: kind } : {});
    dd.textContent = value;
    right.append(dd);
  };
  fact("fault", one.fault, "bad");
  fact("answer", one.asked ? plain(one.answer) : words["not-asked"]);
  if (JSON.stringify(one.action) !== JSON.stringify(one.answer)) fact("action", plain(one.action));
  fact("reward", number(one.reward));
  fact("seconds", one.seconds === null ? "" : fill("took", { seconds: Number(one.seconds.toPrecision(3)) }));
  if (Object.keys(one.heard).length) fact("heard", plain(one.heard));
  const texts = make("div", "", { class: "said step" });
  for (const [name, text] of [["system", one.system], ["prompt", one.prompt], ["reply", one.reply], ["observation", one.prompt ? "" : plain(one.observation)]]) {
    if (text) texts.append(make("h3", words[name]), make("pre", text, { tabindex: 0, class: name === "reply" ? "answer" : "" }));
  }
  left.append(texts);
  made.append(left, right);
  return made;
}

function stop() {
  if (playing === null) return;
  clearTimeout(playing);
  playing = null;
  byId("play").setAttribute("aria-pressed", "false");
  byId("play").textContent = words.play;
}

async function playOn() {
  await go(at + 1);
  if (playing === null) return;
  if (at >= sitting.steps - 1) stop();
  else playing = setTimeout(playOn, 1000 * SECONDS);
}

byId("begin").addEventListener("click", () => { stop(); go(0); });
byId("previous").addEventListener("click", () => { stop(); go(at - 1); });
byId("next").addEventListener("click", () => { stop(); go(at + 1); });
byId("line").addEventListener("input", (event) => {
  stop();
  if (seen.has(Number(event.target.value))) go(Number(event.target.value));
});
byId("line").addEventListener("change", (event) => { stop(); go(Number(event.target.value)); });
byId("episode").addEventListener("change", (event) => { stop(); go(sitting.episodes[Number(event.target.value)].first); });
byId("play").addEventListener("click", () => {
  if (playing !== null) return stop();
  byId("play").setAttribute("aria-pressed", "true");
  byId("play").textContent = words.pause;
  playing = setTimeout(playOn, 0);
});

async function begin() {
  const step = Number(new URLSearchParams(location.search).get("step")) || 0;
  try {
    await fetchFrom(step);
    if (!sitting.interactions.length && sitting.steps) await fetchFrom(0);
  } catch (error) {
    byId("about").textContent = "";
    byId("wrong").textContent = error.message;
    return;
  }
  byId("about").textContent = fill("about", { subject: sitting.subject, condition: sitting.condition, score: number(sitting.score) });
  byId("changed").hidden = sitting.identical;
  byId("transcript").hidden = !sitting.in_words;
  byId("letters").hidden = !sitting.has_page;
  byId("printed").textContent = sitting.printed;
  byId("printing").hidden = !sitting.printed;
  byId("hindrance").textContent = sitting.hindrance;
  byId("hindrance").hidden = !sitting.hindrance;
  if (sitting.hindrance) return;
  byId("line").max = sitting.steps - 1;
  byId("episode").replaceChildren(
    ...sitting.episodes.map((one, i) => make("option", fill(one.training ? "option-training" : "option", { episode: i + 1, mean: number(one.mean_reward) }), { value: i })),
  );
  byId("viewer").hidden = false;
  await go(seen.keys().next().value ?? 0);
  document.documentElement.dataset.ready = "";
}

addEventListener("resize", () => { if (sitting && seen.has(at)) drawPath(); });
begin();
