// Environments of any world: a picture whose shapes may be chosen, words, and a form made from the action space.

const SVG = "image/svg+xml";

/** Show the picture; whoever clicks on a shape with an action, or presses Enter or space on it, takes that action. */
export function showPicture(place, svg, label, choose) {
  if (!svg) return place.replaceChildren();
  const read = new DOMParser().parseFromString(svg, SVG).documentElement;
  const shown = document.importNode(read, true);
  for (const shape of shown.querySelectorAll("[data-action]")) {
    const act = () => choose(JSON.parse(shape.dataset.action));
    shape.addEventListener("click", act);
    shape.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
  }
  if (!shown.getAttribute("aria-label")) shown.setAttribute("aria-label", label);
  return place.replaceChildren(shown);
}

/** The form of an action; buttons act at once, other fields wait for the button below them. */
export function showForm(place, form, text, choose) {
  place.replaceChildren();
  if (!form) return;
  if (form.kind === "choices") {
    place.append(buttons(form, choose));
    return;
  }
  const field = fieldOf(form, "", text);
  const send = make("button", { type: "submit" }, text("act"));
  const whole = make("form", { class: "acting" }, field.element, send);
  whole.addEventListener("submit", (event) => {
    event.preventDefault();
    choose(field.read());
  });
  place.append(whole);
}

function buttons(form, choose) {
  const made = form.choices.map(({ action, name, key = "" }, at) => {
    const button = make("button", { type: "button", "data-key": at < 9 ? String(at + 1) : "", "data-code": key, "aria-keyshortcuts": shortKey(key) }, name);
    button.addEventListener("click", () => choose(action));
    return button;
  });
  return make("div", { class: "choices", role: "group" }, ...made);
}

/** What a key is called, as aria-keyshortcuts has it. */
const shortKey = (code) => code.replace(/^Key/, "").replace(/(Left|Right)$/, (side) => (code.startsWith("Arrow") ? side : ""));

let down = ""; // the key that was pressed last

/**
 * The button of a choice that has the key that was pressed as its own; none while somebody writes, or presses a button
 * by Space. Shift counts when it is let go with no other key in between, since Shift and Tab lead back through a page.
 */
export function buttonOf(event, form) {
  const { target, code, type, ctrlKey, altKey, metaKey } = event;
  const shift = /^Shift/.test(code);
  const alone = down === code;
  if (type === "keydown") down = code;
  if (shift !== (type === "keyup") || (shift && !alone)) return null;
  if (ctrlKey || altKey || metaKey || !code || target.matches?.("input, textarea, select, canvas")) return null;
  if (code === "Space" && target.matches?.("button, a, summary")) return null;
  return form.querySelector(`[data-code="${CSS.escape(code)}"]`);
}

/** A field for a value: its element, and what it says now. */
export function fieldOf(form, name, text) {
  if (form.kind === "choices") return choice(form, name, text);
  if (form.kind === "numbers") return numbers(form, name, text);
  if (form.kind === "text") return line(form, name, text);
  if (form.kind === "record") return record(form, name, text);
  return several(form, name, text);
}

function choice(form, name, text) {
  const options = form.choices.map((one) => make("option", { value: JSON.stringify(one.action) }, one.name));
  const select = make("select", {}, ...options);
  return { element: labelled(name || text("action"), select), read: () => JSON.parse(select.value) };
}

function numbers(form, name, text) {
  const count = form.shape.reduce((all, one) => all * one, 1);
  const inputs = [];
  const fields = [];
  for (let at = 0; at < count; at += 1) {
    const { low, high, whole } = form;
    const input = make("input", { type: "number", min: low, max: high, step: whole ? 1 : "any", value: Math.min(Math.max(0, low), high), required: "" });
    inputs.push(input);
    const title = form.names[at] ?? (count === 1 ? name || text("number") : `${name || text("number")} ${at + 1}`);
    fields.push(labelled(`${title} (${low} ${text("to")} ${high})`, input));
  }
  const group = make("div", { class: "numbers" }, ...fields);
  return { element: group, read: () => shaped(inputs.map((one) => Number(one.value)), form.shape) };
}

/** Numbers as nested lists of a shape; one alone where there is none. */
function shaped(values, shape) {
  if (!shape.length) return values[0];
  if (shape.length === 1) return values;
  const each = values.length / (shape[0] || 1);
  return Array.from({ length: shape[0] }, (_, at) => shaped(values.slice(at * each, (at + 1) * each), shape.slice(1)));
}

function line(form, name, text) {
  const area = make("textarea", { maxlength: form.longest, rows: form.longest > 80 ? 3 : 1 });
  return { element: labelled(name || text("text"), area), read: () => area.value };
}

function record(form, name, text) {
  const fields = form.fields.map(([inner, one]) => [inner, fieldOf(one, inner, text)]);
  const legend = name ? [make("legend", {}, name)] : [];
  const group = make("fieldset", {}, ...legend, ...fields.map(([, field]) => field.element));
  return { element: group, read: () => Object.fromEntries(fields.map(([inner, field]) => [inner, field.read()])) };
}

function several(form, name, text) {
  const items = [];
  const list = make("div", { class: "several" });
  const more = make("button", { type: "button" }, text("more"));
  const fewer = make("button", { type: "button" }, text("fewer"));
  const settle = () => {
    more.disabled = items.length >= form.most;
    fewer.disabled = !items.length;
  };
  more.addEventListener("click", () => {
    const field = fieldOf(form.item, `${name || text("item")} ${items.length + 1}`, text);
    items.push(field);
    list.append(field.element);
    settle();
  });
  fewer.addEventListener("click", () => {
    items.pop().element.remove();
    settle();
  });
  settle();
  const legend = make("legend", {}, name || text("list"));
  return { element: make("fieldset", {}, legend, list, more, fewer), read: () => items.map((one) => one.read()) };
}

export function labelled(title, input) {
  return make("label", { class: "field" }, make("span", {}, title), input);
}

/** An element with attributes, of which empty ones are left out, and what is inside. */
export function make(name, attributes, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== "" || key === "required") made.setAttribute(key, value);
  made.append(...inside);
  return made;
}
