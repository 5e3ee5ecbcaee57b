// The editor for any world: a field for each part of a description, that of the parameter of its name where it has such
// a value, else one known from the value; what is nested, as JSON.

import { element, t } from "./page.js";
import { Fields, field, parameterField } from "./fields.js";

export default class PlainEditor {
  constructor(place, form, { begin }) {
    this.place = place;
    this.begin = begin;
    this.parameters = form.parameters;
  }

  show(description) {
    const fields = Object.entries(description).map(([name, value]) => {
      const parameter = this.parameters.find((one) => one.name === name);
      return parameter && suits(parameter, value) ? parameterField(parameter) : described(name, value);
    });
    const box = element("div", { class: "fields" });
    this.fields = new Fields(box, fields);
    this.fields.write(description);
    const begin = element("button", { type: "button", onclick: () => this.begin(this.read()) }, t("begin"));
    this.place.replaceChildren(box, begin);
  }

  read() {
    return this.fields.read();
  }
}

/** Whether a part of a description is a value of the parameter of its name. */
function suits({ kinds, words }, value) {
  if (kinds.length !== 1) return false;
  if (kinds[0] === "word") return words.includes(value);
  if (kinds[0].startsWith("several")) return Array.isArray(value);
  if (kinds[0] === "whole") return Number.isInteger(value);
  return kinds[0] === { boolean: "flag", number: "number" }[typeof value];
}

function described(name, value) {
  if (typeof value === "boolean") return field(name, ["flag"]);
  if (typeof value === "number") return field(name, [Number.isInteger(value) ? "whole" : "number"]);
  if (typeof value === "string") return field(name, ["text"]);
  if (Array.isArray(value) && value.every((one) => typeof one === "number")) {
    const one = field(name, ["several number"]);
    one.box.classList.add("wide");
    return one;
  }
  return nested(name);
}

/** JSON in a field; what is no JSON goes to the server as a text, which says what is wrong. */
function nested(name) {
  const one = field(name, ["text"]);
  const { read, write } = one;
  one.write = (value) => write(JSON.stringify(value));
  one.read = () => {
    try {
      return JSON.parse(read());
    } catch {
      return read();
    }
  };
  return one;
}
