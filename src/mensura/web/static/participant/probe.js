// A question about a phenomenon: what is given in tables and lists, and a form made of the schema of its answer.

import { fieldOf, labelled, make } from "./plain.js";

/** What is asked, and what is given. */
export function showProbe(place, probe, text) {
  const [first, ...more] = probe.text.split(/(?<=[.?!]) (?=[^a-z])/);
  const told = [make("h2", { class: "asked", tabindex: "-1" }, first), ...(more.length ? [make("p", {}, more.join(" "))] : [])];
  const parts = probe.parts.length ? [make("p", {}, text("probe_parts", { parts: probe.parts.join(", ") }))] : [];
  const actions = probe.actions.length ? [make("h3", {}, text("probe_actions")), runs(probe.actions)] : [];
  place.replaceChildren(...told, ...parts, ...probe.tables.map((one) => table(one, text)), ...actions);
}

/** The form of an answer: send({answer}) or send({left_out: true}) once the participant says so. */
export function showProbeForm(place, probe, form, text, send) {
  const field = answering(form, text);
  const wrong = make("p", { class: "wrong", role: "alert" });
  const leave = make("button", { type: "button", class: "none" }, text("leave_out"));
  const buttons = make("div", { class: "choices" }, make("button", { type: "submit" }, text("send")), leave);
  const whole = make("form", { class: `acting probe ${probe.kind}` }, field.element, wrong, buttons);
  whole.addEventListener("submit", (event) => {
    event.preventDefault();
    send({ answer: field.read() });
  });
  leave.addEventListener("click", () => send({ left_out: true }));
  place.replaceChildren(whole);
}

/** What is wrong with the answer, which stays as it was. */
export function refuseProbe(place, sentence) {
  const wrong = place.querySelector(".wrong");
  wrong.textContent = sentence;
  place.querySelector("input, select, textarea")?.focus();
}

function table({ name, step, rows }, text) {
  const valued = rows.some((row) => row.value);
  const heads = [text("probe_variable"), ...(valued ? [text("probe_value")] : []), text("probe_about")];
  const body = rows.map((row) => {
    const range = text("probe_range", row);
    const value = valued ? [make("td", { class: "number" }, row.value)] : [];
    return make("tr", {}, make("th", { scope: "row" }, row.name), ...value, make("td", {}, row.meaning ? `${range}; ${row.meaning}` : range));
  });
  const caption = make("caption", {}, text(`probe_${name}`, { step }));
  const head = make("thead", {}, make("tr", {}, ...heads.map((one) => make("th", { scope: "col" }, one))));
  return make("div", { class: "scroll" }, make("table", { class: "given" }, caption, head, make("tbody", {}, ...body)));
}

/** Actions in their order, those that are the same one after another together. */
function runs(actions) {
  return make("ol", { class: "series actions" }, ...actions.map(({ name, times }) => make("li", {}, inOneLine({ name, times }))));
}

function inOneLine({ name, times }) {
  return times > 1 ? `${name} × ${times}` : name;
}

function answering(form, text) {
  if (form.kind === "share") return share(form, text);
  if (form.kind === "number") return number(form, text);
  if (form.kind === "choices") return radios(form.choices, text("answer"), "answer");
  if (form.kind === "record") return explanation(form, text);
  if (form.kind === "several") return list(form, text("probe_plan"), text);
  return fieldOf(form, text("answer"), text);
}

/** A slider, and the same as a number; empty until one of them is touched. */
function share({ low, high }, text) {
  const slider = make("input", { type: "range", min: low, max: high, step: 0.01, "aria-label": text("probability") });
  const exact = make("input", { type: "number", min: low, max: high, step: "any", required: "", inputmode: "decimal" });
  slider.value = String((low + high) / 2); // after its ends, which would move it
  slider.addEventListener("input", () => {
    exact.value = slider.value;
  });
  exact.addEventListener("input", () => {
    if (exact.value !== "") slider.value = exact.value;
  });
  const ends = make("div", { class: "ends" }, make("span", {}, text("never")), make("span", {}, text("surely")));
  const element = make("div", { class: "share" }, make("div", {}, slider, ends), labelled(text("probability"), exact));
  return { element, read: () => Number(exact.value) };
}

function number({ low, high, whole }, text) {
  const bounds = { ...(low === null ? {} : { min: low }), ...(high === null ? {} : { max: high }) };
  const input = make("input", { type: "number", ...bounds, step: whole ? 1 : "any", required: "", inputmode: "decimal" });
  return { element: labelled(text("answer"), input), read: () => Number(input.value) };
}

/** Radio buttons, of which one has to be chosen. */
function radios(choices, title, name) {
  const inputs = choices.map(({ action }) => make("input", { type: "radio", name, value: JSON.stringify(action), required: "" }));
  const labels = choices.map((one, at) => make("label", {}, inputs[at], one.name));
  const element = make("fieldset", { class: "radios" }, make("legend", {}, title), ...labels);
  return { element, read: () => JSON.parse(inputs.find((one) => one.checked).value) };
}

function explanation({ fields }, text) {
  const [[, causes], [, without]] = fields;
  const pairs = list(causes, text("probe_causes"), text);
  const held = cases(without, text);
  return { element: make("div", {}, pairs.element, held.element), read: () => ({ causes: pairs.read(), without: held.read() }) };
}

/** Yes or no for each case. */
function cases({ about }, text) {
  const choices = [
    { action: true, name: text("would_have") },
    { action: false, name: text("would_not") },
  ];
  const fields = about.map(({ part, course }, at) => {
    const one = radios(choices, text("probe_case", { number: at + 1, part }), `case-${at}`);
    const told = [course.start.join(", "), `${text("probe_actions")}: ${course.actions.map(inOneLine).join(", ")}`];
    one.element.insertBefore(make("p", { class: "about" }, told.join(". ")), one.element.children[1]);
    return one;
  });
  return { element: make("div", {}, ...fields.map((one) => one.element)), read: () => fields.map((one) => one.read()) };
}

/** A list to which one adds and from which one takes away; it begins with so many items as the form says. */
function list(form, title, text) {
  const items = [];
  const shown = make("ol", { class: "items" });
  const more = make("button", { type: "button", class: "plain" }, text("more"));
  const fewer = make("button", { type: "button", class: "plain" }, text("fewer"));
  const settle = () => {
    more.disabled = items.length >= form.most;
    fewer.disabled = !items.length;
  };
  const add = () => {
    const field = item(form, `${items.length + 1}.`, text);
    items.push(field);
    shown.append(make("li", {}, field.element));
  };
  for (let at = 0; at < form.first; at += 1) add();
  more.addEventListener("click", () => {
    add();
    settle();
  });
  fewer.addEventListener("click", () => {
    items.pop();
    shown.lastChild.remove();
    settle();
  });
  settle();
  const element = make("fieldset", { class: "list" }, make("legend", {}, title), shown, make("div", { class: "choices" }, more, fewer));
  return { element, read: () => items.map((one) => one.read()) };
}

function item(form, title, text) {
  if (form.item.kind !== "record") {
    const field = fieldOf(form.item, title, text);
    const select = field.element.querySelector("select");
    if (select && form.preset !== undefined) select.value = JSON.stringify(form.preset);
    if (select) return field;
    return { element: make("fieldset", {}, make("legend", {}, title), field.element), read: field.read };
  }
  const fields = form.item.fields.map(([name, one]) => [name, toChoose(fieldOf(one, text(`probe_${name}`), text))]);
  const element = make("div", { class: "pair", role: "group", "aria-label": title }, ...fields.map(([, field]) => field.element));
  return { element, read: () => Object.fromEntries(fields.map(([name, field]) => [name, field.read()])) };
}

/** A choice that is empty until somebody chooses. */
function toChoose(field) {
  const select = field.element.querySelector("select");
  const empty = make("option", {}, "");
  empty.value = "";
  select.prepend(empty);
  select.value = "";
  select.required = true;
  return field;
}
