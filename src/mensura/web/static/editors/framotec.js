// The editor of FraMoTEC tasks: a sample or one's own as YAML, checked with its line; operations; the Pareto plot.

import { get, post } from "../research/api.js";
import { attempt, button, element, freshId, number, save, t } from "../research/page.js";
import { Fields, choice, field } from "../research/fields.js";

export default class FramotecEditor {
  constructor(place, form, { generate }) {
    this.place = place;
    this.tasks = form.data.tasks;
    this.use = (task) => generate({ task: task.task });
  }

  /** A task stays as it was written while environments of it are drawn. */
  show() {}

  edit(description) {
    this.text.value = JSON.stringify(description.task, null, 2);
  }

  choices(name) {
    return name === "task" ? { words: this.tasks, other: t("own_task") } : null;
  }

  /** The task to save, and time and energy of the episode beside what they are at best. */
  further(place, { state, about }) {
    const picture = element("div", { id: "front-picture" });
    const keep = () => save("task.yaml", `${JSON.stringify(about.description.task, null, 2)}\n`, "application/yaml");
    place.append(
      element("p", {}, element("button", { type: "button", class: "plain", id: "save-task", onclick: keep }, t("task_save"))),
      element(
        "section",
        { id: "front-part", "aria-labelledby": "front-title" },
        element("h3", { id: "front-title" }, t("front")),
        element("p", {}, t("front_about")),
        element("button", { type: "button", class: "plain", id: "front", onclick: () => this.plotVisit(picture, state.visit) }, t("front_draw")),
        picture,
      ),
    );
  }

  async plotVisit(picture, visit) {
    picture.replaceChildren(element("p", {}, t("working")));
    const front = await attempt(() => get(`/visits/${visit}/front`));
    picture.replaceChildren(...(front ? frontParts(front) : []));
  }

  open() {
    this.sample = choice(freshId("task"), {}, this.tasks.map((one) => [one, one]));
    this.text = element("textarea", { id: freshId("task"), rows: 16, spellcheck: "false" });
    this.said = element("p", { role: "status" });
    this.operation = element("div");
    this.front = element("div");
    this.place.replaceChildren(
      element(
        "div",
        { class: "row" },
        element("div", { class: "field" }, element("label", { for: this.sample.input.id }, t("task_sample")), this.sample.input),
        button(t("task_load"), () => this.load()),
      ),
      element("div", { class: "field" }, element("label", { for: this.text.id }, t("task_text")), this.text),
      element(
        "div",
        { class: "row" },
        button(t("task_check"), () => this.check()),
        button(t("task_save"), () => save("task.yaml", this.text.value, "application/yaml")),
        button(t("front_draw"), () => this.plot()),
      ),
      this.said,
      this.front,
      element("details", {}, element("summary", {}, t("operations")), this.operation),
      element("button", { type: "button", onclick: () => this.go() }, t("task_use")),
    );
    this.load();
    this.offer();
  }

  async load() {
    await attempt(async () => {
      this.text.value = (await get(`/framotec/tasks/${this.sample.read()}`)).text;
      this.said.textContent = "";
    });
  }

  async check() {
    return attempt(async () => {
      const task = await post("/framotec/tasks", { text: this.text.value });
      this.said.textContent = t("task_right", { sentence: task.sentence });
      return task;
    });
  }

  async go() {
    const task = await this.check();
    if (task) await this.use(task);
  }

  async plot() {
    this.said.textContent = t("working");
    const front = await attempt(() => post("/framotec/front", { text: this.text.value }));
    this.said.textContent = "";
    if (front) this.front.replaceChildren(...frontParts(front));
  }

  async offer() {
    const known = await attempt(() => get("/framotec/operations"));
    if (!known) return;
    const kind = choice(freshId("operation"), {}, known.map((one) => [one.name, one.name]));
    const about = element("p", { class: "dim" });
    const place = element("div", { class: "fields" });
    const parts = element("div", { class: "row" });
    let fields;
    const fit = () => {
      const one = known.find((other) => other.name === kind.read());
      about.textContent = one.about;
      parts.replaceChildren();
      fields = new Fields(
        place,
        one.arguments.map((argument) => {
          const kinds = argument.kinds.includes("task") ? ["text"] : argument.kinds;
          const needed = one.needed.includes(argument.name) ? "" : t("may_be_left");
          return field(argument.name, kinds, argument.words, argument.name, argument.kinds.includes("task") ? t("other_task") : needed);
        }),
      );
      fields.write(Object.fromEntries(one.arguments.map((argument) => [argument.name, argument.default])));
    };
    kind.input.addEventListener("change", fit);
    const apply = button(t("operate"), () =>
      attempt(async () => {
        const one = known.find((other) => other.name === kind.read());
        const given = Object.entries(fields.read()).filter(([name, value]) => {
          const { default: usual } = one.arguments.find((argument) => argument.name === name);
          return value !== null && value !== "" && JSON.stringify(value) !== JSON.stringify(usual);
        });
        const { tasks } = await post("/framotec/operations", { text: this.text.value, operation: one.name, arguments: Object.fromEntries(given) });
        this.take(tasks[0]);
        if (tasks.length > 1) {
          parts.replaceChildren(
            ...tasks.map((task, at) => button(t("part", { number: at + 1 }), () => this.take(task))),
          );
        }
      }),
    );
    this.operation.replaceChildren(
      element("div", { class: "field" }, element("label", { for: kind.input.id }, t("operation")), kind.input),
      about,
      place,
      apply,
      parts,
    );
    fit();
  }

  take(task) {
    this.text.value = task.text;
    this.said.textContent = t("task_right", { sentence: task.sentence });
  }
}

/** The Pareto plot, its sentence and its numbers. */
function frontParts(front) {
  const image = element("img", { alt: t("front"), src: `data:image/svg+xml;utf8,${encodeURIComponent(front.svg)}` });
  const head = ["time", "least_energy", "most_energy"].map((one) => element("th", { scope: "col", class: "number" }, t(one)));
  const rows = front.rows.map((line) => element("tr", {}, ...line.map((value) => element("td", { class: "number" }, number(value)))));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  return [image, element("p", {}, front.sentence), element("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": t("front_table") }, table)];
}
