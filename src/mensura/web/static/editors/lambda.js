// The editor of Lambda environments: figures 4.2 to 4.4 of the thesis, and every further switch.

import { post } from "../research/api.js";
import { attempt, button, element, freshId, t } from "../research/page.js";
import { Fields, choice, parameterField } from "../research/fields.js";

const OWN = new Set(["space", "good_and_evil", "objects", "starts", "action_names", "space_program"]);
const IN_TABLE = 30; // so many cells and actions have a table of arrows

function labeled(label, input, kind = "field") {
  input.id = input.id || freshId("lambda");
  return element("div", { class: kind }, element("label", { for: input.id }, label), input);
}

function part(title, ...children) {
  return element("fieldset", {}, element("legend", {}, title), ...children);
}

const row = (...children) => element("div", { class: "row" }, ...children);

function input(more = {}) {
  return element("input", { autocomplete: "off", spellcheck: "false", ...more });
}

/** Numbers between commas. */
const numbers = (text) => text.split(/[\s,]+/).filter(Boolean).map(Number);

export default class LambdaEditor {
  constructor(place, form, { begin }) {
    this.place = place;
    this.begin = begin;
    this.form = form;
  }

  show(description) {
    this.space = new SpaceEditor(() => this.actions());
    this.rewarders = new BehaviorEditor(() => this.space.actions);
    this.objects = element("div");
    this.starts = input();
    this.names = input();
    const switches = this.form.parameters.filter((one) => one.name in description && !OWN.has(one.name));
    const box = element("div", { class: "fields" });
    this.switches = new Fields(box, switches.map(parameterField));
    this.place.replaceChildren(
      this.space.box,
      part(t("good_and_evil"), this.rewarders.box),
      part(t("objects"), this.objects, button(t("add_object"), () => this.add({ kind: "pattern", moves: [0] }))),
      part(
        t("starts"),
        element("p", { class: "dim" }, t("starts_about")),
        row(labeled(t("starts_cells"), this.starts), labeled(t("action_names"), this.names)),
      ),
      part(t("switches"), box),
      element("button", { type: "button", onclick: () => this.go() }, t("begin")),
    );
    this.write(description);
  }

  actions() {
    return this.names.value.split(",").map((one) => one.trim()).filter(Boolean);
  }

  write(description) {
    this.names.value = (description.action_names ?? []).join(", ");
    this.starts.value = (description.starts ?? []).map((cell) => cell + 1).join(", ");
    this.program = description.space_program ?? null;
    this.space.take(description.space.shifts, this.program);
    this.rewarders.write(description.good_and_evil);
    this.objects.replaceChildren();
    this.editors = [];
    for (const behavior of description.objects ?? []) this.add(behavior);
    this.switches.write(description);
  }

  add(behavior) {
    const editor = new BehaviorEditor(() => this.space.actions);
    const box = element("fieldset", {}, element("legend", {}, ""), editor.box);
    box.append(
      button(t("remove_object"), () => {
        this.editors = this.editors.filter((one) => one !== editor);
        box.remove();
        this.count();
      }),
    );
    editor.write(behavior);
    editor.frame = box;
    this.editors.push(editor);
    this.objects.append(box);
    this.count();
  }

  count() {
    this.editors.forEach((one, at) => {
      one.frame.querySelector("legend").textContent = t("object", { number: at + 1 });
    });
  }

  async go() {
    const made = await attempt(() => this.read());
    if (made) await this.begin(made);
  }

  async read() {
    const space = await this.space.read();
    const description = {
      ...this.switches.read(),
      space: { shifts: space.shifts },
      good_and_evil: await this.rewarders.read(),
      objects: [],
      starts: numbers(this.starts.value).map((cell) => cell - 1),
      action_names: this.actions(),
    };
    for (const one of this.editors) description.objects.push(await one.read());
    if (this.program && JSON.stringify(space.shifts) === this.space.programmed) description.space_program = this.program;
    return description;
  }
}

/** Figure 4.2: a space by its text, by its arrows, ready, or drawn. */
class SpaceEditor {
  constructor(names) {
    this.names = names;
    this.text = element("textarea", { rows: 2, spellcheck: "false" });
    this.facts = element("p", { role: "status", class: "dim" });
    this.theory = element("p", { class: "dim" });
    this.table = element("div");
    const kind = choice(freshId("lambda"), {}, [
      ["ring", t("ring")],
      ["one-way ring", t("one_way_ring")],
      ["grid", t("grid")],
      ["torus", t("torus")],
    ]);
    const sizes = input({ value: "3, 3" });
    const diagonal = element("input", { type: "checkbox", id: freshId("lambda") });
    const cells = input({ value: "2, 9" });
    const actions = input({ value: "2, none" });
    const topology = choice(freshId("lambda"), {}, ["strong", "weak", "unrestricted"]);
    const seed = input({ inputmode: "numeric", maxlength: 20, placeholder: t("fresh") });
    const bounds = (text) => text.split(",").map((one) => (one.trim() === "none" || one.trim() === "" ? null : Number(one)));
    this.box = part(
      t("space"),
      labeled(t("space_text"), this.text),
      row(button(t("space_read"), () => this.ask({ text: this.text.value, names: this.names() }))),
      this.facts,
      this.theory,
      this.table,
      element(
        "details",
        {},
        element("summary", {}, t("space_ready")),
        row(labeled(t("kind"), kind.input), labeled(t("sizes"), sizes)),
        element("div", { class: "field tick" }, diagonal, element("label", { for: diagonal.id }, t("diagonal"))),
        button(t("space_make"), () =>
          this.ask({ ready: kind.read(), sizes: numbers(sizes.value), diagonal: diagonal.checked }),
        ),
      ),
      element(
        "details",
        {},
        element("summary", {}, t("space_draw")),
        element("p", { class: "dim" }, t("space_draw_about")),
        row(labeled(t("cells"), cells), labeled(t("actions"), actions), labeled(t("topology"), topology.input), labeled(t("seed"), seed)),
        button(t("space_draw"), () =>
          attempt(async () => {
            const drawn = { cells: numbers(cells.value), actions: bounds(actions.value), topology: topology.read(), seed: seed.value.trim() };
            this.shown(await post("/lambda/space/drawn", drawn));
          }),
        ),
      ),
    );
  }

  /** Take the arrows as a description writes them. */
  take(shifts, program) {
    const count = shifts.length;
    this.programmed = program ? JSON.stringify(shifts) : "";
    this.text.value = shifts
      .map((cell) => cell.map((shift, action) => (action ? `${action}${(shift > 0 ? "+" : "-").repeat(Math.abs(shift))}` : "")).join(""))
      .join("|");
    this.draw(shifts.map((cell, at) => cell.map((shift) => (((at + shift) % count) + count) % count)));
    this.ask({ text: this.text.value });
  }

  get actions() {
    return this.arrows[0].length;
  }

  async ask(body) {
    await attempt(async () => this.shown(await post("/lambda/space", body)));
  }

  shown(space) {
    this.text.value = space.thesis;
    this.theory.textContent = space.theory.length > 300 ? "" : t("space_theory", { text: space.theory });
    const how = space.strong ? t("strongly") : space.weak ? t("weakly") : t("severed");
    this.facts.textContent = t("space_facts", { cells: space.cells, actions: space.actions, how });
    this.draw(space.arrows);
  }

  /** The table of arrows, in which each can be changed: cells count from 1, as in pictures. */
  draw(arrows) {
    this.arrows = arrows.map((cell) => [...cell]);
    const n = arrows.length;
    const n_a = arrows[0].length;
    if (n > IN_TABLE || n_a > IN_TABLE) {
      this.table.replaceChildren();
      return;
    }
    const head = element("tr", {}, element("th", { scope: "col" }, t("column.cell")));
    for (let action = 1; action < n_a; action++) head.append(element("th", { scope: "col" }, t("action_number", { number: action })));
    const body = element("tbody");
    this.arrows.forEach((cell, at) => {
      const line = element("tr", {}, element("th", { scope: "row" }, String(at + 1)));
      for (let action = 1; action < n_a; action++) {
        const box = element("input", {
          type: "number",
          min: 1,
          max: n,
          "aria-label": t("arrow", { action, cell: at + 1 }),
          onchange: () => {
            this.arrows[at][action] = Number(box.value) - 1;
            this.ask({ arrows: this.arrows });
          },
        });
        box.value = cell[action] + 1;
        line.append(element("td", {}, box));
      }
      body.append(line);
    });
    const region = { class: "scroll", role: "region", tabindex: 0, "aria-label": t("arrows") };
    const sized = (change) => () => {
      change();
      this.ask({ arrows: this.arrows });
    };
    this.table.replaceChildren(
      element("div", region, element("table", { class: "arrows" }, element("caption", {}, t("arrows_about")), element("thead", {}, head), body)),
      row(
        button(t("more_cells"), sized(() => {
          // The last cell leads on to the new one, and the new one to where the last one led.
          const last = this.arrows.at(-1);
          this.arrows.push([n, ...last.slice(1)]);
          last[1] = n;
        })),
        button(t("fewer_cells"), sized(() => {
          if (n <= 2) return;
          this.arrows.pop();
          this.arrows.forEach((cell) => cell.forEach((to, action) => { if (to === n - 1) cell[action] = 0; }));
          const last = this.arrows.at(-1);
          if (last.every((to) => to === n - 2)) last[1] = 0;
        })),
        button(t("more_actions"), sized(() => this.arrows.forEach((cell, at) => cell.push(at)))),
        button(t("fewer_actions"), sized(() => { if (n_a > 2) this.arrows.forEach((cell) => cell.pop()); })),
      ),
    );
  }

  /** The space as it stands in its text, which the arrows are written to at once. */
  async read() {
    const space = await post("/lambda/space", { text: this.text.value, names: this.names() });
    this.shown(space);
    return space;
  }
}

/** Figure 4.3: a behavior of Good and Evil, or of an object. */
class BehaviorEditor {
  constructor(actions) {
    this.actions = actions;
    this.kind = choice(freshId("lambda"), {}, ["pattern", "random", "startled", "shy", "attached", "markov"].map((one) => [one, t(`behavior.${one}`)]));
    this.kind.input.addEventListener("change", () => this.fit());
    this.pattern = element("textarea", { rows: 2, spellcheck: "false", id: freshId("lambda") });
    this.stop = input({ type: "number", min: 0.0001, max: 1, step: "any", value: 0.1 });
    this.calm = input({ type: "number", min: 0, step: 1, value: 0 });
    this.startled = input({ type: "number", min: 0, step: 1, value: 1 });
    this.rules = element("textarea", { rows: 5, spellcheck: "false" });
    this.match = choice(freshId("lambda"), {}, ["leftmost", "rightmost"]);
    this.alphabet = [];
    const draw = button(t("pattern_draw"), () =>
      attempt(async () => {
        const drawn = await post("/lambda/pattern/drawn", { actions: this.actions(), p_stop: Number(this.stop.value) });
        this.pattern.value = this.written(drawn.moves);
      }),
    );
    this.parts = {
      pattern: element("div", {}, labeled(t("pattern"), this.pattern), element("p", { class: "dim" }, t("pattern_about")), row(labeled(t("p_stop"), this.stop), draw)),
      startled: row(labeled(t("calm"), this.calm), labeled(t("startled"), this.startled)),
      markov: element("div", {}, labeled(t("rules"), this.rules), element("p", { class: "dim" }, t("rules_about")), labeled(t("match"), this.match.input)),
    };
    this.box = element("div", {}, labeled(t("kind"), this.kind.input), ...Object.values(this.parts));
    this.fit();
  }

  fit() {
    for (const [name, box] of Object.entries(this.parts)) box.hidden = name !== this.kind.read();
  }

  written(moves) {
    return moves.join(moves.some((move) => move > 9) ? " " : "");
  }

  write(behavior) {
    this.kind.write(behavior.kind);
    if (behavior.kind === "pattern") this.pattern.value = this.written(behavior.moves);
    if (behavior.kind === "startled") {
      this.calm.value = behavior.calm;
      this.startled.value = behavior.startled;
    }
    if (behavior.kind === "markov") {
      this.rules.value = behavior.program.rules.join("\n");
      this.match.write(behavior.program.match);
      this.alphabet = behavior.program.alphabet;
    }
    this.fit();
  }

  async read() {
    const kind = this.kind.read();
    if (kind === "pattern") {
      const text = this.pattern.value.trim();
      const pieces = /\s|,/.test(text) ? text.split(/[\s,]+/) : [...text];
      return { kind, moves: pieces.map((one) => (/^\d+$/.test(one) ? Number(one) : one)) };
    }
    if (kind === "startled") return { kind, calm: Number(this.calm.value), startled: Number(this.startled.value) };
    if (kind === "markov") {
      const { program } = await post("/lambda/program", { text: this.rules.value, match: this.match.read() });
      const alphabet = [...new Set([...this.alphabet, ...program.alphabet])];
      return { kind, program: { ...program, alphabet } };
    }
    return { kind };
  }
}
