// A room: shows what the participant's seat is told, sends what they do, and listens to what the others did.

import { Clock } from "./clock.js";
import { watchDevice } from "./device.js";
import { follow } from "./follow.js";
import { buttonOf, showForm, showPicture } from "./plain.js";
import { drawSign, drawSymbol } from "./shapes.js";

const play = document.getElementById("play");
const at = (id) => document.getElementById(id);
const texts = JSON.parse(at("texts").textContent);
const code = encodeURIComponent(play.dataset.code);
const home = `/p/${code}`;
const api = `/api/rooms/${code}`;

const text = (name, values = {}) =>
  texts[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));

watchDevice(`/api/participants/${code}`);

let view = null; // what is shown
let shownAt = 0; // when its turn was first shown, by performance.now
let message = null; // what is told with the next action
let busy = false;

const clock = new Clock(at("clock"), at("announced"), text, () => {});

const isOver = (state) => ["done", "alone", "replaced"].includes(state?.phase);

// Showing --------------------------------------------------------------------------

function show(state) {
  if (view && state.version !== undefined && view.version !== undefined && state.version < view.version) return;
  const before = view;
  view = state;
  const playing = "players" in state;
  const same = before && before.turn === state.turn && before.phase === state.phase;
  at("heading").textContent = title();
  at("told").textContent = whatNow();
  at("go").hidden = !isOver(state) && state.phase !== "void";
  clock.show(state.phase === "act" || state.phase === "wait" ? state.seconds : null, null);
  showPlayers(playing ? state.players : []);
  at("reward").replaceChildren(...(playing && state.reward !== null ? [drawSign(state.reward)] : []));
  at("chat").hidden = !playing || state.phase !== "act" || !state.symbols.length;
  if (!same) {
    message = null;
    showPicture(at("picture"), playing ? state.svg : "", text("picture"), act);
    at("words").replaceChildren(...(playing ? shownWords(state) : []).map(paragraph));
    showForm(at("form"), playing ? state.form : null, text, act);
    showHeard(playing ? state.heard : []);
    showChat(playing ? state.symbols : []);
    at("announced").textContent = [title(), whatNow(), ...(playing ? state.words.slice(-1) : [])].join(" ");
    if (state.phase === "act") {
      at("form").querySelector("button, input, textarea, select")?.focus({ preventScroll: true });
      requestAnimationFrame(() => {
        shownAt = performance.now();
      });
    }
  }
  if (state.phase === "void") setTimeout(() => location.reload(), 4000);
}

function shownWords(state) {
  return (state.svg && !state.beside ? state.words.slice(0, -1) : state.words).flatMap((one) => one.split("\n"));
}

function title() {
  if (view.phase === "lobby") return text("waiting_room");
  if ("turn" in view && view.phase !== "done") return text("turn", { episode: view.episode, turn: view.turn + 1 });
  return text("title");
}

function whatNow() {
  if (view.phase === "lobby") {
    return text("here", { here: view.here, wanted: view.wanted, minutes: Math.max(1, Math.ceil(view.seconds / 60)) });
  }
  return { act: text("your_turn"), wait: text("others"), done: text("over"), void: text("closed"), alone: text("alone"), replaced: text("replaced") }[view.phase];
}

function paragraph(said) {
  const made = document.createElement("p");
  made.textContent = said;
  return made;
}

function showPlayers(players) {
  at("players").replaceChildren(
    ...players.map((one) => {
      const item = document.createElement("li");
      const name = one.you ? text("you") : text(one.person ? "person" : "program", { number: one.seat + 1 });
      const who = one.you ? "you_" : "";
      const state = one.away && !one.you ? text("away") : text(`${who}${one.acted ? "acted" : "thinking"}`);
      item.textContent = `${name}: ${state}`;
      item.className = one.you ? "you" : "";
      return item;
    }),
  );
}

function showHeard(heard) {
  at("heard").replaceChildren(
    ...heard.map(([seat, said]) => {
      const line = document.createElement("p");
      line.append(`${text("said", { number: seat + 1 })} `);
      if (said in texts) {
        const drawn = drawSymbol(said);
        line.append(drawn, ` ${texts[said]}`);
      } else {
        line.append(said);
      }
      return line;
    }),
  );
}

function showChat(symbols) {
  at("chat").replaceChildren(
    ...symbols.map((symbol) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-label", texts[symbol]);
      button.append(drawSymbol(symbol));
      button.addEventListener("click", () => {
        message = message === symbol ? null : symbol;
        for (const other of at("chat").children) other.setAttribute("aria-pressed", String(other === button && message === symbol));
      });
      return button;
    }),
  );
}

// Acting ---------------------------------------------------------------------------

async function act(action) {
  if (busy || view?.phase !== "act") return;
  busy = true;
  const body = { turn: view.turn, action, message, response_ms: performance.now() - shownAt };
  // The same action may be sent again and again: the server takes it once.
  for (let wait = 300; ; wait = Math.min(2 * wait, 8000)) {
    try {
      const answer = await fetch(`${api}/answers`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (answer.ok) {
        at("trouble").textContent = "";
        show(await answer.json());
        break;
      }
      if (answer.status < 500 && answer.status !== 429) {
        at("told").textContent = text("not_now");
        break;
      }
    } catch {
      // the server is away for a moment
    }
    at("trouble").textContent = text("lost");
    await new Promise((done) => setTimeout(done, wait));
  }
  busy = false;
}

/** Take the choice that has a key as its own; whether there was one. */
function takeByKey(event) {
  const own = buttonOf(event, at("form"));
  if (!own) return false;
  event.preventDefault();
  own.click();
  return true;
}

document.addEventListener("keyup", takeByKey);
document.addEventListener("keydown", (event) => {
  if (takeByKey(event)) return;
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || !/^[0-9]$/.test(event.key)) return;
  if (event.target.matches?.("input, textarea, select")) return;
  const button = at("form").querySelector(`[data-key="${event.key}"]`);
  if (button) {
    event.preventDefault();
    button.click();
  }
});

follow({ api, home, event: "room", show, isOver: () => isOver(view), trouble: at("trouble"), lost: text("lost") });
