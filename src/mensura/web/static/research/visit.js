// A visit under way: the picture, all of the state, and steps forth and back, by a subject or by hand.

import { buttonOf } from "../participant/plain.js";
import { get, post } from "./api.js";
import { Beside } from "./beside.js";
import { attempt, button, byId, element, freshId, number, save, svgElement, t, word } from "./page.js";

const BUTTONS = 12; // so many actions have buttons; more are in a list
const AT_ONCE = 100; // interactions at a time, as fast as it goes
const LONGEST_LINE = 2000; // so many interactions are on the time line; of more, a hundred beyond the furthest

export class VisitView {
  constructor({ gone, edit }) {
    this.gone = gone;
    this.state = null;
    this.playing = false;
    this.run = 0; // how often Play was pressed: only the last of them goes on
    this.under = null; // the request that is under way
    byId("start").addEventListener("click", () => this.back(0));
    byId("back").addEventListener("click", () => this.back(this.state.interaction - 1));
    byId("step").addEventListener("click", () => this.step());
    byId("play").addEventListener("click", () => this.toggle());
    byId("save").addEventListener("click", () => save(this.about.file, `${JSON.stringify(this.about.description, null, 2)}\n`));
    byId("edit").addEventListener("click", () => edit(this.about));
    byId("mark").addEventListener("click", () => this.mark());
    this.beside = new Beside();
    byId("time").addEventListener("input", () => { byId("time-shown").textContent = byId("time").value; });
    byId("time").addEventListener("change", () => this.go(Number(byId("time").value)));
    for (const type of ["keydown", "keyup"]) document.addEventListener(type, (event) => this.press(event));
    byId("picture").addEventListener("click", (event) => this.point(event));
    byId("picture").addEventListener("keydown", (event) => {
      if ((event.key !== "Enter" && event.key !== " ") || !event.target.closest?.("[data-action]")) return;
      event.preventDefault();
      this.point(event);
    });
  }

  /** Some choices have keys of their own, while nobody writes or presses something else. */
  press(event) {
    const own = buttonOf(event, byId("hands"));
    if (!own || own.disabled) return;
    event.preventDefault();
    own.click();
  }

  /** A visit that has begun, or another episode of it. */
  show({ state, about }) {
    this.pause();
    this.about = about;
    byId("visit").hidden = byId("of-visit").hidden = false;
    if (!byId("pool").href.includes(`/${state.visit}/`)) byId("pool").hidden = true; // another visit
    byId("nothing").hidden = true;
    this.furthest = 0;
    byId("sentences").replaceChildren(...about.sentences.map((one) => element("p", {}, one)));
    byId("complexities").replaceChildren(
      ...about.complexities.map((one) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, one.name),
          element("td", { class: "number" }, one.value === null ? "" : `${number(one.value)} ${one.unit}`.trim()),
          element("td", {}, one.sentence),
        ),
      ),
    );
    byId("command").textContent = about.command;
    byId("hands").replaceChildren();
    this.hands = "";
    this.render(state);
  }

  /** Mark the moment as a checkpoint; the pool of those that were marked can be saved. */
  async mark() {
    const marked = await attempt(() => post(`/visits/${this.state.visit}/checkpoints`));
    if (!marked) return;
    const link = byId("pool");
    link.href = `/api/research/visits/${this.state.visit}/pool`;
    link.textContent = t("save_pool", { count: marked.count });
    link.hidden = false;
  }

  // Forth and back

  async step() {
    await this.ask(() => post(`/visits/${this.state.visit}/steps`, { actions: this.chosen(), after: this.state.interaction }));
  }

  async act(action) {
    await this.ask(() => post(`/visits/${this.state.visit}/steps`, { actions: [action], after: this.state.interaction }));
  }

  async back(to) {
    this.pause();
    await this.ask(() => post(`/visits/${this.state.visit}/back`, { to: Math.max(to, 0) }));
  }

  /** To any moment on the time line: back, or on as with many steps. */
  async go(to) {
    this.pause();
    if (to < this.state.interaction) return this.back(to);
    let went = true;
    while (went && !this.state.ended && this.state.interaction < to) {
      const count = Math.min(to - this.state.interaction, AT_ONCE);
      went = await this.ask(() => post(`/visits/${this.state.visit}/steps`, { count, after: this.state.interaction }));
    }
    this.timeline();
  }

  /** One request at a time; a visit that is gone is told. */
  async ask(work) {
    if (this.under) return false;
    this.under = attempt(async () => {
      try {
        return await work();
      } catch (error) {
        this.pause();
        if (error.status === 404) this.gone();
        if (error.status === 409) this.render((await get(`/visits/${this.state.visit}`)).state);
        throw error;
      }
    });
    const state = await this.under;
    if (state) {
      this.render(state);
      this.under = attempt(() => this.beside.follow(state.interaction));
      await this.under;
    }
    this.under = null;
    return Boolean(state);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  pause() {
    this.playing = false;
    clearTimeout(this.timer);
    byId("play").setAttribute("aria-pressed", "false");
    byId("play").textContent = t("play");
    byId("status").removeAttribute("aria-live");
  }

  play() {
    if (!this.state || this.state.ended) return;
    this.playing = true;
    byId("play").setAttribute("aria-pressed", "true");
    byId("play").textContent = t("pause");
    byId("status").setAttribute("aria-live", "off"); // not every step of many is read out
    this.tick(++this.run);
  }

  async tick(run) {
    while (this.under) await this.under; // a step by hand, or of a run that was paused
    if (run !== this.run || !this.playing) return;
    if (this.state.ended) {
      this.pause();
      return;
    }
    const speed = Number(byId("speed").value);
    const begun = performance.now();
    const actions = this.chosen(); // what is set by hand holds for one interaction, so that many go one by one
    const more = { actions, after: this.state.interaction, count: speed || actions ? 1 : AT_ONCE };
    const went = await this.ask(() => post(`/visits/${this.state.visit}/steps`, more));
    if (run !== this.run || !this.playing) return;
    if (!went || this.state.ended) {
      this.pause();
      this.status();
      return;
    }
    this.timer = setTimeout(() => this.tick(run), speed ? Math.max(0, 1000 / speed - (performance.now() - begun)) : 0);
  }

  /** An episode with a time limit is looked at again when its time is over, whether somebody acts or not. */
  watchTime() {
    clearTimeout(this.waiting);
    const { left, visit } = this.state;
    if (left === null) return;
    this.waiting = setTimeout(() => this.ask(async () => (await get(`/visits/${visit}`)).state), 1000 * left + 50);
  }

  // What is seen

  render(state) {
    this.state = state;
    this.watchTime();
    this.status();
    byId("start").disabled = byId("back").disabled = state.interaction === 0;
    byId("step").disabled = byId("play").disabled = byId("mark").disabled = state.ended !== null;
    this.timeline();
    this.picture();
    this.hand();
    this.reachable();
    this.rewards();
    byId("words").replaceChildren(...[...state.words, ...state.faults].map((one) => element("li", {}, one)));
    this.tables();
    byId("observations").replaceChildren(
      ...state.seats
        .filter((one) => one.observation)
        .flatMap((one) => [
          element("dt", {}, t("seat_number", { number: one.seat }) + (one.rights.length ? ` (${one.rights.join(", ")})` : "")),
          element("dd", {}, one.observation),
        ]),
    );
    byId("text").textContent = state.text;
    byId("as-text").hidden = !state.text;
    byId("seed").value = state.seed;
  }

  status() {
    const { interaction, horizon, ended, seats, subject, training, limit, left } = this.state;
    const total = seats.reduce((sum, one) => sum + one.total, 0);
    const last = seats.reduce((sum, one) => sum + (one.reward ?? 0), 0);
    const parts = [t("interaction", { number: interaction, count: horizon ?? "∞" })];
    if (interaction) parts.push(t("rewarded", { last: number(last), total: number(total) }));
    parts.push(subject ? t("played_by", { who: subject }) : t("played_by_hand"));
    if (training) parts.push(t("trained", { count: training }));
    if (limit !== null && !ended) parts.push(t("time_left", { left: Math.ceil(left), limit: number(limit) }));
    const late = ended === "truncated" && limit !== null && interaction < (horizon ?? Infinity);
    if (ended) parts.push(late ? t("ended_late", { limit: number(limit) }) : t(`ended.${ended}`));
    byId("status").textContent = parts.join(" ");
  }

  timeline() {
    const { interaction, horizon } = this.state;
    this.furthest = Math.max(this.furthest, interaction);
    const line = byId("time");
    line.max = horizon !== null && horizon <= LONGEST_LINE ? horizon : this.furthest + AT_ONCE;
    line.value = interaction;
    line.setAttribute("aria-valuetext", t("interaction", { number: interaction, count: horizon ?? "∞" }));
    byId("time-shown").textContent = interaction;
  }

  picture() {
    const read = new DOMParser().parseFromString(this.state.svg, "image/svg+xml").documentElement;
    return byId("picture").replaceChildren(document.importNode(read, true));
  }

  rewards() {
    byId("rewards").replaceChildren(
      ...this.state.seats.map((one) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, String(one.seat)),
          element("td", {}, this.named(one)),
          ...[one.reward, one.total, one.mean].map((value) => element("td", { class: "number" }, value === null ? "" : number(value))),
        ),
      ),
    );
    this.course();
  }

  named(seat) {
    if (seat.action === null) return "";
    const choice = seat.choices.find((one) => one.action === seat.action);
    if (choice) return moveText(choice.name);
    if (Array.isArray(seat.action)) return seat.action.map(number).join(", ");
    return typeof seat.action === "object" ? JSON.stringify(seat.action).slice(0, 80) : String(seat.action);
  }

  /** The mean reward so far, as a line from -1 to 1. */
  course() {
    const points = this.state.course;
    if (points.length < 2) return byId("course").replaceChildren();
    const last = points.at(-1);
    const [wide, high] = [460, 90];
    const place = ([at, value]) => `${((at / last[0]) * (wide - 4) + 2).toFixed(1)},${((high / 2) * (1 - value)).toFixed(1)}`;
    const label = t("course", { value: number(last[1]) });
    const svg = svgElement("svg", { viewBox: `0 -2 ${wide} ${high + 4}`, width: wide, height: high + 4, role: "img", "aria-label": label });
    svg.append(
      svgElement("path", { d: `M2 ${high / 2}H${wide - 2}M2 0H${wide - 2}M2 ${high}H${wide - 2}`, stroke: "currentColor", "stroke-opacity": 0.25, fill: "none" }),
      svgElement("polyline", { points: points.map(place).join(" "), fill: "none", stroke: "#0072b2", "stroke-width": 2 }),
    );
    return byId("course").replaceChildren(svg, element("p", { class: "dim" }, label));
  }

  /** The tables stay where they are from step to step, open or closed, and only their rows change. */
  tables() {
    const place = byId("tables");
    const names = this.state.tables.map((one) => one.name).join();
    if (place.dataset.names !== names) {
      place.dataset.names = names;
      place.replaceChildren(
        ...this.state.tables.map((one, at) => {
          const title = word(`table.${one.name}`, one.name);
          const region = { class: "scroll", role: "region", tabindex: 0, "aria-label": title };
          return element(
            "details",
            at < 2 ? { open: true } : {},
            element("summary", {}, title),
            element("div", region, element("table", {}, element("thead"), element("tbody"))),
          );
        }),
      );
    }
    this.state.tables.forEach((one, at) => {
      const table = place.children[at].querySelector("table");
      const numeric = one.columns.map((_, i) => one.rows.some((row) => typeof row[i] === "number"));
      const heads = one.columns.map((name, i) =>
        element("th", { scope: "col", class: numeric[i] ? "number" : null }, word(`column.${name}`, /^\d/.test(name) ? t("action_number", { number: name }) : name)),
      );
      table.tHead.replaceChildren(element("tr", {}, ...heads));
      table.tBodies[0].replaceChildren(
        ...one.rows.map((row) =>
          element("tr", {}, ...row.map((value, i) => element(i ? "td" : "th", { scope: i ? null : "row", class: numeric[i] ? "number" : null }, cellText(value)))),
        ),
      );
    });
  }

  // By hand

  /** The controls of all seats; they are made anew only where they change, so that whoever uses keys keeps the place. */
  hand() {
    const { seats, due, ended, subject } = this.state;
    const alone = seats.length === 1 && seats[0].knobs.length === 0 && seats[0].choices.length > 0 && (seats[0].choices.length <= BUTTONS || seats[0].choices.some((one) => one.key));
    byId("hand-about").textContent = ended ? t("ended_about") : alone ? t("hand_at_once") : seats[0].knobs.length ? t("hand_knobs") : subject ? t("hand_over") : t("hand_then_step");
    const kind = JSON.stringify(seats.map((one) => [one.choices.map((choice) => choice.name), one.knobs]));
    if (this.hands !== kind) {
      this.hands = kind;
      this.seats = seats.map((one) => (alone ? this.buttons(one) : one.knobs.length ? this.knobs(one) : this.list(one)));
      byId("hands").replaceChildren(...this.seats.map((one) => one.box));
    }
    const moved = this.handsAt !== this.state.interaction;
    this.handsAt = this.state.interaction;
    this.seats.forEach((one, at) => one.update(seats[at], due.includes(at), moved));
  }

  buttons(seat) {
    const made = seat.choices.map((choice) => button(choice.name, () => this.act(choice.action)));
    seat.choices.forEach((choice, i) => choice.key && (made[i].dataset.code = choice.key));
    const nine = seat.choices.length === 9 && seat.choices[4].name === "stay";
    const box = element("div", { class: nine ? "hand pad" : "hand", role: "group", "aria-label": t("actions") }, ...made);
    return {
      box,
      read: () => null,
      choose: (action) => this.act(action),
      update: (now, due) => now.choices.forEach((choice, i) => {
        made[i].textContent = actionText(choice, nine);
        made[i].disabled = !due;
      }),
    };
  }

  list(seat) {
    const id = freshId("hand");
    const select = element("select", { id });
    select.append(element("option", { value: "" }, t("its_own_action")));
    const options = seat.choices.map((choice) => element("option", { value: JSON.stringify(choice.action) }, choice.name));
    select.append(...options);
    const box = element("div", { class: "hand" }, element("div", { class: "field" }, element("label", { for: id }, t("seat_number", { number: seat.seat })), select));
    return {
      box,
      read: () => (select.value === "" ? null : JSON.parse(select.value)),
      choose: (action) => { select.value = JSON.stringify(action); },
      free: () => select.value === "",
      update: (now, due, moved) => {
        if (moved) select.value = ""; // a choice is for one step
        now.choices.forEach((choice, i) => { options[i].textContent = actionText(choice, false); });
        select.disabled = !due;
      },
    };
  }

  knobs(seat) {
    const own = element("input", { type: "checkbox", id: freshId("hand") });
    const sliders = seat.knobs.map((knob) => {
      const id = freshId("knob");
      const shown = element("output", { for: id }, "0");
      const slider = element("input", { id, type: "range", min: knob.low, max: knob.high, step: (knob.high - knob.low) / 40 });
      slider.value = 0;
      slider.addEventListener("input", () => {
        shown.textContent = slider.value;
        own.checked = true;
      });
      return { slider, box: element("div", { class: "knob" }, element("label", { for: id }, knob.name), slider, shown) };
    });
    const box = element(
      "fieldset",
      {},
      element("legend", {}, t("seat_number", { number: seat.seat })),
      element("div", { class: "field tick" }, own, element("label", { for: own.id }, t("set_by_hand"))),
      ...sliders.map((one) => one.box),
    );
    return {
      box,
      read: () => (own.checked ? sliders.map((one) => Number(one.slider.value)) : null),
      choose: () => {},
      update: (_, due) => { for (const one of sliders) one.slider.disabled = !due; },
    };
  }

  /** What was chosen for the seats that are due; null where nothing was. */
  chosen() {
    const chosen = this.state.due.map((seat) => this.seats[seat].read());
    return chosen.some((one) => one !== null) ? chosen : null;
  }

  reachable() {
    const cells = new Set(this.state.due.flatMap((seat) => this.state.seats[seat].choices.map((one) => one.cell)));
    for (const cell of byId("picture").querySelectorAll("[data-cell]")) {
      cell.classList.toggle("reachable", cells.has(Number(cell.dataset.cell)));
    }
  }

  /** A click on a shape is its action, and on a cell the one that leads there, of the first seat that has it and no other choice yet. */
  point(event) {
    const shape = event.target.closest?.("[data-action], [data-cell]");
    if (!shape || this.state.ended) return;
    const { action, cell } = shape.dataset;
    const meant = action === undefined ? (one) => one.cell === Number(cell) : (one) => JSON.stringify(one.action) === JSON.stringify(JSON.parse(action));
    const able = this.state.due
      .map((seat) => ({ hand: this.seats[seat], choice: this.state.seats[seat].choices.find(meant) }))
      .filter((one) => one.choice);
    const first = able.find((one) => one.hand.free?.()) ?? able[0];
    if (first) first.hand.choose(first.choice.action);
  }
}

/** A move, and what is done with it: "up, harvest". */
function moveText(name) {
  return name.split(", ").map((part) => word(`move.${part}`, part)).join(", ");
}

function actionText(choice, short) {
  const name = moveText(choice.name);
  if (short || choice.cell === null) return name;
  return t("leads", { name, cell: choice.cell + 1 });
}

function cellText(value) {
  if (value === null) return "";
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  return number(value);
}
