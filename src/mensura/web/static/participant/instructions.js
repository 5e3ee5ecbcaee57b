// Worked examples on the page of instructions.

import { showAsked, showSolved } from "./question.js";

const place = document.getElementById("examples");
const texts = JSON.parse(document.getElementById("texts").textContent);
const examples = JSON.parse(document.getElementById("solved").textContent);

const text = (name, values = {}) =>
  texts[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));

for (const [at, example] of examples.entries()) {
  const one = document.createElement("section");
  const heading = document.createElement("h2");
  heading.textContent = examples.length > 1 ? text("example_of", { number: at + 1, count: examples.length }) : text("example");
  const asked = document.createElement("div");
  showAsked(asked, example.question, text, "h3");
  one.append(heading, asked);
  showSolved(one, example, text);
  place.append(one);
}
place.dataset.ready = "";
