// What all modules of the page share: its data, its words, elements, and the one place for trouble.

export const data = JSON.parse(document.getElementById("data").textContent);

export const byId = (id) => document.getElementById(id);

export function t(name, values = {}) {
  const text = data.words[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** A text that may not be there: names of parameters and columns that worlds bring along. */
export const word = (name, otherwise) => data.words[name] ?? otherwise;

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

export function svgElement(tag, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

let numbers = 0;
export const freshId = (start) => `${start}-${++numbers}`;

/** Say what went wrong, or nothing any more. */
export function trouble(error) {
  byId("trouble").textContent = error ? error.message || t("unreachable") : "";
  if (error) byId("trouble").scrollIntoView({ block: "nearest" });
}

/** Do something that may be refused; a refusal is shown, and null comes back. */
export async function attempt(work) {
  trouble(null);
  try {
    return await work();
  } catch (error) {
    trouble(error);
    return null;
  }
}

export function button(label, onclick, kind = "plain") {
  return element("button", { type: "button", class: kind || null, onclick }, label);
}

export function save(name, text, type = "application/json") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function number(value) {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(5)));
}
