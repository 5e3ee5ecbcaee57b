// Fields of forms, made from what a value may be: flag, whole, number, word, text, none, several of one, or a pair.

import { element, freshId, word } from "./page.js";

/** A labeled input with read() and write(). `about` is a hint below it. */
export function field(name, kinds, words = [], label = null, about = null) {
  const id = freshId("field");
  const shown = label ?? word(`parameter.${name}`, name);
  const hint = about ?? word(`hint.${name}`, "");
  const hintId = `${id}-hint`;
  const described = hint ? { "aria-describedby": hintId } : {};
  const one = maker(kinds, words)(id, described);
  const caption = element("label", { for: id }, shown);
  const box = element("div", { class: one.tick ? "field tick" : one.wide ? "field wide" : "field" });
  box.append(...(one.tick ? [one.input, caption] : [caption, one.input]));
  if (hint) box.append(element("small", { id: hintId }, hint));
  box.dataset.name = name;
  return { name, box, input: one.input, read: one.read, write: one.write };
}

/** The field of a parameter of a world, which says itself what it means. */
export function parameterField(one) {
  return field(one.name, one.kinds, one.words, null, one.about);
}

function maker(kinds, words) {
  if (kinds.length === 1 && kinds[0] === "flag") return flag;
  if (kinds.length === 1 && kinds[0] === "word") return (id, more) => choice(id, more, words);
  if (kinds.includes("word") && kinds.every((kind) => kind === "word" || kind === "none")) {
    return (id, more) => choice(id, more, [null, ...words]);
  }
  if (kinds.length === 1 && (kinds[0] === "whole" || kinds[0] === "number")) {
    return (id, more) => plainNumber(id, more, kinds[0]);
  }
  if (kinds.length === 1 && kinds[0] === "text") return text;
  return (id, more) => mixed(id, more, kinds, words);
}

function flag(id, more) {
  const input = element("input", { id, type: "checkbox", ...more });
  return { tick: true, input, read: () => input.checked, write: (value) => { input.checked = Boolean(value); } };
}

export function choice(id, more, words) {
  const input = element("select", { id, ...more });
  for (const one of words) {
    const [value, label] = Array.isArray(one) ? one : [one, one === null ? word("none", "none") : word(`word.${one}`, one)];
    input.append(element("option", { value: JSON.stringify(value) }, label));
  }
  return {
    input,
    read: () => JSON.parse(input.value),
    write: (value) => { input.value = JSON.stringify(value ?? null); },
  };
}

function plainNumber(id, more, kind) {
  const input = element("input", { id, type: "number", step: kind === "whole" ? "1" : "any", ...more });
  return {
    input,
    read: () => (input.value === "" ? null : Number(input.value)),
    write: (value) => { input.value = value ?? ""; },
  };
}

function text(id, more) {
  const input = element("textarea", { id, rows: 1, spellcheck: "false", ...more });
  return { wide: true, input, read: () => input.value, write: (value) => { input.value = value ?? ""; } };
}

/** Something written: numbers, words, or several with commas between them. */
function mixed(id, more, kinds, words) {
  const input = element("input", { id, spellcheck: "false", autocomplete: "off", ...more });
  const list = kinds.some((kind) => kind.startsWith("several") || kind === "pair");
  const wordy = kinds.some((kind) => kind === "text" || kind === "several text");
  return {
    input,
    read: () => readMixed(input.value.trim(), { list, single: !kinds.every((kind) => kind.startsWith("several")), wordy, words }),
    write: (value) => { input.value = writeMixed(value); },
  };
}

function readMixed(written, { list, single, wordy, words }) {
  const one = (piece) => {
    if (piece === "" || piece.toLowerCase() === "none") return null;
    if (words.includes(piece)) return piece;
    return !wordy && /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(piece) ? Number(piece) : piece;
  };
  if (list) {
    const pieces = written === "" ? [] : written.split(",").map((piece) => one(piece.trim()));
    if (single && pieces.length === 1) return pieces[0];
    return pieces;
  }
  return one(written);
}

function writeMixed(value) {
  if (Array.isArray(value)) return value.map((one) => one ?? "none").join(", ");
  return value === null || value === undefined ? "" : String(value);
}

/** A form of many fields: their boxes into a place, their values as one object. */
export class Fields {
  constructor(place, fields) {
    this.fields = fields;
    place.replaceChildren(...fields.map((one) => one.box));
  }

  write(values) {
    for (const one of this.fields) if (one.name in values) one.write(values[one.name]);
  }

  read() {
    return Object.fromEntries(this.fields.map((one) => [one.name, one.read()]));
  }

  at(name) {
    return this.fields.find((one) => one.name === name);
  }
}
