// The exercises: shows what the server tells, sends where the participant wants to go, and keeps nothing.

import { showBoard } from "./board.js";
import { Clock } from "./clock.js";
import { Paced, showFrame } from "./paced.js";
import { buttonOf, showForm, showPicture } from "./plain.js";
import { watchDevice } from "./device.js";
import { refuseProbe, showProbe, showProbeForm } from "./probe.js";
import { refuse, showAnswering, showAsked } from "./question.js";
import { drawSign } from "./shapes.js";
import { Sounds } from "./sounds.js";

const play = document.getElementById("play");
const heading = document.getElementById("heading");
const cells = document.getElementById("cells");
const question = document.getElementById("question");
const picture = document.getElementById("picture");
const words = document.getElementById("words");
const form = document.getElementById("form");
const reward = document.getElementById("reward");
const told = document.getElementById("told");
const go = document.getElementById("go");
const announced = document.getElementById("announced");
const trouble = document.getElementById("trouble");
const progress = document.getElementById("progress");
const mark = document.getElementById("mark");
const marks = document.getElementById("marks");
const byStep = document.getElementById("by-step");
const inExercise = document.getElementById("in-exercise");
const inTest = document.getElementById("in-test");
const texts = JSON.parse(document.getElementById("texts").textContent);
const home = `/p/${encodeURIComponent(play.dataset.code)}`;
const api = `/api/participants/${encodeURIComponent(play.dataset.code)}`;

watchDevice(api);

const LONGEST_PAUSE = 8000;

let view = null; // what is shown
let shownAt = 0; // when, by performance.now
let busy = false; // an answer is on its way
let reached = 0; // the cell that the arrow keys are on
let marking = false; // the moment that is shown is to be a checkpoint
let marked = 0; // so many moments were

const text = (name, values = {}) =>
  texts[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const sounds = new Sounds(document.getElementById("sounds"), text);
const clock = new Clock(document.getElementById("clock"), announced, text, timeIsOver);

const paced = new Paced(document.getElementById("paced"), `${api}/play`, text, {
  tell: (state, playing) => (playing && state.phase === "act" ? showBeat(state) : show(state)),
  lost: () => {
    trouble.textContent = text("lost");
  },
  found: () => {
    trouble.textContent = "";
  },
  marked: takeMark,
});

/** Whether the moment that is shown is marked, once. */
function takeMark() {
  if (!marking) return false;
  marking = false;
  marked += 1;
  showMarks();
  return true;
}

function showMarks() {
  mark.hidden = !("marks" in play.dataset) || view?.phase !== "act" || Boolean(view.question || view.probe);
  mark.textContent = text("mark");
  mark.setAttribute("aria-pressed", String(marking));
  marks.textContent = marked ? text("marked", { count: marked }) : "";
}

mark.addEventListener("click", () => {
  marking = !marking;
  showMarks();
});

// What was being sent when the clock ran out decides by when it comes; else the server is told.
async function timeIsOver() {
  await paced.pause();
  if (busy || view?.phase !== "act") return;
  await send({ late: true });
}

// Asking ---------------------------------------------------------------------------

async function ask(path, body) {
  // The same answer may be sent again and again: the server takes it once.
  for (let wait = 500; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    try {
      const answer = await fetch(api + path, {
        method: body ? "POST" : "GET",
        headers: body ? { "content-type": "application/json" } : {},
        body: body ? JSON.stringify(body) : undefined,
        cache: "no-store",
      });
      if (answer.status < 500 && answer.status !== 429) {
        trouble.textContent = "";
        return { status: answer.status, told: await answer.json() };
      }
      trouble.textContent = text(answer.status === 429 ? "too_fast" : "lost");
    } catch {
      trouble.textContent = text("lost");
    }
    await pause(wait);
  }
}

async function load() {
  if (busy || paced.playing) return;
  busy = true;
  const { status, told: state } = await ask("/state");
  busy = false;
  if (status === 200) show(state);
  else location.replace(home);
}

async function send(chosen) {
  if (busy || !view || paced.playing) return;
  busy = true;
  cells.setAttribute("aria-busy", "true");
  const took = performance.now() - shownAt;
  const moment = "action" in chosen && takeMark() ? { marked: true } : {};
  const { status, told: answer } = await ask("/answers", { number: view.number, ...chosen, ...moment, response_ms: took });
  busy = false;
  cells.removeAttribute("aria-busy");
  if (status === 200) {
    const begins = view.phase === "begin" && answer.phase === "act";
    show(answer);
    if (begins) paced.play(); // does nothing where there is no pace
  } else if (status === 409 && answer.state) {
    show(answer.state);
    told.textContent = text("elsewhere");
  } else if (status === 422 && view.question && view.form?.kind === "text") {
    refuse(form, view.question, text);
  } else if (status === 422 && view.probe) {
    refuseProbe(form, answer.error);
  } else if (status === 422) {
    told.textContent = text("not_now");
    load();
  } else {
    location.replace(home);
  }
}

// Showing --------------------------------------------------------------------------

function show(state) {
  const before = view;
  view = state;
  play.dataset.number = state.number;
  const fresh = !before || before.phase !== state.phase || before.exercise !== state.exercise;
  heading.textContent = titleOf(state.exercise);
  clock.show(state.seconds, state.seconds_of_test);
  const same = before && before.number === state.number && before.phase === state.phase;
  showReward(state.reward);
  if (before && !same) sounds.play(state.reward);
  showCells();
  showProgress();
  if (!same || !(state.question || state.probe)) showPlain(); // what somebody is writing stays when they come back to the page
  showWhatNow(fresh);
  announced.textContent = sentence();
  paced.offer(state);
  showMarks();
  if (state.probe) {
    if (!same) question.querySelector(".asked").focus();
  } else if (state.question) {
    if (fresh && state.phase === "act") (form.querySelector("input") ?? question.querySelector(".asked")).focus();
  } else if (state.kind === "plain" && state.phase === "act" && (fresh || !document.activeElement?.isConnected || document.activeElement === document.body)) {
    form.querySelector("button, input, textarea, select")?.focus({ preventScroll: true });
  }
  if (fresh && state.kind === "cells" && state.phase === "act") {
    reached = state.you;
    roam();
    cells.children[state.you]?.focus({ preventScroll: true });
  }
  if (same) return; // the clock of an answer runs from when it was first asked for
  requestAnimationFrame(() => {
    shownAt = performance.now();
  });
}

function showQuestion() {
  showAsked(question, view.question, text);
  showAnswering(form, view.question, view.form, text, act);
}

function showPlain() {
  if (view.question) return showQuestion();
  if (view.probe) {
    picture.replaceChildren();
    words.replaceChildren();
    showProbe(question, view.probe, text);
    return showProbeForm(form, view.probe, view.form, text, act);
  }
  question.replaceChildren();
  const key = document.activeElement?.dataset?.key;
  if (view.pace) showFrame(picture, view.svg, text("picture"), act);
  else showPicture(picture, view.svg, text("picture"), act);
  const read = view.svg && !view.pace && !view.beside ? view.words.slice(0, -1) : view.words;
  words.replaceChildren(...read.flatMap((one) => one.split("\n")).map(paragraph));
  showForm(form, view.form, text, act);
  if (key) form.querySelector(`[data-key="${key}"]`)?.focus({ preventScroll: true });
}

/** One beat of what is played at a pace: what is seen, and nothing that would be read many times a second. */
function showBeat(state) {
  if (form.childElementCount) form.replaceChildren();
  view = state;
  play.dataset.number = state.number;
  showFrame(picture, state.svg, text("picture"), act);
  showReward(state.reward);
  showProgress();
  if (mark.hidden) showMarks();
  clock.show(state.seconds, state.seconds_of_test);
  if (state.reward) sounds.play(state.reward);
}

function paragraph(said) {
  const made = document.createElement("p");
  made.textContent = said;
  return made;
}

function act(action) {
  if (view?.phase === "act") send({ action });
}

function showReward(sign) {
  reward.replaceChildren(...(sign === null ? [] : [drawSign(sign)]));
  reward.dataset.sign = sign === null ? "" : String(sign);
}

function showCells() {
  showBoard(cells, view, text, newCell);
  reached = Math.min(reached, Math.max(view.cells - 1, 0));
  roam();
}

function newCell(number) {
  const button = document.createElement("button");
  button.type = "button";
  button.addEventListener("click", () => choose(number));
  button.addEventListener("focus", () => {
    reached = number;
    roam();
  });
  return button;
}

function showProgress() {
  const { step, steps, exercise, exercises, practice } = view;
  const shown = steps > 1 && step > 0;
  progress.hidden = !shown && !exercises;
  byStep.textContent = shown ? text(view.probe ? "question_of" : "step_of", { step, steps }) : "";
  inExercise.hidden = !shown;
  inExercise.max = Math.max(steps, 1);
  inExercise.value = Math.max(step - 1, 0);
  inTest.hidden = !exercises || practice;
  inTest.max = Math.max(exercises, 1);
  const begun = view.phase === "done" ? exercises : exercise - 1;
  inTest.value = Math.min(begun + (shown ? (step - 1) / steps : 0), exercises);
}

function showWhatNow(fresh) {
  const { phase, number } = view;
  told.textContent = whatNow().join(" ");
  go.hidden = phase === "act";
  go.textContent = text(phase === "done" ? "go_on" : "begin");
  if (phase === "begin" && number) {
    if (view.exercise > 1) heading.textContent = titleOf(view.exercise - 1);
    go.textContent = text("go_on");
  }
  if (fresh && phase !== "act") go.focus({ preventScroll: true });
}

function titleOf(exercise) {
  if (view.practice) return text("practice");
  return view.exercises
    ? text("exercise_of", { number: Math.min(exercise, view.exercises), count: view.exercises })
    : text("exercise", { number: exercise });
}

function whatNow() {
  const { phase, number, late, practice, exercise, rest } = view;
  const about = practice ? [text("practice_about")] : [];
  if (phase === "act") return about;
  const runs = "timed" in play.dataset ? [text("clock")] : [];
  if (phase === "begin" && !number) return [...about, text("ready"), ...runs];
  const limited = "limited" in play.dataset;
  const first = late ? [text(limited ? "time_over" : "late")] : [];
  if (phase === "done") return [...first, text("all_over")];
  if (!practice && exercise === 1) return [...first, text("practice_over"), ...runs];
  const pause = rest ? [text("rest", { seconds: Math.round(rest) })] : [];
  return [...(late ? first : [text("over")]), ...pause, ...about, ...runs];
}

function sentence() {
  const parts = [];
  if (view.reward !== null) parts.push(`${text(`reward_${view.reward}`.replace("-", "m"))}.`);
  if (view.question && view.phase === "act") {
    // Who chooses is on the question, and who writes in the field below it.
    if (view.form?.kind === "text") parts.push(view.question.asked, ...view.question.rows.flat().map((one) => one?.text ?? text("missing")));
  } else if (view.probe) {
    // The focus is on the question, which is read.
  } else if (view.kind === "plain" && view.phase === "act") {
    parts.push(...view.words);
  } else if (view.cells && view.phase === "act") {
    parts.push(text("you_are", { number: view.you + 1 }));
    for (const [symbol, cell] of view.others) parts.push(text("other_is", { symbol: texts[symbol], number: cell + 1 }));
    parts.push(text("can_go", { cells: view.reachable.map((cell) => cell + 1).join(", ") }));
  } else {
    parts.push(told.textContent);
  }
  return parts.join(" ");
}

// Choosing -------------------------------------------------------------------------

function choose(number) {
  if (view?.phase === "act" && view.reachable.includes(number)) send({ cell: number });
}

function roam() {
  // One stop for the Tab key; arrow keys go from cell to cell.
  for (const [number, button] of [...cells.children].entries()) button.tabIndex = number === reached ? 0 : -1;
}

function columns() {
  const first = cells.children[0]?.offsetTop;
  return [...cells.children].filter((button) => button.offsetTop === first).length || 1;
}

/** Take the choice that has a key as its own; whether there was one. */
function takeByKey(event) {
  const own = view?.kind === "plain" && !view.probe ? buttonOf(event, form) : null;
  if (!own) return false;
  event.preventDefault();
  own.click();
  return true;
}

document.addEventListener("keyup", (event) => paced.playing || takeByKey(event));
document.addEventListener("keydown", (event) => {
  if (paced.playing || takeByKey(event)) return;
  if (!view || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (/^[0-9]$/.test(event.key)) {
    if (event.target.matches?.("input, textarea, select")) return;
    if (view.probe) return;
    if (view.kind === "plain") {
      const button = form.querySelector(`[data-key="${event.key}"]`);
      if (button) {
        event.preventDefault();
        button.focus();
        button.click();
      }
      return;
    }
    const number = Number(event.key) - 1;
    if (number >= 0 && number < view.cells && view.phase === "act") {
      event.preventDefault();
      cells.children[number].focus();
      choose(number);
    }
    return;
  }
  if (view.question && /^Arrow(Left|Right)$/.test(event.key) && !form.contains(document.activeElement)) {
    form.querySelector(".option")?.focus();
    return;
  }
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns(), ArrowDown: columns() }[event.key];
  if (by && cells.contains(document.activeElement)) {
    event.preventDefault();
    const next = reached + by;
    if (next >= 0 && next < view.cells) cells.children[next].focus();
  }
});

go.addEventListener("click", () => {
  if (view?.phase === "done") location.replace(home);
  else if (view?.phase === "begin") send({});
});

// Whoever comes back to this page sees where they are now.
addEventListener("pageshow", (event) => {
  if (event.persisted) load();
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") load();
});

load();
