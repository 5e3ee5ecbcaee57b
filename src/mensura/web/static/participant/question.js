// A question: parts in a table or in a row, of which one is missing, and options to choose from or a text to write.

import { make } from "./plain.js";

const SVG = "image/svg+xml";

/** The question itself, without what one answers by: what is asked, and what is shown. */
export function showAsked(place, question, text, heading = "h2") {
  const [, first, more] = /^(.*?\?|.*)(?: +|$)(.*)$/s.exec(question.asked);
  const asked = make(heading, { class: "asked", tabindex: "-1" }, first);
  place.replaceChildren(asked, ...(more ? [make("p", {}, more)] : []), ...shown(question.rows, text));
}

function shown(rows, text) {
  return rows.length > 1 ? [table(rows, text)] : rows.map((row) => series(row, text));
}

/** Buttons for options, or a field for a text; choose(action) is called once an answer is given. */
export function showAnswering(place, question, form, text, choose) {
  const given = form ? (question.options.length ? options(question, text, choose) : written(question, form, text, choose)) : [];
  place.replaceChildren(...given);
}

/** The options with the right one marked, for an example. */
export function showSolved(place, { question, answer, right, why }, text) {
  const shown = question.options.map((one, at) => {
    const item = make("li", { class: one.action === right ? "option right" : "option" });
    item.append(number(at), ...panel(one));
    if (one.action === right) item.append(make("strong", {}, text("right")));
    return item;
  });
  const told = right === null ? text("the_answer", { answer: answer.text }) : text("the_option", { number: 1 + question.options.findIndex((one) => one.action === right) });
  const list = shown.length ? [make("ol", { class: classOf(question.options) }, ...shown)] : [];
  place.append(...list, make("p", {}, make("strong", {}, told), ` ${why}`));
}

/** That a text has not the form of an answer; the text stays where it is. */
export function refuse(place, question, text) {
  const field = place.querySelector("input");
  field.setAttribute("aria-invalid", "true");
  place.querySelector(".wrong").textContent = text("wrong_form", { form: question.form });
  field.focus();
}

function table(rows, text) {
  const columns = Math.max(...rows.map((row) => row.length));
  const heads = Array.from({ length: columns }, (_, at) => make("th", { scope: "col" }, unseen(text("column", { number: at + 1 }))));
  const body = rows.map((row, at) =>
    make("tr", {}, make("th", { scope: "row" }, unseen(text("row", { number: at + 1 }))), ...row.map((one) => make("td", {}, ...shownOr(one, text)))),
  );
  return make(
    "table",
    { class: "matrix" },
    make("caption", { class: "unseen" }, text("shown", { rows: rows.length, columns })),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, unseen(text("rows"))), ...heads)),
    make("tbody", {}, ...body),
  );
}

function series(row, text) {
  return make("ol", { class: "series" }, ...row.map((one) => make("li", {}, ...shownOr(one, text))));
}

function shownOr(one, text) {
  if (one) return panel(one);
  return [make("span", { class: "missing", "aria-hidden": "true" }, "?"), unseen(text("missing"))];
}

/** A part: its picture with its words for those who do not see it, or its words alone. */
function panel({ svg, text }) {
  if (!svg) return [make("span", { class: "written" }, text)];
  const drawn = document.importNode(new DOMParser().parseFromString(svg, SVG).documentElement, true);
  drawn.setAttribute("aria-hidden", "true");
  drawn.removeAttribute("aria-label");
  drawn.removeAttribute("role");
  drawn.setAttribute("focusable", "false");
  return [drawn, unseen(text)];
}

function options(question, text, choose) {
  const buttons = question.options.map((one, at) => {
    const button = make("button", { type: "button", class: "option", "data-key": String(at + 1) }, number(at), ...panel(one));
    button.setAttribute("aria-label", text("option", { number: at + 1, said: one.text }));
    button.addEventListener("click", () => choose(one.action));
    return button;
  });
  const group = make("div", { class: classOf(question.options), role: "group", "aria-label": text("options") }, ...buttons);
  group.addEventListener("keydown", (event) => roam(event, buttons));
  const none = make("button", { type: "button", class: "none", "data-key": "0" }, text("none"));
  none.addEventListener("click", () => choose(question.none));
  return [group, none];
}

function roam(event, buttons) {
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const next = buttons.indexOf(document.activeElement) + by;
  buttons[Math.min(Math.max(next, 0), buttons.length - 1)].focus();
}

function written(question, form, text, choose) {
  const digits = form.characters && /^[0-9]+$/.test(form.characters);
  const field = make("input", {
    type: "text", id: "answer", "aria-describedby": "answer-form answer-wrong", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
    inputmode: digits ? "numeric" : "text", maxlength: form.longest,
  });
  const label = make("label", { for: "answer" }, text("answer"));
  const about = make("p", { id: "answer-form", class: "about" }, text("write", { form: question.form }));
  const wrong = make("p", { id: "answer-wrong", class: "wrong", role: "alert" });
  const send = make("button", { type: "submit" }, text("send"));
  const none = make("button", { type: "button", class: "none" }, text("none"));
  none.addEventListener("click", () => choose(question.none));
  const whole = make("form", { class: "acting" }, label, field, about, wrong, make("div", { class: "choices" }, send, none));
  whole.addEventListener("submit", (event) => {
    event.preventDefault();
    const said = field.value.trim();
    if (said) choose(said);
    else refuse(whole, question, text);
  });
  return [whole];
}

const LONG = 8; // letters that fit beside three others

function classOf(options) {
  if (options.some((one) => !one.svg && one.text.length > LONG)) return "options long";
  return options.length > 4 ? "options many" : "options";
}

function number(at) {
  return make("span", { class: "number", "aria-hidden": "true" }, String(at + 1));
}

function unseen(said) {
  return make("span", { class: "unseen" }, said);
}
