// Playing at a pace: keys and buttons are held, and at each beat what is held goes to the server, which answers with
// what is seen then. A few answers may be on their way at once; what was never acknowledged was never played.

import { make, showPicture } from "./plain.js";

const MOST_ON_THEIR_WAY = 4;
const BEHIND = 6; // beats after which the rest is left out: no hurry afterwards
const EARLY = 2; // milliseconds by which a beat may come before its time, since screens are drawn when they are
const KEYS = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right",
  KeyW: "up", KeyS: "down", KeyA: "left", KeyD: "right", Space: "fire", Enter: "fire",
};
const OPPOSITE = { up: "down", down: "up", left: "right", right: "left" };
const ONE_IMAGE = /href="(data:image\/png;base64,[^"]*)"/g;

/** What is held, the newest last. */
export class Held {
  constructor() {
    this.names = [];
  }

  press(name) {
    this.release(name);
    this.names.push(name);
  }

  release(name) {
    this.names = this.names.filter((one) => one !== name);
  }

  clear() {
    this.names = [];
  }

  /** The choice that does most of what is held, of two that are opposite the newer one, and nothing that is not. */
  choice(choices) {
    const held = this.names.filter((one, at) => !this.names.slice(at + 1).includes(OPPOSITE[one]));
    const able = choices.filter((one) => one.held.every((name) => held.includes(name)));
    const weight = (one) => one.held.reduce((all, name) => all + 1 + held.indexOf(name) / 100, 0);
    return able.reduce((best, one) => (best === null || weight(one) > weight(best) ? one : best), null);
  }
}

/** Show a picture; where only the image in it is another, it is exchanged, so that nothing flickers. */
export function showFrame(place, svg, label, choose) {
  const images = svg.match(ONE_IMAGE) ?? [];
  const frame = svg.replace(ONE_IMAGE, "");
  const shown = place.querySelector("image");
  if (images.length === 1 && shown && place.dataset.frame === frame) {
    shown.setAttribute("href", images[0].slice(6, -1));
    return;
  }
  showPicture(place, svg, label, choose);
  place.dataset.frame = images.length === 1 ? frame : "";
}

/** The game: begins and pauses, and tells what is seen. `tell(state, playing)`,
 * `lost()`, `found()` and `marked()` are the page's. */
export class Paced {
  constructor(place, path, text, { tell, lost, found, marked }) {
    this.place = place;
    this.path = path;
    this.text = text;
    this.tell = tell;
    this.lost = lost;
    this.found = found;
    this.marked = marked;
    this.held = new Held();
    this.playing = false;
    this.view = null;
    this.socket = null;
    this.onTheirWay = 0;
    this.elsewhere = false;
    this.settled = [];
    this.toggle = make("button", { type: "button", class: "pace" });
    this.toggle.addEventListener("click", () => (this.playing ? this.pause() : this.play()));
    addEventListener("keydown", (event) => this.#key(event, true));
    addEventListener("keyup", (event) => this.#key(event, false));
    addEventListener("blur", () => this.held.clear());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") this.pause();
    });
  }

  /** There is something to play, or not. */
  offer(view) {
    this.view = view?.pace && view.phase === "act" && view.form?.choices?.[0]?.held ? view : null;
    if (!this.view) {
      this.pause();
      this.place.replaceChildren();
    } else if (!this.place.childElementCount) {
      this.place.append(this.toggle, this.#pad(), make("p", { class: "dim" }, this.text("pace_keys")));
    }
    this.#label();
  }

  play() {
    if (this.playing || !this.view) return;
    this.playing = true;
    this.held.clear();
    this.number = this.view.number;
    this.onTheirWay = 0;
    this.#label();
    this.tell(this.view, true);
    this.#open();
  }

  /** Stop; done when all that was sent has been answered. */
  pause() {
    const settled = new Promise((done) => this.settled.push(done));
    if (this.playing) {
      this.playing = false;
      this.held.clear();
      this.#label();
    }
    if (!this.onTheirWay) this.#settle();
    return settled;
  }

  #settle() {
    for (const done of this.settled.splice(0)) done();
    if (this.view) this.tell(this.view, false);
  }

  #open() {
    const url = new URL(this.path, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.found();
      this.due = performance.now();
      this.#beat(socket);
    });
    socket.addEventListener("message", (event) => this.#take(socket, JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (socket !== this.socket) return;
      this.socket = null;
      this.onTheirWay = 0;
      if (this.playing) this.lost();
      this.pause();
    });
  }

  #beat(socket) {
    if (!this.playing || socket !== this.socket) {
      if (socket === this.socket && !this.onTheirWay) this.#close();
      return;
    }
    const now = performance.now();
    const period = 1000 / this.view.pace;
    if (now - this.due > BEHIND * period) this.due = now;
    while (!(this.elsewhere && this.onTheirWay) && this.due <= now + EARLY && this.onTheirWay < MOST_ON_THEIR_WAY) {
      const chosen = this.held.choice(this.view.form.choices);
      if (!chosen) break;
      const moment = this.marked() ? { marked: true } : {};
      socket.send(JSON.stringify({ number: this.number, action: chosen.action, ...moment, response_ms: period }));
      this.number += 1;
      this.onTheirWay += 1;
      this.due += period;
    }
    requestAnimationFrame(() => this.#beat(socket));
  }

  #take(socket, { taken, state }) {
    if (socket !== this.socket) return;
    this.onTheirWay -= 1;
    this.elsewhere = taken === null || (this.elsewhere && this.onTheirWay > 0); // all that is on its way is as stale
    if (!this.onTheirWay) this.number = state.number;
    const before = this.view;
    this.view = { ...state, form: state.form ?? before?.form };
    if (state.phase !== "act") {
      this.playing = false;
      if (this.onTheirWay) return;
      this.#close();
      this.tell(state, false);
      for (const done of this.settled.splice(0)) done();
      return;
    }
    if (this.playing || this.onTheirWay) {
      this.tell(this.view, true); // who has paused chooses again when all that was sent is answered
      return;
    }
    this.#close();
    this.#settle();
  }

  #close() {
    const socket = this.socket;
    this.socket = null;
    socket?.close(1000);
  }

  #key(event, down) {
    const name = KEYS[event.code];
    if (!this.playing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (down && (event.code === "Escape" || event.code === "KeyP")) {
      event.preventDefault();
      this.pause();
    }
    if (!name) return;
    event.preventDefault();
    if (event.repeat) return;
    if (down) this.held.press(name);
    else this.held.release(name);
  }

  #pad() {
    const used = new Set(this.view.form.choices.flatMap((one) => one.held));
    const buttons = ["up", "left", "fire", "right", "down"].filter((name) => used.has(name)).map((name) => {
      const button = make("button", { type: "button", class: name, "data-hold": name }, this.text(`pace_${name}`));
      const end = () => this.held.release(name);
      button.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        button.setPointerCapture(event.pointerId);
        this.held.press(name);
      });
      for (const over of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(over, end);
      button.tabIndex = -1; // by keyboard there are the keys themselves
      return button;
    });
    return make("div", { class: "pad", role: "group", "aria-label": this.text("pace_pad") }, ...buttons);
  }

  #label() {
    this.toggle.textContent = this.text(this.playing ? "pace_pause" : "pace_play");
  }
}
