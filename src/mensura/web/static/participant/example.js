// A worked example that plays itself: how a step goes, and nothing on what brings rewards.

import { showBoard } from "./board.js";
import { drawSign } from "./shapes.js";

const SECONDS = 2.6;
const STEPS = [
  { said: "begin", you: 0, reachable: [0, 1, 2], others: [["ring", 2], ["cross", 3]], reward: null },
  { said: "chosen", you: 2, reachable: [], others: [["ring", 2], ["cross", 3]], reward: null, went: 3 },
  { said: "positive", you: 2, reachable: [1, 2, 3], others: [["ring", 1], ["cross", 0]], reward: 1 },
  { said: "stayed", you: 2, reachable: [], others: [["ring", 1], ["cross", 0]], reward: null, went: 3 },
  { said: "neutral", you: 2, reachable: [0, 2, 3], others: [["ring", 3], ["cross", 0]], reward: 0 },
  { said: "chosen", you: 0, reachable: [], others: [["ring", 3], ["cross", 0]], reward: null, went: 1 },
  { said: "negative", you: 0, reachable: [0, 1, 3], others: [["ring", 2], ["cross", 1]], reward: -1 },
  { said: "end", you: 0, reachable: [0, 1, 3], others: [["ring", 2], ["cross", 1]], reward: null },
];
const COLORS = [8, 2, 5, 10];

const place = document.getElementById("example");
const said = document.getElementById("example-said");
const playing = document.getElementById("example-play");
const texts = JSON.parse(document.getElementById("example-texts").textContent);
const text = (name, values = {}) =>
  texts[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
let at = 0;
let timer = null;

function show() {
  const step = STEPS[at];
  const view = { ...step, cells: 4, colors: COLORS };
  showBoard(place.querySelector(".cells"), view, text, () => document.createElement("div"));
  for (const cell of place.querySelectorAll(".cell")) {
    cell.removeAttribute("aria-label"); // the board is one picture here, and a sentence tells of it
    cell.removeAttribute("aria-disabled");
  }
  place.querySelector(".reward").replaceChildren(...(step.reward === null ? [] : [drawSign(step.reward)]));
  said.textContent = text(`said_${step.said}`, { number: step.went });
}

function next() {
  at = (at + 1) % STEPS.length;
  show();
}

function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(next, 1000 * SECONDS) : null;
  playing.setAttribute("aria-pressed", String(on));
  playing.textContent = text(on ? "pause" : "play");
}

playing.addEventListener("click", () => play(timer === null));
document.getElementById("example-next").addEventListener("click", () => {
  play(false);
  next();
});
place.hidden = false;
show();
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
