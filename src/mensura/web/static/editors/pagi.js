// The editor of PAGI World: objects from a menu, dragged, turned and resized on a canvas or by keys, their properties,
// the task as text, samples and files, and play in the view above.

import { get, post } from "../research/api.js";
import { attempt, button, element, freshId, save, t } from "../research/page.js";
import { RoomView } from "../pagi/room.js";

const SMALL = 0.1;
const LARGE = 0.5;
const HANDLE = 9; // pixels
const MOST_UNDONE = 200;
const TASK_FIELDS = ["name", "instructions", "horizon", "solved", "failed", "reward"];

const middle = (value, usual = 0) => (value && typeof value === "object" ? (value.from + value.to) / 2 : value ?? usual);
const round = (value) => Math.round(value * 1000) / 1000;

export default class PagiEditor {
  constructor(place, form, { generate }) {
    this.place = place;
    Object.assign(this, form.data); // tasks, kinds, properties, keys
    this.use = (task) => generate({ task });
    this.task = { name: "mine", bodies: [[0, 1.14]], objects: [] };
    this.chosen = -1;
    this.past = [];
    this.future = [];
  }

  /** A task stays as it was built while environments of it are drawn. */
  show() {}

  edit(description) {
    this.replace(description.setup);
  }

  choices(name) {
    return name === "task" ? { words: this.tasks, other: t("own_task") } : null;
  }

  further(place, { about }) {
    const keep = () => save("task.yaml", `${JSON.stringify(about.description.setup, null, 2)}\n`, "application/yaml");
    place.append(element("p", {}, button(t("task_save"), keep)));
  }

  // The form

  open() {
    if (!document.querySelector('link[href="/static/pagi/live.css"]'))
      document.head.append(element("link", { rel: "stylesheet", href: "/static/pagi/live.css" }));
    const select = (options) => element("select", { id: freshId("pagi") }, ...options.map((one) => element("option", {}, one)));
    const labeled = (name, input) => element("div", { class: "field" }, element("label", { for: input.id }, t(name)), input);
    this.sample = select(this.tasks);
    this.menu = select(Object.keys(this.kinds));
    this.list = element("select", { id: freshId("pagi"), size: 8, onchange: () => this.choose(Number(this.list.value)) });
    this.file = element("input", { id: freshId("pagi"), type: "file", accept: ".yaml,.yml,.json,.tsk", onchange: () => this.load() });
    this.canvas = element("canvas", { width: 720, height: 460, tabindex: 0, role: "application", "aria-label": t("pagi.canvas"), id: "pagi-canvas" });
    this.view = new RoomView(this.canvas, false);
    this.properties_form = element("div", { class: "fields" });
    this.task_form = element("div", { class: "fields" });
    this.text = element("textarea", { id: freshId("pagi"), rows: 14, spellcheck: "false" });
    this.said = element("p", { role: "status" });
    this.try_button = button(t("pagi.try"), () => (this.trial ? this.stop() : this.try()));
    this.try_button.id = "pagi-try";
    const large = button(t("pagi.large"), () => {
      this.place.classList.toggle("pagi-large");
      this.draw();
    });
    this.place.classList.add("pagi-editor");
    this.place.replaceChildren(
      element("div", { class: "row" }, labeled("task_sample", this.sample), button(t("task_load"), () => this.take(() => get(`/pagi/tasks/${this.sample.value}`))), labeled("pagi.file", this.file)),
      element(
        "div",
        { class: "row" },
        labeled("pagi.menu", this.menu),
        button(t("pagi.add"), () => this.add()),
        button(t("pagi.copy"), () => this.copy()),
        button(t("pagi.remove"), () => this.remove()),
        button(t("pagi.undo"), () => this.undo()),
        button(t("pagi.redo"), () => this.redo()),
        button(t("pagi.closer"), () => this.zoom(1.25)),
        button(t("pagi.farther"), () => this.zoom(0.8)),
        this.try_button,
        large,
      ),
      element("p", { class: "dim small" }, t("pagi.by_keys")),
      this.canvas,
      labeled("pagi.objects", this.list),
      element("details", { open: true }, element("summary", {}, t("pagi.properties")), this.properties_form),
      element("details", {}, element("summary", {}, t("pagi.task")), this.task_form),
      element("details", { id: "pagi-text" }, element("summary", {}, t("task_text")), labeled("task_text", this.text), button(t("pagi.take_text"), () => this.take(() => post("/pagi/tasks", { text: this.text.value })))),
      this.said,
      element("div", { class: "row" }, button(t("task_check"), () => this.check()), button(t("task_save"), () => this.keep()), element("button", { type: "button", id: "pagi-play", onclick: () => this.go() }, t("task_use"))),
    );
    this.canvas.addEventListener("pointerdown", (event) => this.grab(event));
    this.canvas.addEventListener("pointermove", (event) => this.drag(event));
    this.canvas.addEventListener("pointerup", () => (this.held = null));
    this.canvas.addEventListener("keydown", (event) => (this.trial ? this.press(event, true) : this.key(event)));
    this.canvas.addEventListener("keyup", (event) => this.trial && this.press(event, false));
    this.canvas.addEventListener("blur", () => this.trial?.keys.clear());
    this.take(() => get(`/pagi/tasks/${this.sample.value}`));
  }

  // What is changed, and undone

  /** Change the task; what it was can be had back. Changes of one kind that follow one another are one. */
  change(work, kind = "") {
    if (!kind || kind !== this.changing) {
      this.past.push(this.now());
      if (this.past.length > MOST_UNDONE) this.past.shift();
    }
    this.changing = kind;
    this.future = [];
    work();
    this.draw();
  }

  replace(task) {
    this.change(() => {
      this.task = structuredClone(task);
      this.task.objects ??= [];
      this.task.bodies ??= [[0, 1.14]];
      this.chosen = this.task.objects.length ? 0 : -1;
      this.fit();
    });
  }

  undo(from = this.past, to = this.future) {
    if (!from.length) return;
    to.push(this.now());
    [this.task, this.chosen] = JSON.parse(from.pop());
    this.changing = "";
    this.draw();
  }

  now() {
    return JSON.stringify([this.task, this.chosen]);
  }

  redo() {
    this.undo(this.future, this.past);
  }

  get object() {
    return this.task.objects[this.chosen];
  }

  add() {
    const kind = this.menu.value;
    const [x, y] = this.view.center.map((one) => Math.round(one * 2) / 2);
    this.change(() => this.put({ kind, name: this.free(kind), x, y }));
  }

  copy() {
    if (!this.object) return;
    const other = structuredClone(this.object);
    this.change(() => this.put({ ...other, name: this.free(other.kind), x: middle(other.x) + 1 }));
  }

  put(object) {
    this.task.objects.push(object);
    this.chosen = this.task.objects.length - 1;
  }

  remove() {
    if (!this.object) return;
    this.change(() => {
      this.task.objects.splice(this.chosen, 1);
      this.chosen = Math.min(this.chosen, this.task.objects.length - 1);
    });
  }

  free(kind) {
    const taken = new Set(this.task.objects.map((one) => one.name ?? one.kind));
    let number = 2;
    if (!taken.has(kind)) return kind;
    while (taken.has(`${kind}${number}`)) number += 1;
    return `${kind}${number}`;
  }

  choose(number) {
    this.chosen = number;
    this.changing = "";
    this.draw();
  }

  zoom(factor) {
    this.view.zoom(factor);
    this.draw();
  }

  /** Show all of the task. */
  fit() {
    const all = this.items().filter((one) => one.width < 60).concat(this.task.bodies.map(([x, y]) => ({ x, y, width: 4, height: 6 })));
    const [left, right] = [Math.min(...all.map((one) => one.x - one.width / 2)), Math.max(...all.map((one) => one.x + one.width / 2))];
    const [low, high] = [Math.min(...all.map((one) => one.y - one.height / 2)), Math.max(...all.map((one) => one.y + one.height / 2))];
    this.view.center = [(left + right) / 2, (low + high) / 2];
    this.view.scale = Math.min(60, Math.max(4, 0.9 * Math.min(this.canvas.width / (right - left || 1), this.canvas.height / (high - low || 1))));
  }

  // Drawing

  items() {
    return this.task.objects.map((one) => {
      const kind = this.kinds[one.kind] ?? { outline: "box", width: 1, height: 1, color: "#888888", seen: true, solid: true };
      return {
        ...kind,
        ...Object.fromEntries(Object.entries(one).map(([name, value]) => [name, middle(value, value)])),
        name: one.name ?? one.kind,
        x: middle(one.x),
        y: middle(one.y),
        width: middle(one.width, kind.width),
        height: middle(one.height, kind.height),
        angle: (middle(one.degrees) * Math.PI) / 180,
      };
    });
  }

  draw() {
    if (this.trial) return;
    const items = this.items();
    const bodies = this.task.bodies.map(([x, y]) => ({ x, y, angle: 0, hands: [[x - 1.9, y + 0.2], [x + 1.9, y + 0.2]], holds: [false, false] }));
    const chosen = items[this.chosen];
    const place = Object.fromEntries(items.map((one) => [one.name, [one.x, one.y]]));
    const ropes = (this.task.ropes ?? [])
      .map(({ ties: [one, other], stiff }) => ({ from: place[one], to: place[other], color: stiff ? "#9999b3" : "#b39966" }))
      .filter(({ from, to }) => from && to);
    this.view.draw({ items, bodies, ropes, bubbles: [], water: [], water_radius: 0.2 }, { chosen: chosen?.name });
    if (chosen) this.handles(chosen);
    this.list.replaceChildren(...items.map((one, at) => element("option", { value: at, selected: at === this.chosen }, `${one.name} (${this.task.objects[at].kind})`)));
    this.write();
  }

  /** Where an object is turned, and where it is resized. */
  spots(item) {
    const turn = (x, y) => [item.x + x * Math.cos(item.angle) - y * Math.sin(item.angle), item.y + x * Math.sin(item.angle) + y * Math.cos(item.angle)];
    return { turn: turn(0, item.height / 2 + 1), size: turn(item.width / 2, -item.height / 2) };
  }

  handles(item) {
    const pen = this.canvas.getContext("2d");
    for (const [x, y] of Object.values(this.spots(item))) {
      const [px, py] = this.view.at(x, y);
      pen.fillStyle = "#d9480f";
      pen.fillRect(px - HANDLE / 2, py - HANDLE / 2, HANDLE, HANDLE);
    }
  }

  /** The fields of what is chosen, and of the task. */
  write() {
    const object = this.object;
    const names = object ? ["name", "x", "y", "degrees", ...this.properties] : [];
    this.properties_form.replaceChildren(
      ...names.map((name) => this.input(name, object[name], { x: 0, y: 0, degrees: 0, name: object.kind, ...this.kinds[object.kind] }[name], (value) => this.set(object, name, value))),
    );
    const usual = { horizon: 200, solved: "false", failed: "false", reward: "0", instructions: "", name: "" };
    this.task_form.replaceChildren(
      ...TASK_FIELDS.map((name) => this.input(name, this.task[name], usual[name], (value) => this.set(this.task, name, value))),
      this.input("bodies", JSON.stringify(this.task.bodies), "", (value) => this.setJson("bodies", value)),
      this.input("reflexes", (this.task.reflexes ?? []).join("\n"), "", (value) => this.set(this.task, "reflexes", value.split("\n").filter((one) => one.trim())), true),
    );
  }

  input(name, value, usual, changed, long = false) {
    const id = freshId("pagi");
    const flag = typeof usual === "boolean";
    const shown = value === undefined ? usual : typeof value === "object" ? JSON.stringify(value) : value;
    const made = long
      ? element("textarea", { id, rows: 4, spellcheck: "false", "data-name": name })
      : element("input", { id, type: flag ? "checkbox" : "text", checked: flag && shown, "data-name": name });
    if (!flag) made.value = shown ?? "";
    made.addEventListener("change", () => changed(flag ? made.checked : typeof usual === "number" ? numeral(made.value) : made.value));
    return element("div", { class: long ? "field wide" : "field" }, element("label", { for: id }, t(`pagi.of.${name}`)), made);
  }

  set(thing, name, value) {
    this.change(() => {
      if (value === "" && name !== "name") delete thing[name];
      else thing[name] = value;
    });
  }

  setJson(name, text) {
    attempt(async () => {
      const value = JSON.parse(text);
      this.change(() => (this.task[name] = value));
    });
  }

  // By pointer and by keys

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const [px, py] = [((event.clientX - box.left) * this.canvas.width) / box.width, ((event.clientY - box.top) * this.canvas.height) / box.height];
    return { px, py, at: this.view.point(px, py) };
  }

  grab(event) {
    if (this.trial) return;
    const { px, py, at } = this.point(event);
    this.changing = "";
    const items = this.items();
    const chosen = items[this.chosen];
    if (chosen) {
      for (const [way, [x, y]] of Object.entries(this.spots(chosen))) {
        const [hx, hy] = this.view.at(x, y);
        if (Math.hypot(px - hx, py - hy) <= HANDLE + 3) {
          this.held = { way };
          this.canvas.setPointerCapture(event.pointerId);
          return;
        }
      }
    }
    for (let number = items.length - 1; number >= 0; number -= 1) {
      const one = items[number];
      const [dx, dy] = [at[0] - one.x, at[1] - one.y];
      const [lx, ly] = [dx * Math.cos(one.angle) + dy * Math.sin(one.angle), dy * Math.cos(one.angle) - dx * Math.sin(one.angle)];
      if (Math.abs(lx) <= one.width / 2 && Math.abs(ly) <= one.height / 2) {
        this.choose(number);
        this.held = { way: "move", from: [dx, dy] };
        this.canvas.setPointerCapture(event.pointerId);
        return;
      }
    }
    this.held = { way: "look", at };
  }

  drag(event) {
    if (!this.held) return;
    const { at } = this.point(event);
    const { way, from } = this.held;
    if (way === "look") {
      this.view.center = this.view.center.map((one, axis) => one - (at[axis] - this.held.at[axis]));
      this.draw();
      return;
    }
    const item = this.items()[this.chosen];
    const [dx, dy] = [at[0] - item.x, at[1] - item.y];
    this.change(() => {
      if (way === "move") Object.assign(this.object, { x: round(at[0] - from[0]), y: round(at[1] - from[1]) });
      else if (way === "turn") this.object.degrees = round((Math.atan2(dy, dx) * 180) / Math.PI - 90);
      else this.resize(Math.abs(dx * Math.cos(item.angle) + dy * Math.sin(item.angle)) * 2, Math.abs(dy * Math.cos(item.angle) - dx * Math.sin(item.angle)) * 2, item);
    }, way);
  }

  resize(width, height, item) {
    const side = (value) => round(Math.min(1000, Math.max(0.1, value)));
    this.object.width = side(width);
    this.object.height = item.outline === "disc" ? this.object.width : side(height);
  }

  key(event) {
    const step = event.shiftKey ? SMALL : LARGE;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    const item = this.items()[this.chosen];
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "z") event.shiftKey ? this.redo() : this.undo();
    else if (control || event.altKey) return;
    else if (event.key === "PageDown" || event.key === "PageUp") {
      const count = this.task.objects.length;
      if (count) this.choose((this.chosen + (event.key === "PageDown" ? 1 : count - 1)) % count);
    } else if (!item) return;
    else if (moves[event.key]) {
      const [dx, dy] = moves[event.key];
      this.change(() => Object.assign(this.object, { x: round(item.x + dx), y: round(item.y + dy) }), "move");
    } else if (event.key === "[" || event.key === "]") {
      const by = event.key === "[" ? 5 : -5;
      this.change(() => (this.object.degrees = round(middle(this.object.degrees) + by)), "turn");
    } else if ("+-".includes(event.key)) {
      const by = event.key === "+" ? 1.1 : 1 / 1.1;
      this.change(() => this.resize(item.width * by, item.height * by, item), "size");
    } else if (event.key === "Delete") this.remove();
    else return;
    event.preventDefault();
  }

  // Trying it

  async try() {
    const begun = await attempt(() => post("/pagi/trials", { task: this.task }));
    if (!begun) return;
    const mine = (this.trial = { name: begun.name, keys: new Set() });
    this.try_button.textContent = t("pagi.stop");
    this.canvas.focus();
    this.view.follow = true;
    while (this.trial === mine && this.canvas.isConnected) {
      const began = performance.now();
      const told = await attempt(() => post(`/pagi/trials/${mine.name}`, { keys: [...mine.keys] }));
      if (!told || this.trial !== mine) break;
      this.view.draw(told.scene);
      const ended = told.solved ? t("pagi.was_solved") : told.failed ? t("pagi.has_failed") : "";
      this.said.textContent = t("pagi.trying", { seconds: told.scene.seconds.toFixed(1), endorphins: told.sensed.endorphins, ended });
      await new Promise((done) => setTimeout(done, Math.max(0, 100 - (performance.now() - began))));
    }
    if (this.trial === mine) this.stop();
  }

  stop() {
    this.trial = null;
    this.view.follow = false;
    this.try_button.textContent = t("pagi.try");
    this.fit();
    this.draw();
  }

  press(event, down) {
    if (event.key === "Escape") this.stop();
    else if (!this.keys.includes(event.code) || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (down) this.trial.keys.add(event.code);
    else this.trial.keys.delete(event.code);
    event.preventDefault();
  }

  // The server

  async take(asked) {
    const found = await attempt(asked);
    if (!found) return;
    this.replace(found.plain);
    this.tell(found);
  }

  tell(found) {
    this.text.value = found.text;
    this.said.textContent = t("task_right", { sentence: found.sentence });
  }

  async check() {
    this.said.textContent = "";
    const found = await attempt(() => post("/pagi/edited", { task: this.task }));
    if (found) this.tell(found);
    return found;
  }

  async keep() {
    const found = await this.check();
    if (found) save("task.yaml", found.text, "application/yaml");
  }

  async go() {
    const found = await this.check();
    if (found) await this.use(found.task);
  }

  async load() {
    const file = this.file.files[0];
    if (!file) return;
    if (file.name.endsWith(".tsk")) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const content = btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
      await this.take(() => post("/pagi/files", { name: file.name.slice(-100), content }));
    } else {
      const text = await file.text();
      await this.take(() => post("/pagi/tasks", { text }));
    }
    this.file.value = "";
  }
}

/** A number where a text is one, a range where it is JSON; else the text, of which the server says what is wrong. */
function numeral(text) {
  if (text.trim() === "") return "";
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
